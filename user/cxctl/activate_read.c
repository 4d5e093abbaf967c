// SPDX-License-Identifier: GPL-2.0-only
/* What is known of the card, its firmware, its users, and of what was tried before. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../device/registers.h"
#include "../host/upstream.h"
#include "../image/image.h"
#include "activate.h"
#include "flash_reader.h"
#include "journal.h"

#define REGISTER_MFRL	0x9028
#define MFRL_BYTES	8

static void version_text(const struct cxctl_version *version, char *text, size_t room)
{
	if (version->valid)
		snprintf(text, room, "%u.%u.%u", version->major, version->minor, version->subminor);
}

bool activate_running(struct cxctl_card *card, char *version, size_t room)
{
	const struct cxctl_card_facts *facts = card_facts(card);
	struct cxctl_error ignored;
	struct cxfw_card_info info;

	*version = '\0';
	if (facts->valid && facts->state == CXFW_STATE_ABSENT)
		return false;
	if (facts->running.valid)
		version_text(&facts->running, version, room);
	else if (!card_access(card, &ignored) && !card_info(card, &info, &ignored) && info.running_valid)
		snprintf(version, room, "%u.%u.%u", info.running[0], info.running[1], info.running[2]);
	else if (*card_devlink(card)->running)
		snprintf(version, room, "%.*s", (int)room - 1, card_devlink(card)->running);
	else if (*card_pci(card)->fw_version)
		snprintf(version, room, "%.*s", (int)room - 1, card_pci(card)->fw_version);
	return facts->valid || *version;
}

/* ---- functions ---- */

static void add_function(struct activate *activate, const char *address)
{
	struct pci_function *function = &activate->functions[activate->function_count];

	if (activate->function_count < ACTIVATE_FUNCTIONS && !pci_read(address, function) &&
	    !function->is_virtual)
		activate->function_count++;
}

static void read_functions(struct activate *activate)
{
	const struct cxctl_card_facts *facts = card_facts(activate->card);
	const struct pci_function *own = card_pci(activate->card);
	char address[16];
	unsigned int i;

	for (i = 0; facts->valid && i < facts->function_count; i++)
		add_function(activate, facts->functions[i].address);
	/* Without the driver the functions of a slot are taken for one card. */
	for (i = 0; !activate->function_count && i < 8; i++) {
		snprintf(address, sizeof(address), "%.*s.%u", (int)strcspn(own->address, "."), own->address, i);
		add_function(activate, address);
	}
}

static void judge_drivers(struct activate *activate)
{
	struct activate_facts *facts = &activate->facts;
	size_t i;

	for (i = 0; i < activate->function_count; i++) {
		const struct pci_function *function = &activate->functions[i];

		if (!*function->driver)
			continue;
		if (!strcmp(function->driver, "mlx4_core") || !strcmp(function->driver, "mlx5_core")) {
			facts->bound++;
		} else if (!*facts->foreign) {
			memcpy(facts->foreign, function->driver, sizeof(facts->foreign));
			memcpy(facts->foreign_function, function->address, sizeof(facts->foreign_function));
		}
	}
}

/* The firmware's own word on who else has the card: device-access.md 4.0, MPIR. */
static bool has_other_hosts(struct cxctl_card *card)
{
	uint8_t bytes[MPIR_BYTES] = { 0 };
	struct cxctl_error ignored;
	uint32_t word;

	if (card_register(card, REGISTER_MPIR, bytes, sizeof(bytes), NULL, &ignored))
		return false;
	word = be32_at(bytes, 0);
	return word >> 31 || (word & 0xf) > 1;
}

static void read_facts(struct activate *activate)
{
	const struct cxctl_card_facts *driver = card_facts(activate->card);
	const struct pci_function *pci = card_pci(activate->card);
	const char *model = pci_model(pci->device, NULL);
	struct activate_facts *facts = &activate->facts;
	uint8_t bytes[MFRL_BYTES] = { 0 };
	struct cxctl_error ignored;
	bool by_id = false;

	pci_model(pci->device, &by_id);
	facts->mlx4 = driver->valid ? driver->family == CXFW_FAMILY_MLX4 : pci_is_mlx4(pci->device);
	facts->dpu = model && !strncmp(model, "BlueField", 9);
	facts->recovery = driver->valid && driver->state != CXFW_STATE_UNKNOWN ?
			  driver->state == CXFW_STATE_RECOVERY : by_id;
	facts->absent = driver->valid && driver->state == CXFW_STATE_ABSENT;
	facts->driver = !card_access(activate->card, &ignored);
	facts->can_reset = driver->capabilities & CXFW_CAP_ACTIVATE;
	upstream_trouble(pci->address, activate->functions, activate->function_count, facts->no_link,
			 sizeof(facts->no_link));
	judge_drivers(activate);
	facts->devlink = !strcmp(pci->driver, "mlx5_core") && card_devlink(activate->card)->valid;
	if (facts->mlx4 || facts->recovery || !facts->driver ||
	    card_register(activate->card, REGISTER_MFRL, bytes, sizeof(bytes), NULL, &ignored))
		return;
	facts->mfrl = true;
	facts->levels = be32_at(bytes, 4) & 0xff;
	facts->other_hosts = has_other_hosts(activate->card);
}

/* ---- firmware ---- */

/* What the flash would start. False: it cannot be told. */
static bool read_flash(struct activate *activate)
{
	struct image_facts *facts = calloc(1, sizeof(*facts));
	struct cxctl_error ignored;
	struct cxfw_card_info info;
	struct flash_reader flash;
	struct image_error why;
	bool found = false;

	if (facts && !card_info(activate->card, &info, &ignored) && info.flash_size &&
	    !flash_reader_open(&flash, activate->card, info.flash_size)) {
		found = !image_query(&flash.reader, IMAGE_LAYOUT_FLASH, IMAGE_QUICK_ROM, facts, &why) &&
			facts->has & IMAGE_HAS_VERSION;
		if (found)
			snprintf(activate->stored, sizeof(activate->stored), "%u.%u.%u", facts->version[0],
				 facts->version[1], facts->version[2]);
		if (found && !*activate->psid && facts->has & IMAGE_HAS_PSID)
			snprintf(activate->psid, sizeof(activate->psid), "%.16s", facts->psid);
		flash_reader_close(&flash);
	}
	free(facts);
	return found;
}

static void read_firmware(struct activate *activate)
{
	const struct cxctl_card_facts *facts = card_facts(activate->card);
	const struct cxctl_devlink_facts *devlink = card_devlink(activate->card);

	activate_running(activate->card, activate->running, sizeof(activate->running));
	snprintf(activate->psid, sizeof(activate->psid), "%.16s",
		 *facts->psid ? facts->psid : *devlink->psid ? devlink->psid : card_pci(activate->card)->board_id);
	if (facts->stored.valid)
		version_text(&facts->stored, activate->stored, sizeof(activate->stored));
	else if (*devlink->stored)
		snprintf(activate->stored, sizeof(activate->stored), "%.23s", devlink->stored);
	else if (activate->facts.driver && !activate->facts.absent)
		read_flash(activate);
}

/* The record of a burn, unless the card's own words are against it. */
static int read_record(struct activate *activate, struct cxctl_error *error)
{
	struct pending *pending = &activate->pending;
	const char *running = *activate->running ? activate->running : NULL;
	const struct cxctl_card_facts *facts = card_facts(activate->card);
	const char *psid = *activate->psid ? activate->psid : NULL;
	uint32_t hw_id = facts->hw_id_valid ? facts->hw_id : 0;
	int result = pending_read_of(activate->address, psid, hw_id, activate->options, pending, error);

	if (result < 0)
		return -1;
	activate->recorded = result > 0;
	if (activate->recorded && *activate->stored && !version_same(activate->stored, pending->to))
		activate->recorded = false;	/* somebody has burned something else since */
	if (activate->recorded) {
		activate->waits = pending_waits(pending, running);
		snprintf(activate->stored, sizeof(activate->stored), "%s", pending->to);
	} else {
		memset(pending, 0, sizeof(*pending));
		snprintf(pending->card, sizeof(pending->card), "%s", activate->address);
		snprintf(pending->psid, sizeof(pending->psid), "%s", activate->psid);
		pending->hw_id = hw_id;
		pending_serial(activate->address, pending->serial, sizeof(pending->serial));
		snprintf(pending->from, sizeof(pending->from), "%s", activate->running);
		snprintf(pending->to, sizeof(pending->to), "%s", activate->stored);
		activate->waits = *activate->stored && (!running || !version_same(running, activate->stored));
	}
	activate->facts.tried = pending->tried;
	return 0;
}

int activate_read(struct activate *activate, struct cxctl_error *error)
{
	snprintf(activate->address, sizeof(activate->address), "%s", card_address(activate->card));
	read_functions(activate);
	if (activate_driver_mend(activate, error))
		return -1;
	read_facts(activate);
	read_firmware(activate);
	/* Nobody tells what runs: then nothing can be compared, and the reason is why the driver is no help. */
	if (!*activate->running && !activate->facts.recovery && !activate->facts.absent &&
	    card_access(activate->card, error))
		return -1;
	return read_record(activate, error);
}

/* ---- after a reboot ---- */

static void journal_settled(const struct activate *activate, enum activate_level level, const char *result)
{
	struct journal_entry *entry = journal_begin("activate-end");
	struct cxctl_error error;

	journal_string(entry, "card", activate->address);
	journal_string(entry, "psid", activate->psid);
	journal_string(entry, "from", activate->pending.from);
	journal_string(entry, "to", activate->pending.to);
	journal_string(entry, "level", activate_level_name(level));
	journal_string(entry, "result", result);
	if (journal_write(entry, &error))
		error_print(&error);
}

void activate_settle(struct activate *activate)
{
	struct pending *pending = &activate->pending;
	enum activate_level level = pending->waits == LEVEL_POWER_CYCLE ? LEVEL_POWER_CYCLE : LEVEL_REBOOT;
	bool write = !activate->request->dry_run && !activate->request->status;
	struct cxctl_error error;

	/* What is not known is not judged. */
	if (!*activate->running && !activate->facts.recovery)
		return;
	if (!activate->recorded || !pending_rebooted(pending)) {
		if (activate->recorded && !activate->waits && write)
			pending_forget(activate->address);
		return;
	}
	if (!activate->waits) {
		if (write) {
			journal_settled(activate, level, "done");
			pending_forget(activate->address);
		}
		return;
	}
	pending->tried |= 1U << level;
	pending->waits = LEVEL_NONE;
	activate->facts.tried = pending->tried;
	say(activate->options, level == LEVEL_REBOOT ?
	    _("%s: the machine was rebooted since, and %s still runs") :
	    _("%s: the machine was switched off and on since (or only rebooted), and %s still runs"),
	    activate->address, *activate->running ? activate->running : _("no firmware"));
	if (!write)
		return;
	journal_settled(activate, level, "unchanged");
	if (pending_write(pending, &error))
		error_print(&error);
}
