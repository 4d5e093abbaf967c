// SPDX-License-Identifier: GPL-2.0-only
/* The plan of an edit: from what to what, in which sections, and what that means. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image_edit.h"

#define SECTIONS_MOST 256

/* ---- one side ---- */

int edit_side_read(struct edit_side *side, const uint8_t *bytes, size_t length,
		   const struct image_place *place, struct image_error *error)
{
	struct image_error why;
	int code;

	side->memory = (struct image_memory){ bytes, length };
	side->subject.reader = image_memory_reader(&side->memory);
	side->subject.place = *place;
	code = image_facts(&side->subject.reader, place, 0, &side->subject.facts, error);
	if (code)
		return code;
	if (image_ini(&side->subject.reader, place, &side->text, &side->text_length, &why)) {
		side->text = NULL;
		return 0;
	}
	if (!ini_parse(side->text, side->text_length, &side->ini, &why))
		ini_board(&side->ini, &side->board);
	return 0;
}

void edit_side_free(struct edit_side *side)
{
	free(side->text);
	side->text = NULL;
	ini_free(&side->ini);
}

const char *edit_side_name(const struct edit_side *side)
{
	if (side->board.name && *side->board.name)
		return side->board.name;
	return side->subject.facts.name;
}

/* ---- from what to what ---- */

struct plan {
	struct output *output;
	const struct editing *editing;
	uint64_t differing;		/* bytes of the whole */
};

static void show_change(struct plan *plan, const char *key, const char *label, const char *from,
			const char *to)
{
	if (!strcmp(from, to))
		return;
	output_object(plan->output, NULL);
	output_string(plan->output, "what", key);
	output_string(plan->output, "from", *from ? from : NULL);
	output_string(plan->output, "to", *to ? to : NULL);
	output_end(plan->output);
	output_show(plan->output, label, NULL, "%s -> %s", *from ? from : _("(none)"),
		    *to ? to : _("(none)"));
}

static void list_ids(const uint64_t *ids, size_t count, int digits, char text[128])
{
	size_t i, used = 0;

	*text = '\0';
	for (i = 0; i < count; i++)
		used += snprintf(text + used, 128 - used, "%s%0*llx", i ? ", " : "", digits,
				 (unsigned long long)ids[i]);
}

static void uids_text(const struct image_uids *uids, int digits, char text[128])
{
	int used = snprintf(text, 128, "%0*llx", digits, (unsigned long long)uids->base);

	if (uids->count)
		snprintf(text + used, 128 - used, " (%u, step %u)", uids->count, uids->step);
}

static void guids_text(const struct image_facts *facts, char text[128])
{
	*text = '\0';
	if (!(facts->has & IMAGE_HAS_GUIDS))
		return;
	if (facts->place.format == IMAGE_FS2)
		list_ids(facts->guid, 4, 16, text);
	else
		uids_text(&facts->base_guid, 16, text);
}

static void macs_text(const struct image_facts *facts, char text[128])
{
	*text = '\0';
	if (!(facts->has & IMAGE_HAS_MACS))
		return;
	if (facts->place.format == IMAGE_FS2)
		list_ids(facts->mac, 2, 12, text);
	else
		uids_text(&facts->base_mac, 12, text);
}

/* "PXE 3.4.752 and UEFI 14.11.45, 104468 bytes" */
static void rom_text(const struct image_facts *facts, char text[256])
{
	size_t used = 0;
	unsigned int i;

	*text = '\0';
	if (!(facts->has & IMAGE_HAS_ROM))
		return;
	for (i = 0; i < facts->rom_count; i++) {
		const struct image_rom *rom = &facts->roms[i];
		const char *name = image_rom_product_name(rom->product);

		used += snprintf(text + used, 256 - used, "%s %u.%u.%u, ", name ? name : "ROM",
				 rom->version[0], rom->version[1], rom->version[2]);
	}
	snprintf(text + used, 256 - used, _("%u bytes"), facts->rom_length);
}

static void ini_text(const struct edit_side *side, char text[128])
{
	*text = '\0';
	if (side->text)
		snprintf(text, 128, _("%zu bytes"), side->text_length);
}

/* A text that a dump of the same length may hide. */
static bool ini_differs(const struct edit_side *before, const struct edit_side *after)
{
	return before->text && after->text &&
	       (before->text_length != after->text_length ||
		memcmp(before->text, after->text, before->text_length));
}

static void show_changes(struct plan *plan)
{
	const struct edit_side *before = &plan->editing->before, *after = &plan->editing->after;
	const struct image_facts *old = &before->subject.facts, *new = &after->subject.facts;
	bool fs2 = old->place.format == IMAGE_FS2;
	char from[256], to[256];

	output_array(plan->output, "changes");
	show_change(plan, "psid", _("PSID"), old->psid, new->psid);
	show_change(plan, "name", _("Name"), edit_side_name(before), edit_side_name(after));
	guids_text(old, from);
	guids_text(new, to);
	show_change(plan, "guids", _("GUIDs"), from, to);
	macs_text(old, from);
	macs_text(new, to);
	show_change(plan, "macs", _("MACs"), from, to);
	show_change(plan, "vsd", "VSD", fs2 ? old->vsd : old->device_vsd, fs2 ? new->vsd : new->device_vsd);
	if (!fs2)
		show_change(plan, "image_vsd", _("Image VSD"), old->vsd, new->vsd);
	rom_text(old, from);
	rom_text(new, to);
	if (plan->editing->edit.rom_edit == IMAGE_ROM_REPLACE && plan->differing && !strcmp(from, to))
		snprintf(to, sizeof(to), "%s", _("another of the same version and length"));
	show_change(plan, "rom", _("Expansion ROM"), from, to);
	ini_text(before, from);
	ini_text(after, to);
	if (ini_differs(before, after) && !strcmp(from, to))
		snprintf(to, sizeof(to), "%s", _("other text of the same length"));
	show_change(plan, "ini", _("INI text"), from, to);
	output_end(plan->output);
}

/* ---- which sections and CRCs ---- */

struct sections {
	struct image_section list[SECTIONS_MOST];
	size_t count;
};

static int note_section(void *context, const struct image_section *section)
{
	struct sections *sections = context;

	if (sections->count < SECTIONS_MOST)
		sections->list[sections->count++] = *section;
	return 0;
}

static void read_sections(const struct edit_side *side, struct sections *sections)
{
	struct image_error why;

	sections->count = 0;
	image_sections(&side->subject.reader, &side->subject.place, note_section, sections, &why);
}

static bool same_kind(const struct image_section *one, const struct image_section *other)
{
	return one->type == other->type && !strcmp(one->name, other->name);
}

/* The one that stands for it on the other side: the same of its kind, counted. NULL: none. */
static const struct image_section *partner(const struct sections *mine, size_t index,
					   const struct sections *others)
{
	size_t i, nth = 0;

	for (i = 0; i < index; i++)
		nth += same_kind(&mine->list[i], &mine->list[index]);
	for (i = 0; i < others->count; i++)
		if (same_kind(&others->list[i], &mine->list[index]) && !nth--)
			return &others->list[i];
	return NULL;
}

static const uint8_t *body_of(const struct edit_side *side, const struct image_section *section,
			      uint64_t *length)
{
	uint64_t start = section->start;

	*length = 0;
	if (!section->device_data)
		start += side->subject.place.address;
	if (start > side->memory.length || section->length > side->memory.length - start)
		return NULL;
	*length = section->length;
	return side->memory.bytes + start;
}

static uint64_t differing_bytes(const struct edit_side *before, const struct image_section *old,
				const struct edit_side *after, const struct image_section *new)
{
	uint64_t old_length, new_length, i, count;
	const uint8_t *from = body_of(before, old, &old_length), *to = body_of(after, new, &new_length);
	uint64_t shorter = old_length < new_length ? old_length : new_length;

	if (!from || !to)
		return 0;
	if (shorter == old_length && shorter == new_length && !memcmp(from, to, shorter))
		return 0;
	count = old_length + new_length - 2 * shorter;
	for (i = 0; i < shorter; i++)
		count += from[i] != to[i];
	return count;
}

static void crc_text(const struct image_section *section, char text[8])
{
	*text = '\0';
	if (section && section->crc_kind == IMAGE_CRC_STORED)
		snprintf(text, 8, "%04x", section->crc & 0xffff);
}

/* old or new may be NULL, not both. */
static void show_section(struct output *output, const char *id, const char *what,
			 const struct image_section *old, const struct image_section *new, uint64_t differing)
{
	const struct image_section *section = new ? new : old;
	char at[24], length[24], differs[24], from[8], to[8], crc[24];
	const char *cells[] = { section->name, at, length, what, differs, crc };

	crc_text(old, from);
	crc_text(new, to);
	output_object(output, NULL);
	output_string(output, "name", section->name);
	output_number(output, "type", section->type);
	output_string(output, "what", id);
	output_number(output, "start", section->start);
	output_number(output, "length", section->length);
	output_number(output, "differing_bytes", differing);
	output_string(output, "crc_from", *from ? from : NULL);
	output_string(output, "crc_to", *to ? to : NULL);
	output_end(output);
	snprintf(at, sizeof(at), "0x%llx", (unsigned long long)section->start);
	snprintf(length, sizeof(length), "%llu", (unsigned long long)section->length);
	snprintf(differs, sizeof(differs), "%llu", (unsigned long long)differing);
	if (*from && *to)
		snprintf(crc, sizeof(crc), strcmp(from, to) ? "%s -> %s" : "%s", from, to);
	else
		snprintf(crc, sizeof(crc), "%s", *from ? from : to);
	output_row(output, cells);
}

static void compare_sections(struct plan *plan, const struct sections *old, const struct sections *new)
{
	const struct edit_side *before = &plan->editing->before, *after = &plan->editing->after;
	const struct image_section *other, *one;
	uint64_t differing;
	size_t i;

	for (i = 0; i < new->count; i++) {
		one = &new->list[i];
		other = partner(new, i, old);
		if (!other) {
			show_section(plan->output, "added", _("new"), NULL, one, one->length);
			continue;
		}
		differing = differing_bytes(before, other, after, one);
		if (differing)
			show_section(plan->output, "changed", _("changed"), other, one, differing);
		else if (other->start != one->start)
			show_section(plan->output, "moved", _("moved"), other, one, 0);
		else if (other->crc_kind == IMAGE_CRC_STORED && other->crc != one->crc)
			show_section(plan->output, "linked", _("its header"), other, one, 0);
	}
	for (i = 0; i < old->count; i++)
		if (!partner(old, i, new))
			show_section(plan->output, "removed", _("removed"), &old->list[i], NULL,
				     old->list[i].length);
}

static void show_sections(struct plan *plan)
{
	/* TRANSLATORS: heads of a table of an image's sections */
	const char *const headers[] = { _("SECTION"), _("AT"), _("BYTES"), _("WHAT"), _("DIFFER"), "CRC" };
	struct sections *old = malloc(2 * sizeof(*old)), *new = old + 1;

	output_array(plan->output, "sections");
	if (old && plan->differing) {
		read_sections(&plan->editing->before, old);
		read_sections(&plan->editing->after, new);
		output_table(plan->output, headers, sizeof(headers) / sizeof(headers[0]));
		compare_sections(plan, old, new);
		output_table_end(plan->output);
		output_line(plan->output, "%s", "");
	}
	free(old);
	output_end(plan->output);
}

static uint64_t all_differing(const struct editing *editing)
{
	const struct image_memory *old = &editing->before.memory, *new = &editing->after.memory;
	size_t shorter = old->length < new->length ? old->length : new->length, i;
	uint64_t count = old->length + new->length - 2 * shorter;

	for (i = 0; i < shorter; i++)
		count += old->bytes[i] != new->bytes[i];
	return count;
}

/* Of FS2 the last two bytes of its dword at 0x20 guard the whole image: firmware-images.md 2.7. */
static void show_sums(struct plan *plan)
{
	const struct edit_side *before = &plan->editing->before, *after = &plan->editing->after;
	const uint8_t *old = before->memory.bytes + before->subject.place.address + 0x22;
	const uint8_t *new = after->memory.bytes + after->subject.place.address + 0x22;
	struct output *output = plan->output;
	char from[8], to[8];

	output_number(output, "differing_bytes", plan->differing);
	output_number(output, "length_from", before->memory.length);
	output_number(output, "length_to", after->memory.length);
	output_bool(output, "digest_renewed", plan->editing->result.digest_renewed);
	if (before->subject.place.format == IMAGE_FS2 && before->memory.length >= 0x40) {
		snprintf(from, sizeof(from), "%02x%02x", old[0], old[1]);
		snprintf(to, sizeof(to), "%02x%02x", new[0], new[1]);
		output_string(output, "full_crc_from", from);
		output_string(output, "full_crc_to", to);
		output_show(output, _("Full image CRC"), NULL, "%s -> %s", from, to);
	} else if (before->subject.place.format != IMAGE_FS2) {
		output_show(output, _("Digest"), NULL, "%s", plan->editing->result.digest_renewed ?
			    _("SHA-256 in the image's signature section: made anew") :
			    _("untouched: the edit lies outside of it, or the image has none"));
	}
	output_show(output, _("In all"), NULL, _("%llu bytes differ; %zu -> %zu bytes"),
		    (unsigned long long)plan->differing, before->memory.length,
		    after->memory.length);
}

/* ---- what it means ---- */

static void show_warning(struct output *output, const char *id, bool grave, const char *text)
{
	output_object(output, NULL);
	output_string(output, "id", id);
	output_bool(output, "grave", grave);
	output_string(output, "text", text);
	output_end(output);
	output_show(output, grave ? _("Attention") : _("Note"), NULL, "%s", text);
}

/* Of the mark that an earlier edit left. */
static void warn_of_mark(const struct editing *editing, struct output *output)
{
	const char *old = editing->before.text, *new = editing->after.text;
	char first[17], text[160];

	if (!old || !image_ini_retagged(old, first) || editing->result.retagged)
		return;
	if (new && image_ini_retagged(new, first)) {
		snprintf(text, sizeof(text),
			 _("the image stays retagged: it was made for %s, its PSID does not vouch for its board"),
			 first);
		show_warning(output, "stays-retagged", true, text);
	} else {
		show_warning(output, "no-longer-retagged", false,
			     _("the first PSID is back: the mark in the INI text goes"));
	}
}

static void warn_of_retagging(const struct editing *editing, struct output *output)
{
	show_warning(output, "retagged", true,
		     _("the PSID no longer vouches for the board: whoever burns this must compare boards by other means (hardware id and revision, port count, compiled board sections)"));
	if (editing->result.marked)
		show_warning(output, "marked", false,
			     _("a comment in the INI text says that the PSID was changed, and from which; cxctl shows it"));
	else
		show_warning(output, "not-marked", true,
			     _("the image has no INI text: nothing in the file will say that its PSID was changed"));
}

static void warn_of_rom(const struct editing *editing, struct output *output)
{
	const struct image_facts *facts = &editing->after.subject.facts;
	struct image_rom roms[IMAGE_ROMS];
	unsigned int count = image_rom_parse(editing->edit.rom, editing->edit.rom_length, roms), i;
	char text[256];

	if (!(facts->has & IMAGE_HAS_DEVICE_ID))
		return;
	for (i = 0; i < count; i++) {
		if (!roms[i].pci_device || roms[i].pci_device == facts->pci_device)
			continue;
		snprintf(text, sizeof(text),
			 _("the ROM is for PCI device %04x, the image for %04x: the machine may not start it"),
			 roms[i].pci_device, facts->pci_device);
		show_warning(output, "rom-for-other-device", true, text);
	}
}

/* A board's INI that was made for another chip or port count than the image's own. */
static void warn_of_ini(const struct editing *editing, struct output *output)
{
	const struct image_facts *facts = &editing->before.subject.facts;
	const char *value = ini_get(&editing->new_ini, "ADAPTER", "adapter_dev_id");
	unsigned int new_ports = editing->after.text ? image_ini_ports(editing->after.text) : 0;
	unsigned int old_ports = editing->before.text ? image_ini_ports(editing->before.text) : 0;
	unsigned long id = value ? strtoul(value, NULL, 0) : 0;
	bool fs2 = facts->place.format == IMAGE_FS2;
	char text[320];

	show_warning(output, "ini-is-text", false,
		     _("the firmware reads records that were compiled from the board's INI, not its text: the new text changes no behaviour"));
	if (id && facts->has & IMAGE_HAS_DEVICE_ID && id != facts->pci_device) {
		snprintf(text, sizeof(text), _("the INI is for PCI device %04lx, the image for %04x"), id,
			 facts->pci_device);
		show_warning(output, "ini-for-other-device", true, text);
	}
	/* Later formats name no device, but have sections of their own: firmware-images.md 8.2, 8.3. */
	if (fs2 != !ini_get(&editing->new_ini, "image_info", "psid"))
		show_warning(output, "ini-for-other-format", true, fs2 ?
			     _("the INI is that of a card of format FS3 or later, the image is FS2") :
			     _("the INI is that of a card of format FS2, the image is of a later one"));
	if (new_ports && old_ports && new_ports != old_ports) {
		snprintf(text, sizeof(text),
			 _("the INI says %u ports, the image was made for %u and stays so"), new_ports,
			 old_ports);
		show_warning(output, "ini-for-other-ports", true, text);
	}
}

/* The revision stands in the board's name: a new name says another one, the board stays what it was. */
static void warn_of_revision(const struct editing *editing, struct output *output)
{
	const char *old = editing->before.board.revision;
	const char *new = editing->has_ini ? editing->new_board.revision : editing->after.board.revision;
	char text[320], first[17];

	if (!*old || !*new || !strcmp(old, new))
		return;
	if (editing->before.text && image_ini_retagged(editing->before.text, first))
		return;		/* its name is no longer that of the board either */
	snprintf(text, sizeof(text), editing->has_ini ?
		 _("the INI is for board revision %s, the image was made for %s") :
		 _("the new name says board revision %s, the image was made for %s"), new, old);
	show_warning(output, editing->has_ini ? "ini-for-other-revision" : "name-of-other-revision", true,
		     text);
}

static void show_warnings(struct plan *plan)
{
	const struct editing *editing = plan->editing;
	struct output *output = plan->output;

	output_array(output, "warnings");
	if (!plan->differing)
		show_warning(output, "nothing-changes", false,
			     _("the image is so already: the copy will be the same"));
	if (editing->loaded)
		show_warning(output, "out-of-a-flash", false,
			     _("the file is what a flash held; the copy is the image alone, as a file for any card of that PSID"));
	if (editing->result.retagged)
		warn_of_retagging(editing, output);
	warn_of_mark(editing, output);
	if (editing->edit.rom_edit == IMAGE_ROM_REPLACE)
		warn_of_rom(editing, output);
	if (editing->has_ini)
		warn_of_ini(editing, output);
	warn_of_revision(editing, output);
	if (editing->edit.set_guids || editing->edit.set_macs || editing->edit.vsd)
		show_warning(output, "identity-is-the-cards", false,
			     _("GUIDs, MACs and VSD of an image are for cards that lost theirs: a burn keeps the card's own unless told otherwise"));
	if (editing->verdict == IMAGE_UNUSUAL)
		show_warning(output, "unusual", false, editing->finding);
	output_end(output);
}

static void show_head(struct plan *plan)
{
	const struct edit_request *request = plan->editing->request;
	const struct image_facts *facts = &plan->editing->before.subject.facts;
	const char *chip = facts->hw_id_count ? image_chip_name(facts->hw_ids[0].id) : NULL;
	char version[32];

	image_version_text(facts, version);
	output_line(plan->output, request->output ? _("Plan for %s, from %s (%s%s%s, version %s, PSID %s):") :
		    _("Plan%s for %s (%s%s%s, version %s, PSID %s):"), request->output ? request->output : "",
		    request->file, image_format_name(facts->place.format), chip ? ", " : "", chip ? chip : "",
		    *version ? version : "-", *facts->psid ? facts->psid : "-");
}

void edit_show_plan(struct output *output, const struct editing *editing)
{
	struct plan plan = { .output = output, .editing = editing, .differing = all_differing(editing) };

	output_object(output, "plan");
	show_head(&plan);
	show_changes(&plan);
	output_line(output, "%s", "");
	show_sections(&plan);
	show_sums(&plan);
	show_warnings(&plan);
	output_end(output);
}
