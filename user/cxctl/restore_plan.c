// SPDX-License-Identifier: GPL-2.0-only
/*
 * The jobs of a restore. The firmware goes into the slot that is not in use, failsafe like every burn;
 * device data go where they were. With firmware running the image comes first; with none, device
 * data do: what is interrupted then leaves a card in recovery mode, not one that starts without identity.
 * Of FS3, too: its image holds checksums of the device data, which the driver compares with what is there.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../image/sha256.h"
#include "restore.h"

static enum image_format format_of(uint32_t hw_id)
{
	const char *name = pci_format_by_hw_id(hw_id);
	enum image_format format;

	for (format = IMAGE_FS2; name && format <= IMAGE_FS5; format++)
		if (!strcmp(image_format_name(format), name))
			return format;
	return IMAGE_NONE;
}

static int trouble(const struct restore *restore, const struct image_error *why, const char *id,
		   struct cxctl_error *error)
{
	if (restore->flash.error.exit) {
		*error = restore->flash.error;
		return -1;
	}
	return error_set(error, CXCTL_REFUSED, id, "%s", why->text);
}

static void set_target(struct restore *restore)
{
	const struct cxfw_card_info *info = &restore->info;
	struct image_target *target = &restore->target;

	memset(target, 0, sizeof(*target));
	target->flash = &restore->flash.reader;
	target->format = format_of(info->hw_id);
	target->hw_id = info->hw_id;
	target->hw_revision = info->hw_revision;
	target->flash_sector = info->flash_sector;
	target->flash_block = info->flash_block;
	target->recovery = restore->recovery;
	target->running_valid = info->running_valid;
	memcpy(target->running, info->running, sizeof(target->running));
	target->boot_address_valid = info->boot_address_valid;
	/* The register of mlx4 holds the address shifted left by 8: firmware-images.md 5.9. */
	target->boot_address = info->boot_address >> 8;
}

int restore_read_card(struct restore *restore, struct cxctl_error *error)
{
	struct image_error why;

	flash_reader_close(&restore->flash);
	if (!restore->info.flash_size)
		return 0;
	if (flash_reader_open(&restore->flash, restore->card, restore->info.flash_size))
		return error_set(error, CXCTL_FAILED, "memory", _("no memory for the flash's content"));
	set_target(restore);
	if (image_flash_state(&restore->target, &restore->state, &why))
		return trouble(restore, &why, "flash", error);
	return 0;
}

void restore_plan_free(struct restore *restore)
{
	size_t i;

	for (i = 0; i < restore->step_count; i++)
		free(restore->steps[i].bytes);
	restore->step_count = 0;
}

/* ---- device data ---- */

static int plan_device_data(struct restore *restore, struct cxctl_error *error)
{
	struct restore_step *step = &restore->steps[restore->step_count];
	struct image_error why = { .text = "" };
	int code;

	memset(step, 0, sizeof(*step));
	step->kind = RESTORE_DEVICE_DATA;
	restore->device_same = false;
	*restore->device_note = '\0';
	if (restore->request->no_device_data) {
		snprintf(restore->device_note, sizeof(restore->device_note), "%s", _("stay as they are: --no-device-data"));
		return 0;
	}
	if (restore->source.is_image && restore->target.format == IMAGE_FS2) {
		snprintf(restore->device_note, sizeof(restore->device_note), "%s", _("the identity is a part of the image"));
		return 0;
	}
	code = image_plan_device_data(&restore->target, &restore->state, &restore->source.reader,
				      &step->bytes, &step->plan, &step->failsafe, step->window, &why);
	if (code == -ENOENT) {
		restore->device_same = true;
		return 0;
	}
	if (code)
		return trouble(restore, &why, "no-plan", error);
	if (!(restore->info.capabilities & CXFW_CAP_DEVICE_DATA)) {
		free(step->bytes);
		error_set(error, CXCTL_REFUSED, "device-data-not-offered",
			  _("the device data differ, and the driver does not write those of this card"));
		error_next(error, _("update the cxfw module, or restore the firmware alone: --no-device-data"));
		return -1;
	}
	restore->step_count++;
	return 0;
}

/* ---- the image ---- */

/* Device entries of an FS3 image hold checksums of the device data: those that will stand there. */
static void state_for_bytes(const struct restore *restore, bool device_step, struct image_flash_state *state)
{
	*state = restore->state;
	if (device_step) {
		state->has_old = false;
		state->has_facts = false;
	}
}

/* Whether the image that boots now is the same, byte for byte. */
static bool flash_holds(const struct restore *restore, const struct image_flash_state *as,
			const uint8_t *bytes, size_t length)
{
	const struct image_flash_state *state = &restore->state;
	size_t found_length;
	uint8_t *found;
	bool same;

	if (!state->has_old || !state->has_facts || !state->whole[state->old] ||
	    image_burn_bytes(&restore->flash.reader, &state->old_facts, &restore->target, as, &found,
			     &found_length, NULL))
		return false;
	same = found_length == length && !memcmp(found, bytes, length);
	free(found);
	return same;
}

static int plan_image(struct restore *restore, bool device_step, struct cxctl_error *error)
{
	struct restore_step *step = &restore->steps[restore->step_count];
	const struct restore_source *source = &restore->source;
	struct image_flash_state state;
	struct image_error why = { .text = "" };
	size_t length;

	memset(step, 0, sizeof(*step));
	step->kind = RESTORE_IMAGE;
	step->failsafe = !restore->recovery;
	state_for_bytes(restore, device_step, &state);
	if (image_burn_bytes(&source->reader, &source->facts, &restore->target, &state, &step->bytes,
			     &length, &why))
		return trouble(restore, &why, "no-plan", error);
	restore->image_same = flash_holds(restore, &state, step->bytes, length);
	if (restore->image_same) {
		free(step->bytes);
		return 0;
	}
	if (image_plan_make(&restore->target, &restore->state, step->bytes, length, &source->facts,
			    &step->plan, &why)) {
		free(step->bytes);
		return trouble(restore, &why, "no-plan", error);
	}
	restore->step_count++;
	return 0;
}

/* ---- a closed card ---- */

static int plan_component(struct restore *restore, struct cxctl_error *error)
{
	const struct image_memory *component = &restore->source.backup.component;
	struct restore_step *step = &restore->steps[0];

	memset(step, 0, sizeof(*step));
	step->kind = RESTORE_COMPONENT;
	step->failsafe = true;
	if (!(restore->info.capabilities & CXFW_CAP_COMPONENT) || component->length > UINT32_MAX ||
	    component->length & 3) {
		error_set(error, CXCTL_REFUSED, "component-not-offered",
			  _("the firmware of %s takes no update"), card_address(restore->card));
		error_next(error, _("cxctl access tells what this card offers"));
		return -1;
	}
	step->bytes = malloc(component->length);
	if (!step->bytes)
		return error_set(error, CXCTL_FAILED, "memory", _("no memory for the firmware"));
	memcpy(step->bytes, component->bytes, component->length);
	image_plan_component(step->bytes, component->length, CXFW_COMPONENT_BOOT_IMG, &step->plan);
	snprintf(restore->device_note, sizeof(restore->device_note), "%s",
		 _("stay as they are: the firmware keeps them to itself"));
	restore->step_count = 1;
	return 0;
}

static int closed_card(const struct restore *restore, struct cxctl_error *error)
{
	card_no_flash(restore->card, &restore->info, error);
	if (restore->info.capabilities & CXFW_CAP_COMPONENT) {
		error_set(error, CXCTL_REFUSED, "flash-closed", _("the card keeps its flash closed; the backup is of an open one"));
		error_next(error, _("extract the image from the backup and burn it: cxctl burn %s -i FILE"),
			   card_address(restore->card));
	}
	return -1;
}

int restore_plan(struct restore *restore, struct cxctl_error *error)
{
	bool device;

	restore_plan_free(restore);
	if (restore->source.component)
		return plan_component(restore, error);
	if (!restore->info.flash_size)
		return closed_card(restore, error);
	if (plan_device_data(restore, error))
		return -1;
	if (restore->source.is_identity) {
		restore->image_same = true;
		return 0;
	}
	device = restore->step_count;
	if (plan_image(restore, device, error)) {
		restore_plan_free(restore);
		return -1;
	}
	if (!restore->recovery && restore->target.format != IMAGE_FS3 && restore->step_count == 2) {
		struct restore_step first = restore->steps[0];

		restore->steps[0] = restore->steps[1];
		restore->steps[1] = first;
	}
	return 0;
}
