// SPDX-License-Identifier: GPL-2.0-only
/* Edits of all formats: what is asked, whether it makes sense, who does it. firmware-images.md 6. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "edit_parts.h"
#include "ini.h"

bool edit_of_firmware(const struct image_edit *edit)
{
	return edit->image_vsd || edit->psid || edit->name || edit->ini || edit->rom_edit != IMAGE_ROM_KEEP;
}

bool edit_of_device_data(const struct image_edit *edit)
{
	return edit->set_guids || edit->set_macs || edit->uid_count || edit->uid_step || edit->vsd;
}

bool image_edit_forbidden(const struct image_facts *facts, char *why, size_t room)
{
	static const struct {
		uint32_t flag;
		const char *why;
	} flags[] = {
		{ IMAGE_SECURITY_ENCRYPTED, N_("the image is encrypted: what is inside cannot be changed") },
		{ IMAGE_SECURITY_SECURE,
		  N_("the image is signed (flag secure_fw): a card refuses changed firmware") },
		{ IMAGE_SECURITY_SIGNED,
		  N_("the image is signed (flag signed_fw): a card refuses changed firmware") },
		{ IMAGE_SECURITY_SECURE_BOOT,
		  N_("the image is for secure boot (flag secure_boot): changed firmware would not start") },
	};
	size_t i;

	if (room)
		why[0] = 0;
	if (facts->place.format == IMAGE_FS2)
		return false;
	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (!(facts->security_flags & flags[i].flag) && !(!i && facts->encrypted))
			continue;
		snprintf(why, room, "%s", _(flags[i].why));
		return true;
	}
	if (facts->signed_by)
		snprintf(why, room,
			 _("the image is signed (section %s): changed firmware makes that worthless"),
			 facts->signed_by);
	return facts->signed_by;
}

/* ---- what is asked ---- */

bool psid_possible(const char *psid, char *why, size_t room)
{
	size_t length = strlen(psid), i;

	if (!length || length > PSID_MOST) {
		snprintf(why, room, _("a PSID has 1 to %d characters, this has %zu"), PSID_MOST, length);
		return false;
	}
	for (i = 0; i < length; i++) {
		if (isalnum((unsigned char)psid[i]) || psid[i] == '_' || psid[i] == '-')
			continue;
		snprintf(why, room, _("character %zu cannot stand in a PSID: letters, digits, _ and - can"),
			 i + 1);
		return false;
	}
	return true;
}

static int check_text(struct editor *e, const char *what, const char *text, size_t most)
{
	size_t length, i;

	if (!text)
		return 0;
	length = strlen(text);
	if (length > most)
		return image_fail(e->error, -EINVAL, 0, _("%s has at most %zu characters, this has %zu"),
				  what, most, length);
	for (i = 0; i < length; i++)
		if (text[i] < 0x20 || text[i] > 0x7e)
			return image_fail(e->error, -EINVAL, 0, _("%s: character %zu is not printable ASCII"),
					  what, i + 1);
	return 0;
}

static int check_texts(struct editor *e)
{
	const struct image_edit *edit = e->edit;
	char why[96];
	int code;

	if (edit->psid && !psid_possible(edit->psid, why, sizeof(why)))
		return image_fail(e->error, -EINVAL, 0, "%s", why);
	code = check_text(e, "VSD", edit->vsd, VSD_MOST);
	if (!code)
		code = check_text(e, "VSD", edit->image_vsd, VSD_MOST);
	if (!code)
		code = check_text(e, "Name", edit->name, NAME_MOST);
	if (code || !edit->name)
		return code;
	if (!*edit->name || edit->name[0] == ' ' || edit->name[strlen(edit->name) - 1] == ' ')
		return image_fail(e->error, -EINVAL, 0,
				  _("a name is not empty, and no blank stands at its ends"));
	return 0;
}

static int check_macs(struct editor *e, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count && e->edit->set_macs; i++)
		if (e->edit->mac[i] >> 48 || e->edit->mac[i] >> 40 & 1)
			return image_fail(e->error, -EINVAL, 0,
					  _("0x%llx is not the MAC address of one station"),
					  (unsigned long long)e->edit->mac[i]);
	return 0;
}

static int check_fs2_ids(struct editor *e)
{
	const struct image_edit *edit = e->edit;
	unsigned int i;

	if (edit->image_vsd)
		return image_fail(e->error, -EINVAL, 0, _("an FS2 image has one VSD only, that of the card"));
	if (edit->uid_count || edit->uid_step)
		return image_fail(e->error, -EINVAL, 0,
				  _("an FS2 image holds each GUID and MAC, no number or step of them"));
	for (i = 0; i < 4 && edit->set_guids; i++)
		if (!edit->guid[i] || edit->guid[i] == UINT64_MAX)
			return image_fail(e->error, -EINVAL, 0,
					  _("GUID %u would be %016llx, no card's: counting up wrapped around"),
					  i, (unsigned long long)edit->guid[i]);
	if (e->facts->blank_guids && edit->set_macs && !edit->set_guids)
		return image_fail(e->error, -EINVAL, 0,
				  _("the image has no GUIDs yet: MAC addresses alone are half an identity"));
	return check_macs(e, 2);
}

static int check_later_ids(struct editor *e)
{
	const struct image_edit *edit = e->edit;
	bool ids = edit->set_guids || edit->set_macs || edit->uid_count || edit->uid_step;

	if (edit->uid_count > 255 || edit->uid_step > 255)
		return image_fail(e->error, -EINVAL, 0, _("number and step of ids are at most 255"));
	if (edit_of_device_data(edit) && e->facts->stripped)
		return image_fail(e->error, -EINVAL, 0,
				  _("the file is stripped: it has no device data for GUIDs, MACs or a VSD"));
	if (edit_of_device_data(edit) && e->facts->device_data_trouble[0])
		return image_fail(e->error, -EBADMSG, 0, "%s", e->facts->device_data_trouble);
	if (ids && !e->facts->guids_override)
		return image_fail(e->error, -EINVAL, 0,
				  _("the ids come from MFG_INFO (guids_override_en is 0), not from what can be edited"));
	return check_macs(e, 1);
}

static int check_firmware(struct editor *e)
{
	const struct image_edit *edit = e->edit;
	struct image_error why;
	char text[256];

	if (!edit_of_firmware(edit))
		return 0;
	if (image_edit_forbidden(e->facts, text, sizeof(text)))
		return image_fail(e->error, -EPERM, 0, "%s", text);
	if (e->facts->place.format == IMAGE_FS5)
		return image_fail(e->error, -EOPNOTSUPP, 0,
				  _("the digests of FS5's boot parts are not public: only device data can be edited"));
	if (edit->rom_edit == IMAGE_ROM_KEEP)
		return 0;
	if (e->facts->has & IMAGE_HAS_PRODUCT && !edit->allow_rom_change)
		return image_fail(e->error, -EPERM, 0,
				  _("the ROM belongs to product version %s: it is changed on explicit request only"),
				  e->facts->product_version);
	if (edit->rom_edit == IMAGE_ROM_REMOVE && !(e->facts->has & IMAGE_HAS_ROM))
		return image_fail(e->error, -EINVAL, 0, _("the image has no ROM that could be removed"));
	if (edit->rom_edit == IMAGE_ROM_REPLACE && image_rom_check(edit->rom, edit->rom_length, &why))
		return image_fail(e->error, -EINVAL, why.where, "%s", why.text);
	return 0;
}

int edit_check(struct editor *e)
{
	int code = check_texts(e);

	if (!code)
		code = e->facts->place.format == IMAGE_FS2 ? check_fs2_ids(e) : check_later_ids(e);
	if (!code)
		code = check_firmware(e);
	return code;
}

/* ---- the INI ---- */

int ini_deflate(const char *text, size_t length, uint8_t **body, size_t *size, struct image_error *error)
{
	uLongf bound = compressBound(length);

	*body = calloc(1, bound + 4);
	if (!*body || compress2(*body, &bound, (const Bytef *)text, length, 9) != Z_OK) {
		free(*body);
		*body = NULL;
		return image_fail(error, -ENOMEM, 0, _("no memory"));
	}
	*size = (bound + 3) & ~3UL;
	return 0;
}

struct text {
	char *bytes;
	size_t length;
};

static int rename_in(struct text *text, const char *psid, const char *name, struct image_error *error)
{
	char *renamed;
	size_t length;
	int code = ini_rename(text->bytes, text->length, psid, name, &renamed, &length, error);

	if (code)
		return code;
	free(text->bytes);
	text->bytes = renamed;
	text->length = length;
	return 0;
}

static int new_text(struct editor *e, const struct text *old, struct text *text)
{
	struct ini ini;
	int code;

	if (!e->edit->ini) {
		*text = (struct text){ malloc(old->length + 1), old->length };
		if (text->bytes)
			memcpy(text->bytes, old->bytes, old->length);
	} else {
		if (e->edit->ini_length > IMAGE_INI_MOST)
			return image_fail(e->error, -EINVAL, 0, _("an INI has at most %u bytes"),
					  IMAGE_INI_MOST);
		code = ini_parse(e->edit->ini, e->edit->ini_length, &ini, e->error);
		if (code)
			return code == -EBADMSG ? -EINVAL : code;
		ini_free(&ini);
		*text = (struct text){ malloc(e->edit->ini_length + 1), e->edit->ini_length };
		while (text->length && !e->edit->ini[text->length - 1])
			text->length--;
		if (text->bytes)
			memcpy(text->bytes, e->edit->ini, text->length);
	}
	return text->bytes ? 0 : image_fail(e->error, -ENOMEM, 0, _("no memory"));
}

static int apply_names(struct editor *e, struct text *text)
{
	int code = 0;

	if (e->edit->psid)
		code = rename_in(text, e->edit->psid, NULL, e->error);
	if (code == -ENOENT)
		code = 0;
	if (code || !e->edit->name)
		return code;
	code = rename_in(text, NULL, e->edit->name, e->error);
	if (code != -ENOENT)
		return code;
	return e->facts->place.format == IMAGE_FS2 ? -EINVAL : 0;
}

/*
 * The first PSID that this image is known to have had. A mark in a new text is that of the image it was taken
 * from: it may add doubt to a PSID that stays, but vouches for none that changes.
 */
static void first_psid(const struct editor *e, const struct text *old, const struct text *text,
		       const char *psid, char first[PSID_MOST + 1])
{
	if (old->bytes && ini_first_psid(old->bytes, old->length, first))
		return;
	if (text->bytes && !strcmp(psid, e->facts->psid) && ini_first_psid(text->bytes, text->length, first))
		return;
	memcpy(first, e->facts->psid, PSID_MOST + 1);
}

static int make_ini(struct editor *e, const struct text *old, struct text *text,
		    struct image_edit_result *result)
{
	const char *psid = e->edit->psid ? e->edit->psid : e->facts->psid;
	char first[PSID_MOST + 1];
	int code;

	if (!old->bytes) {
		if (e->edit->ini)
			return image_fail(e->error, -EINVAL, 0, _("the image has no place for an INI"));
		if (e->edit->name && e->facts->place.format == IMAGE_FS2)
			return image_fail(e->error, -EINVAL, 0,
					  _("the image has no INI, the only place for the name in FS2"));
		first_psid(e, old, old, psid, first);
		result->retagged = strcmp(first, psid);
		return 0;
	}
	code = new_text(e, old, text);
	if (!code)
		code = apply_names(e, text);
	if (code)
		return code;
	first_psid(e, old, text, psid, first);
	result->marked = strcmp(first, psid);
	result->retagged = result->marked && strcmp(psid, e->facts->psid);
	code = ini_set_mark(text->bytes, text->length, first, psid, &e->ini, &e->ini_length, e->error);
	if (!code && e->ini_length == old->length && !memcmp(e->ini, old->bytes, old->length)) {
		free(e->ini);
		e->ini = NULL;
	}
	return code;
}

static int prepare_ini(struct editor *e, const struct image_reader *reader, struct image_edit_result *result)
{
	struct text old = { 0 }, text = { 0 };
	int code;

	if (!e->edit->ini && !e->edit->psid && !e->edit->name)
		return 0;
	code = image_ini(reader, &e->facts->place, &old.bytes, &old.length, e->error);
	if (code == -ENOENT)
		code = 0;
	if (!code)
		code = make_ini(e, &old, &text, result);
	free(old.bytes);
	free(text.bytes);
	return code;
}

/* ---- the image ---- */

struct damage {
	bool found;
	struct image_error error;
};

static void note_damage(void *context, const struct image_finding *finding)
{
	struct damage *damage = context;

	if (damage->found || finding->verdict != IMAGE_DAMAGED)
		return;
	damage->found = true;
	damage->error.where = finding->where;
	if (finding->compared)
		snprintf(damage->error.text, sizeof(damage->error.text),
			 _("the image is damaged: %s at 0x%llx: %s (expected 0x%x, found 0x%x)"),
			 finding->part, (unsigned long long)finding->where, finding->text,
			 finding->expected, finding->found);
	else
		snprintf(damage->error.text, sizeof(damage->error.text),
			 _("the image is damaged: %s at 0x%llx: %s"), finding->part,
			 (unsigned long long)finding->where, finding->text);
}

static int check_good(const struct image_reader *reader, const struct image_place *place,
		      struct image_error *error)
{
	struct damage damage = { 0 };
	struct image_listener listener = { NULL, note_damage, &damage };
	enum image_verdict verdict;
	int code = image_verify(reader, place, &listener, &verdict, error);

	if (code || verdict != IMAGE_DAMAGED)
		return code;
	if (error)
		*error = damage.error;
	return -EBADMSG;
}

static int check_place(const struct image_reader *reader, const struct image_place *place,
		       struct image_error *error)
{
	struct image_place places[IMAGE_PLACES];
	size_t count, i, good = 0;
	int code = image_locate(reader, place->layout, places, IMAGE_PLACES, &count, error);

	if (code)
		return code;
	for (i = 0; i < count; i++)
		good += !places[i].misplaced;
	if (place->address || good > 1 || (place->format == IMAGE_FS2 && place->layout != IMAGE_LAYOUT_FILE))
		return image_fail(error, -EINVAL, place->address,
				  _("this is what a flash held, not an image: extract the image first"));
	return 0;
}

static int dispatch(struct editor *e)
{
	switch (e->facts->place.format) {
	case IMAGE_FS2:
		return fs2_edit_image(e);
	case IMAGE_FS3:
		return fs3_edit_image(e);
	case IMAGE_FS4:
	case IMAGE_FS5:
		return fs4_edit_image(e);
	default:
		return image_fail(e->error, -EOPNOTSUPP, 0, _("an image of format %s cannot be edited"),
				  image_format_name(e->facts->place.format));
	}
}

/* What comes out is held to the same measure as what goes in. */
static int check_result(const struct editor *e)
{
	struct image_memory memory = { e->out, e->length };
	struct image_reader reader = image_memory_reader(&memory);
	struct image_error why = { 0 };
	struct image_facts facts;
	int code = image_query(&reader, IMAGE_LAYOUT_AUTO, IMAGE_NO_ROM, &facts, &why);

	if (!code)
		code = check_good(&reader, &facts.place, &why);
	if (code)
		return image_fail(e->error, -EIO, why.where, _("the edit failed, nothing was made: %.200s"),
				  why.text);
	return 0;
}

static int edit_checked(struct editor *e, const uint8_t *image, size_t length)
{
	int code;

	e->out = malloc(length + 1);
	if (!e->out)
		return image_fail(e->error, -ENOMEM, 0, _("no memory for an image of %zu bytes"), length);
	memcpy(e->out, image, length);
	e->length = length;
	e->room = length;
	code = dispatch(e);
	return code ? code : check_result(e);
}

int image_edit(const uint8_t *image, size_t length, const struct image_edit *edit,
	       struct image_edit_result *result, struct image_error *error)
{
	struct image_memory memory = { image, length };
	struct image_reader reader = image_memory_reader(&memory);
	struct image_facts facts;
	struct editor e = { .edit = edit, .facts = &facts, .error = error };
	int code;

	memset(result, 0, sizeof(*result));
	code = image_query(&reader, IMAGE_LAYOUT_AUTO, IMAGE_NO_ROM, &facts, error);
	if (!code)
		code = check_place(&reader, &facts.place, error);
	if (!code)
		code = check_good(&reader, &facts.place, error);
	if (!code)
		code = edit_check(&e);
	if (!code)
		code = prepare_ini(&e, &reader, result);
	if (!code)
		code = edit_checked(&e, image, length);
	free(e.ini);
	if (code) {
		free(e.out);
		memset(result, 0, sizeof(*result));
		return code;
	}
	result->bytes = e.out;
	result->length = e.length;
	result->digest_renewed = e.digest_renewed;
	return 0;
}

/* ---- the ROM as it is ---- */

static int take_rom(void *context, const struct image_section *section)
{
	struct image_section *rom = context;

	if (section->type != SECTION_ROM_CODE || section->device_data)
		return 0;
	*rom = *section;
	return 1;
}

static int read_rom(const struct image_view *view, const struct image_section *section, uint8_t **rom,
		    struct image_error *error)
{
	int code;

	*rom = malloc(section->length + 1);
	if (!*rom)
		return image_fail(error, -ENOMEM, section->start, _("no memory for a ROM of %llu bytes"),
				  (unsigned long long)section->length);
	code = view_read(view, section->start, *rom, section->length, error);
	if (!code && section->crc_kind == IMAGE_CRC_STORED &&
	    image_crc16(*rom, section->length) != section->crc)
		code = image_fail(error, -EBADMSG, section->start, _("section ROM_CODE at 0x%llx: wrong CRC"),
				  (unsigned long long)section->start);
	if (code) {
		free(*rom);
		*rom = NULL;
	}
	return code;
}

int image_rom_read(const struct image_reader *reader, const struct image_facts *facts, uint8_t **rom,
		   size_t *length, struct image_error *error)
{
	struct image_view view = { reader, facts->place };
	struct image_section section;
	int code;

	*rom = NULL;
	*length = 0;
	if (!(facts->has & IMAGE_HAS_ROM))
		return image_fail(error, -ENOENT, 0, _("the image has no ROM"));
	if (facts->place.format == IMAGE_FS2)
		return fs2_read_rom(reader, facts, rom, length, error);
	code = image_sections(reader, &facts->place, take_rom, &section, error);
	if (code < 0)
		return code;
	if (!code)
		return image_fail(error, -ENOENT, 0, _("the image has no ROM"));
	code = read_rom(&view, &section, rom, error);
	if (!code)
		*length = section.length;
	return code;
}
