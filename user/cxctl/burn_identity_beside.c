// SPDX-License-Identifier: GPL-2.0-only
/*
 * FS3 and later: GUIDs, MACs and VSD of a card are device data, which no burn touches; what is left to
 * decide is the ROM. firmware-images.md 4.5, 5.6, 5.8.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../image/edit.h"
#include "burn.h"

static const struct image_facts *flash_facts(const struct burn *burn)
{
	return burn->card.state.has_facts ? &burn->card.state.old_facts : NULL;
}

static int trouble(const struct burn *burn, const struct image_error *why, enum cxctl_exit exit,
		   const char *id, struct cxctl_error *error)
{
	if (burn->card.flash.error.exit) {
		*error = burn->card.flash.error;
		return -1;
	}
	return error_set(error, exit, id, "%s", why->text);
}

/* ---- who the card is ---- */

/* The command that sets what was asked for here: --vsd is left to be typed where a shell would split it. */
static void restore_command(const struct burn *burn, char *text, size_t room)
{
	const struct burn_request *request = burn->request;
	int used = snprintf(text, room, "cxctl restore %s",
			    burn->card.card ? card_address(burn->card.card) : "CARD");

	if (request->has_guid)
		used += snprintf(text + used, room - used, " --guid %016" PRIx64, request->guid);
	if (request->has_mac)
		used += snprintf(text + used, room - used, " --mac %012" PRIx64, request->mac);
	if (request->vsd)
		snprintf(text + used, room - used, " --vsd TEXT");
}

static int cannot_set(const char *option, const struct burn *burn, struct cxctl_error *error)
{
	const char *format = image_format_name(burn->image.facts.place.format);
	char command[160];

	error_set(error, CXCTL_REFUSED, "identity-beside", _("--%s does not go into an image of format %s"), option, format);
	error_found(error, _("GUIDs, MACs and VSD of format %s stand in device data, beside the images"), format);
	error_expected(error, _("a burn that leaves device data alone"));
	error_rule(error, _("a burn replaces firmware; device data are written by cxctl restore alone, which names what is not failsafe"));
	if (burn->component && !burn->card.has_flash) {
		error_next(error, _("burn without --%s; this card keeps its flash closed, and its identity with it"), option);
	} else if (burn->image.facts.place.format == IMAGE_FS3) {
		error_next(error, _("burn without --%s; where the card lost its identity: cxctl restore CARD BACKUP. To set another one in FS3 is not offered: its one copy and a checksum in the image would have to change together"),
			   option);
	} else {
		restore_command(burn, command, sizeof(command));
		error_next(error, _("burn without --%s; it is set by: %s"), option, command);
	}
	return -1;
}

static int decide_ids(struct burn *burn, struct cxctl_error *error)
{
	const struct image_facts *device = flash_facts(burn);
	struct burn_identity *identity = &burn->identity;

	if (burn->request->has_guid || burn->request->has_mac)
		return cannot_set(burn->request->has_guid ? "guid" : "mac", burn, error);
	if (burn->request->vsd)
		return cannot_set("vsd", burn, error);
	identity->guids_from = identity->macs_from = identity->vsd_from = BURN_FROM_CARD;
	if (!device)
		return 0;
	identity->guid[0] = device->base_guid.base;
	identity->mac[0] = device->base_mac.base;
	snprintf(identity->vsd, sizeof(identity->vsd), "%s", device->device_vsd);
	return 0;
}

/* ---- ROM ---- */

static int read_card_rom(struct burn *burn, struct cxctl_error *error)
{
	struct burn_identity *identity = &burn->identity;
	struct image_error why = { 0 };
	int code;

	code = image_rom_read(&burn->card.flash.reader, flash_facts(burn), &identity->card_rom,
			      &identity->card_rom_length, &why);
	if (code == -EBADMSG || code == -ENOENT) {
		identity->rom = BURN_ROM_LOST;
		return 0;
	}
	return code ? trouble(burn, &why, CXCTL_FAILED, "rom", error) : 0;
}

static bool same_rom(const struct burn *burn)
{
	const struct burn_identity *identity = &burn->identity;
	struct image_error ignored;
	uint8_t *rom;
	size_t length;
	bool same;

	if (image_rom_read(&burn->image.reader, &burn->image.facts, &rom, &length, &ignored))
		return false;
	same = length == identity->card_rom_length && !memcmp(rom, identity->card_rom, length);
	free(rom);
	return same;
}

/* Whether the image's ROM can be another one at all. */
static bool is_fixed(const struct burn *burn)
{
	const struct image_facts *image = &burn->image.facts;
	char why[160];

	return !burn->image.reader.bytes || image->place.layout == IMAGE_LAYOUT_FLASH ||
	       image->place.format == IMAGE_FS5 || image_edit_forbidden(image, why, sizeof(why));
}

/*
 * Kept where nothing speaks against it. A product version stands for code and ROM that were tested
 * together, and what is signed cannot be changed: then it is the image's, unless the user names another.
 */
static enum burn_rom choose_rom(const struct burn *burn)
{
	const struct image_facts *image = &burn->image.facts;
	bool image_has = image->has & IMAGE_HAS_ROM;

	if (burn->request->rom_of_image)
		return image_has ? BURN_ROM_IMAGE : BURN_ROM_REMOVED;
	if (!burn->request->rom_keep_named && image_has && (image->has & IMAGE_HAS_PRODUCT || is_fixed(burn)))
		return BURN_ROM_IMAGE;
	return BURN_ROM_KEPT;
}

static int decide_rom(struct burn *burn, struct cxctl_error *error)
{
	const struct image_facts *device = flash_facts(burn);
	struct burn_identity *identity = &burn->identity;
	bool image_has = burn->image.facts.has & IMAGE_HAS_ROM;
	bool card_has = device && device->has & IMAGE_HAS_ROM;

	if (burn->request->rom_none) {
		identity->rom = image_has || card_has ? BURN_ROM_REMOVED : BURN_ROM_NONE;
		return 0;
	}
	if (!card_has) {
		identity->rom = image_has ? BURN_ROM_NEW : BURN_ROM_NONE;
		if (device && !device->rom_complete)
			identity->rom = BURN_ROM_LOST;
		return 0;
	}
	if (read_card_rom(burn, error))
		return -1;
	if (identity->rom != BURN_ROM_LOST)
		identity->rom = image_has && same_rom(burn) ? BURN_ROM_SAME : choose_rom(burn);
	return 0;
}

static int rom_of_component(struct burn *burn, struct cxctl_error *error)
{
	const struct image_facts *device = flash_facts(burn), *image = &burn->image.facts;
	bool image_has = image->has & IMAGE_HAS_ROM, keep = burn->request->rom_keep_named;

	burn->identity.rom = image_has ? BURN_ROM_IMAGE : BURN_ROM_NONE;
	if (image_has && device && !(device->has & IMAGE_HAS_ROM))
		burn->identity.rom = BURN_ROM_NEW;
	if (!image_has && device && device->has & IMAGE_HAS_ROM)
		burn->identity.rom = BURN_ROM_REMOVED;
	if (device && device->has & IMAGE_HAS_ROM && image_has) {
		if (read_card_rom(burn, error))
			return -1;
		if (burn->identity.rom != BURN_ROM_LOST)
			burn->identity.rom = same_rom(burn) ? BURN_ROM_SAME : BURN_ROM_IMAGE;
	}
	if ((!keep && !burn->request->rom_none) || burn->identity.rom == BURN_ROM_SAME ||
	    (burn->request->rom_none && !image_has))
		return 0;
	error_set(error, CXCTL_REFUSED, "rom-component", _("an update by the firmware takes the image with its own ROM"));
	error_found(error, keep ? "--rom keep" : "--rom none");
	error_expected(error, "--rom image");
	error_rule(error, _("the firmware's: it checks a digest over image and ROM"));
	error_next(error, _("leave --rom away, or burn through the flash where it is open: --method flash"));
	return -1;
}

/* ---- bytes ---- */

static int take_component(struct burn *burn, struct cxctl_error *error)
{
	struct image_error why = { 0 };

	if (image_component_bytes(&burn->image.reader, &burn->image.facts, &burn->bytes, &burn->length, &why))
		return trouble(burn, &why, CXCTL_BAD_IMAGE, "component", error);
	burn->facts = burn->image.facts;
	return 0;
}

static int cannot_exchange(const struct image_error *why, struct cxctl_error *error)
{
	error_set(error, CXCTL_REFUSED, "rom-fixed", _("the image's ROM cannot be exchanged"));
	error_found(error, "%.250s", why->text);
	error_expected(error, _("an image whose ROM may be changed"));
	error_rule(error, _("what a signature or a hash covers is the vendor's alone"));
	error_next(error, _("take the image as it is: --rom image"));
	return -1;
}

/* The image with the card's ROM, or with none; *edited is free()d by the caller. */
static int exchange_rom(struct burn *burn, struct image_edit_result *edited, struct cxctl_error *error)
{
	const struct burn_identity *identity = &burn->identity;
	struct image_edit edit = {
		.rom_edit = identity->rom == BURN_ROM_KEPT ? IMAGE_ROM_REPLACE : IMAGE_ROM_REMOVE,
		.rom = identity->card_rom, .rom_length = identity->card_rom_length,
		.allow_rom_change = true,	/* burn_guard_rom() has the say */
	};
	struct image_error why = { .text = "" };

	if (!burn->image.reader.bytes)
		snprintf(why.text, sizeof(why.text), "%s", _("the image is not a file of its own"));
	if (!burn->image.reader.bytes ||
	    image_edit(burn->image.reader.bytes, burn->image.reader.size, &edit, edited, &why))
		return cannot_exchange(&why, error);
	return 0;
}

/* The card's flash as it would be with the new image at its beginning: its own data are where they are. */
struct overlay {
	const uint8_t *bytes;
	size_t length;
	const struct image_reader *flash;
};

static int read_overlay(void *context, uint64_t offset, void *buffer, size_t length)
{
	const struct overlay *overlay = context;
	size_t ours = offset < overlay->length ? overlay->length - offset : 0;

	if (ours > length)
		ours = length;
	if (ours)
		memcpy(buffer, overlay->bytes + offset, ours);
	if (ours == length)
		return 0;
	return overlay->flash->read(overlay->flash->context, offset + ours, (uint8_t *)buffer + ours,
				    length - ours);
}

static int check_bytes(struct burn *burn, struct cxctl_error *error)
{
	struct overlay overlay = { burn->bytes, burn->length, &burn->card.flash.reader };
	struct image_reader reader = { read_overlay, &overlay, burn->card.flash.reader.size, NULL };
	struct image_error why = { 0 };
	bool sound = false;
	int code;

	code = image_query(&reader, IMAGE_LAYOUT_FLASH, 0, &burn->facts, &why);
	if (!code)
		code = image_is_sound(&reader, &burn->facts.place, &sound, &why);
	if (burn->card.flash.error.exit)
		return trouble(burn, &why, CXCTL_FAILED, "flash", error);
	if (code || !sound)
		return error_set(error, CXCTL_FAILED, "edited-image", _("the edited image does not verify: %s"),
				 code ? why.text : _("it is damaged"));
	return 0;
}

static int take_bytes(struct burn *burn, const struct image_reader *reader, const struct image_facts *facts,
		      struct cxctl_error *error)
{
	struct image_error why = { 0 };

	if (image_burn_bytes(reader, facts, &burn->card.target, &burn->card.state, &burn->bytes,
			     &burn->length, &why))
		return trouble(burn, &why, CXCTL_REFUSED, "no-plan", error);
	return check_bytes(burn, error);
}

static int take_edited(struct burn *burn, struct cxctl_error *error)
{
	struct image_edit_result edited = { 0 };
	struct image_memory memory;
	struct image_reader reader;
	struct image_facts facts;
	struct image_error why = { 0 };
	int result;

	if (exchange_rom(burn, &edited, error))
		return -1;
	memory = (struct image_memory){ edited.bytes, edited.length };
	reader = image_memory_reader(&memory);
	if (image_query(&reader, IMAGE_LAYOUT_FILE, 0, &facts, &why))
		result = trouble(burn, &why, CXCTL_FAILED, "edited-image", error);
	else
		result = take_bytes(burn, &reader, &facts, error);
	free(edited.bytes);
	return result;
}

/* The card's ROM; where nobody asked for it by name and it cannot be, the image's. */
static int take_with_card_rom(struct burn *burn, struct cxctl_error *error)
{
	bool may_fall_back = !burn->request->rom_keep_named && burn->image.facts.has & IMAGE_HAS_ROM;

	if (!take_edited(burn, error))
		return 0;
	if (!may_fall_back || strcmp(error->id, "rom-fixed"))
		return -1;
	burn->identity.rom = BURN_ROM_IMAGE;
	return take_bytes(burn, &burn->image.reader, &burn->image.facts, error);
}

int burn_identity_beside(struct burn *burn, struct cxctl_error *error)
{
	bool image_has = burn->image.facts.has & IMAGE_HAS_ROM;

	if (decide_ids(burn, error))
		return -1;
	if (burn->component)
		return rom_of_component(burn, error) ? -1 : take_component(burn, error);
	if (decide_rom(burn, error))
		return -1;
	if (burn->identity.rom == BURN_ROM_KEPT)
		return take_with_card_rom(burn, error);
	if (burn->request->rom_none && image_has)
		return take_edited(burn, error);
	return take_bytes(burn, &burn->image.reader, &burn->image.facts, error);
}
