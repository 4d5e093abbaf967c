// SPDX-License-Identifier: GPL-2.0-only
/* The plan, for a person and for a program, before anything is changed. */
#include <stdio.h>

#include "burn.h"

/*
 * Seconds by the chips' typical times and the gateway's speed: an estimate from simulated
 * cards, no real one was measured.
 */
#define ERASE_BYTES_PER_SECOND	(80 * 1024)
#define PROGRAM_BYTES_PER_SECOND (24 * 1024)

static unsigned int seconds(const struct image_plan *plan)
{
	return 1 + plan->bytes_to_erase / ERASE_BYTES_PER_SECOND +
	       plan->bytes_to_program / PROGRAM_BYTES_PER_SECOND;
}

static const char *origin_id(enum burn_origin origin)
{
	static const char *const ids[] = { "card", "image", "command-line" };

	return ids[origin];
}

static const char *origin_text(enum burn_origin origin)
{
	switch (origin) {
	case BURN_FROM_CARD:
		return _("kept");
	case BURN_FROM_IMAGE:
		return _("from the image");
	case BURN_FROM_USER:
		return _("as given");
	}
	return "";
}

static const char *rom_id(enum burn_rom rom)
{
	static const char *const ids[] = { "none", "same", "kept", "replaced", "added", "removed", "lost" };

	return ids[rom];
}

static const char *rom_text(enum burn_rom rom)
{
	switch (rom) {
	case BURN_ROM_NONE:
		return _("none, on the card and in the image");
	case BURN_ROM_SAME:
		return _("the same on the card and in the image");
	case BURN_ROM_KEPT:
		return _("kept");
	case BURN_ROM_IMAGE:
		return _("the image's, in place of the card's");
	case BURN_ROM_NEW:
		return _("the image's; the card has none");
	case BURN_ROM_REMOVED:
		return _("removed: the image has none, and --rom image was given");
	case BURN_ROM_LOST:
		return _("the card's cannot be read; what the image has");
	}
	return "";
}

/* "PXE 3.4.752, UEFI 14.11.45" */
static void rom_versions(const struct image_facts *facts, char *text, size_t room)
{
	unsigned int i;
	size_t used = 0;

	*text = '\0';
	for (i = 0; i < facts->rom_count && used < room; i++) {
		const struct image_rom *rom = &facts->roms[i];
		const char *name = image_rom_product_name(rom->product);

		used += snprintf(text + used, room - used, "%s%s %u.%u.%u", i ? ", " : "",
				 name ? name : "ROM",
				 rom->version[0], rom->version[1], rom->version[2]);
	}
}

static void show_versions(const struct burn *burn)
{
	const struct image_facts *new = &burn->facts;
	const struct image_facts *old = burn->card.state.has_facts ? &burn->card.state.old_facts : NULL;
	char text[48] = "";

	if (old)
		snprintf(text, sizeof(text), "%u.%u.%u", old->version[0], old->version[1], old->version[2]);
	output_string(burn->output, "from_version", old ? text : NULL);
	output_show(burn->output, _("On the flash"), NULL, "%s%s", old ? text : _("no whole image"),
		    old && !burn->card.state.whole[burn->card.state.old] ? _(" (damaged)") : "");
	snprintf(text, sizeof(text), "%u.%u.%u", new->version[0], new->version[1], new->version[2]);
	output_string(burn->output, "to_version", text);
	output_show(burn->output, _("Will be"), NULL, "%s", text);
	output_string(burn->output, "psid", new->psid);
	output_show(burn->output, _("PSID"), NULL, "%s", new->psid);
}

static void show_identity(const struct burn *burn)
{
	const struct burn_identity *identity = &burn->identity;
	struct output *output = burn->output;
	char text[160];

	output_string(output, "guids", origin_id(identity->guids_from));
	output_show(output, _("GUIDs"), NULL, _("%s: %016llx ..."), origin_text(identity->guids_from),
		    (unsigned long long)identity->guid[0]);
	output_string(output, "macs", origin_id(identity->macs_from));
	output_show(output, _("MACs"), NULL, _("%s: %012llx, %012llx"), origin_text(identity->macs_from),
		    (unsigned long long)identity->mac[0], (unsigned long long)identity->mac[1]);
	output_string(output, "vsd", origin_id(identity->vsd_from));
	output_show(output, "VSD", NULL, "%s: %s", origin_text(identity->vsd_from),
		    *identity->vsd ? identity->vsd : _("(empty)"));
	output_string(output, "rom", rom_id(identity->rom));
	rom_versions(&burn->facts, text, sizeof(text));
	output_show(output, _("Expansion ROM"), NULL, "%s%s%s", rom_text(identity->rom), *text ? ": " : "", text);
	output_show(output, _("NV configuration"), NULL, "%s", _("untouched"));
}

static void show_writes(const struct burn *burn)
{
	const struct image_plan *plan = &burn->plan;
	struct output *output = burn->output;

	output_number(output, "target_slot", plan->target_slot);
	output_number(output, "target_address", plan->target_address);
	if (plan->old_address == CXFW_NO_ADDRESS)
		output_null(output, "old_address");
	else
		output_number(output, "old_address", plan->old_address);
	output_bool(output, "recovery", plan->flags & CXFW_PLAN_RECOVERY);
	output_number(output, "bytes_to_erase", plan->bytes_to_erase);
	output_number(output, "bytes_to_program", plan->bytes_to_program);
	output_number(output, "estimated_seconds", seconds(plan));
	output_number(output, "downtime_seconds", 0);
	output_show(output, _("Slot"), NULL, _("%u, from 0x%x on, at most 0x%x bytes"), plan->target_slot,
		    plan->target_address, plan->window_length);
	output_show(output, _("Erase, program"), NULL, _("at most %u KiB, %u KiB; what is right already is skipped"),
		    plan->bytes_to_erase >> 10, (plan->bytes_to_program + 1023) >> 10);
	if (plan->old_address != CXFW_NO_ADDRESS)
		output_show(output, _("Old image"), NULL,
			    _("stays whole at 0x%x until the new one is written and verified, then loses its magic"),
			    plan->old_address);
	output_show(output, _("Time"), NULL, _("about %u s (estimate; never measured on a real card)"), seconds(plan));
	output_show(output, _("Downtime"), NULL, "%s",
		    _("none now; the new firmware runs after the next power cycle"));
}

/* What a careful person should know before saying yes. */
static void show_warnings(const struct burn *burn)
{
	const struct image_flash_state *state = &burn->card.state;
	struct output *output = burn->output;
	size_t i;

	if (burn->plan.flags & CXFW_PLAN_RECOVERY)
		output_show(output, _("Attention"), NULL, "%s",
			    _("the flash holds nothing bootable: until the burn is done there is nothing to fall back to. If it is interrupted, burn again"));
	if (!state->has_facts)
		output_show(output, _("Attention"), NULL, _("the card's PSID is unknown: make sure that it is a board of %s"),
			    burn->facts.psid);
	if (burn->identity.rom == BURN_ROM_KEPT && burn->image.facts.has & IMAGE_HAS_PRODUCT)
		output_show(output, _("Note"), NULL,
			    _("the image is product version %s, which its vendor tested with its own ROM; --rom image takes that one"),
			    burn->image.facts.product_version);
	if (burn->image.unusual)
		output_show(output, _("Note"), NULL, _("unusual in the image: %s"), burn->image.unusual_text);
	for (i = 0; i < state->place_count; i++)
		if (!state->has_old || i != state->old)
			output_show(output, _("Note"), NULL, _("a leftover magic at 0x%x will be cleared"),
				    state->places[i].address);
}

void burn_show_plan(const struct burn *burn)
{
	struct output *output = burn->output;

	output_line(output, _("Plan for %s, from %s%s:"), card_address(burn->card.card), burn->image.path,
		    burn->image.is_backup ? _(" (a backup of a flash)") : "");
	output_object(output, "plan");
	output_string(output, "image", burn->image.path);
	output_string(output, "image_sha256", burn->image.sha256);
	show_versions(burn);
	show_identity(burn);
	show_writes(burn);
	show_warnings(burn);
	output_end(output);
}
