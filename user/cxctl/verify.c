// SPDX-License-Identifier: GPL-2.0-only
/*
 * cxctl verify: every image on a card's flash, checked by everything that bytes allow;
 * with -i also whether the flash holds that image, the card's identity apart.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "burn.h"
#include "findings.h"

struct verify {
	const char *image;		/* -i FILE, or NULL */
};

struct verification {
	struct output *output;
	const struct options *options;
	struct flash_reader flash;
	struct image_place places[IMAGE_PLACES];
	size_t count;
	struct findings findings;	/* on the whole flash */
	unsigned int live;		/* images that could boot */
};

static int reading_failed(const struct verification *v, const struct image_error *why,
			  struct cxctl_error *error)
{
	if (v->flash.error.exit)
		*error = v->flash.error;
	else
		error_set(error, CXCTL_FAILED, "verify", "%s", why->text);
	return -1;
}

static void show_facts(struct verification *v, const struct image_place *place)
{
	struct image_facts facts;
	char version[48];

	if (image_facts(&v->flash.reader, place, IMAGE_NO_ROM, &facts, NULL))
		return;
	snprintf(version, sizeof(version), "%u.%u.%u", facts.version[0], facts.version[1], facts.version[2]);
	output_string(v->output, "version", version);
	output_string(v->output, "psid", facts.psid);
	output_line(v->output, _("  version %s, PSID %s"), version, facts.psid);
}

static void show_verdict(struct verification *v, const struct image_place *place, enum image_verdict verdict)
{
	output_string(v->output, "verdict", verdict_id(verdict));
	switch (verdict) {
	case IMAGE_GOOD:
		output_line(v->output, _("  The image at 0x%x is whole."), place->address);
		break;
	case IMAGE_UNUSUAL:
		output_line(v->output, _("  The image at 0x%x is whole, but something in it is unusual."),
			    place->address);
		break;
	case IMAGE_DAMAGED:
		output_line(v->output, _("  The image at 0x%x is damaged."), place->address);
		break;
	}
}

static int verify_image(struct verification *v, const struct image_place *place, struct cxctl_error *error)
{
	struct image_listener listener = findings_listener(&v->findings);
	enum image_verdict verdict;
	struct image_error why;
	int code;

	output_object(v->output, NULL);
	output_number(v->output, "address", place->address);
	output_number(v->output, "slot", place->slot);
	output_string(v->output, "format", image_format_name(place->format));
	output_line(v->output, _("Image of format %s at 0x%x (slot %u):"), image_format_name(place->format),
		    place->address, place->slot);
	show_facts(v, place);
	output_array(v->output, "parts");
	code = image_verify(&v->flash.reader, place, &listener, &verdict, &why);
	output_end(v->output);
	findings_write(&v->findings);
	if (!code)
		show_verdict(v, place, verdict);
	output_end(v->output);
	if (code == -EOPNOTSUPP && !v->flash.error.exit)
		return error_set(error, CXCTL_REFUSED, "format", "%s", why.text);
	return code ? reading_failed(v, &why, error) : 0;
}

/* A magic where no image can start: harmless, but a boot ROM may look there. */
static void show_leftover(struct verification *v, const struct image_place *place)
{
	v->findings.count++;
	output_object(v->output, NULL);
	output_number(v->output, "address", place->address);
	output_string(v->output, "format", image_format_name(place->format));
	output_string(v->output, "verdict", "leftover");
	output_end(v->output);
	output_line(v->output, _("  ! a magic of format %s stands at 0x%x, where no image can start"),
		    image_format_name(place->format), place->address);
}

static int verify_flash(struct verification *v, struct cxctl_error *error)
{
	struct image_error why;
	size_t i;
	int result = 0;

	if (image_locate(&v->flash.reader, IMAGE_LAYOUT_FLASH, v->places, IMAGE_PLACES, &v->count, &why))
		return reading_failed(v, &why, error);
	output_array(v->output, "images");
	for (i = 0; i < v->count && !result; i++) {
		if (v->places[i].misplaced) {
			show_leftover(v, &v->places[i]);
			continue;
		}
		v->live++;
		result = verify_image(v, &v->places[i], error);
	}
	output_end(v->output);
	if (result)
		return -1;
	if (!v->live) {
		v->findings.count++;
		output_line(v->output, "%s", _("  ! The flash holds no image: the card boots into recovery. Burn one, or restore a backup."));
	} else if (v->live > 1) {
		v->findings.count++;
		output_line(v->output, _("  ! %u images are alive: an earlier burn was interrupted after its commit. Burn again to settle which one stays."),
			    v->live);
	}
	return 0;
}

/* ---- does the flash hold this image? ---- */

/* The file's image with the identity and the ROM of the card's. */
static int dress(struct verification *v, const struct burn_image *image, const struct image_facts *device,
		 uint8_t **bytes, size_t *length, bool *other_rom, struct image_error *why)
{
	struct fs2_edit edit = {
		.set_guids = true,
		.set_macs = device->guid_entries >= 6 && image->facts.guid_entries >= 6,
		.vsd = device->has & IMAGE_HAS_VSD ? device->vsd_bytes : NULL,
		.vsd_length = sizeof(device->vsd_bytes),
	};
	bool image_has = image->facts.has & IMAGE_HAS_ROM;
	uint8_t *rom = NULL;
	size_t rom_length = 0;
	int code = 0;

	memcpy(edit.guid, device->guid, sizeof(edit.guid));
	memcpy(edit.mac, device->mac, sizeof(edit.mac));
	if (device->has & IMAGE_HAS_ROM)
		code = fs2_read_rom(&v->flash.reader, device, &rom, &rom_length, why);
	*other_rom = rom_length != (image_has ? image->facts.rom_length : 0) ||
		     (rom_length && memcmp(rom, image->bytes + image->facts.rom_offset, rom_length));
	if (*other_rom)
		edit.rom_edit = rom_length ? FS2_ROM_REPLACE : FS2_ROM_REMOVE;
	edit.rom = rom;
	edit.rom_length = rom_length;
	if (!code)
		code = fs2_edit(image->bytes, image->length, &edit, bytes, length, why);
	free(rom);
	return code;
}

static void show_comparison(struct verification *v, const char *path, size_t different, bool same,
			    bool other_rom)
{
	output_object(v->output, "comparison");
	output_string(v->output, "image", path);
	output_bool(v->output, "same", same);
	output_bool(v->output, "same_rom", !other_rom);
	if (!same)
		output_number(v->output, "first_difference", different);
	output_end(v->output);
	if (!same) {
		v->findings.count++;
		output_line(v->output, _("  ! The flash does not hold %s: the first difference beside the card's identity is at 0x%zx."),
			    path, different);
	} else {
		output_line(v->output, _("The flash holds %s, with this card's GUIDs, MACs and VSD%s."), path,
			    other_rom ? _(" and with another expansion ROM") : "");
	}
}

static int compare(struct verification *v, const char *path, struct cxctl_error *error)
{
	struct burn_image image;
	struct image_facts device;
	struct image_error why;
	uint8_t *wanted = NULL, *found = NULL;
	size_t wanted_length = 0, found_length = 0, at = 0;
	bool other_rom = false;
	int code;

	if (burn_image_read(v->options, path, NULL, &image, error)) {
		burn_image_free(&image);
		return -1;
	}
	code = image_query(&v->flash.reader, IMAGE_LAYOUT_FLASH, IMAGE_NO_ROM, &device, &why);
	if (!code && (image.facts.place.format != IMAGE_FS2 || device.place.format != IMAGE_FS2)) {
		burn_image_free(&image);
		return error_set(error, CXCTL_REFUSED, "wrong-format", _("only images of format FS2 can be compared by this version"));
	}
	if (!code)
		code = image_load(&v->flash.reader, &device, &found, &found_length, &why);
	if (!code)
		code = dress(v, &image, &device, &wanted, &wanted_length, &other_rom, &why);
	if (!code) {
		while (at < found_length && at < wanted_length && found[at] == wanted[at])
			at++;
		show_comparison(v, path, at, at == found_length && at == wanted_length, other_rom);
	}
	free(found);
	free(wanted);
	burn_image_free(&image);
	return code ? reading_failed(v, &why, error) : 0;
}

static int verify_one(struct cxctl_card *card, struct output *output, const struct options *options,
		      void *data, struct cxctl_error *error)
{
	struct verification v = { .output = output, .options = options, .findings.output = output };
	const struct verify *request = data;
	struct cxfw_card_info info;
	int result;

	if (card_access(card, error) || card_info(card, &info, error))
		return -1;
	if (!info.flash_size)
		return card_no_flash(card, &info, error);
	if (flash_reader_open(&v.flash, card, info.flash_size))
		return error_set(error, CXCTL_FAILED, "memory", _("no memory for the flash's content"));
	output_line(output, _("%s: %u KiB of flash"), card_address(card), info.flash_size >> 10);
	result = verify_flash(&v, error);
	if (!result && request->image)
		result = compare(&v, request->image, error);
	flash_reader_close(&v.flash);
	if (result)
		return -1;
	output_number(output, "finding_count", v.findings.count);
	if (v.findings.count) {
		output_line(output, ngettext("%u finding.", "%u findings.", v.findings.count), v.findings.count);
		return CXCTL_FINDINGS;
	}
	output_line(output, "%s", _("No findings."));
	return CXCTL_DONE;
}

static int take(void *data, size_t index, const char *argument, struct cxctl_error *error)
{
	struct verify *verify = data;

	(void)index;
	(void)error;
	verify->image = argument;
	return 0;
}

int cmd_verify(struct options *options, int argc, char **argv)
{
	static const struct option_extra extra[] = {
		{ "image", 'i', N_("FILE"), N_("also compare the flash with this image, identity and ROM apart") },
	};
	static const struct usage usage = {
		.name = "verify",
		.synopsis = "CARD [-i IMAGE]",
		.summary = N_("Checks every image on a card's flash. Changes nothing. Exit code 8: something was found."),
		.extra = extra,
		.extra_count = sizeof(extra) / sizeof(extra[0]),
		.take = take,
	};
	struct verify verify = { 0 };
	struct cxctl_error error;
	int first, code;

	if (command_options(options, &usage, argc, argv, &verify, &first, &code))
		return code;
	if (verify.image && !*verify.image) {
		error_set(&error, CXCTL_USAGE, "no-image", _("no image named"));
		return command_fail(options, &error);
	}
	return command_cards(options, argc, argv, first, 64, verify_one, &verify);
}
