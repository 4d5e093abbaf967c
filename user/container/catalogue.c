// SPDX-License-Identifier: GPL-2.0-only
/* Catalogues: read, checked, and walked like a directory. */
#include <errno.h>
#include <json-c/json.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

#include "private.h"
#include "search.h"

/* Of a catalogue's file: what is parsed takes up to 700 bytes of memory for an object, 100 for a value. */
#define CATALOGUE_MOST	(64ULL << 20)
#define OBJECTS_MOST	65536
#define VALUES_MOST	(1U << 20)
#define LOOK 256

bool catalogue_is(const struct image_reader *reader)
{
	char head[LOOK + 1] = "";
	size_t length = reader->size < LOOK ? reader->size : LOOK;
	const char *at = head;

	if (container_read(reader, 0, head, length, NULL))
		return false;
	at += strspn(at, " \t\r\n");
	if (*at != '{')
		return false;
	at = strstr(at, "\"format\"");
	if (!at)
		return false;
	at += strlen("\"format\"");
	at += strspn(at, " \t\r\n:");
	return !strncmp(at, "\"" CATALOGUE_FORMAT "\"", strlen(CATALOGUE_FORMAT) + 2);
}

/* ---- reading ---- */

static const char *string_of(struct json_object *object, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, key, &value) || !json_object_is_type(value, json_type_string))
		return NULL;
	return json_object_get_string(value);
}

static int64_t number_of(struct json_object *object, const char *key, int64_t otherwise)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, key, &value) || !json_object_is_type(value, json_type_int))
		return otherwise;
	return json_object_get_int64(value);
}

/* A path that cannot leave the directory it is relative to, by its text. */
static bool stays_below(const char *path)
{
	const char *part = path;

	if (!*path || *path == '/')
		return false;
	while (part) {
		if (!strncmp(part, "..", 2) && (!part[2] || part[2] == '/'))
			return false;
		part = strchr(part, '/');
		part = part ? part + 1 : NULL;
	}
	return true;
}

static bool is_digest(const char *text)
{
	return strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
}

static enum image_format format_of(const char *name)
{
	enum image_format format;

	for (format = IMAGE_FS2; name && format <= IMAGE_FS5; format++)
		if (!strcmp(name, image_format_name(format)))
			return format;
	return IMAGE_NONE;
}

static enum container_kind container_of(const char *name)
{
	enum container_kind kind;

	for (kind = CONTAINER_MFA1; name && kind <= CONTAINER_PLDM; kind++)
		if (!strcmp(name, container_kind_name(kind)))
			return kind;
	return CONTAINER_NONE;
}

static int bad_entry(size_t index, const char *key, const char *what, struct image_error *error)
{
	return image_fail(error, -EBADMSG, 0, _("the catalogue's image %zu: \"%s\" %s"), index, key,
			  what);
}

/* The texts that an entry may lack are empty then. */
static const struct {
	const char *key;
	size_t offset;
	bool needed;
} texts[] = {
	{ "psid", offsetof(struct catalogue_entry, psid), true },
	{ "file", offsetof(struct catalogue_entry, file), true },
	{ "sha256", offsetof(struct catalogue_entry, sha256), true },
	{ "inside", offsetof(struct catalogue_entry, inside), false },
	{ "firmware_version", offsetof(struct catalogue_entry, version), false },
	{ "name", offsetof(struct catalogue_entry, name), false },
};

static int read_texts(struct json_object *object, size_t index, struct catalogue_entry *entry,
		      struct image_error *error)
{
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *text = string_of(object, texts[i].key);
		char **to = (char **)((char *)entry + texts[i].offset);

		if (!text && texts[i].needed)
			return bad_entry(index, texts[i].key, _("is not there, or no text"), error);
		*to = strdup(text ? text : "");
		if (!*to)
			return container_no_memory(error);
	}
	return 0;
}

static int read_entry(struct json_object *object, size_t index, struct catalogue_entry *entry,
		      struct image_error *error)
{
	struct json_object *good;
	int64_t length;
	int code;

	memset(entry, 0, sizeof(*entry));
	if (!json_object_is_type(object, json_type_object))
		return image_fail(error, -EBADMSG, 0, _("the catalogue's image %zu is no object"), index);
	code = read_texts(object, index, entry, error);
	if (code)
		return code;
	if (!stays_below(entry->file))
		return bad_entry(index, "file", _("leads out of the catalogue's directory"), error);
	if (!is_digest(entry->sha256))
		return bad_entry(index, "sha256", _("is no SHA-256 of 64 digits"), error);
	entry->member = number_of(object, "member", -1);
	length = number_of(object, "length", -1);
	if (entry->member < -1 || entry->member >= CONTAINER_MEMBERS)
		return bad_entry(index, "member", _("is not a number that a container can have"), error);
	if (length < 0)
		return bad_entry(index, "length", _("is not there, or no number"), error);
	entry->length = length;
	entry->format = format_of(string_of(object, "format"));
	entry->container = container_of(string_of(object, "container"));
	entry->good = json_object_object_get_ex(object, "good", &good) && json_object_get_boolean(good);
	return 0;
}

/* Relative to the directory that the catalogue lies in. */
static char *root_of(const char *path, const char *root)
{
	const char *slash = strrchr(path, '/');
	char *joined;

	if (*root == '/')
		return strdup(root);
	if (!*root || !strcmp(root, "."))
		return slash ? strndup(path, slash == path ? 1 : slash - path) : strdup(".");
	if (asprintf(&joined, "%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, root) < 0)
		return NULL;
	return joined;
}

static int read_document(const char *path, struct json_object *document, struct catalogue *catalogue,
			 struct image_error *error)
{
	struct json_object *images;
	int64_t version = number_of(document, "version", -1);
	const char *root = string_of(document, "root");
	size_t i, count;
	int code = 0;

	if (version != CATALOGUE_VERSION)
		return image_fail(error, -EOPNOTSUPP, 0,
				  _("the catalogue has version %lld, this version of cxctl reads %d: make it anew with cxctl image index"),
				  (long long)version, CATALOGUE_VERSION);
	if (!root)
		return image_fail(error, -EBADMSG, 0, _("the catalogue has no \"root\""));
	if (!json_object_object_get_ex(document, "images", &images) ||
	    !json_object_is_type(images, json_type_array))
		return image_fail(error, -EBADMSG, 0, _("the catalogue has no list \"images\""));
	count = json_object_array_length(images);
	catalogue->root = root_of(path, root);
	catalogue->entries = calloc(count + 1, sizeof(*catalogue->entries));
	if (!catalogue->root || !catalogue->entries)
		return container_no_memory(error);
	for (i = 0; !code && i < count; i++) {
		code = read_entry(json_object_array_get_idx(images, i), i, &catalogue->entries[i], error);
		catalogue->count++;
	}
	return code;
}

static bool is_too_large(const struct image_reader *reader)
{
	uint64_t at, objects = 0, values = 0;

	if (reader->size > CATALOGUE_MOST)
		return true;
	for (at = 0; reader->bytes && at < reader->size; at++) {
		objects += reader->bytes[at] == '{' || reader->bytes[at] == '[';
		values += reader->bytes[at] == ',' || reader->bytes[at] == ':';
	}
	return objects > OBJECTS_MOST || values > VALUES_MOST;
}

static struct json_object *parse(const struct image_reader *reader, struct image_error *error)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *document = NULL;

	if (!tokener) {
		container_no_memory(error);
		return NULL;
	}
	if (reader->bytes)
		document = json_tokener_parse_ex(tokener, (const char *)reader->bytes, reader->size);
	if (!document || !json_object_is_type(document, json_type_object)) {
		image_fail(error, -EBADMSG, json_tokener_get_parse_end(tokener),
			   _("the catalogue is no JSON: %s at byte %zu"),
			   json_tokener_error_desc(json_tokener_get_error(tokener)),
			   json_tokener_get_parse_end(tokener));
		json_object_put(document);
		document = NULL;
	}
	json_tokener_free(tokener);
	return document;
}

int catalogue_read(const char *path, struct catalogue *catalogue, struct image_error *error)
{
	struct json_object *document;
	struct image_file file;
	int code;

	memset(catalogue, 0, sizeof(*catalogue));
	code = image_file_open(path, &file, error);
	if (code)
		return code;
	if (!catalogue_is(&file.reader))
		code = image_fail(error, -EBADMSG, 0,
				  _("it is not a catalogue made by cxctl image index"));
	else if (is_too_large(&file.reader))
		code = image_fail(error, -EFBIG, 0,
				  _("the catalogue is too large: more than %u images, or %llu MiB"),
				  OBJECTS_MOST, CATALOGUE_MOST >> 20);
	if (code) {
		image_file_close(&file);
		return code;
	}
	document = parse(&file.reader, error);
	image_file_close(&file);
	if (!document)
		return -EBADMSG;
	code = read_document(path, document, catalogue, error);
	json_object_put(document);
	if (code)
		catalogue_free(catalogue);
	return code;
}

void catalogue_free(struct catalogue *catalogue)
{
	size_t i, j;

	for (i = 0; i < catalogue->count; i++)
		for (j = 0; j < sizeof(texts) / sizeof(texts[0]); j++)
			free(*(char **)((char *)&catalogue->entries[i] + texts[j].offset));
	free(catalogue->entries);
	free(catalogue->root);
	memset(catalogue, 0, sizeof(*catalogue));
}

/* ---- what an entry vouches for ---- */

static int digest_piece(void *context, const uint8_t *bytes, size_t length)
{
	return EVP_DigestUpdate(context, bytes, length) == 1 ? 0 : -ENOMEM;
}

static int digest_reader(const struct image_reader *reader, EVP_MD_CTX *digest, struct image_error *error)
{
	return container_pieces(reader, 0, reader->size, digest_piece, digest, error);
}

/* One image of a flash lies in slots: its bytes are put together. */
static int digest_slot(const struct image_reader *reader, const struct image_facts *facts, EVP_MD_CTX *digest,
		       uint64_t *length, struct image_error *error)
{
	uint8_t *bytes;
	size_t size;
	int code = image_load(reader, facts, &bytes, &size, error);

	if (code)
		return code;
	*length = size;
	code = digest_piece(digest, bytes, size);
	free(bytes);
	return code;
}

/* FS2 lies in stripes on a flash. A whole FS3 or FS4 file is a flash whose first slot is taken. */
bool catalogue_is_whole(const struct image_place *place)
{
	return place->layout != IMAGE_LAYOUT_FLASH || (place->format != IMAGE_FS2 && !place->address);
}

int catalogue_digest(const struct image_reader *reader, const struct image_facts *facts, char hex[65],
		     uint64_t *length, struct image_error *error)
{
	EVP_MD_CTX *digest = EVP_MD_CTX_new();
	uint8_t value[EVP_MAX_MD_SIZE];
	unsigned int i, size = 0;
	int code;

	if (!digest || EVP_DigestInit_ex(digest, EVP_sha256(), NULL) != 1) {
		EVP_MD_CTX_free(digest);
		return container_no_memory(error);
	}
	*length = reader->size;
	if (catalogue_is_whole(&facts->place))
		code = digest_reader(reader, digest, error);
	else
		code = digest_slot(reader, facts, digest, length, error);
	if (!code && EVP_DigestFinal_ex(digest, value, &size) != 1)
		code = container_no_memory(error);
	EVP_MD_CTX_free(digest);
	for (i = 0; i < size; i++)
		sprintf(hex + 2 * i, "%02x", value[i]);
	return code;
}

int catalogue_check(const struct catalogue_entry *entry, const struct image_reader *reader,
		    struct image_error *error)
{
	struct image_facts facts;
	uint64_t length;
	char hex[65];
	int code;

	/* What the catalogue lists may also be no image: a ROM in a container. */
	memset(&facts, 0, sizeof(facts));
	if (entry->format != IMAGE_NONE)
		image_query(reader, IMAGE_LAYOUT_AUTO, IMAGE_NO_ROM, &facts, NULL);
	code = catalogue_digest(reader, &facts, hex, &length, error);
	if (code)
		return code;
	if (length != entry->length || strcmp(hex, entry->sha256))
		return image_fail(error, -ESTALE, 0,
				  _("%s is not what the catalogue was made of: SHA-256 %.12s..., expected %.12s...; make the catalogue anew with cxctl image index"),
				  entry->psid, hex, entry->sha256);
	return 0;
}

/* ---- walking ---- */

const struct catalogue_entry *search_listed(const struct search *search, const struct source_item *item)
{
	int64_t member = item->kind == SOURCE_MEMBER ? (int64_t)item->member->index : -1;
	size_t i;

	for (i = 0; i < search->listed_count; i++)
		if (search->listed[i].member == member && !strcmp(search->listed[i].inside, item->inside))
			return &search->listed[i];
	return NULL;
}

/* What the catalogue says of an image, without a look at its file. */
static void item_of(const char *path, const struct catalogue_entry *entry, struct container_member *member,
		    struct source_item *item)
{
	memset(member, 0, sizeof(*member));
	member->index = entry->member >= 0 ? entry->member : 0;
	member->size = entry->length;
	member->version_exact = true;
	snprintf(member->psid, sizeof(member->psid), "%s", entry->psid);
	snprintf(member->version_text, sizeof(member->version_text), "%s", entry->version);
	snprintf(member->description, sizeof(member->description), "%s", entry->name);
	*item = (struct source_item){
		.kind = entry->member >= 0 ? SOURCE_MEMBER : SOURCE_IMAGE,
		.path = path,
		.inside = entry->inside,
		.format = entry->format,
		.container = entry->container,
		.member = entry->member >= 0 ? member : NULL,
		.psid = entry->psid,
		.version = entry->version,
	};
}

/* Entries of one container with the same bytes are one component of it. */
static unsigned int component_of(const struct search *search, size_t index)
{
	size_t i;

	for (i = 0; i < index; i++)
		if (!strcmp(search->listed[i].sha256, search->listed[index].sha256))
			break;
	return i;
}

static bool any_wanted(struct search *search, const char *path)
{
	struct container_member member;
	struct source_item item;
	size_t i;

	for (i = 0; i < search->listed_count; i++) {
		item_of(path, &search->listed[i], &member, &item);
		if (!search->walk->wanted || search->walk->wanted(search->walk->context, &item))
			return true;
	}
	return false;
}

static int offer_unopened(struct search *search, const char *path)
{
	struct container_member member;
	struct source_item item;
	int code = 0;
	size_t i;

	search->path = path;
	for (i = 0; !code && i < search->listed_count; i++) {
		item_of(path, &search->listed[i], &member, &item);
		member.component = component_of(search, i);
		code = search_item(search, &item, NULL);
	}
	return code;
}

/* The entries of one file. */
static int walk_listed(struct search *search, const char *path)
{
	struct image_error error;
	size_t before = search->listed_count, troubles = search->troubles;
	int code;

	search->listed_seen = 0;
	if (!any_wanted(search, path))
		return offer_unopened(search, path);
	code = search_named(search, path);
	if (code || search->listed_seen >= before || search->troubles > troubles)
		return code;
	image_fail(&error, 0, 0,
		   _("%zu of the %zu images that the catalogue lists are not in it: make the catalogue anew with cxctl image index"),
		   before - search->listed_seen, before);
	return search_trouble(search, "", -ESTALE, &error);
}

static int walk_entries(struct search *search, const struct catalogue *catalogue)
{
	size_t first, next;
	int code = 0;

	for (first = 0; !code && first < catalogue->count; first = next) {
		const struct catalogue_entry *entry = &catalogue->entries[first];
		char *path;

		for (next = first + 1; next < catalogue->count; next++)
			if (strcmp(catalogue->entries[next].file, entry->file))
				break;
		if (asprintf(&path, "%s/%s", catalogue->root, entry->file) < 0)
			return -ENOMEM;
		search->listed = entry;
		search->listed_count = next - first;
		code = walk_listed(search, path);
		free(path);
	}
	return code;
}

int search_catalogue(struct search *search, const char *path)
{
	struct catalogue catalogue;
	int code = catalogue_read(path, &catalogue, search->error);

	search->alone = false;
	if (!code) {
		code = walk_entries(search, &catalogue);
		if (!code && !search->items)
			code = image_fail(search->error, -ENOENT, 0,
					  _("none of the %zu images that the catalogue lists can be read"),
					  catalogue.count);
		catalogue_free(&catalogue);
	}
	search->listed = NULL;
	search->path = path;
	if (code && !search->over) {
		search->over = true;
		search->result = code;
	}
	return code;
}
