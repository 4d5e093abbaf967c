// SPDX-License-Identifier: GPL-2.0-only
/* Image and card together: every guard in its order, the identity, the plan. Nothing is changed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "../host/sysfs.h"
#include "../host/vpd.h"
#include "burn.h"

#define MAGIC_BYTES 16

const char *burn_method_name(const struct burn *burn)
{
	return burn->devlink ? "devlink" : burn->component ? "component" : "flash";
}

static enum burn_method method_of(const struct burn *burn)
{
	return burn->component ? BURN_METHOD_COMPONENT : BURN_METHOD_FLASH;
}

/* What user/image/ could not do, or what kept it from the card. */
static int image_trouble(const struct burn *burn, const struct image_error *why, enum cxctl_exit exit,
			 const char *id, struct cxctl_error *error)
{
	if (burn->card.flash.error.exit) {
		*error = burn->card.flash.error;
		return -1;
	}
	return error_set(error, exit, id, "%s", why->text);
}

/* ---- the image ---- */

static int take_image(struct burn *burn, struct cxctl_error *error)
{
	const struct burn_request *request = burn->request;
	const char *card = burn->card.has_device ? burn->card.device.psid : "", *wanted = card;

	if (request->retag && !*card) {
		error_set(error, CXCTL_REFUSED, "psid-unknown", _("--retag: the card's PSID is unknown"));
		error_next(error, _("make the image with cxctl image edit --psid, and burn that"));
		return -1;
	}
	if (request->psid)
		wanted = request->psid;
	else if (request->permits.psid_change)
		wanted = request->permits.psid_change;
	else if (request->retag)
		wanted = "";
	return burn_shelf_take(burn->shelf, burn->options, request->image, wanted, request->retag ? card : NULL,
			       &burn->image, error);
}

/* ---- guards ---- */

static int choose_method(struct burn *burn, struct cxctl_error *error)
{
	enum burn_method method = burn->request->method;

	burn->method_why = _("as asked for");
	if (method == BURN_METHOD_AUTO)
		method = burn_method_choose(&burn->image.facts, &burn->card.info, &burn->method_why);
	burn->component = method == BURN_METHOD_COMPONENT;
	return burn_guard_method(method, &burn->image.facts, &burn->card.info, error);
}

/* The driver that is bound hands the image to the firmware; PCI ids are what is known of the chip. */
static int guard_devlink(struct burn *burn, struct cxctl_error *error)
{
	const struct image_facts *image = &burn->image.facts;
	uint16_t device = card_pci(burn->card.card)->device;

	burn->component = true;
	burn->method_why = burn->request->method == BURN_METHOD_DEVLINK ? _("as asked for") :
			   _("the driver cxfw cannot be used here");
	if (image->place.format < IMAGE_FS3) {
		error_set(error, CXCTL_REFUSED, "wrong-format", _("the image is not for this kind of card"));
		error_found(error, _("an image of format %s"), image_format_name(image->place.format));
		error_expected(error, _("FS3, FS4 or FS5: those of cards with devlink flash"));
		return -1;
	}
	if (!(image->has & IMAGE_HAS_DEVICE_ID) || image->pci_device == device)
		return burn_guard_security(image, &burn->card.security, BURN_METHOD_COMPONENT, error);
	error_set(error, CXCTL_REFUSED, "wrong-hardware", _("the image is for another chip"));
	error_found(error, _("an image for PCI device 0x%04x"), image->pci_device);
	error_expected(error, "0x%04x", device);
	error_next(error, _("look for the image that belongs to this card's PSID (cxctl info shows it)"));
	return -1;
}

static int guard_chip(struct burn *burn, struct cxctl_error *error)
{
	const struct image_facts *image = &burn->image.facts;
	const struct cxfw_card_info *info = &burn->card.info;

	if (burn->devlink)
		return guard_devlink(burn, error);
	if (burn_guard_format(image, info, error) || choose_method(burn, error))
		return -1;
	if (!burn->component &&
	    ((!info->flash_size && card_no_flash(burn->card.card, info, error)) || burn_guard_flash(info, error)))
		return -1;
	if (burn_guard_hardware(image, info->hw_id, info->hw_revision, error) ||
	    burn_guard_security(image, &burn->card.security, method_of(burn), error) ||
	    burn_guard_security_version(image, &burn->card.security, error))
		return -1;
	return 0;
}

static int guard_psid(struct burn *burn, struct cxctl_error *error)
{
	const struct image_facts *device = &burn->card.device;
	struct burn_psids psids = {
		.image = burn->image.facts.psid, .card = device->psid, .original = device->original_psid,
		.secure = burn->card.security.secure_firmware, .method = method_of(burn),
		.retag = burn->request->retag,
	};

	if (!burn->card.has_device)
		return 0;
	if (strcmp(psids.image, psids.card) && burn->card.info.family == CXFW_FAMILY_MLX5 && !burn->devlink)
		burn_psid_lock_of(burn->card.card, &psids.lock);
	return burn_guard_psid(&psids, &burn->request->permits, error);
}

/* Where the flash is closed, registers and VPD know the board's ports and part number. */
static void board_of_registers(struct burn *burn, const struct image_subject *image, struct burn_board *board)
{
	uint8_t bytes[MGIR_BYTES] = { 0 }, vpd[VPD_MOST];
	struct mgir mgir = { 0 };
	struct cxctl_error none;
	char part[64] = "";
	int length;

	if (!burn->devlink && !card_register(burn->card.card, REGISTER_MGIR, bytes, sizeof(bytes), NULL, &none))
		mgir_decode(bytes, &mgir);
	length = vpd_read(card_address(burn->card.card), vpd, sizeof(vpd));
	if (length > 0)
		vpd_keyword(vpd, length, "PN", part, sizeof(part));
	burn_board_of_registers(image, burn->card.device.psid, part, mgir.ports, board);
}

static int guard_board(struct burn *burn, struct cxctl_error *error)
{
	struct image_subject image = {
		.reader = burn->image.reader, .place = burn->image.facts.place, .facts = burn->image.facts,
	};
	struct image_subject device = {
		.reader = burn->card.flash.reader, .place = burn->card.device.place, .facts = burn->card.device,
	};
	struct burn_board board = { 0 };
	struct image_error why = { 0 };

	if (!burn->card.has_device)
		return 0;
	if (!burn->card.has_flash || !burn->card.state.has_facts)
		board_of_registers(burn, &image, &board);
	else if (burn_board_compare(&image, &device, &board, &why))
		return image_trouble(burn, &why, CXCTL_FAILED, "board", error);
	return burn_guard_board(&board, &burn->request->permits, error);
}

static bool whole_on_flash(const struct burn *burn)
{
	const struct image_flash_state *state = &burn->card.state;

	/* A damaged image may be mended with any version. */
	return burn->card.has_flash ? state->has_old && state->has_facts && state->whole[state->old] :
				      burn->card.device.has & IMAGE_HAS_VERSION;
}

static int guard_version(struct burn *burn, struct cxctl_error *error)
{
	const struct burn_permits *permits = &burn->request->permits;
	const struct cxfw_card_info *info = &burn->card.info;

	burn->card.pending.same = !memcmp(burn->card.pending.version, burn->facts.version,
					  sizeof(burn->facts.version));
	if (whole_on_flash(burn) && burn_guard_version(&burn->facts, &burn->card.device, permits, error))
		return -1;
	if (burn_guard_pending(&burn->card.pending, method_of(burn), permits, error))
		return -1;
	return info->running_valid && info->hw_id ? burn_guard_update_flow(&burn->facts, info->hw_id, info->running, error) : 0;
}

static int guard_room(struct burn *burn, struct cxctl_error *error)
{
	const struct burn_request *request = burn->request;
	bool differ = burn->identity.rom != BURN_ROM_NONE && burn->identity.rom != BURN_ROM_SAME &&
		      burn->identity.rom != BURN_ROM_NEW;

	if (burn_guard_room(&burn->facts, burn->card.has_flash && burn->card.has_device ? &burn->card.device : NULL,
			    burn->card.info.flash_size, 0, method_of(burn), error) ||
	    burn_guard_rom(&burn->image.facts, request->rom_keep_named, differ, &request->permits, error))
		return -1;
	return burn->component ? 0 : burn_guard_flash_support(&burn->facts, burn->card.has_device ? &burn->card.device : NULL,
							      &burn->card.info, &request->permits,
							      &burn->flash_doubt, error);
}

static void advise_on_driver(struct burn *burn)
{
	struct burn_function functions[BURN_FUNCTIONS];
	char version[64] = "";
	struct utsname machine;
	size_t count, i;

	burn_functions_of(burn->card.card, functions, &count);
	for (i = 0; i < count && !*functions[i].driver; i++)
		;
	if (i == count || uname(&machine))
		return;
	if (sysfs_read(version, sizeof(version), "module/%s/version", functions[i].driver) <= 0)
		*version = '\0';
	burn->driver_advice = burn_driver_advice(functions[i].driver, *version ? version : NULL, machine.release,
						 &burn->facts, burn->driver_text, sizeof(burn->driver_text));
}

/* ---- nothing to do? ---- */

static int bytes_on_flash(const struct burn *burn, uint8_t **bytes, size_t *length)
{
	const struct image_reader *flash = &burn->card.flash.reader;
	const struct image_flash_state *state = &burn->card.state;

	if (burn->component)
		return image_component_bytes(flash, &state->old_facts, bytes, length, NULL);
	if (state->old_facts.place.format == IMAGE_FS2)
		return image_load(flash, &state->old_facts, bytes, length, NULL);
	return image_burn_bytes(flash, &state->old_facts, &burn->card.target, state, bytes, length, NULL);
}

/*
 * The flash holds these very bytes; where it is closed, the versions that the card tells are all that there
 * is to compare. A record of an earlier burn proves nothing: the card may be another one by now.
 */
static bool is_there(const struct burn *burn)
{
	const struct burn_card *card = &burn->card;
	bool waits = card->pending.waiting && !card->pending.recorded;
	const uint32_t *version = burn->facts.version;
	uint8_t *bytes;
	size_t length;
	bool same;

	if (!card->has_flash)
		return burn->component && !strcmp(card->device.psid, burn->facts.psid) &&
		       !memcmp(waits ? card->pending.version : card->device.version, version,
			       sizeof(burn->facts.version));
	if (!card->state.has_old || !card->state.has_facts || bytes_on_flash(burn, &bytes, &length))
		return false;
	same = length == burn->length && !memcmp(bytes, burn->bytes, length);
	free(bytes);
	return same;
}

/* ---- the plan ---- */

/* Target and old magic, whose last bytes are written after the commit. */
static int guard_protection(struct burn *burn, struct cxctl_error *error)
{
	const struct cxfw_card_info *info = &burn->card.info;
	struct burn_protection protection;
	struct image_plan *plan = &burn->plan;
	uint64_t from = plan->target_address, to = from + plan->window_length;

	burn_protection_of(info, &protection);
	/* Chunks of the two slots take turns. */
	if (plan->format == IMAGE_FS2)
		to = info->flash_size;
	if (!burn_protection_meets(&protection, from, to) && plan->old_address != CXFW_NO_ADDRESS) {
		from = plan->old_address;
		to = from + MAGIC_BYTES;
	}
	if (!burn_protection_meets(&protection, from, to))
		return 0;
	if (burn_guard_protection(&protection, from, to, info->capabilities & CXFW_CAP_CLEAR_PROTECTION,
				  &burn->request->permits, error))
		return -1;
	plan->flags |= CXFW_PLAN_CLEAR_PROTECTION;
	return 0;
}

static int make_plan(struct burn *burn, struct cxctl_error *error)
{
	struct image_error why;

	if (burn->component) {
		image_plan_component(burn->bytes, burn->length, CXFW_COMPONENT_BOOT_IMG, &burn->plan);
		return 0;
	}
	if (image_plan_make(&burn->card.target, &burn->card.state, burn->bytes, burn->length, &burn->facts,
			    &burn->plan, &why))
		return image_trouble(burn, &why, CXCTL_REFUSED, "no-plan", error);
	return guard_protection(burn, error);
}

int burn_judge(struct burn *burn, struct cxctl_error *error)
{
	if (take_image(burn, error) || guard_chip(burn, error) || guard_psid(burn, error) ||
	    guard_board(burn, error) || burn_identity_decide(burn, error))
		return -1;
	if (is_there(burn) && !burn->request->permits.reburn) {
		burn->state = BURN_ALREADY;
		return 0;
	}
	if (guard_version(burn, error) || guard_room(burn, error) || make_plan(burn, error))
		return -1;
	advise_on_driver(burn);
	burn->state = BURN_PLANNED;
	return 0;
}
