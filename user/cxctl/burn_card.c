// SPDX-License-Identifier: GPL-2.0-only
/* What a burn knows of the card: functions, driver, flash, firmware, what waits for its activation. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "burn.h"
#include "burn_devlink.h"
#include "pending.h"

static void describe_target(struct burn_card *card)
{
	card->target.flash = &card->flash.reader;
	card->target.format = image_chip_format(card->info.hw_id);
	card->target.hw_id = card->info.hw_id;
	card->target.hw_revision = card->info.hw_revision;
	card->target.flash_sector = card->info.flash_sector;
	card->target.flash_block = card->info.flash_block;
	card->target.recovery = card->info.state == CXFW_STATE_RECOVERY;
	card->target.running_valid = card->info.running_valid;
	memcpy(card->target.running, card->info.running, sizeof(card->target.running));
	card->target.boot_address_valid = card->info.boot_address_valid;
	/* The register of mlx4 holds the address shifted left by 8: firmware-images.md 5.9. */
	card->target.boot_address = card->info.boot_address >> 8;
}

static int read_flash(struct burn_card *card, struct cxctl_error *error)
{
	struct image_error why;

	if (flash_reader_open(&card->flash, card->card, card->info.flash_size))
		return error_set(error, CXCTL_FAILED, "memory", _("no memory for the flash's content"));
	describe_target(card);
	if (image_flash_state(&card->target, &card->state, &why)) {
		if (card->flash.error.exit)
			*error = card->flash.error;
		else
			error_set(error, CXCTL_FAILED, "flash", "%s", why.text);
		return -1;
	}
	card->has_flash = true;
	card->has_device = card->state.has_facts;
	if (card->has_device)
		card->device = card->state.old_facts;
	return 0;
}

/* A closed card tells what it runs, and for which board. */
static void facts_of_registers(struct burn_card *card)
{
	const struct cxctl_card_facts *facts = card_facts(card->card);
	struct image_facts *device = &card->device;

	device->place.format = image_chip_format(card->info.hw_id);
	device->hw_ids[0].id = card->info.hw_id;
	device->hw_ids[0].revision = card->info.hw_revision;
	device->hw_id_count = 1;
	device->has = IMAGE_HAS_HW_IDS;
	if (card->info.running_valid) {
		memcpy(device->version, card->info.running, sizeof(device->version));
		device->has |= IMAGE_HAS_VERSION;
	}
	if (*facts->psid) {
		snprintf(device->psid, sizeof(device->psid), "%s", facts->psid);
		device->has |= IMAGE_HAS_PSID;
	}
	card->has_device = device->has & IMAGE_HAS_PSID;
}

static bool same_version(const uint32_t one[3], const uint32_t other[3])
{
	return !memcmp(one, other, 3 * sizeof(*one));
}

static bool scan_version(const char *text, uint32_t version[3])
{
	return sscanf(text, "%u.%u.%u", &version[0], &version[1], &version[2]) == 3;
}

/* Registers know it, else the flash, else what was written down after the last burn. */
static void read_pending(struct burn_card *card, const struct options *options)
{
	const struct cxctl_version *stored = &card_facts(card->card)->stored;
	struct burn_pending *pending = &card->pending;
	const uint32_t *running = card->info.running;
	struct cxctl_error none;
	struct pending file;
	char text[48];

	if (!card->info.running_valid)
		return;
	if (stored->valid) {
		pending->known = true;
		pending->version[0] = stored->major;
		pending->version[1] = stored->minor;
		pending->version[2] = stored->subminor;
		pending->waiting = !same_version(pending->version, running);
	}
	if (!pending->waiting && card->has_flash && card->has_device) {
		pending->known = true;
		memcpy(pending->version, card->device.version, sizeof(pending->version));
		pending->waiting = !same_version(pending->version, running);
	}
	/* What was written down may be of a card that stood here before. */
	snprintf(text, sizeof(text), "%u.%u.%u", running[0], running[1], running[2]);
	if (!pending->known && card->has_device &&
	    pending_read_of(card_address(card->card), card->device.psid, card->info.hw_id, options, &file, &none) > 0 &&
	    pending_waits(&file, text) && scan_version(file.to, pending->version)) {
		pending->known = true;
		pending->waiting = true;
		pending->recorded = true;
	}
}

struct busy {
	const struct cxctl_card_facts *facts;
	struct cxctl_job job;
	bool found;
};

static int look_at_job(const struct cxctl_job *job, void *data)
{
	struct busy *busy = data;
	unsigned int i;

	if (job->state != CXFW_JOB_RUNNING)
		return 0;
	for (i = 0; i < busy->facts->function_count && !busy->found; i++)
		busy->found = !strcmp(busy->facts->functions[i].address, job->address);
	if (busy->found)
		busy->job = *job;
	return busy->found;
}

/* Said before minutes of reading; the driver refuses a second burn by itself. */
static int refuse_busy(const struct cxctl_card *card, struct cxctl_error *error)
{
	struct busy busy = { .facts = card_facts(card) };
	struct cxctl_error none;

	if (jobs_each(look_at_job, &busy, &none) || !busy.found)
		return 0;
	error_set(error, CXCTL_REFUSED, "burning", _("%s is being burned already"), card_address(card));
	error_found(error, _("job %llu of process %u, while %s"), (unsigned long long)busy.job.id, busy.job.owner,
		    job_phase_name(busy.job.phase));
	error_rule(error, _("one burn at a time on a card"));
	error_next(error, _("cxctl monitor shows when it ends"));
	return -1;
}

/*
 * Without the driver cxfw, or because it was asked for: what sysfs and devlink tell. error: why cxfw does not
 * do it.
 */
static int read_by_devlink(struct burn *burn, struct cxctl_error *error)
{
	struct burn_card *card = &burn->card;
	const struct cxctl_devlink_facts *facts;
	struct cxctl_error why = *error;

	if (!burn_devlink_device(card->card, &card->device)) {
		if (why.exit)
			return -1;
		error_set(error, CXCTL_REFUSED, "no-devlink", _("the card's driver does not burn through devlink"));
		error_found(error, "%s", *card_pci(card->card)->driver ? card_pci(card->card)->driver :
			    _("no driver is bound"));
		error_expected(error, _("a bound driver with devlink: mlx5_core"));
		error_next(error, _("load the driver cxfw, or bind the card to mlx5_core"));
		return -1;
	}
	error_clear(error);
	burn->devlink = true;
	card->has_device = true;
	card->info.family = CXFW_FAMILY_MLX5;
	card->info.state = CXFW_STATE_RUNNING;
	card->info.running_valid = card->device.has & IMAGE_HAS_VERSION;
	memcpy(card->info.running, card->device.version, sizeof(card->info.running));
	facts = card_devlink(card->card);
	card->pending.known = scan_version(facts->stored, card->pending.version);
	card->pending.waiting = card->pending.known && card->info.running_valid &&
				!same_version(card->pending.version, card->info.running);
	return 0;
}

int burn_card_read(struct burn *burn, struct cxctl_error *error)
{
	struct burn_card *card = &burn->card;
	struct burn_function functions[BURN_FUNCTIONS];
	size_t count;

	burn_functions_of(card->card, functions, &count);
	if (burn_guard_functions(functions, count, error))
		return -1;
	error_clear(error);
	if (burn->request->method == BURN_METHOD_DEVLINK ||
	    (burn->request->method == BURN_METHOD_AUTO && card_access(card->card, error)))
		return read_by_devlink(burn, error);
	if (card_access(card->card, error) || refuse_busy(card->card, error) || card_info(card->card, &card->info, error))
		return -1;
	if (card->info.flash_size) {
		if (read_flash(card, error))
			return -1;
	} else if (!(card->info.capabilities & CXFW_CAP_COMPONENT)) {
		return card_no_flash(card->card, &card->info, error);
	}
	if (!card->has_device)
		facts_of_registers(card);
	read_pending(card, burn->options);
	if (card->info.family == CXFW_FAMILY_MLX5 && card->info.state == CXFW_STATE_RUNNING)
		burn_security_of(card->card, &card->info, &card->security);
	return 0;
}

void burn_card_close(struct burn_card *card)
{
	flash_reader_close(&card->flash);
	if (card->card)
		card_close(card->card);
	card->card = NULL;
}
