// SPDX-License-Identifier: GPL-2.0-only
/*
 * The changed copy of "cxctl image edit": the image and the files that go into it are read, GUIDs and MACs
 * are given as its format holds them, the copy is made and verified.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../image/sha256.h"
#include "image_edit.h"

#define ROM_MOST (16U << 20)

static int count_wrong(const char *option, unsigned int given, const char *expected,
		       struct cxctl_error *error)
{
	error_set(error, CXCTL_USAGE, "bad-option", _("--%s: this image does not take %u addresses"), option,
		  given);
	error_expected(error, "%s", expected);
	return -1;
}

static int ids_of_fs2(const struct edit_request *request, struct image_edit *edit, struct cxctl_error *error)
{
	unsigned int i;

	if (request->has_uid || request->uid_count || request->uid_step) {
		error_set(error, CXCTL_USAGE, "bad-option",
			  _("--uid, --uid-count and --uid-step are for FS3 and later"));
		error_found(error, _("an image of format FS2: four GUIDs and two MACs of their own"));
		error_next(error, _("use --guid and --mac"));
		return -1;
	}
	if (request->guid_count == 2 || request->guid_count == 3)
		return count_wrong("guid", request->guid_count,
				   _("the first of four, which then count up, or all four: node, port 1, port 2, system"),
				   error);
	for (i = 0; i < 4; i++)
		edit->guid[i] = request->guid_count == 4 ? request->guid[i] : request->guid[0] + i;
	for (i = 0; i < 2; i++)
		edit->mac[i] = request->mac_count == 2 ? request->mac[i] : request->mac[0] + i;
	edit->set_guids = request->guid_count;
	edit->set_macs = request->mac_count;
	return 0;
}

static int ids_of_later(const struct edit_request *request, struct image_edit *edit,
			struct cxctl_error *error)
{
	if (request->guid_count > 1 || request->mac_count > 1)
		return count_wrong(request->guid_count > 1 ? "guid" : "mac",
				   request->guid_count > 1 ? request->guid_count : request->mac_count,
				   _("one: the base, from which the card counts up"), error);
	if ((request->uid_count || request->uid_step) && !request->has_uid && !request->guid_count &&
	    !request->mac_count) {
		error_set(error, CXCTL_USAGE, "bad-option",
			  _("--uid-count and --uid-step go with --uid, --guid or --mac"));
		return -1;
	}
	edit->set_guids = request->guid_count || request->has_uid;
	edit->set_macs = request->mac_count || request->has_uid;
	edit->guid[0] = request->has_uid ? request->uid : request->guid[0];
	edit->mac[0] = request->has_uid ? fs2_mac_of_guid(request->uid) : request->mac[0];
	edit->uid_count = request->uid_count;
	edit->uid_step = request->uid_step;
	return 0;
}

/* None that wraps, that is multicast, or that is a vendor's placeholder. */
static int check_ids(const struct image_edit *edit, bool fs2, struct cxctl_error *error)
{
	unsigned int i;

	for (i = 0; edit->set_guids && i < (fs2 ? 4 : 1); i++)
		if (image_guid_is_dummy(edit->guid[i]) || !edit->guid[i])
			return error_set(error, CXCTL_USAGE, "bad-option",
					 _("no card may carry the GUID %016llx"),
					 (unsigned long long)edit->guid[i]);
	for (i = 0; edit->set_macs && i < (fs2 ? 2 : 1); i++) {
		if (!image_mac_is_dummy(edit->mac[i]) && edit->mac[i] && !(edit->mac[i] >> 40 & 1) &&
		    !(edit->mac[i] >> 48))
			continue;
		error_set(error, CXCTL_USAGE, "bad-option", _("no card may carry the MAC %012llx"),
			  (unsigned long long)edit->mac[i]);
		if (edit->mac[i] >> 40 & 1)
			error_found(error, _("a multicast address: the lowest bit of the first byte is set"));
		return -1;
	}
	return 0;
}

static int set_ids(struct editing *editing, struct cxctl_error *error)
{
	const struct image_facts *facts = &editing->before.subject.facts;
	bool fs2 = facts->place.format == IMAGE_FS2;

	if (fs2 ? ids_of_fs2(editing->request, &editing->edit, error) :
		  ids_of_later(editing->request, &editing->edit, error))
		return -1;
	if (facts->stripped && (editing->edit.set_guids || editing->edit.set_macs || editing->edit.vsd)) {
		error_set(error, CXCTL_REFUSED, "stripped",
			  _("the image has no device data: GUIDs, MACs and VSD have no place in it"));
		error_found(error, _("a stripped image, as it comes out of an MFA2"));
		error_next(error,
			   _("a card keeps its own when this is burned; to change them, edit a whole image"));
		return -1;
	}
	return check_ids(&editing->edit, fs2, error);
}

static int open_input(const char *path, uint64_t most, struct image_file *file, struct cxctl_error *error)
{
	struct image_error why = { 0 };
	int code = image_file_open(path, file, &why);

	if (code)
		return image_failed(path, "", &why, code, error);
	if (file->reader.size && file->reader.size <= most)
		return 0;
	error_set(error, CXCTL_BAD_IMAGE, "file-size", _("%s cannot be what it is given for"), path);
	error_found(error, _("%llu bytes"), (unsigned long long)file->reader.size);
	error_expected(error, _("1 to %llu bytes"), (unsigned long long)most);
	image_file_close(file);
	return -1;
}

struct worst {
	unsigned int damaged;
	char text[320];
};

static void note_damage(void *context, const struct image_finding *finding)
{
	struct worst *worst = context;

	if (finding->verdict == IMAGE_DAMAGED && !worst->damaged++)
		snprintf(worst->text, sizeof(worst->text), _("line %llu: %s: %s"),
			 (unsigned long long)finding->where, finding->part, finding->text);
}

static int contradicts(const char *option, const char *given, const char *in_ini, struct cxctl_error *error)
{
	error_set(error, CXCTL_REFUSED, "contradiction", _("--%s says something else than the INI"), option);
	error_found(error, "%s", given);
	error_expected(error, "%s", in_ini);
	error_next(error, _("leave --%s out, or change the INI"), option);
	return -1;
}

static int bad_ini(const char *path, const char *found, struct cxctl_error *error)
{
	error_set(error, CXCTL_BAD_IMAGE, "bad-ini", _("%s is not a good board's INI"), path);
	error_found(error, "%s", found);
	error_next(error, _("cxctl image ini --check %s shows all of it"), path);
	return -1;
}

static int take_ini(struct editing *editing, struct cxctl_error *error)
{
	const struct edit_request *request = editing->request;
	struct worst worst = { 0 };
	struct image_listener listener = { .finding = note_damage, .context = &worst };
	struct image_edit *edit = &editing->edit;
	enum image_verdict verdict = IMAGE_GOOD;
	struct image_error why = { 0 };

	if (open_input(request->ini_file, IMAGE_INI_MOST, &editing->ini_file, error))
		return -1;
	editing->has_ini = true;
	edit->ini = (const char *)editing->ini_file.reader.bytes;
	edit->ini_length = editing->ini_file.reader.size;
	if (ini_parse(edit->ini, edit->ini_length, &editing->new_ini, &why) ||
	    ini_check(edit->ini, edit->ini_length, &listener, &verdict, &why))
		return bad_ini(request->ini_file, why.text, error);
	if (verdict == IMAGE_DAMAGED)
		return bad_ini(request->ini_file, worst.text, error);
	ini_board(&editing->new_ini, &editing->new_board);
	if (request->psid && editing->new_board.psid && strcmp(request->psid, editing->new_board.psid))
		return contradicts("psid", request->psid, editing->new_board.psid, error);
	if (request->name && editing->new_board.name && strcmp(request->name, editing->new_board.name))
		return contradicts("name", request->name, editing->new_board.name, error);
	edit->psid = editing->new_board.psid;
	edit->name = editing->new_board.name;
	return 0;
}

static int take_rom(struct editing *editing, struct cxctl_error *error)
{
	const struct edit_request *request = editing->request;
	const struct image_facts *facts = &editing->before.subject.facts;
	struct image_error why = { 0 };
	int code;

	if (facts->has & IMAGE_HAS_PRODUCT && !request->allow_rom_change) {
		error_set(error, CXCTL_REFUSED, "product-version",
			  _("the image is a vendor's product, tested with the ROM that it has"));
		error_found(error, _("product version %s"), facts->product_version);
		error_next(error, _("add --allow-rom-change to do it all the same"));
		return -1;
	}
	if (!strcmp(request->rom_file, "none")) {
		editing->edit.rom_edit = IMAGE_ROM_REMOVE;
		if (facts->has & IMAGE_HAS_ROM)
			return 0;
		return error_set(error, CXCTL_REFUSED, "no-rom",
				 _("the image has no expansion ROM to remove"));
	}
	if (open_input(request->rom_file, ROM_MOST, &editing->rom_file, error))
		return -1;
	editing->has_rom = true;
	editing->edit.rom_edit = IMAGE_ROM_REPLACE;
	editing->edit.rom = editing->rom_file.reader.bytes;
	editing->edit.rom_length = editing->rom_file.reader.size;
	code = image_rom_check(editing->edit.rom, editing->edit.rom_length, &why);
	if (!code)
		return 0;
	error_set(error, CXCTL_BAD_IMAGE, "bad-rom", _("%s is not an expansion ROM that an image can take"),
		  request->rom_file);
	error_found(error, "%s", why.text);
	return -1;
}

/* The image as a file would hold it: FS2 lies in stripes on a flash. */
static int read_image(struct editing *editing, struct cxctl_error *error)
{
	struct image_picked *picked = &editing->picked;
	struct image_place place;
	const uint8_t *bytes;
	size_t length;
	struct image_error why = { 0 };
	int code = 0;

	if (image_pick(editing->options, editing->request->file, NULL, picked, error)) {
		if (!strcmp(error->id, "several-images"))
			error_next(error, _("take one out first: cxctl image extract %s --psid PSID"),
				   editing->request->file);
		return -1;
	}
	place = picked->place;
	bytes = picked->file.reader.bytes;
	length = picked->file.reader.size;
	if (place.format == IMAGE_FS2 && (place.layout == IMAGE_LAYOUT_FLASH || place.address)) {
		code = image_load(&picked->file.reader, &picked->facts, &editing->loaded, &length, &why);
		bytes = editing->loaded;
		place.layout = IMAGE_LAYOUT_FILE;
		place.address = place.slot = 0;
	}
	if (!code)
		code = edit_side_read(&editing->before, bytes, length, &place, &why);
	return code ? image_failed(picked->path, picked->inside, &why, code, error) : 0;
}

static void what_stays_possible(const struct image_facts *facts, struct cxctl_error *error)
{
	char why[320];

	if (!image_edit_forbidden(facts, why, sizeof(why)))
		return;
	if (facts->stripped || facts->place.format == IMAGE_FS2)
		error_next(error,
			   _("nothing in this file can be changed; take the vendor's image for that board"));
	else
		error_next(error,
			   _("--guid, --mac, --uid and --vsd stay possible: they lie in the device data, which no signature covers"));
}

static int own_fault(const char *found, struct cxctl_error *error)
{
	error_set(error, CXCTL_FAILED, "edited-image",
		  _("the changed copy does not verify; nothing was written"));
	error_found(error, "%s", found);
	error_next(error, _("this is a mistake in cxctl: please report it with the command"));
	return -1;
}

static int cannot_edit(const struct editing *editing, int code, const struct image_error *why,
		       struct cxctl_error *error)
{
	switch (code) {
	case -EPERM:
		error_set(error, CXCTL_REFUSED, "signed", _("the edit would make the image useless"));
		error_found(error, "%s", why->text);
		error_rule(error, _("cxctl makes no image that no card takes"));
		what_stays_possible(&editing->before.subject.facts, error);
		return -1;
	case -EBADMSG:
		error_set(error, CXCTL_BAD_IMAGE, "bad-image",
			  _("%s is damaged: only whole images are edited"), editing->request->file);
		error_found(error, "%s", why->text);
		error_next(error, _("cxctl image verify %s shows all of it"), editing->request->file);
		return -1;
	case -EINVAL:
		return error_set(error, CXCTL_USAGE, "impossible-edit", "%s: %s", editing->request->file,
				 why->text);
	case -ENOMEM:
		return error_set(error, CXCTL_FAILED, "memory", "%s", why->text);
	case -EIO:
		return own_fault(why->text, error);
	}
	return error_set(error, CXCTL_REFUSED, code == -ENOSPC ? "no-room" : "not-supported", "%s: %s",
			 editing->request->file, why->text);
}

static void note_first(void *context, const struct image_finding *finding)
{
	char *text = context;

	if (!*text)
		snprintf(text, 320, _("%s at 0x%llx: %.160s"), finding->part,
			 (unsigned long long)finding->where, finding->text);
}

static int judge(struct editing *editing, struct cxctl_error *error)
{
	struct image_listener listener = { .finding = note_first, .context = editing->finding };
	struct edit_side *after = &editing->after;
	struct image_error why = { 0 };
	uint8_t digest[IMAGE_SHA256_LENGTH];
	unsigned int i;
	int code = edit_side_read(after, editing->result.bytes, editing->result.length,
				  &editing->before.subject.place, &why);

	if (!code)
		code = image_verify(&after->subject.reader, &after->subject.place, &listener,
				    &editing->verdict, &why);
	if (code || editing->verdict == IMAGE_DAMAGED)
		return own_fault(code ? why.text : editing->finding, error);
	image_sha256(editing->result.bytes, editing->result.length, digest);
	for (i = 0; i < sizeof(digest); i++)
		sprintf(editing->sha256 + 2 * i, "%02x", digest[i]);
	return 0;
}

int edit_make(struct editing *editing, struct cxctl_error *error)
{
	const struct edit_request *request = editing->request;
	struct image_edit *edit = &editing->edit;
	struct image_error why = { 0 };
	int code;

	edit->vsd = request->vsd;
	edit->image_vsd = request->image_vsd;
	edit->psid = request->psid;
	edit->name = request->name;
	edit->allow_rom_change = request->allow_rom_change;
	if (read_image(editing, error) || (request->ini_file && take_ini(editing, error)) ||
	    set_ids(editing, error) || (request->rom_file && take_rom(editing, error)))
		return -1;
	code = image_edit(editing->before.memory.bytes, editing->before.memory.length, edit, &editing->result,
			  &why);
	if (code)
		return cannot_edit(editing, code, &why, error);
	return judge(editing, error);
}

void edit_free(struct editing *editing)
{
	edit_side_free(&editing->before);
	edit_side_free(&editing->after);
	ini_free(&editing->new_ini);
	free(editing->result.bytes);
	free(editing->loaded);
	if (editing->has_ini)
		image_file_close(&editing->ini_file);
	if (editing->has_rom)
		image_file_close(&editing->rom_file);
	image_picked_free(&editing->picked);
}
