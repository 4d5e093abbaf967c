// SPDX-License-Identifier: GPL-2.0-only
/* The plan, for a person and for a program, before anything is changed; and how it ended. */
#include <stdio.h>
#include <string.h>

#include "burn.h"

/*
 * Seconds by the chips' typical times and the gateway's speed: an estimate from simulated
 * cards, no real one was measured. A component goes through the command mailbox, and the firmware then
 * verifies and copies it for some seconds.
 */
#define ERASE_BYTES_PER_SECOND	(80 * 1024)
#define PROGRAM_BYTES_PER_SECOND (24 * 1024)
#define COMPONENT_BYTES_PER_SECOND (160 * 1024)
#define COMPONENT_SECONDS	10

static unsigned int seconds(const struct burn *burn)
{
	const struct image_plan *plan = &burn->plan;

	if (burn->component)
		return COMPONENT_SECONDS + plan->image_length / COMPONENT_BYTES_PER_SECOND;
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
	const struct image_facts *old = burn->card.has_device ? &burn->card.device : NULL;
	const struct image_flash_state *state = &burn->card.state;
	bool damaged = burn->card.has_flash && state->has_old && !state->whole[state->old];
	char text[48] = "";

	if (old)
		snprintf(text, sizeof(text), "%u.%u.%u", old->version[0], old->version[1], old->version[2]);
	output_string(burn->output, "from_version", old ? text : NULL);
	output_show(burn->output, burn->card.has_flash ? _("On the flash") : _("Running"), NULL, "%s%s",
		    old ? text : _("no whole image"), old && damaged ? _(" (damaged)") : "");
	snprintf(text, sizeof(text), "%u.%u.%u", new->version[0], new->version[1], new->version[2]);
	output_string(burn->output, "to_version", text);
	output_show(burn->output, _("Will be"), NULL, "%s", text);
	output_string(burn->output, "psid", new->psid);
	output_show(burn->output, _("PSID"), NULL, "%s", new->psid);
}

/* What becomes of the PSID, when it is not the same everywhere. */
static void show_psid(const struct burn *burn)
{
	const char *card = burn->card.has_device ? burn->card.device.psid : "";
	char text[256];

	if (burn->image.retagged) {
		output_string(burn->output, "retagged_from", burn->image.retagged_from);
		output_show(burn->output, NULL, NULL,
			    _("the image is for %s; it gets the card's PSID, which does not make it an image for this board"),
			    burn->image.retagged_from);
	}
	if (!*card || !strcmp(card, burn->facts.psid))
		return;
	output_string(burn->output, "from_psid", card);
	burn_psid_explain(card, burn->facts.psid, text, sizeof(text));
	output_show(burn->output, NULL, NULL, _("the card's is %s now. %s"), card, text);
}

/* An entry of the identity; FS3 and later count on from a base. */
static void show_ids(const struct burn *burn)
{
	const struct burn_identity *identity = &burn->identity;
	struct output *output = burn->output;

	output_string(output, "guids", origin_id(identity->guids_from));
	output_string(output, "macs", origin_id(identity->macs_from));
	if (burn->facts.place.format != IMAGE_FS2 && identity->guids_from == BURN_FROM_CARD) {
		output_show(output, _("Identity"), NULL, "%s",
			    _("GUIDs, MACs, VSD and settings lie outside the image, and stay"));
		return;
	}
	output_show(output, _("GUIDs"), NULL, _("%s: %016llx ..."), origin_text(identity->guids_from),
		    (unsigned long long)identity->guid[0]);
	if (burn->facts.place.format == IMAGE_FS2)
		output_show(output, _("MACs"), NULL, _("%s: %012llx, %012llx"), origin_text(identity->macs_from),
			    (unsigned long long)identity->mac[0], (unsigned long long)identity->mac[1]);
	else
		output_show(output, _("MACs"), NULL, _("%s: %012llx ..."), origin_text(identity->macs_from),
			    (unsigned long long)identity->mac[0]);
}

static void show_identity(const struct burn *burn)
{
	const struct burn_identity *identity = &burn->identity;
	struct output *output = burn->output;
	char text[160];

	show_ids(burn);
	output_string(output, "vsd", origin_id(identity->vsd_from));
	if (burn->facts.place.format == IMAGE_FS2 || identity->vsd_from != BURN_FROM_CARD)
		output_show(output, "VSD", NULL, "%s: %s", origin_text(identity->vsd_from),
			    *identity->vsd ? identity->vsd : _("(empty)"));
	output_string(output, "rom", rom_id(identity->rom));
	rom_versions(&burn->facts, text, sizeof(text));
	output_show(output, _("Expansion ROM"), NULL, "%s%s%s", rom_text(identity->rom), *text ? ": " : "", text);
	output_show(output, _("NV configuration"), NULL, "%s", _("untouched"));
}

static void show_method(const struct burn *burn)
{
	output_string(burn->output, "method", burn_method_name(burn));
	output_show(burn->output, _("Method"), NULL, "%s: %s",
		    burn->devlink ? _("the bound driver, through devlink") :
		    burn->component ? _("the firmware updates itself (MCC)") : _("the driver writes the flash"),
		    burn->method_why);
	output_bool(burn->output, "backup_possible", !burn->devlink);
	if (burn->devlink)
		output_show(burn->output, _("Attention"), NULL, "%s",
			    _("no backup: devlink reads nothing back. The firmware commits by itself, and it cannot be stopped"));
}

/* The firmware decides where the bytes go. */
static void show_component(const struct burn *burn)
{
	const struct image_plan *plan = &burn->plan;
	struct output *output = burn->output;

	output_number(output, "bytes_to_send", plan->image_length);
	output_number(output, "component", plan->component);
	output_show(output, _("To send"), NULL, _("%u KiB, as component %u"), (plan->image_length + 1023) >> 10,
		    plan->component);
	output_show(output, _("Old image"), NULL, "%s",
		    _("the firmware keeps it until it has verified the new one: its promise, not ours"));
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
	output_bool(output, "clears_protection", plan->flags & CXFW_PLAN_CLEAR_PROTECTION);
	output_number(output, "bytes_to_erase", plan->bytes_to_erase);
	output_number(output, "bytes_to_program", plan->bytes_to_program);
	output_show(output, _("Slot"), NULL, _("%u, from 0x%x on, at most 0x%x bytes"), plan->target_slot,
		    plan->target_address, plan->window_length);
	output_show(output, _("Erase, program"), NULL, _("at most %u KiB, %u KiB; what is right already is skipped"),
		    plan->bytes_to_erase >> 10, (plan->bytes_to_program + 1023) >> 10);
	if (plan->flags & CXFW_PLAN_CLEAR_PROTECTION) {
		struct burn_protection protection;

		burn_protection_of(&burn->card.info, &protection);
		output_show(output, _("Write protection"), NULL,
			    _("%s: cleared before the first write, and it stays cleared"), protection.bits);
	}
	if (plan->old_address != CXFW_NO_ADDRESS)
		output_show(output, _("Old image"), NULL,
			    _("stays whole at 0x%x until the new one is written and verified, then loses its magic"),
			    plan->old_address);
}

static void show_time(const struct burn *burn)
{
	struct output *output = burn->output;

	output_number(output, "estimated_seconds", seconds(burn));
	output_number(output, "downtime_seconds", 0);
	output_show(output, _("Time"), NULL, _("about %u s (estimate; never measured on a real card)"), seconds(burn));
	output_show(output, _("Downtime"), NULL, "%s", burn->plan.flags & CXFW_PLAN_RECOVERY ?
		    _("none now; the card starts it after a cold power cycle") :
		    _("none now: the card works on with the old firmware; activation interrupts it (cxctl activate says for how long)"));
}

static void show_leftovers(const struct burn *burn)
{
	const struct image_flash_state *state = &burn->card.state;
	size_t i;

	if (burn->component || !burn->card.has_flash)
		return;
	for (i = 0; i < state->place_count; i++) {
		if (state->has_old && i == state->old)
			continue;
		if (state->whole[i])
			output_show(burn->output, _("Note"), NULL,
				    _("two whole images: an earlier burn was cut off after its commit. The one at 0x%x goes"),
				    state->places[i].address);
		else
			output_show(burn->output, _("Note"), NULL, _("a leftover magic at 0x%x will be cleared"),
				    state->places[i].address);
	}
}

/* What a careful person should know before saying yes. */
static void show_warnings(const struct burn *burn)
{
	const struct burn_pending *pending = &burn->card.pending;
	struct output *output = burn->output;
	const char *note;

	if (burn->plan.flags & CXFW_PLAN_RECOVERY)
		output_show(output, _("Attention"), NULL, "%s",
			    _("the flash holds nothing bootable: until the burn is done there is nothing to fall back to. If it is interrupted, burn again"));
	if (!burn->card.has_device)
		output_show(output, _("Attention"), NULL, _("the card's PSID is unknown: make sure that it is a board of %s"),
			    burn->facts.psid);
	if (pending->waiting)
		output_show(output, _("Attention"), NULL, _("%u.%u.%u was burned before and never activated: it is lost"),
			    pending->version[0], pending->version[1], pending->version[2]);
	if (burn->driver_advice != BURN_DRIVER_FINE && *burn->driver_text) {
		output_string(output, "driver_advice", burn->driver_text);
		output_show(output, burn->driver_advice == BURN_DRIVER_OLD ? _("Attention") : _("Note"), NULL, "%s",
			    burn->driver_text);
	}
	note = burn->card.info.running_valid && burn->card.info.hw_id ?
	       burn_update_flow_note(&burn->facts, burn->card.info.hw_id, burn->card.info.running) : NULL;
	if (note)
		output_show(output, _("Note"), NULL, "%s", note);
	if (burn->flash_doubt)
		output_show(output, _("Note"), NULL, "%s", burn->flash_doubt);
	if (burn->bonds.count)
		output_show(output, _("Note"), NULL, _("a leg of %s: never burned together with another leg"),
			    burn->bonds.name[0]);
	if (burn->identity.rom == BURN_ROM_KEPT && burn->image.facts.has & IMAGE_HAS_PRODUCT)
		output_show(output, _("Note"), NULL,
			    _("the image is product version %s, which its vendor tested with its own ROM; --rom image takes that one"),
			    burn->image.facts.product_version);
	if (burn->image.unusual)
		output_show(output, _("Note"), NULL, _("unusual in the image: %s"), burn->image.unusual_text);
	show_leftovers(burn);
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
	show_psid(burn);
	show_method(burn);
	show_identity(burn);
	if (burn->component)
		show_component(burn);
	else
		show_writes(burn);
	show_time(burn);
	show_warnings(burn);
	output_end(output);
}

/* ---- how it ended ---- */

/* The version runs already, or waits for its activation. */
static void show_already(const struct burn *burn)
{
	const uint32_t *version = burn->facts.version;
	struct output *output = burn->output;
	const char *card = card_address(burn->card.card);

	output_bool(output, "already", true);
	if (burn->card.has_flash)
		output_line(output, _("%s: the flash holds exactly this already (%u.%u.%u with the card's identity); nothing to do."),
			    card, version[0], version[1], version[2]);
	else if (burn->card.pending.waiting)
		output_line(output, _("%s: %u.%u.%u was burned already; nothing to do. (The flash is closed: versions were compared, not bytes.)"),
			    card, version[0], version[1], version[2]);
	else
		output_line(output, _("%s: runs %u.%u.%u already; nothing to do. (The flash is closed: versions were compared, not bytes. --reburn sends it again.)"),
			    card, version[0], version[1], version[2]);
	if (!burn->card.pending.waiting)
		return;
	output_string(output, "pending_action", "activate");
	output_line(output, _("It does not run yet: cxctl activate %s"), card);
}

static void show_done(const struct burn *burn)
{
	const struct cxctl_job *job = &burn->job;
	const uint32_t *version = burn->facts.version;
	struct output *output = burn->output;
	const char *card = card_address(burn->card.card);

	if (burn->component)
		output_line(output, _("%s took %u.%u.%u: its firmware verified it and will start it."), card, version[0],
			    version[1], version[2]);
	else
		output_line(output, _("Burned %u.%u.%u to slot %u of %s: %llu KiB erased, %llu KiB programmed, %llu KiB were right already."),
			    version[0], version[1], version[2], burn->plan.target_slot, card,
			    (unsigned long long)job->erased >> 10, (unsigned long long)job->programmed >> 10,
			    (unsigned long long)job->skipped >> 10);
	if (*burn->backup.path)
		output_line(output, _("The backup is %s."), burn->backup.path);
	if (*burn->backup.missing)
		output_line(output, _("Not in it: %s."), burn->backup.missing);
	if (burn->plan.flags & CXFW_PLAN_RECOVERY)
		output_line(output, "%s",
			    _("What to do next: a cold power cycle. Switch the machine off, wait until the card has no power (unplug it where standby power feeds the slot), switch it on."));
	else
		output_line(output, _("What to do next: cxctl activate %s. Until then the old firmware runs."), card);
}

void burn_show_result(const struct burn *burn)
{
	if (*burn->backup.path)
		output_string(burn->output, "backup", burn->backup.path);
	burn_show_job(burn->output, &burn->job);
	if (burn->begun) {
		output_bool(burn->output, "changed", true);
		output_string(burn->output, "pending_action", burn->state != BURN_DONE ? NULL :
			      burn->plan.flags & CXFW_PLAN_RECOVERY ? "power-cycle" : "activate");
	}
	if (burn->state == BURN_ALREADY)
		show_already(burn);
	else if (burn->state == BURN_DONE)
		show_done(burn);
}
