// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who the card will be after the burn. What is the card's stays the card's: GUIDs, MACs,
 * VSD and ROM. Vendors' images carry dummies that no card may keep.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "burn.h"

/* The card's own facts; NULL when its flash does not tell any. */
static const struct image_facts *device_facts(const struct burn *burn)
{
	return burn->card.state.has_facts ? &burn->card.state.old_facts : NULL;
}

static bool has_guids(const struct image_facts *facts)
{
	return facts && facts->has & IMAGE_HAS_GUIDS && !image_guid_is_dummy(facts->guid[0]);
}

/* MACs that were stored, or follow from GUIDs that are no dummies. */
static bool has_macs(const struct image_facts *facts)
{
	return facts && facts->has & IMAGE_HAS_MACS && !image_mac_is_dummy(facts->mac[0]);
}

static int no_identity(const char *id, const char *what, const char *found, struct cxctl_error *error)
{
	error_set(error, CXCTL_REFUSED, id, "%s", what);
	error_found(error, "%s", found);
	error_rule(error, _("every card needs GUIDs and MACs of its own; two with the same disturb each other on the network"));
	error_next(error, _("give those on the card's label with --guid and --mac, or burn a backup of this very card with --use-image-identity"));
	return -1;
}

static int decide_guids(struct burn *burn, struct cxctl_error *error)
{
	const struct image_facts *device = device_facts(burn), *image = &burn->image.facts, *from = device;
	struct burn_identity *identity = &burn->identity;
	unsigned int i;

	if (burn->request->has_guid) {
		if (has_guids(device)) {
			error_set(error, CXCTL_REFUSED, "has-identity", _("the card has GUIDs of its own: --guid is for cards that lost them"));
			error_found(error, "%016llx", (unsigned long long)device->guid[0]);
			return -1;
		}
		identity->guids_from = BURN_FROM_USER;
		for (i = 0; i < 4; i++)
			identity->guid[i] = burn->request->guid + i;
		return 0;
	}
	if (!has_guids(device)) {
		if (!burn->request->use_image_identity)
			return no_identity("no-identity", _("the card's GUIDs are unknown"),
					   device ? _("its flash holds none, or a vendor's dummies") :
						    _("its flash holds no readable image"), error);
		if (!has_guids(image))
			return no_identity("dummy-identity", _("the image has no GUIDs that a card may carry"),
					   _("none, or a vendor's dummies"), error);
		identity->guids_from = BURN_FROM_IMAGE;
		from = image;
	}
	memcpy(identity->guid, from->guid, sizeof(identity->guid));
	return 0;
}

static int decide_macs(struct burn *burn, struct cxctl_error *error)
{
	const struct image_facts *device = device_facts(burn), *image = &burn->image.facts, *from = device;
	struct burn_identity *identity = &burn->identity;

	if (burn->request->has_mac) {
		if (has_macs(device)) {
			error_set(error, CXCTL_REFUSED, "has-identity", _("the card has MACs of its own: --mac is for cards that lost them"));
			error_found(error, "%012llx", (unsigned long long)device->mac[0]);
			return -1;
		}
		identity->macs_from = BURN_FROM_USER;
		identity->mac[0] = burn->request->mac;
		identity->mac[1] = burn->request->mac + 1;
		return 0;
	}
	if (!has_macs(device)) {
		if (!burn->request->use_image_identity)
			return no_identity("no-identity", _("the card's MACs are unknown"),
					   device ? _("its flash holds none, or a vendor's dummies") :
						    _("its flash holds no readable image"), error);
		if (!has_macs(image))
			return no_identity("dummy-identity", _("the image has no MACs that a card may carry"),
					   _("none, or a vendor's dummies"), error);
		identity->macs_from = BURN_FROM_IMAGE;
		from = image;
	}
	memcpy(identity->mac, from->mac, sizeof(identity->mac));
	return 0;
}

static int no_place_for_vsd(const struct burn *burn, struct cxctl_error *error)
{
	error_set(error, CXCTL_REFUSED, "no-vsd", _("the image cannot take this VSD"));
	error_found(error, burn->image.facts.has & IMAGE_HAS_VSD ? _("%zu characters") :
		    _("an image without a place for it (%zu characters were given)"), strlen(burn->request->vsd));
	error_expected(error, _("at most 208 characters, and an image with a VSD"));
	return -1;
}

static int decide_vsd(struct burn *burn, struct cxctl_error *error)
{
	const struct image_facts *device = device_facts(burn), *from = &burn->image.facts;
	struct burn_identity *identity = &burn->identity;
	const char *vsd = burn->request->vsd;

	if (vsd) {
		if (!(burn->image.facts.has & IMAGE_HAS_VSD) || strlen(vsd) >= sizeof(identity->vsd))
			return no_place_for_vsd(burn, error);
		identity->vsd_from = BURN_FROM_USER;
		memcpy(identity->vsd_bytes, vsd, strlen(vsd));
		snprintf(identity->vsd, sizeof(identity->vsd), "%s", vsd);
		return 0;
	}

	identity->vsd_from = BURN_FROM_IMAGE;
	if (device && device->has & IMAGE_HAS_VSD) {
		identity->vsd_from = BURN_FROM_CARD;
		from = device;
	}
	memcpy(identity->vsd_bytes, from->vsd_bytes, sizeof(identity->vsd_bytes));
	snprintf(identity->vsd, sizeof(identity->vsd), "%s", from->has & IMAGE_HAS_VSD ? from->vsd : "");
	return 0;
}

static bool same_rom(const struct burn *burn)
{
	const struct image_facts *image = &burn->image.facts;

	return image->rom_length == burn->identity.card_rom_length &&
	       !memcmp(burn->image.bytes + image->rom_offset, burn->identity.card_rom, image->rom_length);
}

/*
 * The card's ROM is kept unless the user asks for the image's: a machine may boot from it.
 * A card without a ROM takes the image's; nothing of the card is lost by that.
 */
static int decide_rom(struct burn *burn, struct cxctl_error *error)
{
	const struct image_facts *device = device_facts(burn), *image = &burn->image.facts;
	struct burn_identity *identity = &burn->identity;
	bool image_has = image->has & IMAGE_HAS_ROM;
	struct image_error why;
	int code;

	if (burn->request->rom_none) {
		identity->rom = image_has || (device && device->has & IMAGE_HAS_ROM) ? BURN_ROM_REMOVED :
										      BURN_ROM_NONE;
		return 0;
	}
	if (!device || !(device->has & IMAGE_HAS_ROM)) {
		identity->rom = image_has ? BURN_ROM_NEW : BURN_ROM_NONE;
		if (device && !device->rom_complete)
			identity->rom = BURN_ROM_LOST;
		return 0;
	}
	code = fs2_read_rom(&burn->card.flash.reader, device, &identity->card_rom, &identity->card_rom_length,
			    &why);
	if (code == -EBADMSG) {
		identity->rom = BURN_ROM_LOST;
		return 0;
	}
	if (code) {
		if (burn->card.flash.error.exit)
			*error = burn->card.flash.error;
		else
			error_set(error, CXCTL_FAILED, "rom", "%s", why.text);
		return -1;
	}
	if (image_has && same_rom(burn))
		identity->rom = BURN_ROM_SAME;
	else if (!burn->request->rom_of_image)
		identity->rom = BURN_ROM_KEPT;
	else
		identity->rom = image_has ? BURN_ROM_IMAGE : BURN_ROM_REMOVED;
	return 0;
}

/* An image without a place for MACs is fine when the card's follow from its GUIDs. */
static int place_for_macs(const struct burn *burn, bool *set, struct cxctl_error *error)
{
	const struct burn_identity *identity = &burn->identity;
	unsigned int i;

	*set = burn->image.facts.guid_entries >= 6;
	if (*set)
		return 0;
	for (i = 0; i < 2; i++) {
		if (identity->mac[i] == fs2_mac_of_guid(identity->guid[1 + i]))
			continue;
		error_set(error, CXCTL_REFUSED, "macs-lost", _("the image has no place for the card's MACs"));
		error_found(error, _("MAC %u would become %012llx"), i + 1,
			    (unsigned long long)fs2_mac_of_guid(identity->guid[1 + i]));
		error_expected(error, "%012llx", (unsigned long long)identity->mac[i]);
		return -1;
	}
	return 0;
}

static int apply(struct burn *burn, struct cxctl_error *error)
{
	const struct burn_identity *identity = &burn->identity;
	struct fs2_edit edit = {
		.set_guids = true,
		.vsd = identity->vsd_bytes,
		.vsd_length = sizeof(identity->vsd_bytes),
	};
	struct image_memory memory;
	struct image_reader reader;
	struct image_error why = { 0 };
	enum image_verdict verdict;
	int code;

	if (place_for_macs(burn, &edit.set_macs, error))
		return -1;
	memcpy(edit.guid, identity->guid, sizeof(edit.guid));
	memcpy(edit.mac, identity->mac, sizeof(edit.mac));
	if (!(burn->image.facts.has & IMAGE_HAS_VSD))
		edit.vsd = NULL;
	if (burn->request->rom_none)
		edit.rom_edit = FS2_ROM_REMOVE;
	if (identity->rom == BURN_ROM_KEPT) {
		edit.rom_edit = FS2_ROM_REPLACE;
		edit.rom = identity->card_rom;
		edit.rom_length = identity->card_rom_length;
	}
	code = fs2_edit(burn->image.bytes, burn->image.length, &edit, &burn->bytes, &burn->length, &why);
	if (code)
		return error_set(error, CXCTL_REFUSED, "identity", _("the card's identity cannot be put into the image: %s"),
				 why.text);
	memory.bytes = burn->bytes;
	memory.length = burn->length;
	reader = image_memory_reader(&memory);
	code = image_query(&reader, IMAGE_LAYOUT_FILE, 0, &burn->facts, &why);
	if (!code)
		code = image_verify(&reader, &burn->facts.place, NULL, &verdict, &why);
	if (code || verdict == IMAGE_DAMAGED)
		return error_set(error, CXCTL_FAILED, "edited-image", _("the edited image does not verify: %s"),
				 code ? why.text : _("it is damaged"));
	return 0;
}

int burn_identity_decide(struct burn *burn, struct cxctl_error *error)
{
	if (burn->image.facts.place.format != IMAGE_FS2)
		return burn_identity_beside(burn, error);
	if (decide_guids(burn, error) || decide_macs(burn, error) || decide_vsd(burn, error) ||
	    decide_rom(burn, error))
		return -1;
	return apply(burn, error);
}
