// SPDX-License-Identifier: GPL-2.0-only
/*
 * What edits of FS3 and FS4 share: entries with their CRCs, IMAGE_INFO and its burn size, INI, device data.
 * firmware-images.md 3.2-3.6, 6.
 */
#include <errno.h>
#include <stdlib.h>

#include "edit_parts.h"

#define INFO_PSID	0x24
#define INFO_VSD	0x38
#define INFO_LOG2	0x108
#define INFO_MAX_SIZE	0x10c
#define INFO_BURN_SIZE	0x12c
#define INFO_NAME	0x340

/* ---- entries ---- */

uint32_t entry_size(const uint8_t *entry)
{
	return get32(entry) & 0xfffffc;
}

uint32_t entry_address(const uint8_t *entry)
{
	return get32(entry + 0x14) & 0x7ffffffc;
}

uint64_t entry_end(const uint8_t *entry)
{
	return (uint64_t)entry_address(entry) + entry_size(entry);
}

bool entry_is_device(const struct toc_editor *t, unsigned int at)
{
	return t->format == IMAGE_FS3 && get32(t->entries[at] + 0x18) >> 17 & 1;
}

uint32_t entry_crc_mode(const struct toc_editor *t, const uint8_t *entry)
{
	return get32(entry + 0x18) >> 16 & (t->format == IMAGE_FS3 ? 1 : 7);
}

void entry_place(uint8_t *entry, uint32_t size, uint32_t address)
{
	put32(entry, (get32(entry) & 0xff000003) | size);
	put32(entry + 0x14, (get32(entry + 0x14) & 0x80000003) | address);
}

void entry_seal(struct toc_editor *t, uint8_t *entry)
{
	uint8_t *bytes = t->e->out + entry_address(entry);
	uint32_t size = entry_size(entry);

	if (entry_crc_mode(t, entry) == TOC_CRC_IN_ENTRY)
		put32(entry + 0x18, (get32(entry + 0x18) & 0xffff0000) | image_crc16(bytes, size));
	else if (entry_crc_mode(t, entry) == TOC_CRC_IN_SECTION && size >= 8)
		put32(bytes + size - 4, image_crc16(bytes, size - 4));
	put32(entry + 0x1c, image_crc16(entry, 0x1c));
}

int entry_find(const struct toc_editor *t, uint32_t type)
{
	unsigned int i;

	for (i = 0; i < t->count; i++)
		if (t->entries[i][0] == type && !entry_is_device(t, i))
			return i;
	return -1;
}

unsigned int entry_last(const struct toc_editor *t)
{
	unsigned int i = t->count;

	while (i && entry_is_device(t, i - 1))
		i--;
	return i;
}

uint32_t sections_end(const struct toc_editor *t)
{
	uint64_t end = 0;
	unsigned int i;

	for (i = 0; i < t->count; i++)
		if (!entry_is_device(t, i) && entry_end(t->entries[i]) > end)
			end = entry_end(t->entries[i]);
	return end;
}

/* Where the end entry would stand if the table had count entries. */
static uint64_t table_end(const struct toc_editor *t, unsigned int count)
{
	return (uint64_t)t->itoc + TOC_HEADER + (uint64_t)count * TOC_ENTRY;
}

int entry_insert(struct toc_editor *t, unsigned int at, const uint8_t entry[TOC_ENTRY])
{
	uint64_t end = table_end(t, t->count + 1);
	unsigned int i;
	bool room = t->count + 2 <= TOC_ENTRIES && end + TOC_ENTRY <= t->e->length &&
		    all_bytes(t->e->out + end, TOC_ENTRY, 0xff);

	for (i = 0; i < t->count && room; i++)
		room = entry_is_device(t, i) || entry_address(t->entries[i]) < t->itoc ||
		       entry_address(t->entries[i]) >= end + TOC_ENTRY;
	if (!room)
		return image_fail(t->e->error, -ENOSPC, t->itoc,
				  _("the table of contents has no room for one more section"));
	memmove(t->entries[at + 1], t->entries[at], (t->count - at) * TOC_ENTRY);
	memcpy(t->entries[at], entry, TOC_ENTRY);
	t->count++;
	return 0;
}

void entry_remove(struct toc_editor *t, unsigned int at)
{
	t->count--;
	memmove(t->entries[at], t->entries[at + 1], (t->count - at) * TOC_ENTRY);
}

void entries_write(struct toc_editor *t)
{
	memcpy(t->e->out + t->itoc + TOC_HEADER, t->entries, t->count * TOC_ENTRY);
	memset(t->e->out + table_end(t, t->count), 0xff, TOC_ENTRY);
}

/* ---- start ---- */

static int read_entries(struct toc_editor *t)
{
	const uint8_t *from = t->e->out + t->itoc + TOC_HEADER;

	while (t->count < TOC_ENTRIES && table_end(t, t->count + 1) <= t->e->length) {
		if (from[t->count * TOC_ENTRY] == TOC_END)
			return 0;
		memcpy(t->entries[t->count], from + t->count * TOC_ENTRY, TOC_ENTRY);
		t->count++;
	}
	return image_fail(t->e->error, -EBADMSG, t->itoc, _("the table of contents has no end"));
}

static int device_limit(void *context, const struct image_section *section)
{
	struct toc_editor *t = context;

	if (section->device_data && section->start < t->limit)
		t->limit = section->start;
	return 0;
}

/* An image ends before the device data, its slot and the greatest size that it states. */
static int find_limit(struct toc_editor *t)
{
	struct image_memory memory = { t->e->out, t->e->length };
	struct image_reader reader = image_memory_reader(&memory);
	int info = entry_find(t, SECTION_IMAGE_INFO), code;
	const uint8_t *bytes;
	uint32_t most;

	t->limit = t->e->facts->place.log2_chunk ? 1ULL << t->e->facts->place.log2_chunk : UINT32_MAX;
	if (info < 0 || entry_size(t->entries[info]) < IMAGE_INFO_LENGTH)
		return image_fail(t->e->error, -EBADMSG, t->itoc,
				  _("there is no IMAGE_INFO of the known length"));
	bytes = t->e->out + entry_address(t->entries[info]);
	most = get32(bytes + INFO_MAX_SIZE);
	if (most && most < t->limit && most >= t->old_end)
		t->limit = most;
	if (!t->e->facts->stripped && t->limit > t->e->length)
		t->limit = t->e->length;
	code = image_sections(&reader, &t->e->facts->place, device_limit, t, t->e->error);
	return code;
}

/* ---- the whole ---- */

static int start(struct toc_editor *t, struct editor *e, uint32_t itoc, uint32_t hashes)
{
	int code;

	memset(t, 0, sizeof(*t));
	t->e = e;
	t->format = e->facts->place.format;
	t->itoc = itoc;
	t->hashes = hashes;
	code = read_entries(t);
	if (code)
		return code;
	t->old_end = sections_end(t);
	if (!edit_of_firmware(e->edit))
		return 0;
	code = find_limit(t);
	if (!code)
		code = remember_hashes(t);
	return code;
}

int toc_editor_open(struct editor *e, itoc_find find, struct toc_editor **t)
{
	struct image_memory memory = { e->out, e->length };
	struct image_reader reader = image_memory_reader(&memory);
	struct image_view view = { &reader, e->facts->place };
	struct toc *toc = malloc(sizeof(*toc));
	uint32_t hashes = 0;
	int code;

	*t = malloc(sizeof(**t));
	if (toc && *t)
		code = find(e, &view, toc, &hashes);
	else
		code = image_fail(e->error, -ENOMEM, 0, _("no memory"));
	if (!code)
		code = start(*t, e, toc->address, hashes);
	free(toc);
	return code;
}

int claim(struct toc_editor *t, uint64_t end)
{
	struct editor *e = t->e;
	uint8_t *more;

	if (end > t->limit)
		return image_fail(e->error, -ENOSPC, t->old_end,
				  _("the image would end at 0x%llx, its place ends at 0x%llx"),
				  (unsigned long long)end, (unsigned long long)t->limit);
	if (end <= e->length)
		return 0;
	more = realloc(e->out, end);
	if (!more)
		return image_fail(e->error, -ENOMEM, 0, _("no memory for an image of %llu bytes"),
				  (unsigned long long)end);
	memset(more + e->length, 0xff, end - e->length);
	e->out = more;
	e->length = end;
	return 0;
}

static void set_field(uint8_t *field, const char *text, size_t length)
{
	if (!text)
		return;
	memset(field, 0, length);
	memcpy(field, text, strlen(text));
}

static void edit_info(struct toc_editor *t)
{
	const struct image_edit *edit = t->e->edit;
	uint8_t *entry = t->entries[entry_find(t, SECTION_IMAGE_INFO)];
	uint8_t *info = t->e->out + entry_address(entry);

	if (!edit->psid && !edit->name && !edit->image_vsd)
		return;
	set_field(info + INFO_PSID, edit->psid, PSID_MOST);
	set_field(info + INFO_NAME, edit->name, NAME_MOST);
	set_field(info + INFO_VSD, edit->image_vsd, VSD_MOST);
	entry_seal(t, entry);
}

/* Where the next section by address starts, or the end of the place when this is the last one. */
static uint64_t room_behind(const struct toc_editor *t, unsigned int at)
{
	uint64_t start = entry_address(t->entries[at]), next = t->limit;
	unsigned int i;

	for (i = 0; i < t->count; i++)
		if (i != at && !entry_is_device(t, i) && entry_address(t->entries[i]) >= start &&
		    entry_end(t->entries[i]) > start && entry_address(t->entries[i]) < next)
			next = entry_address(t->entries[i]);
	return next;
}

/* The section goes behind all others, by address and in the table: what another one follows cannot grow. */
static int move_to_end(struct toc_editor *t, unsigned int *at, uint32_t size)
{
	uint32_t align = t->format == IMAGE_FS3 ? 0x1000 : 4, address;
	uint8_t entry[TOC_ENTRY];
	int code;

	memcpy(entry, t->entries[*at], TOC_ENTRY);
	address = (sections_end(t) + align - 1) & ~(align - 1);
	code = claim(t, (uint64_t)address + size);
	if (code)
		return code;
	memset(t->e->out + entry_address(entry), 0xff, entry_size(entry));
	entry_place(entry, size, address);
	entry_remove(t, *at);
	*at = entry_last(t);
	return entry_insert(t, *at, entry);
}

static int place_ini(struct toc_editor *t, const uint8_t *body, uint32_t size)
{
	unsigned int at = entry_find(t, SECTION_DBG_FW_INI);
	uint8_t *entry = t->entries[at];
	uint32_t old = entry_size(entry), start = entry_address(entry);
	int code;

	if (size > 0xfffffc)
		return image_fail(t->e->error, -ENOSPC, start, _("the packed INI is too long for a section"));
	if (entry_end(entry) == sections_end(t) || (uint64_t)start + size <= room_behind(t, at)) {
		code = claim(t, (uint64_t)start + size);
		if (size < old)
			memset(t->e->out + start + size, 0xff, old - size);
		entry_place(entry, size, start);
	} else {
		code = move_to_end(t, &at, size);
	}
	if (code)
		return code;
	entry = t->entries[at];
	memcpy(t->e->out + entry_address(entry), body, size);
	entry_seal(t, entry);
	return 0;
}

int toc_editor_texts(struct toc_editor *t)
{
	uint8_t *body;
	size_t size;
	int code;

	edit_info(t);
	if (!t->e->ini)
		return 0;
	code = ini_deflate(t->e->ini, t->e->ini_length, &body, &size, t->e->error);
	if (code)
		return code;
	code = place_ini(t, body, size);
	free(body);
	return code;
}

static void move_burn_size(struct toc_editor *t, uint32_t end)
{
	uint8_t *entry = t->entries[entry_find(t, SECTION_IMAGE_INFO)];
	uint8_t *info = t->e->out + entry_address(entry);

	if (end == t->old_end || get32(info + INFO_BURN_SIZE) != t->old_end)
		return;
	put32(info + INFO_BURN_SIZE, end);
	entry_seal(t, entry);
}

int toc_editor_finish(struct toc_editor *t)
{
	uint32_t end = sections_end(t);
	int code;

	if (!edit_of_firmware(t->e->edit)) {
		entries_write(t);
		return 0;
	}
	move_burn_size(t, end);
	code = renew_hashes(t);
	if (code)
		return code;
	entries_write(t);
	if (t->e->facts->stripped)
		t->e->length = end;
	else if (end < t->old_end)
		memset(t->e->out + end, 0xff, t->old_end - end);
	return renew_digest(t);
}

/* ---- device data: 3.6 ---- */

static void put_uid(uint8_t *entry, const struct image_edit *edit)
{
	if (edit->uid_count) {
		entry[1] = 0;
		entry[3] = edit->uid_count;
	}
	if (edit->uid_step)
		entry[2] = edit->uid_step;
}

/*
 * Ports: 1, or 2 with ids of their own, which follow those of the first. last: a carry out of the lower
 * 40 bits of a MAC could make it one of many stations.
 */
static int put_ids(struct editor *e, uint8_t *entries, unsigned int ports, uint64_t base, uint64_t last,
		   const char *what)
{
	uint64_t span = entries[3] && entries[2] ? (uint64_t)entries[3] * entries[2] : 1;
	unsigned int i;

	if (base > last || last - base < span * ports - 1)
		return image_fail(e->error, -EINVAL, 0,
				  _("%s %llx: counting up %llu would leave the range of such addresses"),
				  what, (unsigned long long)base, (unsigned long long)span * ports);
	for (i = 0; i < ports; i++)
		put64(entries + 0x10 * i + 8, base + i * span);
	return 0;
}

int edit_dev_info(struct editor *e, uint8_t info[DEV_INFO_LENGTH], uint32_t where)
{
	const struct image_edit *edit = e->edit;
	uint32_t major = get32(info + 0x10) >> 8 & 0x1ff;
	unsigned int ports = major == 1 ? 2 : 1, i;
	int code = 0;

	if (major != 1 && major != 2)
		return image_fail(e->error, -EBADMSG, where + 0x10,
				  _("DEV_INFO has major version %u, 1 and 2 are known"), major);
	for (i = 0; i < 2 * ports; i++)
		put_uid(info + 0x20 + 0x10 * i, edit);
	if (edit->set_guids)
		code = put_ids(e, info + 0x20, ports, edit->guid[0], UINT64_MAX - 1, "GUID");
	if (!code && edit->set_macs)
		code = put_ids(e, info + 0x20 + 0x10 * ports, ports, edit->mac[0],
			       edit->mac[0] | 0xffffffffff, "MAC");
	if (!code)
		set_field(info + 0x70, edit->vsd, VSD_MOST);
	return code;
}
