// SPDX-License-Identifier: GPL-2.0-only
/*
 * What of a file goes to a card: into a slot, or to the firmware that updates itself.
 * firmware-images.md 3.7, 4.5, 5.8.
 */
#include <errno.h>
#include <stdlib.h>

#include "fs3.h"
#include "fs4.h"
#include "plan_private.h"

#define TOC_ROOM 0x1000		/* of a table with its header and end */

/* An image in the making: gaps are ones, as an erased flash has them. */
struct gathering {
	struct image_view view;		/* of the file */
	struct toc toc;			/* of it; not present: encrypted */
	uint8_t *bytes;
	size_t length;
	struct image_error *error;
};

static int take_range(struct gathering *g, uint64_t start, uint64_t length)
{
	if (start >= g->length)
		return 0;
	if (length > g->length - start)
		length = g->length - start;
	return view_read(&g->view, start, g->bytes + start, length, g->error);
}

/* All that stands before the sections, and each of them; not what the card keeps for itself. */
static int take_sections(struct gathering *g)
{
	const struct toc_section *section;
	unsigned int i;
	int code = take_range(g, 0, (uint64_t)g->toc.address + TOC_ROOM);

	for (i = 0; i < g->toc.count && !code; i++) {
		section = &g->toc.sections[i];
		if (!section->device_data)
			code = take_range(g, section->address, section->size);
	}
	return code;
}

static int read_table(struct gathering *g)
{
	uint32_t pointers[FS4_POINTER_COUNT], place_at;
	int code;

	if (g->view.place.format == IMAGE_FS3) {
		code = fs3_itoc(&g->view, &g->toc, &place_at, g->error);
		if (!code && !g->toc.present)
			code = image_fail(g->error, -EBADMSG, place_at, _("there is no table of contents from 0x%x on"),
					  place_at);
		return code;
	}
	code = fs4_pointers(&g->view, pointers, g->error);
	return code ? code : fs4_itoc(&g->view, pointers, &g->toc, g->error);
}

static int gather(struct gathering *g, const struct image_reader *file, const struct image_facts *facts,
		  struct image_error *error)
{
	int code;

	memset(g, 0, sizeof(*g));
	g->view.reader = file;
	g->view.place = facts->place;
	g->length = facts->length;
	g->error = error;
	if (!facts->length || facts->length & 3 || facts->length > view_size(&g->view))
		return image_fail(error, -EBADMSG, facts->place.address, _("the image claims 0x%x bytes, its place has 0x%llx"),
				  facts->length, (unsigned long long)view_size(&g->view));
	code = read_table(g);
	if (!code && g->toc.present)
		code = toc_check(&g->toc, "ITOC", error);
	if (!code && g->toc.present &&
	    g->toc.address + (uint64_t)TOC_HEADER + TOC_ENTRIES * TOC_ENTRY > g->length)
		code = image_fail(error, -EBADMSG, g->toc.address, _("the image ends within its table of contents"));
	if (code)
		return code;
	g->bytes = malloc(g->length);
	if (!g->bytes)
		return image_fail(error, -ENOMEM, 0, _("no memory for an image of %zu bytes"), g->length);
	memset(g->bytes, 0xff, g->length);
	/* FS5, and what is encrypted, is copied as it is: 4.8, 5.3. */
	if (!g->toc.present || facts->place.format == IMAGE_FS5)
		return take_range(g, 0, g->length);
	return take_sections(g);
}

static int hand_over(struct gathering *g, int code, uint8_t **bytes, size_t *length)
{
	if (code) {
		free(g->bytes);
		g->bytes = NULL;
	}
	*bytes = g->bytes;
	*length = code ? 0 : g->length;
	return code;
}

/* ---- FS3: the device entries of the ITOC ---- */

static const struct toc_section *device_entry(const struct toc *toc, uint32_t type, unsigned int nth)
{
	unsigned int i;

	for (i = 0; i < toc->count; i++)
		if (toc->sections[i].device_data && toc->sections[i].type == type && !nth--)
			return &toc->sections[i];
	return NULL;
}

/* How many of its type stand before it. */
static unsigned int place_among(const struct toc *toc, unsigned int at)
{
	unsigned int i, nth = 0;

	for (i = 0; i < at; i++)
		nth += toc->sections[i].device_data && toc->sections[i].type == toc->sections[at].type;
	return nth;
}

/* Is this entry's CRC that of what the card's flash holds? */
static int describes_flash(const struct image_target *target, const struct toc_section *entry, bool *right,
			   struct image_error *error)
{
	struct image_view flash = { .reader = target->flash };
	uint16_t crc;
	int code;

	flash.place.format = IMAGE_FS3;
	flash.place.layout = IMAGE_LAYOUT_FLASH;
	*right = false;
	if (!view_holds(&flash, entry->address, entry->size))
		return 0;
	*right = true;
	if (entry->crc_mode != TOC_CRC_IN_ENTRY || !entry->size)
		return 0;
	code = view_crc16(&flash, entry->address, entry->size, &crc, error);
	*right = crc == entry->crc;
	return code;
}

/*
 * The card's entry, unless the file's is right for what the flash holds and the card's is not: so
 * it is when a backup's device data were written back before its image.
 */
static int choose_entry(const struct image_target *target, const struct toc_section *own,
			const struct toc_section *card, bool *take_card, struct image_error *error)
{
	bool right;
	int code;

	*take_card = true;
	if (card->crc_mode != own->crc_mode || card->relative)
		return image_fail(error, -EINVAL, card->where,
				  _("section %s is described otherwise on the card than in the image"),
				  section_type_name(card->type));
	if (card->address != own->address || card->size != own->size)
		return 0;
	code = describes_flash(target, card, &right, error);
	if (code || right)
		return code;
	code = describes_flash(target, own, &right, error);
	*take_card = !right;
	return code;
}

/* What the card has no data for is not listed, but where the flash holds what the file's entry says. */
static int put_entry(struct gathering *g, const struct image_target *target, const struct image_view *card,
		     const struct toc *table, unsigned int at, bool *keep)
{
	const struct toc_section *own = &g->toc.sections[at];
	const struct toc_section *theirs = device_entry(table, own->type, place_among(&g->toc, at));
	bool take_card;
	int code;

	*keep = true;
	if (!theirs)
		return describes_flash(target, own, keep, g->error);
	code = choose_entry(target, own, theirs, &take_card, g->error);
	if (!code && take_card)
		code = view_read(card, theirs->where, g->bytes + own->where, TOC_ENTRY, g->error);
	return code;
}

static int put_entries(struct gathering *g, const struct image_target *target, const struct image_view *card,
		       const struct toc *table)
{
	uint8_t *first = g->bytes + g->toc.address + TOC_HEADER;
	unsigned int i, kept = 0;
	bool keep;
	int code = 0;

	for (i = 0; i < g->toc.count && !code; i++) {
		keep = true;
		if (g->toc.sections[i].device_data)
			code = put_entry(g, target, card, table, i, &keep);
		if (keep)
			memmove(first + kept++ * TOC_ENTRY, first + i * TOC_ENTRY, TOC_ENTRY);
	}
	memset(first + kept * TOC_ENTRY, 0xff, (g->toc.count - kept) * TOC_ENTRY);
	return code;
}

/* A file without device data gets the card's entries behind its own. */
static int append_entries(struct gathering *g, const struct image_view *card, const struct toc *table)
{
	uint64_t at = (uint64_t)g->toc.address + TOC_HEADER + (uint64_t)g->toc.count * TOC_ENTRY;
	uint64_t end = (uint64_t)g->toc.address + TOC_ROOM;
	unsigned int i, count = g->toc.count;
	int code = 0;

	for (i = 0; i < table->count && !code; i++) {
		if (!table->sections[i].device_data)
			continue;
		if (at + 2 * TOC_ENTRY > end || at + 2 * TOC_ENTRY > g->length || ++count >= TOC_ENTRIES)
			return image_fail(g->error, -ENOSPC, g->toc.address,
					  _("the table of contents has no room for the card's own sections"));
		code = view_read(card, table->sections[i].where, g->bytes + at, TOC_ENTRY, g->error);
		at += TOC_ENTRY;
	}
	if (!code)
		memset(g->bytes + at, 0xff, TOC_ENTRY);
	return code;
}

static int settle_device_entries(struct gathering *g, const struct image_target *target,
				 const struct image_flash_state *state)
{
	struct image_view card = { .reader = target->flash };
	bool own = fs3_has_device_data(&g->toc);
	struct toc table;
	int code;

	code = plan_device_table(target, state, &table, g->error);
	if (code)
		return code;
	if (!table.present || !fs3_has_device_data(&table))
		return own ? 0 : image_fail(g->error, -EINVAL, g->toc.address,
					    _("neither the card nor the image says where the card's own data stand"));
	card.place = state->old_facts.place;
	return own ? put_entries(g, target, &card, &table) : append_entries(g, &card, &table);
}

int image_burn_bytes(const struct image_reader *file, const struct image_facts *facts,
		     const struct image_target *target, const struct image_flash_state *state,
		     uint8_t **bytes, size_t *length, struct image_error *error)
{
	struct gathering g;
	int code;

	if (facts->place.format == IMAGE_FS2)
		return image_load(file, facts, bytes, length, error);
	code = gather(&g, file, facts, error);
	if (!code && facts->place.format == IMAGE_FS3)
		code = settle_device_entries(&g, target, state);
	return hand_over(&g, code, bytes, length);
}

/* ---- to the firmware ---- */

/* FS5: an encapsulation header that stands behind the image goes along (4.8). */
static int take_encapsulation(struct gathering *g, const struct image_facts *facts)
{
	uint64_t end = facts->burn_size;
	uint8_t magic[4], *more;
	int code;

	if (!end || end != g->length || !view_holds(&g->view, end, FS5_BCH_LENGTH))
		return 0;
	code = view_read(&g->view, end, magic, sizeof(magic), g->error);
	if (code || memcmp(magic, "NVDA", sizeof(magic)))
		return code;
	more = realloc(g->bytes, g->length + FS5_BCH_LENGTH);
	if (!more)
		return image_fail(g->error, -ENOMEM, 0, _("no memory for an image of %zu bytes"),
				  g->length + FS5_BCH_LENGTH);
	g->bytes = more;
	g->length += FS5_BCH_LENGTH;
	return view_read(&g->view, end, g->bytes + end, FS5_BCH_LENGTH, g->error);
}

int image_component_bytes(const struct image_reader *file, const struct image_facts *facts,
			  uint8_t **bytes, size_t *length, struct image_error *error)
{
	struct gathering g;
	unsigned int i;
	int code;

	if (facts->place.format == IMAGE_FS2 || facts->place.format == IMAGE_NONE)
		return image_fail(error, -EOPNOTSUPP, 0, _("no card of format %s updates itself"),
				  image_format_name(facts->place.format));
	code = gather(&g, file, facts, error);
	if (!code && facts->place.format == IMAGE_FS5)
		code = take_encapsulation(&g, facts);
	if (code)
		return hand_over(&g, code, bytes, length);
	memset(g.bytes, 0xff, IMAGE_MAGIC_LENGTH);
	for (i = 0; i < g.toc.count; i++)
		if (g.toc.sections[i].device_data)
			memset(g.bytes + g.toc.sections[i].where, 0xff, TOC_ENTRY);
	return hand_over(&g, 0, bytes, length);
}
