// SPDX-License-Identifier: GPL-2.0-only
/* What the card is in the middle of, and what fits: pending images, steps between versions, room, ROM. */
#include <stdio.h>
#include <string.h>

#include "../base/message.h"
#include "burn_guard.h"

#define SMALL_SLOT 0x16		/* FS3, FS4: slots of these two sizes may follow each other (5.5) */
#define LARGE_SLOT 0x17

/* Damage is no matter of taste: what does not verify does not boot. */
int burn_guard_image(const char *path, const struct burn_verdict *verdict, struct cxctl_error *error)
{
	if (!verdict->damaged)
		return 0;
	error_set(error, CXCTL_BAD_IMAGE, "image-damaged", _("the image %s is damaged"), path);
	if (verdict->damaged > 1)
		error_found(error, _("%.180s; and %u more findings"), verdict->first, verdict->damaged - 1);
	else
		error_found(error, "%s", verdict->first);
	error_expected(error, _("an image whose checksums are all right"));
	error_rule(error, _("a damaged image is never burned; no option lifts this"));
	error_next(error, _("get the file again and compare its checksum with the vendor's; cxctl image verify shows all findings"));
	return -1;
}

int burn_guard_pending(const struct burn_pending *pending, enum burn_method method,
		       const struct burn_permits *permits, struct cxctl_error *error)
{
	const uint32_t *version = pending->version;

	if (!pending->known || !pending->waiting ||
	    (method != BURN_METHOD_COMPONENT && permits->over_pending))
		return 0;
	error_set(error, CXCTL_REFUSED, "pending", pending->same ?
		  _("an image of this very version is burned already and waits for its activation") :
		  _("another image is burned already and waits for its activation"));
	error_found(error, _("%u.%u.%u waits"), version[0], version[1], version[2]);
	error_expected(error, _("a card that runs what it was last given"));
	if (method == BURN_METHOD_COMPONENT) {
		error_rule(error, _("the firmware's: BLOCKED_PENDING_RESET until the card was restarted (device-access.md 4.2)"));
		error_next(error, _("activate it first: cxctl activate CARD shows what that takes"));
	} else {
		error_rule(error, _("the slot of the firmware that runs would be written over before the waiting one has proved that it boots"));
		error_next(error, _("activate it first: cxctl activate CARD; --over-pending burns all the same"));
	}
	return -1;
}

/* ---- steps between versions ---- */

static const struct burn_flow_rule flow_rules[] = {
	{
		.hw_id = 0x20b,
		.below = { 14, 16, 0 },
		.from = { 14, 32, 0 },
		.note = N_("firmware 14.14 was seen to time out while the old image is invalidated, after the new one is whole: it is tried again a few times, and the new image boots in any case"),
		.source = "a public report of \"Flash write of 4 bytes to address physical 0x0 failed\", "
			  "14.14.1100 to 14.32.1908",
	},
};

static int order(const uint32_t one[3], const uint32_t other[3])
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		if (one[i] != other[i])
			return one[i] < other[i] ? -1 : 1;
	return 0;
}

static bool applies(const struct burn_flow_rule *rule, const struct image_facts *image, uint32_t hw_id,
		    const uint32_t running[3])
{
	return rule->hw_id == hw_id && order(running, rule->below) < 0 &&
	       order(image->version, rule->from) >= 0;
}

int burn_guard_update_flow_by(const struct burn_flow_rule *rules, size_t count,
			      const struct image_facts *image, uint32_t hw_id, const uint32_t running[3],
			      struct cxctl_error *error)
{
	size_t i;

	for (i = 0; i < count; i++) {
		const struct burn_flow_rule *rule = &rules[i];

		if (!rule->via[0] || !applies(rule, image, hw_id, running))
			continue;
		error_set(error, CXCTL_REFUSED, "update-flow",
			  _("the firmware that runs is too old to be updated to this image in one step"));
		error_found(error, _("%u.%u.%u runs"), running[0], running[1], running[2]);
		error_expected(error, _("%u.%u.%u or newer, before %u.%u.%u"), rule->below[0], rule->below[1],
			       rule->below[2], image->version[0], image->version[1], image->version[2]);
		error_rule(error, "%s (%s)", _(rule->note), rule->source);
		error_next(error, _("burn %u.%u.%u first and activate it, then this image"), rule->via[0], rule->via[1],
			   rule->via[2]);
		return -1;
	}
	return 0;
}

#define FLOW_RULES (sizeof(flow_rules) / sizeof(flow_rules[0]))

int burn_guard_update_flow(const struct image_facts *image, uint32_t hw_id, const uint32_t running[3],
			   struct cxctl_error *error)
{
	return burn_guard_update_flow_by(flow_rules, FLOW_RULES, image, hw_id, running, error);
}

const char *burn_update_flow_note(const struct image_facts *image, uint32_t hw_id, const uint32_t running[3])
{
	size_t i;

	for (i = 0; i < FLOW_RULES; i++)
		if (!flow_rules[i].via[0] && applies(&flow_rules[i], image, hw_id, running))
			return _(flow_rules[i].note);
	return NULL;
}

/* ---- room ---- */

static bool slots_agree(enum image_format format, uint32_t one, uint32_t other)
{
	if (one == other)
		return true;
	return (format == IMAGE_FS3 || format == IMAGE_FS4) && (one == SMALL_SLOT || one == LARGE_SLOT) &&
	       (other == SMALL_SLOT || other == LARGE_SLOT);
}

static int too_large(const char *where, uint64_t room, const struct image_facts *image,
		     struct cxctl_error *error)
{
	error_set(error, CXCTL_REFUSED, "image-too-large", _("the image is too large for the card"));
	error_found(error, _("0x%x bytes"), image->length);
	error_expected(error, _("at most 0x%llx, %s"), (unsigned long long)room, where);
	error_rule(error, _("the image that runs stays whole until the new one is written: each has half of the flash at most"));
	error_next(error, _("look for the image that belongs to this card's PSID (cxctl info shows it)"));
	return -1;
}

int burn_guard_room(const struct image_facts *image, const struct image_facts *device, uint64_t flash_size,
		    uint32_t component_most, enum burn_method method, struct cxctl_error *error)
{
	uint32_t ours = image->place.log2_chunk, theirs = device ? device->place.log2_chunk : 0;
	uint64_t room = ours && ours < 32 && image->place.format != IMAGE_FS2 ? 1ULL << ours : flash_size / 2;

	if (method == BURN_METHOD_COMPONENT)
		return component_most && image->length > component_most ?
		       too_large(_("as the firmware says"), component_most, image, error) : 0;
	if (ours && theirs && ours < 32 && theirs < 32 && !slots_agree(image->place.format, ours, theirs)) {
		error_set(error, CXCTL_REFUSED, "slot-size", _("the image is made for slots of another size"));
		error_found(error, _("slots of %llu KiB"), 1ULL << ours >> 10);
		error_expected(error, _("%llu KiB, as the card's own image has"), 1ULL << theirs >> 10);
		error_rule(error, _("both images lie on one flash: with slots of two sizes one would reach into the other"));
		error_next(error, _("look for the image that belongs to this card's PSID (cxctl info shows it)"));
		return -1;
	}
	if (flash_size && image->length > room)
		return too_large(_("the room of a slot"), room, image, error);
	return 0;
}

/* ---- ROM ---- */

int burn_guard_rom(const struct image_facts *image, bool keep_named, bool roms_differ,
		   const struct burn_permits *permits, struct cxctl_error *error)
{
	if (!keep_named || !roms_differ || !(image->has & IMAGE_HAS_PRODUCT) || permits->rom_change)
		return 0;
	error_set(error, CXCTL_REFUSED, "rom-merge", _("the card's ROM was never tested with this image"));
	error_found(error, _("product version %s, which stands for the image with its own ROM"), image->product_version);
	error_expected(error, _("that ROM (--rom image), or an image without a product version"));
	error_rule(error, _("the vendor's: a product version is code and ROM together (firmware-images.md 5.5)"));
	error_next(error, _("take the image's ROM: --rom image; or add --allow-rom-change to keep the card's"));
	return -1;
}
