// SPDX-License-Identifier: GPL-2.0-only
/* Two images section by section. firmware-images.md 2.3-2.5, 3.4-3.6, 4.1, 8.4. */
#include <errno.h>
#include <stdlib.h>

#include "compare_private.h"
#include "fs2.h"
#include "toc.h"

#define INFO_MOST	0x10000
#define CONFIG_RECORD	12
/* CR-space addresses that the configuration gives version and build time. */
#define CONFIG_VERSION	0x1f064
#define CONFIG_TIME	0x1f070

struct part {
	struct image_section section;
	bool matched;
};

struct parts {
	struct part *parts;
	size_t count;
};

static int keep_part(void *context, const struct image_section *section)
{
	struct parts *parts = context;
	struct part *grown = realloc(parts->parts, (parts->count + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	parts->parts = grown;
	grown[parts->count++] = (struct part){ *section, false };
	return 0;
}

static int keep_device_data(void *context, const struct image_section *section)
{
	return section->device_data ? keep_part(context, section) : 0;
}

static int read_parts(const struct image_subject *subject, struct parts *parts, struct image_error *error)
{
	struct image_section whole = {
		.name = "ENCRYPTED", .start = 0x10, .crc_kind = IMAGE_CRC_ABSENT, .encrypted = true,
	};

	if (!subject->facts.encrypted)
		return image_sections(&subject->reader, &subject->place, keep_part, parts, error);
	/* No table in clear: all of it is one thing, beside the card's data. */
	whole.length = subject->facts.length > 0x10 ? subject->facts.length - 0x10 : 0;
	if (keep_part(parts, &whole))
		return -ENOMEM;
	return image_sections(&subject->reader, &subject->place, keep_device_data, parts, error);
}

/* ---- what a section is ---- */

static bool is_board(enum image_format format, uint32_t type)
{
	if (format == IMAGE_FS2)
		return type == FS2_CONFIGURATION;
	return type == SECTION_HW_BOOT_CFG || type == SECTION_HW_MAIN_CFG || type == SECTION_FW_BOOT_CFG ||
	       type == SECTION_FW_MAIN_CFG;
}

static bool is_info(enum image_format format, uint32_t type)
{
	return type == (format == IMAGE_FS2 ? (uint32_t)FS2_IMAGE_INFO : (uint32_t)SECTION_IMAGE_INFO);
}

static bool is_derived(const struct image_section *section)
{
	switch (section->type) {
	case SECTION_SIGNATURE_256:
	case SECTION_SIGNATURE_512:
	case SECTION_RSA_4096_SIGNATURES:
	case 0xa5:	/* HMAC_DIGEST */
		return true;
	}
	return !strcmp(section->name, "HASHES_TABLE");
}

/* Kind of change when a section differs; image info and boards are looked at more closely. */
static uint32_t kind_of(enum image_format format, const struct image_section *section)
{
	if (section->device_data)
		return CHANGED_DEVICE_DATA;
	if (is_board(format, section->type))
		return CHANGED_BOARD;
	if (is_info(format, section->type))
		return CHANGED_INFO;
	if (format == IMAGE_FS2) {
		switch (section->type) {
		case FS2_ROM:
			return CHANGED_ROM;
		case FS2_INI:
			return CHANGED_INI;
		case FS2_GUID:
			return CHANGED_IDENTITY;
		}
		return CHANGED_CODE;
	}
	if (section->type == SECTION_ROM_CODE)
		return CHANGED_ROM;
	if (section->type == SECTION_DBG_FW_INI)
		return CHANGED_INI;
	if (!strcmp(section->name, "BOOT_RECORD") || !strcmp(section->name, "TOOLS_AREA"))
		return CHANGED_HEADER;
	return is_derived(section) ? CHANGED_DERIVED : CHANGED_CODE;
}

/* ---- bytes ---- */

/* Device data lies at physical addresses. */
static struct image_view view_of(const struct image_subject *subject, bool device_data)
{
	struct image_view view = { &subject->reader, subject->place };

	if (device_data) {
		view.place.layout = IMAGE_LAYOUT_FILE;
		view.place.address = 0;
		view.place.slot = 0;
	}
	return view;
}

/* In place where it can be; else in buffer. NULL: error says why. */
static const uint8_t *piece(const struct image_view *view, uint64_t start, uint8_t *buffer, size_t length,
			    int *code, struct image_error *error)
{
	const uint8_t *bytes = view_bytes(view, start, length);

	if (bytes)
		return bytes;
	*code = view_read(view, start, buffer, length, error);
	return *code ? NULL : buffer;
}

static int compare_bytes(const struct image_view *one, uint64_t one_start, const struct image_view *two,
			 uint64_t two_start, uint64_t length, struct image_section_difference *difference,
			 struct image_error *error)
{
	uint8_t one_buffer[4096], two_buffer[4096];
	const uint8_t *a, *b;
	uint64_t done = 0;
	size_t now, i;
	int code = 0;

	for (; done < length; done += now) {
		now = length - done < sizeof(one_buffer) ? length - done : sizeof(one_buffer);
		a = piece(one, one_start + done, one_buffer, now, &code, error);
		b = a ? piece(two, two_start + done, two_buffer, now, &code, error) : NULL;
		if (!b)
			return code;
		if (!memcmp(a, b, now))
			continue;
		for (i = 0; i < now; i++)
			if (a[i] != b[i] && !difference->differing++)
				difference->first_differing = done + i;
	}
	return 0;
}

/* The body of a section that is looked into; malloc()ed. */
static int load(const struct image_subject *subject, const struct image_section *section, uint8_t **bytes,
		struct image_error *error)
{
	struct image_view view = view_of(subject, section->device_data);
	int code;

	*bytes = malloc(section->length ? section->length : 1);
	if (!*bytes)
		return image_fail(error, -ENOMEM, section->start, _("no memory for %llu bytes"),
				  (unsigned long long)section->length);
	code = view_read(&view, section->start, *bytes, section->length, error);
	if (code) {
		free(*bytes);
		*bytes = NULL;
	}
	return code;
}

/* ---- configuration of FS2: records of address, data, mask ---- */

static bool next_record(const uint8_t *bytes, uint64_t length, uint64_t *at)
{
	for (; *at + CONFIG_RECORD <= length; *at += CONFIG_RECORD) {
		uint32_t address = get32(bytes + *at);

		if (address < CONFIG_VERSION || address > CONFIG_TIME)
			return true;
	}
	return false;
}

static bool same_board(const uint8_t *one, uint64_t one_length, const uint8_t *two, uint64_t two_length)
{
	uint64_t a = 0, b = 0;
	bool more_a, more_b;

	for (;;) {
		more_a = next_record(one, one_length, &a);
		more_b = next_record(two, two_length, &b);
		if (!more_a || !more_b)
			return more_a == more_b;
		if (memcmp(one + a, two + b, CONFIG_RECORD))
			return false;
		a += CONFIG_RECORD;
		b += CONFIG_RECORD;
	}
}

/* ---- image info ---- */

static uint32_t fs2_tlv_kind(uint8_t id)
{
	switch (id) {
	case FS2_TLV_VERSION:
	case FS2_TLV_TIME:
	case FS2_TLV_PRODUCT:
	case FS2_TLV_MIC:
		return CHANGED_VERSION;
	case FS2_TLV_PSID:
		return CHANGED_PSID;
	case FS2_TLV_VSD:
		return CHANGED_IDENTITY;
	case FS2_TLV_PRS:
		return CHANGED_NAME;
	}
	return CHANGED_INFO;
}

static bool find_tlv(const uint8_t *info, uint32_t length, uint8_t id, struct fs2_tlv_view *tlv)
{
	uint32_t position = 0;

	while (fs2_tlv_next(info, length, &position, tlv) == 1)
		if (tlv->id == id)
			return true;
	return false;
}

/* TLVs of one that the other has otherwise or not at all. */
static uint32_t changed_tlvs(const uint8_t *one, uint32_t one_length, const uint8_t *two, uint32_t two_length)
{
	struct fs2_tlv_view tlv, other;
	uint32_t position = 0, changed = 0;

	while (fs2_tlv_next(one, one_length, &position, &tlv) == 1)
		if (!find_tlv(two, two_length, tlv.id, &other) || other.length != tlv.length ||
		    memcmp(other.payload, tlv.payload, tlv.length))
			changed |= fs2_tlv_kind(tlv.id);
	return changed;
}

/* firmware-images.md 3.5 */
static uint32_t info_kind(uint32_t offset)
{
	static const struct {
		uint16_t start, length;
		uint32_t kind;
	} fields[] = {
		{ 0x004, 0x10, CHANGED_VERSION }, { 0x014, 8, CHANGED_VERSION }, { 0x024, 16, CHANGED_PSID },
		{ 0x038, 208, CHANGED_VSD }, { 0x12c, 4, CHANGED_DERIVED }, { 0x1c0, 16, CHANGED_VERSION },
		{ 0x340, 64, CHANGED_NAME }, { 0x380, 128, CHANGED_NAME },
	};
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (offset >= fields[i].start && offset - fields[i].start < fields[i].length)
			return fields[i].kind;
	return CHANGED_INFO;
}

static uint32_t changed_fields(const uint8_t *one, uint64_t one_length, const uint8_t *two,
			       uint64_t two_length)
{
	uint32_t changed = one_length == two_length ? 0 : CHANGED_INFO, offset;

	for (offset = 0; offset < one_length && offset < two_length; offset++)
		if (one[offset] != two[offset])
			changed |= info_kind(offset);
	return changed;
}

/* ---- one pair ---- */

/* What it is that differs in a pair of sections whose bytes do. */
static int look_closer(struct comparison *c, const struct image_section *first,
		       const struct image_section *second)
{
	enum image_format format = c->first->place.format;
	bool board = format == IMAGE_FS2 && is_board(format, first->type);
	uint32_t kind = kind_of(format, first);
	uint8_t *one = NULL, *two = NULL;
	int code;

	if ((!board && kind != CHANGED_INFO) || first->length > FS2_SECTION_MOST ||
	    second->length > FS2_SECTION_MOST) {
		c->changed |= kind;
		return 0;
	}
	code = load(c->first, first, &one, c->error);
	if (!code)
		code = load(c->second, second, &two, c->error);
	if (!code && board)
		c->changed |= same_board(one, first->length, two, second->length) ? CHANGED_VERSION :
										    CHANGED_BOARD;
	else if (!code && format == IMAGE_FS2)
		c->changed |= changed_tlvs(one, first->length, two, second->length) |
			      changed_tlvs(two, second->length, one, first->length);
	else if (!code)
		c->changed |= changed_fields(one, first->length, two, second->length);
	free(one);
	free(two);
	return code;
}

static void tell(const struct comparison *c, const struct image_section_difference *difference)
{
	if (c->listener && c->listener->section)
		c->listener->section(c->listener->context, difference);
}

static struct image_section_difference describe(enum image_format format, const struct image_section *first,
						const struct image_section *second)
{
	const struct image_section *any = first ? first : second;
	struct image_section_difference difference = {
		.name = any->name, .type = any->type,
		/* FS2 keeps a card's identity in a section of its own. */
		.device_data = any->device_data || (format == IMAGE_FS2 && any->type == FS2_GUID),
		.difference = first ? IMAGE_ONLY_FIRST : IMAGE_ONLY_SECOND,
	};

	if (first) {
		difference.first_start = first->start;
		difference.first_length = first->length;
	}
	if (second) {
		difference.second_start = second->start;
		difference.second_length = second->length;
	}
	return difference;
}

static int compare_pair(struct comparison *c, const struct image_section *first,
			const struct image_section *second)
{
	struct image_section_difference difference = describe(c->first->place.format, first, second);
	struct image_view one = view_of(c->first, first->device_data),
			  two = view_of(c->second, second->device_data);
	uint64_t shorter = first->length < second->length ? first->length : second->length;
	int code = compare_bytes(&one, first->start, &two, second->start, shorter, &difference, c->error);

	if (code)
		return code;
	if (!difference.differing)
		difference.first_differing = shorter;
	difference.difference = difference.differing || first->length != second->length ? IMAGE_OTHER_BYTES :
			       IMAGE_SAME_BYTES;
	tell(c, &difference);
	if (difference.difference == IMAGE_SAME_BYTES)
		return 0;
	return look_closer(c, first, second);
}

/* ---- matching ---- */

static bool alike(const struct image_section *one, const struct image_section *two, bool loads)
{
	return one->type == two->type && one->device_data == two->device_data &&
	       !strcmp(one->name, two->name) && (!loads || one->load == two->load);
}

/* The first section of the second image, not yet matched, that is like this one. */
static struct part *partner(const struct parts *parts, const struct image_section *section, bool loads)
{
	size_t i;

	for (i = 0; i < parts->count; i++)
		if (!parts->parts[i].matched && alike(&parts->parts[i].section, section, loads))
			return &parts->parts[i];
	return NULL;
}

/* pairs[i]: index in second of what matches part i of first; -1: nothing. */
static void match(struct parts *first, struct parts *second, ptrdiff_t *pairs)
{
	bool loads = true;
	size_t i;

	for (i = 0; i < first->count; i++)
		pairs[i] = -1;
	do {
		for (i = 0; i < first->count; i++) {
			struct part *other;

			if (pairs[i] >= 0)
				continue;
			other = partner(second, &first->parts[i].section, loads);
			if (!other)
				continue;
			other->matched = true;
			pairs[i] = other - second->parts;
		}
		loads = !loads;
	} while (!loads);
}

static void only_one(struct comparison *c, const struct image_section *first,
		     const struct image_section *second)
{
	struct image_section_difference difference = describe(c->first->place.format, first, second);

	tell(c, &difference);
	c->changed |= kind_of(c->first->place.format, first ? first : second);
}

static void note_boards(struct comparison *c, const struct parts *parts, unsigned int which)
{
	size_t i;

	for (i = 0; i < parts->count; i++)
		if (is_board(c->first->place.format, parts->parts[i].section.type))
			c->has_board[which] = true;
}

static int compare_matched(struct comparison *c, struct parts *first, struct parts *second)
{
	ptrdiff_t *pairs = calloc(first->count + 1, sizeof(*pairs));
	size_t i;
	int code = 0;

	if (!pairs)
		return image_fail(c->error, -ENOMEM, 0, _("no memory for a comparison"));
	match(first, second, pairs);
	for (i = 0; !code && i < first->count; i++) {
		if (pairs[i] < 0)
			only_one(c, &first->parts[i].section, NULL);
		else
			code = compare_pair(c, &first->parts[i].section, &second->parts[pairs[i]].section);
	}
	for (i = 0; !code && i < second->count; i++)
		if (!second->parts[i].matched)
			only_one(c, NULL, &second->parts[i].section);
	free(pairs);
	return code;
}

/* ---- before the sections ---- */

/* Start of the first section that belongs to the firmware. */
static uint64_t first_start(const struct parts *parts)
{
	uint64_t start = UINT64_MAX;
	size_t i;

	for (i = 0; i < parts->count; i++)
		if (!parts->parts[i].section.device_data && parts->parts[i].section.start < start)
			start = parts->parts[i].section.start;
	return start;
}

/* Words that no section holds and that nothing else follows from; pointers and CRCs are not looked at. */
static int compare_header(struct comparison *c, const struct parts *first, const struct parts *second)
{
	static const struct {
		uint16_t start, length;		/* length 0: up to the first section */
	} ranges[][3] = {
		[IMAGE_FS2] = { { 0x10, 0x11 }, { 0x24, 8 } },
		[IMAGE_FS3] = { { 0x10, 0x24 } },
		[IMAGE_FS4] = { { 0x10, 8 }, { 0x98, 0 } },
		[IMAGE_FS5] = { { 0x10, 8 }, { 0x98, 0 } },
	};
	struct image_view one = view_of(c->first, false), two = view_of(c->second, false);
	struct image_section_difference difference = { 0 };
	uint64_t end = first_start(first), other_end = first_start(second), length;
	unsigned int i;
	int code = 0;

	if (c->first->facts.encrypted || c->second->facts.encrypted || end == UINT64_MAX ||
	    other_end == UINT64_MAX)
		return 0;
	if (other_end < end)
		end = other_end;
	for (i = 0; !code && i < 3 && ranges[c->first->place.format][i].start; i++) {
		uint64_t start = ranges[c->first->place.format][i].start;

		length = ranges[c->first->place.format][i].length;
		if (!length)
			length = end > start ? end - start : 0;
		code = compare_bytes(&one, start, &two, start, length, &difference, c->error);
	}
	if (difference.differing)
		c->changed |= CHANGED_HEADER;
	return code;
}

int compare_sections(struct comparison *c)
{
	struct parts first = { 0 }, second = { 0 };
	int code = read_parts(c->first, &first, c->error);

	if (!code)
		code = read_parts(c->second, &second, c->error);
	if (code == -ENOMEM)
		image_fail(c->error, code, 0, _("no memory for a comparison"));
	if (!code) {
		note_boards(c, &first, 0);
		note_boards(c, &second, 1);
		code = compare_header(c, &first, &second);
	}
	if (!code)
		code = compare_matched(c, &first, &second);
	free(first.parts);
	free(second.parts);
	return code;
}
