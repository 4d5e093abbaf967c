// SPDX-License-Identifier: GPL-2.0-only
/* cxctl verify -i: is it that image? */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify.h"

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
		code = fs2_read_rom(&v->reader, device, &rom, &rom_length, why);
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
		output_line(v->output, _("  ! The card does not hold %s: the first difference beside its identity is at 0x%zx."),
			    path, different);
	} else {
		output_line(v->output, _("The card holds %s, with its own GUIDs, MACs and VSD%s."), path,
			    other_rom ? _(" and with another expansion ROM") : "");
	}
}

static int compare_bytes(struct verification *v, const struct burn_image *image, const struct image_facts *device,
			 struct image_error *why)
{
	uint8_t *wanted = NULL, *found = NULL;
	size_t wanted_length = 0, found_length = 0, at = 0;
	bool other_rom = false;
	int code;

	/* FS3 and later: what belongs to the card lies elsewhere, and gaps count as erased. */
	if (device->place.format == IMAGE_FS2)
		code = image_load(&v->reader, device, &found, &found_length, why);
	else
		code = image_component_bytes(&v->reader, device, &found, &found_length, why);
	if (!code && device->place.format == IMAGE_FS2)
		code = dress(v, image, device, &wanted, &wanted_length, &other_rom, why);
	else if (!code)
		code = image_component_bytes(&image->reader, &image->facts, &wanted, &wanted_length, why);
	if (!code) {
		while (at < found_length && at < wanted_length && found[at] == wanted[at])
			at++;
		show_comparison(v, image->path, at, at == found_length && at == wanted_length, other_rom);
	}
	free(found);
	free(wanted);
	return code;
}

/* Of several images in a directory or a container the one of the card's PSID. */
int verify_compare(struct verification *v, const char *path, struct cxctl_error *error)
{
	struct burn_image image;
	struct image_facts device;
	struct image_error why = { 0 };
	int result = -1;

	if (image_query(&v->reader, v->layout, IMAGE_NO_ROM, &device, &why))
		return verify_failed(v, &why, error);
	if (burn_image_read(v->options, path, *device.psid ? device.psid : NULL, &image, error)) {
		burn_image_free(&image);
		return -1;
	}
	if (image.facts.place.format != device.place.format) {
		error_set(error, CXCTL_REFUSED, "wrong-format", _("the image is not for this kind of card"));
		error_found(error, _("an image of format %s"), image_format_name(image.facts.place.format));
		error_expected(error, _("format %s, as the card has it"), image_format_name(device.place.format));
	} else {
		result = compare_bytes(v, &image, &device, &why);
		if (result)
			verify_failed(v, &why, error);
	}
	burn_image_free(&image);
	return result ? -1 : 0;
}
