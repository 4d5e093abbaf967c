// SPDX-License-Identifier: GPL-2.0-only
/* The flash chip: whether it is known here and to the new firmware, and what it protects. device-access.md 5.5, 5.6. */
#include <stdio.h>
#include <string.h>

#include "../base/message.h"
#include "burn_guard.h"

#define UNIT		0x10000U	/* bytes that a protection bit counts by */
#define SMALL_UNIT	0x1000U
#define WIDE		0x2000000U	/* from here on Winbond's and Cypress' chips have a wider field */
#define DOUBLE		0x1000000U	/* of this size they count in larger steps */

enum {
	CYPRESS = 0x01, MICRON = 0x20, ISSI = 0x9d, MACRONIX = 0xc2, WINBOND = 0xef,
};

int burn_guard_flash(const struct cxfw_card_info *info, struct cxctl_error *error)
{
	if (!info->flash_size) {
		error_set(error, CXCTL_CARD_ERROR, "flash-unreadable", _("the card's flash cannot be reached"));
		error_found(error, "%s", *info->why ? info->why : _("no flash size"));
		error_next(error, _("cxctl access tells which way works and which does not"));
		return -1;
	}
	if (*info->flash_name)
		return 0;
	error_set(error, CXCTL_REFUSED, "flash-unknown", _("the card's flash chip is not in the driver's table"));
	error_found(error, _("JEDEC id %06x"), info->flash_jedec);
	error_expected(error, _("a chip of the table in kmod/cxfw/chips.c"));
	error_rule(error, _("a chip whose erase sizes and protection bits are unknown is read, never written"));
	error_next(error, _("save a backup with cxctl backup, and report the id"));
	return -1;
}

static bool is_winbond(const struct cxfw_card_info *info)
{
	return info->flash_jedec >> 16 == WINBOND;
}

/*
 * IMAGE_INFO has one bit of this kind, for Winbond. Vendor images without it run on such boards, so that
 * its absence alone proves nothing; that the card's own image has it and the new one has not does.
 */
int burn_guard_flash_support(const struct image_facts *image, const struct image_facts *device,
			     const struct cxfw_card_info *info, const struct burn_permits *permits,
			     const char **doubt, struct cxctl_error *error)
{
	if (doubt)
		*doubt = NULL;
	if (image->place.format < IMAGE_FS3 || !is_winbond(info) ||
	    image->security_flags & IMAGE_SECURITY_WINBOND || permits->unknown_flash)
		return 0;
	if (!device || !(device->security_flags & IMAGE_SECURITY_WINBOND)) {
		if (doubt)
			*doubt = _("the image does not say whether it drives this flash chip (Winbond); the card's own does not either");
		return 0;
	}
	error_set(error, CXCTL_REFUSED, "flash-not-supported",
		  _("the new firmware does not say that it drives the card's flash chip, which the card's own says"));
	error_found(error, _("%s, JEDEC id %06x; IMAGE_INFO without the bit for it"), info->flash_name, info->flash_jedec);
	error_expected(error, _("an image that names Winbond flash as supported, as %u.%u.%u on the card does"),
		       device->version[0], device->version[1], device->version[2]);
	error_rule(error, _("boards were built with other flash chips later; firmware from before cannot write them (REJECTED_INCOMPATIBLE_FLASH)"));
	error_next(error, _("take an image as new as the card's own or newer; --accept-unknown-flash burns this one: it boots, but may not be able to store settings or to update itself"));
	return -1;
}

/* ---- write protection ---- */

struct field {
	unsigned int bits;		/* of BP, from bit 2 on */
	unsigned int bottom;		/* bit that says "from the bottom"; 0: not told here */
	bool bottom_in_third;		/* in the register 0x15 */
	bool small_units;		/* bit 6 says: 4 KiB units */
	bool double_steps;
};

static struct field field_of(const struct cxfw_card_info *info, uint64_t size)
{
	struct field field = { .bits = 3, .bottom = 5 };

	switch (info->flash_jedec >> 16) {
	case MACRONIX:
		field = (struct field){ .bits = 4, .bottom = 3, .bottom_in_third = true };
		break;
	case ISSI:
		field = (struct field){ .bits = 4 };
		break;
	case WINBOND:
	case CYPRESS:
		if (size >= WIDE)
			field = (struct field){ .bits = 4, .bottom = 6 };
		else
			field.small_units = true;
		field.double_steps = size == DOUBLE;
		break;
	}
	return field;
}

static uint64_t protected_bytes(const struct field *field, uint32_t status, uint32_t bp)
{
	bool small = field->small_units && status >> 6 & 1;

	if (field->double_steps && !small)
		return (uint64_t)UNIT << (bp + 1);
	return (uint64_t)(small ? SMALL_UNIT : UNIT) << (bp - 1);
}

static void put_bits(const struct field *field, uint32_t status, uint32_t bp, bool bottom_known, bool bottom,
		     struct burn_protection *protection)
{
	size_t room = sizeof(protection->bits), used;
	unsigned int i;

	used = snprintf(protection->bits, room, "BP%u..0 =", field->bits - 1);
	for (i = field->bits; i-- && used < room;)
		used += snprintf(protection->bits + used, room - used, " %u", bp >> i & 1);
	if (used < room && bottom_known)
		used += snprintf(protection->bits + used, room - used, ", TB = %u (%s)", bottom,
				 bottom ? _("from the bottom") : _("from the top"));
	else if (used < room)
		used += snprintf(protection->bits + used, room - used, ", TB = ?");
	if (used < room && field->small_units)
		used += snprintf(protection->bits + used, room - used, ", SEC = %u", status >> 6 & 1);
	if (used < room)
		snprintf(protection->bits + used, room - used, ", SRP0 = %u", status >> 7 & 1);
}

void burn_protection_of(const struct cxfw_card_info *info, struct burn_protection *protection)
{
	uint64_t size = info->flash_size / (info->flash_banks > 1 ? info->flash_banks : 1), bytes;
	struct field field = field_of(info, size);
	uint32_t status = info->flash_status[0], bp = status >> 2 & ((1U << field.bits) - 1);
	bool bottom_known, bottom;

	memset(protection, 0, sizeof(*protection));
	if (!(info->flash_status_valid & 1) || !info->flash_size)
		return;
	protection->known = true;
	protection->locked = status >> 7 & 1;
	bottom_known = field.bottom && (!field.bottom_in_third || info->flash_status_valid & 4);
	bottom = bottom_known && (field.bottom_in_third ? info->flash_status[2] : status) >> field.bottom & 1;
	put_bits(&field, status, bp, bottom_known, bottom, protection);
	if (!bp)
		return;
	protection->any = true;
	bytes = protected_bytes(&field, status, bp);
	/* Two chips, or a side that nobody told: all of it counts. */
	if (bytes >= size || !bottom_known || info->flash_banks > 1) {
		protection->to = info->flash_size;
		return;
	}
	protection->from = bottom ? 0 : size - bytes;
	protection->to = protection->from + bytes;
}

bool burn_protection_meets(const struct burn_protection *protection, uint64_t from, uint64_t to)
{
	return protection->known && protection->any && from < protection->to && to > protection->from;
}

int burn_guard_protection(const struct burn_protection *protection, uint64_t from, uint64_t to,
			  bool can_clear, const struct burn_permits *permits, struct cxctl_error *error)
{
	if (!burn_protection_meets(protection, from, to))
		return 0;
	if (can_clear && permits->clear_protection && !protection->locked)
		return 0;
	error_set(error, CXCTL_REFUSED, "write-protected", _("the flash chip protects what is to be written"));
	error_found(error, _("%s: 0x%llx to 0x%llx is protected"), protection->bits,
		    (unsigned long long)protection->from, (unsigned long long)protection->to);
	error_expected(error, _("nothing protected from 0x%llx to 0x%llx"), (unsigned long long)from,
		       (unsigned long long)to);
	error_rule(error, protection->locked ?
		   _("the chip's: erase and program are ignored there, and SRP0 keeps the bits while its WP pin is low") :
		   _("the chip's: erase and program are ignored there, without a word"));
	if (can_clear && !protection->locked)
		error_next(error, _("somebody protected it on purpose; --clear-protection clears these bits for the burn"));
	else if (protection->locked)
		error_next(error, _("remove the board's write-protect jumper, then clear the bits with the vendor's tool: flint -d DEVICE hw set Flash0.WriteProtected=Disabled"));
	else
		error_next(error, _("cxctl does not clear these bits on this card; the vendor's tool does: flint -d DEVICE hw set Flash0.WriteProtected=Disabled"));
	return -1;
}
