// SPDX-License-Identifier: GPL-2.0-only
/* The plan of a restore, for a person and for a program. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "restore.h"

const char *restore_kind_id(enum restore_kind kind)
{
	static const char *const ids[] = { "image", "device-data", "component" };

	return ids[kind];
}

static const char *proof_id(enum restore_proof proof)
{
	static const char *const ids[] = { "none", "identity", "serial", "label", "accepted", "image", "given" };

	return ids[proof];
}

static const char *proof_text(enum restore_proof proof)
{
	switch (proof) {
	case PROOF_IDENTITY:
		return _("it is of this card: the same GUID or MAC");
	case PROOF_SERIAL:
		return _("it is of this card: the same serial number (GUID and MAC are lost)");
	case PROOF_LABEL:
		return _("it is of the card with that label");
	case PROOF_ACCEPTED:
		return _("NOT PROVEN: --accept-other-card. The card gets the identity in the backup; no other may be in use with it");
	case PROOF_IMAGE:
		return _("an image with the identity that you gave");
	case PROOF_GIVEN:
		return _("none is needed: the card gets the identity that you gave. No other card may be in use with it");
	case PROOF_NONE:
		break;
	}
	return "";
}

static void version_text(char text[48], bool known, const uint32_t version[3])
{
	text[0] = '\0';
	if (known)
		snprintf(text, 48, "%u.%u.%u", version[0], version[1], version[2]);
}

static void show_firmware(const struct restore *restore)
{
	const struct image_flash_state *state = &restore->state;
	const struct restore_source *source = &restore->source;
	struct output *output = restore->output;
	char from[48], to[48];

	version_text(from, state->has_facts, state->old_facts.version);
	if (!restore->info.flash_size)
		snprintf(from, sizeof(from), "%s", restore->now.running);
	if (source->component)
		snprintf(to, sizeof(to), "%s", source->backup.identity.running);
	else
		version_text(to, true, source->facts.version);
	output_string(output, "from_version", *from ? from : NULL);
	output_string(output, "to_version", *to ? to : NULL);
	output_show(output, _("On the card"), NULL, "%s", *from ? from : _("no whole image"));
	output_show(output, _("Will be"), NULL, "%s%s", *to ? to : _("unknown"),
		    restore->image_same ? _(" (is there already)") : "");
	output_string(output, "from_psid", *restore->now.psid ? restore->now.psid : NULL);
	output_string(output, "psid", source->component ? source->backup.identity.psid : source->facts.psid);
	output_show(output, _("PSID"), NULL, "%s",
		    source->component ? source->backup.identity.psid : source->facts.psid);
}

static void show_old_identity(const struct restore *restore)
{
	const struct backup_identity *now = &restore->now;
	struct output *output = restore->output;
	char guid[32], mac[32];

	snprintf(guid, sizeof(guid), "%016" PRIx64, now->guid);
	snprintf(mac, sizeof(mac), "%012" PRIx64, now->mac);
	output_string(output, "from_guid", now->has_guid ? guid : NULL);
	output_string(output, "from_mac", now->has_mac ? mac : NULL);
	output_show(output, _("Identity now"), NULL, "GUID %s, MAC %s", now->has_guid ? guid : _("unknown"),
		    now->has_mac ? mac : _("unknown"));
	output_string(output, "vsd", restore->request->vsd);
	if (restore->request->vsd)
		output_show(output, "VSD", NULL, "%s -> %s", restore->source.facts.device_vsd,
			    restore->request->vsd);
}

static void show_identity(const struct restore *restore)
{
	struct output *output = restore->output;
	struct backup_identity will = restore->source.backup.identity;
	char guid[32], mac[32];

	if (restore->source.is_image) {
		will.has_guid = will.has_mac = true;
		will.guid = restore->request->guid;
		will.mac = restore->request->mac;
	}
	snprintf(guid, sizeof(guid), "%016" PRIx64, will.guid);
	snprintf(mac, sizeof(mac), "%012" PRIx64, will.mac);
	if (restore->source.is_identity)
		show_old_identity(restore);
	output_string(output, "guid", will.has_guid ? guid : NULL);
	output_string(output, "mac", will.has_mac ? mac : NULL);
	output_string(output, "serial", *will.serial ? will.serial : NULL);
	output_show(output, _("Identity"), NULL, "GUID %s, MAC %s%s%s", will.has_guid ? guid : _("unknown"),
		    will.has_mac ? mac : _("unknown"), *will.serial ? ", SN " : "", will.serial);
	output_string(output, "proof", proof_id(restore->proof));
	output_show(output, _("Proof"), NULL, "%s", proof_text(restore->proof));
}

/* Erase and program times of common chips, with both read-backs: about 60 KiB a second through a gateway. */
static unsigned int seconds(const struct image_plan *plan)
{
	return 5 + plan->bytes_to_program / (60 << 10) + plan->bytes_to_erase / (150 << 10);
}

static void show_device_data(const struct restore *restore, const struct restore_step *step)
{
	struct output *output = restore->output;

	output_show(output, _("Device data"), NULL, _("%u areas differ and are written, at most %u KiB from 0x%x on"),
		    step->plan.segment_count, (step->plan.bytes_to_erase + 1023) >> 10,
		    step->plan.target_address);
	if (step->failsafe)
		output_show(output, NULL, NULL, "%s", _("failsafe: a second valid copy stands while one is written"));
	else
		output_show(output, _("Attention"), NULL, _("not failsafe: %s. If power fails while it is written, restore again; the backup has it all"),
			    step->window);
}

static void show_image(const struct restore *restore, const struct restore_step *step)
{
	struct output *output = restore->output;

	output_show(output, _("Firmware"), NULL, _("slot %u, from 0x%x on, at most %u KiB; what is right already is skipped"),
		    step->plan.target_slot, step->plan.target_address, step->plan.bytes_to_program >> 10);
	if (step->plan.old_address != CXFW_NO_ADDRESS)
		output_show(output, NULL, NULL,
			    _("failsafe: the image at 0x%x stays whole until the new one is written and verified"),
			    step->plan.old_address);
	else
		output_show(output, _("Attention"), NULL, "%s",
			    _("the flash holds nothing bootable: until the restore is done there is nothing to fall back to. If it is interrupted, restore again"));
}

static void show_step(const struct restore *restore, const struct restore_step *step)
{
	struct output *output = restore->output;

	output_object(output, NULL);
	output_string(output, "kind", restore_kind_id(step->kind));
	output_bool(output, "failsafe", step->failsafe);
	output_string(output, "window", *step->window ? step->window : NULL);
	output_number(output, "target_address", step->plan.target_address);
	output_number(output, "bytes_to_erase", step->plan.bytes_to_erase);
	output_number(output, "bytes_to_program", step->plan.bytes_to_program);
	output_number(output, "estimated_seconds", seconds(&step->plan));
	output_end(output);
	switch (step->kind) {
	case RESTORE_IMAGE:
		show_image(restore, step);
		break;
	case RESTORE_DEVICE_DATA:
		show_device_data(restore, step);
		break;
	case RESTORE_COMPONENT:
		output_show(output, _("Firmware"), NULL, _("%u KiB are given to the firmware, which checks and stores them itself"),
			    step->plan.image_length >> 10);
		break;
	}
}

static void show_head(const struct restore *restore)
{
	const struct restore_source *source = &restore->source;
	struct output *output = restore->output;

	if (source->is_identity)
		output_line(output, _("Plan for %s, another identity:"), card_address(restore->card));
	else
		output_line(output, _("Plan for %s, from %s%s%s%s:"), card_address(restore->card),
			    restore->request->file, *source->backup.time ? _(" (backup of ") : "",
			    source->backup.time, *source->backup.time ? ")" : "");
}

void restore_show(const struct restore *restore)
{
	const struct restore_source *source = &restore->source;
	struct output *output = restore->output;
	unsigned int total = 0;
	size_t i;

	show_head(restore);
	output_object(output, "plan");
	output_string(output, "file", restore->request->file);
	output_string(output, "sha256", source->is_image || source->is_identity ? NULL : source->backup.sha256);
	output_bool(output, "recovery", restore->recovery);
	show_firmware(restore);
	show_identity(restore);
	output_array(output, "steps");
	for (i = 0; i < restore->step_count; i++) {
		show_step(restore, &restore->steps[i]);
		total += seconds(&restore->steps[i].plan);
	}
	output_end(output);
	output_string(output, "device_data_note", *restore->device_note ? restore->device_note : NULL);
	if (*restore->device_note)
		output_show(output, _("Device data"), NULL, "%s", restore->device_note);
	else if (restore->device_same)
		output_show(output, _("Device data"), NULL, "%s", _("as in the backup already"));
	output_number(output, "downtime_seconds", 0);
	output_show(output, _("Time"), NULL, _("about %u s (estimate; never measured on a real card)"), total);
	output_show(output, _("Downtime"), NULL, "%s", _("none now; the card starts it after a cold power cycle"));
	output_end(output);
}
