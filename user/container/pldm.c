// SPDX-License-Identifier: GPL-2.0-only
/* PLDM firmware packages (DSP0267): firmware-images.md 7.3. Little-endian, packed without padding. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "private.h"

#define FIXED_LENGTH 36			/* up to the package's version text */
#define RECORD_LENGTH 11
#define COMPONENT_LENGTH 22
#define VENDOR_DEFINED 0xffff

struct pldm {
	struct container *container;
	struct container_bytes header;	/* without its checksum */
	size_t at;
	unsigned int bitmap_length;	/* bytes of a record's bitmap */
	struct image_error *error;
};

/* What a record says of the boards it is for. */
struct board {
	char psid[33], part[65], description[257];
	const uint8_t *bitmap;
};

/* length bytes at the place, which moves behind them; NULL: the header is too short. */
static const uint8_t *take(struct pldm *pldm, size_t length, const char *what)
{
	const uint8_t *bytes = pldm->header.bytes + pldm->at;

	if (length > pldm->header.length - pldm->at) {
		image_fail(pldm->error, -EBADMSG, pldm->at,
			   _("the %s at 0x%zx needs %zu bytes, but the package header ends at 0x%zx"),
			   what, pldm->at, length, pldm->header.length);
		return NULL;
	}
	pldm->at += length;
	return bytes;
}

/* ---- records ---- */

static void add_word(char *text, size_t room, const char *word)
{
	size_t used = strlen(text);

	snprintf(text + used, room - used, "%s%s", used ? ", " : "", word);
}

/* A title and a value in a vendor's own words. */
static void take_vendor_words(struct board *board, const uint8_t *data, size_t length)
{
	char title[33], value[65], word[100];

	if (length < 2 || (size_t)data[1] + 2 > length)
		return;
	image_text(title, sizeof(title), data + 2, data[1]);
	image_text(value, sizeof(value), data + 2 + data[1], length - 2 - data[1]);
	if (!strcmp(title, "PSID")) {
		snprintf(board->psid, sizeof(board->psid), "%.32s", value);
		return;
	}
	if (!strcmp(title, "APSKU"))
		strcpy(board->part, value);
	snprintf(word, sizeof(word), "%s %s", title, value);
	add_word(board->description, sizeof(board->description), word);
}

static void take_descriptor(struct board *board, unsigned int type, const uint8_t *data, size_t length)
{
	static const char *const words[] = {
		[0x000] = "PCI vendor", [0x100] = "PCI device", [0x101] = "PCI subvendor",
		[0x102] = "PCI subdevice", [0x103] = "PCI revision",
	};
	char word[40];

	if (type == VENDOR_DEFINED) {
		take_vendor_words(board, data, length);
		return;
	}
	if (type >= sizeof(words) / sizeof(words[0]) || !words[type] || !length)
		return;
	snprintf(word, sizeof(word), "%s %0*x", words[type], length == 1 ? 2 : 4,
		 length == 1 ? data[0] : le16(data));
	add_word(board->description, sizeof(board->description), word);
}

static int take_descriptors(struct pldm *pldm, struct board *board, unsigned int count, size_t end)
{
	const uint8_t *head, *data;

	while (count--) {
		head = take(pldm, 4, _("descriptor"));
		data = head ? take(pldm, le16(head + 2), _("descriptor")) : NULL;
		if (!data)
			return -EBADMSG;
		take_descriptor(board, le16(head), data, le16(head + 2));
	}
	if (pldm->at > end)
		return image_fail(pldm->error, -EBADMSG, pldm->at,
				  _("a record's descriptors end at 0x%zx, the record at 0x%zx"),
				  pldm->at, end);
	return 0;
}

static int take_record(struct pldm *pldm, struct board *board)
{
	size_t start = pldm->at, end;
	const uint8_t *head = take(pldm, RECORD_LENGTH, _("device record"));
	int code;

	memset(board, 0, sizeof(*board));
	if (!head)
		return -EBADMSG;
	end = start + le16(head);
	if (end < pldm->at || end > pldm->header.length)
		return image_fail(pldm->error, -EBADMSG, start,
				  _("the device record at 0x%zx has %u bytes, the package header ends at 0x%zx"),
				  start, le16(head), pldm->header.length);
	board->bitmap = take(pldm, pldm->bitmap_length, _("bitmap"));
	if (!board->bitmap || !take(pldm, head[8], _("version text")))
		return -EBADMSG;
	code = take_descriptors(pldm, board, head[2], end);
	pldm->at = end;
	return code;
}

/* ---- components ---- */

static void take_content(struct container_member *member, unsigned int id)
{
	static const struct {
		unsigned int id;
		enum container_content content;
		const char *name;
	} known[] = {
		{ 0x0001, CONTAINER_FIRMWARE, "FW" }, { 0x3001, CONTAINER_FIRMWARE, "NIC FW" },
		{ 0x3010, CONTAINER_OTHER, "BMC" }, { 0x3018, CONTAINER_OTHER, "CEC" },
		{ 0x3020, CONTAINER_OTHER, "ARM capsule" }, { 0x3030, CONTAINER_OTHER, "BFB" },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (known[i].id != id)
			continue;
		member->content = known[i].content;
		strcpy(member->content_name, known[i].name);
		return;
	}
	member->content = CONTAINER_OTHER;
	snprintf(member->content_name, sizeof(member->content_name), "component 0x%x", id);
}

/* "16.35.2000", "fw-16.35.2000": the first numbers with dots between them. */
static void take_version(struct container_member *member)
{
	const char *text = member->version_text;
	unsigned long word;
	char *end;

	while (*text && (*text < '0' || *text > '9'))
		text++;
	while (*text >= '0' && *text <= '9' && member->version_words < 4) {
		word = strtoul(text, &end, 10);
		if (word > UINT32_MAX)
			break;
		member->version[member->version_words++] = word;
		if (*end != '.')
			break;
		text = end + 1;
	}
	if (member->version_words < 2)
		member->version_words = 0;
	member->version_exact = member->version_words > 0;
}

static int add_component(struct pldm *pldm, const uint8_t *head, unsigned int number)
{
	struct container *container = pldm->container;
	uint64_t start = le32(head + 12), length = le32(head + 16);
	int code;

	if (start + length > container->reader->size)
		return image_fail(pldm->error, -EBADMSG, start,
				  _("component %u has bytes 0x%llx to 0x%llx, but the file has only 0x%llx: it is truncated"),
				  number, (unsigned long long)start, (unsigned long long)(start + length),
				  (unsigned long long)container->reader->size);
	if (start < container->header_length)
		return image_fail(pldm->error, -EBADMSG, start,
				  _("component %u begins at 0x%llx, inside the package header of 0x%x bytes"),
				  number, (unsigned long long)start, container->header_length);
	if (start + length > container->length)
		container->length = start + length;
	code = container_add_component(container, pldm->error);
	return code ? code : container_add_range(container, start, length, pldm->error);
}

static int add_members(struct pldm *pldm, const struct board *boards, unsigned int count, const uint8_t *head,
		       const uint8_t *version, unsigned int component)
{
	struct container_member *member;
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (!(boards[i].bitmap[component / 8] >> component % 8 & 1))
			continue;
		member = container_add_member(pldm->container, pldm->error);
		if (!member)
			return pldm->container->member_count >= CONTAINER_MEMBERS ? -EBADMSG : -ENOMEM;
		member->component = component;
		strcpy(member->psid, boards[i].psid);
		strcpy(member->part_number, boards[i].part);
		strcpy(member->description, boards[i].description);
		take_content(member, le16(head + 2));
		image_text(member->version_text, sizeof(member->version_text), version, head[21]);
		take_version(member);
		member->size = pldm->container->components[component].size;
	}
	return 0;
}

static int read_components(struct pldm *pldm, const struct board *boards, unsigned int board_count)
{
	const uint8_t *count = take(pldm, 2, _("number of components")), *head, *version;
	unsigned int i;
	int code;

	if (!count)
		return -EBADMSG;
	if (le16(count) > 8 * pldm->bitmap_length)
		return image_fail(pldm->error, -EBADMSG, pldm->at - 2,
				  _("there are %u components, but the bitmaps have %u bits"), le16(count),
				  8 * pldm->bitmap_length);
	for (i = 0; i < le16(count); i++) {
		head = take(pldm, COMPONENT_LENGTH, _("component"));
		version = head ? take(pldm, head[21], _("version text")) : NULL;
		if (!version)
			return -EBADMSG;
		code = add_component(pldm, head, i);
		if (!code)
			code = add_members(pldm, boards, board_count, head, version, i);
		if (code)
			return code;
	}
	return 0;
}

static int read_header(struct pldm *pldm)
{
	struct board *boards;
	const uint8_t *count;
	unsigned int i;
	int code = 0;

	pldm->at = FIXED_LENGTH + pldm->header.bytes[FIXED_LENGTH - 1];
	if (pldm->at > pldm->header.length)
		return image_fail(pldm->error, -EBADMSG, FIXED_LENGTH,
				  _("the package's version text reaches beyond its header"));
	pldm->bitmap_length = (le16(pldm->header.bytes + 32) + 7) / 8;
	count = take(pldm, 1, _("number of records"));
	if (!count)
		return -EBADMSG;
	boards = calloc(*count + 1U, sizeof(*boards));
	if (!boards)
		return container_no_memory(pldm->error);
	for (i = 0; i < *count && !code; i++)
		code = take_record(pldm, &boards[i]);
	if (!code)
		code = read_components(pldm, boards, *count);
	free(boards);
	return code;
}

int pldm_open(struct container *container, struct image_error *error)
{
	struct pldm pldm = { .container = container, .error = error };
	uint8_t fixed[FIXED_LENGTH];
	int code = container_read(container->reader, 0, fixed, sizeof(fixed), error);

	if (code)
		return code;
	container->header_length = le16(fixed + 17);
	if (fixed[16] != 1)
		return image_fail(error, -EOPNOTSUPP, 16,
				  _("the package header is of revision %u, only 1 is known"), fixed[16]);
	if (container->header_length < FIXED_LENGTH + 4 || container->header_length > container->reader->size)
		return image_fail(error, -EBADMSG, 17,
				  _("the package header has 0x%x bytes, the file 0x%llx: it is truncated or damaged"),
				  container->header_length, (unsigned long long)container->reader->size);
	container->length = container->header_length;
	code = container_load(container->reader, 0, container->header_length - 4, &pldm.header, error);
	if (!code)
		code = read_header(&pldm);
	container->data_size = container->length;
	container_unload(&pldm.header);
	return code;
}

int pldm_verify(struct container *container, struct container_check *check, struct image_error *error)
{
	struct container_bytes header;
	uint32_t length = container->header_length - 4;
	uint8_t stored[4];
	int code = container_load(container->reader, 0, length, &header, error);

	if (!code)
		code = container_read(container->reader, length, stored, sizeof(stored), error);
	if (!code)
		container_crc(check, "package header", 0, length, length, crc32_z(0, header.bytes, length),
			      le32(stored));
	container_unload(&header);
	return code;
}
