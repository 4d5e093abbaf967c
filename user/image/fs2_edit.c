// SPDX-License-Identifier: GPL-2.0-only
/*
 * FS2: identity and ROM. Bytes and CRCs that change are those of firmware-images.md 2.5,
 * 2.7, 6 and 6.1, so that the result is what the vendor's tool makes.
 */
#include <errno.h>
#include <stdlib.h>

#include "edit_parts.h"
#include "fs2.h"

#define SECTIONS_MOST 256

struct fs2_editor {
	const uint8_t *image;
	size_t length;
	struct image_memory memory;
	struct image_reader reader;
	struct image_view view;
	struct fs2_section sections[SECTIONS_MOST];
	unsigned int count;
	struct image_error *error;

	uint8_t *out;
	uint32_t out_length;
	uint32_t end;			/* of the last section in out */
	struct fs2_section guid, info;	/* as they stand in out; end 0: not there */
	const uint8_t *ini;		/* new body of the section that holds the INI; NULL: as it was */
	uint32_t ini_size;
};

static int collect(struct fs2_editor *e)
{
	struct fs2_chain chain;
	int code;

	fs2_chain_start(&chain, &e->view);
	while ((code = fs2_chain_next(&chain, &e->sections[e->count], e->error)) > 0)
		e->count++;
	return code;
}

static void section_crc(uint8_t *out, const struct fs2_section *section)
{
	put32(out + section->end - 4,
	      image_crc16(out + section->offset, section->end - 4 - section->offset));
}

static void remember(struct fs2_editor *e, const struct fs2_section *section)
{
	if (section->type == FS2_GUID)
		e->guid = *section;
	if (section->type == FS2_IMAGE_INFO)
		e->info = *section;
}

/* The image as it is, with whatever follows it. */
static int copy_whole(struct fs2_editor *e)
{
	unsigned int i;

	e->out = malloc(e->length);
	if (!e->out)
		return -ENOMEM;
	memcpy(e->out, e->image, e->length);
	e->out_length = e->length;
	for (i = 0; i < e->count; i++) {
		remember(e, &e->sections[i]);
		e->end = e->sections[i].end;
	}
	return 0;
}

/* Appends a section behind the others, with a new next and CRC. */
static void append(struct fs2_editor *e, const struct fs2_section *section, const uint8_t *body, bool last)
{
	struct fs2_section placed = *section;
	uint8_t *to = e->out + e->end;

	placed.offset = e->end;
	placed.body = e->end + FS2_SECTION_HEADER;
	placed.end = placed.body + placed.size + 4;
	placed.next = last ? (section->last ? section->next : FS2_LAST) : placed.end;
	put32(to, placed.type);
	put32(to + 4, placed.type == FS2_EMT ? get32(e->image + section->offset + 4) : placed.size / 4);
	put32(to + 8, placed.parameter);
	put32(to + 12, placed.next);
	memcpy(to + FS2_SECTION_HEADER, body, placed.size);
	section_crc(e->out, &placed);
	remember(e, &placed);
	e->end = placed.end;
}

static void append_rom(struct fs2_editor *e, const struct fs2_edit *edit, bool last)
{
	struct fs2_section rom = { .type = FS2_ROM, .size = edit->rom_length };

	append(e, &rom, edit->rom, last);
}

/* Header and BOOT2 blocks stay where they are. Gives the index of the first generic section. */
static unsigned int copy_beginning(struct fs2_editor *e)
{
	unsigned int first = 0;

	while (first < e->count && !e->sections[first].type &&
	       e->sections[first].body == e->sections[first].offset)
		first++;
	e->end = first ? e->sections[first - 1].end : FS2_BOOT2;
	memcpy(e->out, e->image, e->end);
	return first;
}

/* A section as it was, but for a new INI. */
static void append_again(struct fs2_editor *e, const struct fs2_section *section, bool last)
{
	struct fs2_section changed = *section;

	if (!e->ini || section->type != FS2_INI) {
		append(e, section, e->image + section->body, last);
		return;
	}
	changed.size = e->ini_size;
	append(e, &changed, e->ini, last);
}

/* Sections are packed again in the order of the chain; a new ROM comes second. */
static int rebuild(struct fs2_editor *e, const struct fs2_edit *edit)
{
	bool insert = edit->rom_edit == FS2_ROM_REPLACE, keep = edit->rom_edit == FS2_ROM_KEEP;
	unsigned int i, first, last, placed = 0;
	uint32_t info;

	e->out_length = e->length + (insert ? edit->rom_length : 0) + e->ini_size + FS2_SECTION_HEADER + 4;
	e->out = calloc(1, e->out_length);
	if (!e->out)
		return -ENOMEM;
	first = copy_beginning(e);
	for (last = e->count; !keep && last > first && e->sections[last - 1].type == FS2_ROM; last--)
		;
	for (i = first; i < last; i++) {
		const struct fs2_section *section = &e->sections[i];

		if (section->type == FS2_ROM && !keep)
			continue;
		append_again(e, section, i + 1 == last && !(insert && !placed));
		if (insert && !placed++)
			append_rom(e, edit, i + 1 == last);
	}
	if (!e->guid.end || !e->info.end)
		return image_fail(e->error, -EBADMSG, 0,
				  _("the image has no GUID or image information section"));
	info = e->info.body & 0xffffff;
	put32(e->out + FS2_INFO, info | (uint32_t)(uint8_t)-byte_sum(info) << 24);
	put32(e->out + FS2_LENGTH, e->end);
	put32(e->out + FS2_GUIDS, e->guid.body);
	e->out[0x21] = 0;
	e->out_length = e->end;
	return 0;
}

static int set_uids(struct fs2_editor *e, const struct fs2_edit *edit)
{
	uint8_t *body = e->out + e->guid.body;
	unsigned int i, entries = e->guid.size / 8;

	if (!edit->set_guids && !edit->set_macs)
		return 0;
	if (!e->guid.end || e->guid.size & 7 || entries < 4)
		return image_fail(e->error, -EBADMSG, 0, _("the image has no usable GUID section"));
	if (edit->set_macs && entries < 6)
		return image_fail(e->error, -EINVAL, e->guid.offset,
				  _("the image has no place for MAC addresses: they follow from the GUIDs"));
	for (i = 0; i < 2 && edit->set_macs; i++)
		if (edit->mac[i] >> 48 || edit->mac[i] >> 40 & 1)
			return image_fail(e->error, -EINVAL, e->guid.body + 32 + 8 * i,
					  _("0x%llx is not the MAC address of one station"),
					  (unsigned long long)edit->mac[i]);
	for (i = 0; i < 4 && edit->set_guids; i++)
		put64(body + 8 * i, edit->guid[i]);
	for (i = 0; i < 2 && edit->set_macs; i++)
		put64(body + 32 + 8 * i, edit->mac[i]);
	section_crc(e->out, &e->guid);
	return 0;
}

static int set_vsd(struct fs2_editor *e, const struct fs2_edit *edit)
{
	uint8_t *info = e->out + e->info.body;
	struct fs2_tlv_view tlv;
	uint32_t position = 0;

	if (!edit->vsd)
		return 0;
	if (edit->vsd_length > FS2_VSD_LENGTH)
		return image_fail(e->error, -EINVAL, 0, _("a VSD has at most %d characters, this has %zu"),
				  FS2_VSD_LENGTH, edit->vsd_length);
	while (e->info.end && fs2_tlv_next(info, e->info.size, &position, &tlv) > 0) {
		if (tlv.id != FS2_TLV_VSD || tlv.length != FS2_VSD_LENGTH)
			continue;
		memset(info + (tlv.payload - info), 0, FS2_VSD_LENGTH);
		memcpy(info + (tlv.payload - info), edit->vsd, edit->vsd_length);
		section_crc(e->out, &e->info);
		return 0;
	}
	return image_fail(e->error, -EBADMSG, 0, _("the image has no place for a VSD"));
}

/* Blank GUIDs leave the CRC of the whole image at all ones. */
static void seal(struct fs2_editor *e)
{
	bool blank = e->guid.end && get32(e->out + e->guid.end - 4) == 0xffff &&
		     get64(e->out + e->guid.body) == UINT64_MAX;
	uint16_t crc = blank ? 0xffff : fs2_full_crc(e->out, e->end);

	e->out[FS2_FULL_CRC] = crc >> 8;
	e->out[FS2_FULL_CRC + 1] = crc;
}

static int check_request(const struct fs2_editor *e, const struct fs2_edit *edit)
{
	if (edit->rom_edit != FS2_ROM_REPLACE)
		return 0;
	if (!edit->rom_length || edit->rom_length & 3 || edit->rom_length > FS2_SECTION_MOST)
		return image_fail(e->error, -EINVAL, 0,
				  _("a ROM of %zu bytes: it must be a multiple of 4 and at most 0x%x"),
				  edit->rom_length, FS2_SECTION_MOST);
	return 0;
}

static struct fs2_editor *editor_of(const uint8_t *image, size_t length, struct image_error *error)
{
	struct fs2_editor *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->image = image;
	e->length = length;
	e->memory.bytes = image;
	e->memory.length = length;
	e->reader = image_memory_reader(&e->memory);
	e->view.reader = &e->reader;
	e->view.place.format = IMAGE_FS2;
	e->view.place.layout = IMAGE_LAYOUT_FILE;
	e->error = error;
	return e;
}

/* Hands over what was made, or forgets it. */
static int finish(struct fs2_editor *e, int code, uint8_t **edited, size_t *edited_length)
{
	if (!code) {
		seal(e);
		*edited = e->out;
		*edited_length = e->out_length;
	} else {
		free(e->out);
	}
	free(e);
	return code;
}

int fs2_edit(const uint8_t *image, size_t length, const struct fs2_edit *edit, uint8_t **edited,
	     size_t *edited_length, struct image_error *error)
{
	struct fs2_editor *e = editor_of(image, length, error);
	int code;

	*edited = NULL;
	if (!e)
		return image_fail(error, -ENOMEM, 0, _("no memory"));
	code = check_request(e, edit);
	if (!code)
		code = collect(e);
	if (!code)
		code = edit->rom_edit == FS2_ROM_KEEP ? copy_whole(e) : rebuild(e, edit);
	if (!code)
		code = set_uids(e, edit);
	if (!code)
		code = set_vsd(e, edit);
	return finish(e, code, edited, edited_length);
}

/* ---- names: PSID and INI ---- */

static int set_psid(struct fs2_editor *e, const char *psid)
{
	uint8_t *info = e->out + e->info.body;
	struct fs2_tlv_view tlv;
	uint32_t position = 0;
	bool found = false;

	if (!psid)
		return 0;
	while (e->info.end && fs2_tlv_next(info, e->info.size, &position, &tlv) > 0) {
		if (tlv.id != FS2_TLV_PSID || tlv.length < PSID_MOST)
			continue;
		memset(info + (tlv.payload - info), 0, tlv.length);
		memcpy(info + (tlv.payload - info), psid, strlen(psid));
		found = true;
	}
	if (!found)
		return image_fail(e->error, -EBADMSG, e->info.body, _("the image has no place for a PSID"));
	section_crc(e->out, &e->info);
	return 0;
}

/* The last section may change its length and nothing else moves. What followed the image is cut then. */
static int set_last_ini(struct fs2_editor *e, const struct fs2_section *section)
{
	uint32_t end = section->body + e->ini_size + 4;
	struct fs2_section changed = *section;
	uint8_t *longer;

	if (end != e->end) {
		longer = realloc(e->out, end > e->out_length ? end : e->out_length);
		if (!longer)
			return image_fail(e->error, -ENOMEM, 0, _("no memory"));
		e->out = longer;
		e->out_length = end;
		e->end = end;
		put32(e->out + FS2_LENGTH, end);
	}
	changed.size = e->ini_size;
	changed.end = end;
	put32(e->out + section->offset + 4, e->ini_size / 4);
	memcpy(e->out + section->body, e->ini, e->ini_size);
	section_crc(e->out, &changed);
	return 0;
}

static int set_names(struct fs2_editor *e, const char *psid)
{
	static const struct fs2_edit nothing = { .rom_edit = FS2_ROM_KEEP };
	const struct fs2_section *last;
	int code = collect(e);

	if (code)
		return code;
	last = &e->sections[e->count - 1];
	if (e->ini && last->type != FS2_INI)
		code = rebuild(e, &nothing);
	else
		code = copy_whole(e);
	if (!code && e->ini && last->type == FS2_INI)
		code = set_last_ini(e, last);
	return code ? code : set_psid(e, psid);
}

static int edit_names(struct editor *editor)
{
	struct fs2_editor *e = editor_of(editor->out, editor->length, editor->error);
	uint8_t *body = NULL, *edited;
	size_t size = 0;
	int code = 0;

	if (!e)
		return image_fail(editor->error, -ENOMEM, 0, _("no memory"));
	if (editor->ini)
		code = ini_deflate(editor->ini, editor->ini_length, &body, &size, editor->error);
	if (!code && size > FS2_SECTION_MOST)
		code = image_fail(editor->error, -ENOSPC, 0, _("the packed INI is too long for a section"));
	e->ini = body;
	e->ini_size = size;
	if (!code)
		code = set_names(e, editor->edit->psid);
	code = finish(e, code, &edited, &editor->length);
	free(body);
	if (code)
		return code;
	free(editor->out);
	editor->out = edited;
	return 0;
}

/* Identity and ROM first, as a burn does them; then what only an edit does. */
int fs2_edit_image(struct editor *editor)
{
	const struct image_edit *edit = editor->edit;
	struct fs2_edit burn = {
		.set_guids = edit->set_guids,
		.set_macs = edit->set_macs,
		.vsd = edit->vsd,
		.vsd_length = edit->vsd ? strlen(edit->vsd) : 0,
		.rom_edit = edit->rom_edit == IMAGE_ROM_REPLACE ? FS2_ROM_REPLACE :
			    edit->rom_edit == IMAGE_ROM_REMOVE  ? FS2_ROM_REMOVE : FS2_ROM_KEEP,
		.rom = edit->rom,
		.rom_length = edit->rom_length,
	};
	uint8_t *edited;
	size_t length;
	int code;

	memcpy(burn.guid, edit->guid, sizeof(burn.guid));
	memcpy(burn.mac, edit->mac, sizeof(burn.mac));
	code = fs2_edit(editor->out, editor->length, &burn, &edited, &length, editor->error);
	if (code)
		return code;
	free(editor->out);
	editor->out = edited;
	editor->length = length;
	return edit->psid || editor->ini ? edit_names(editor) : 0;
}
