// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does the backup belong to this card? Another card's would make two cards with one identity. What
 * the chip and the flash must be is never lifted; who the card is may be said by its label.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "restore.h"

static void id_text(char text[64], const struct backup_identity *identity)
{
	size_t used = 0;

	text[0] = '\0';
	if (identity->has_guid)
		used = snprintf(text, 64, "GUID %016" PRIx64, identity->guid);
	if (identity->has_mac)
		snprintf(text + used, 64 - used, "%sMAC %012" PRIx64, used ? ", " : "", identity->mac);
	if (!*text)
		snprintf(text, 64, "%s", _("neither GUID nor MAC"));
}

static int check_chip(const struct restore *restore, struct cxctl_error *error)
{
	const struct restore_source *source = &restore->source;
	const struct backup_identity *was = &source->backup.identity;

	if (source->is_image || source->backup.plain)
		return burn_guard_hardware(&source->facts, restore->info.hw_id, restore->info.hw_revision,
					   error);
	if (was->hw_id == restore->info.hw_id)
		return 0;
	error_set(error, CXCTL_REFUSED, "other-chip", _("the backup is of another chip"));
	error_found(error, _("hardware id 0x%x"), was->hw_id);
	error_expected(error, "0x%x", restore->info.hw_id);
	error_rule(error, _("firmware runs on the chip that it was made for"));
	return -1;
}

static int check_flash(const struct restore *restore, struct cxctl_error *error)
{
	const struct restore_source *source = &restore->source;

	if (source->is_image || source->component || source->backup.flash.length == restore->info.flash_size)
		return 0;
	error_set(error, CXCTL_REFUSED, "flash-size", _("the backup is of a flash of another size"));
	error_found(error, _("%zu bytes"), source->backup.flash.length);
	error_expected(error, _("%u bytes, as the card's flash has"), restore->info.flash_size);
	error_rule(error, _("slots and device data lie where the size of the flash puts them"));
	return -1;
}

static bool label_matches(const struct restore_request *request, const struct backup_identity *was)
{
	if (!request->has_guid && !request->has_mac)
		return false;
	return (!request->has_guid || (was->has_guid && was->guid == request->guid)) &&
	       (!request->has_mac || (was->has_mac && was->mac == request->mac));
}

static int wrong_label(const struct restore *restore, struct cxctl_error *error)
{
	const struct backup_identity *was = &restore->source.backup.identity;
	struct backup_identity label = {
		.has_guid = restore->request->has_guid, .guid = restore->request->guid,
		.has_mac = restore->request->has_mac, .mac = restore->request->mac,
	};
	char found[64], expected[64];

	id_text(found, was);
	id_text(expected, &label);
	error_set(error, CXCTL_REFUSED, "other-card", _("the backup is not of the card with that label"));
	error_found(error, "%s", found);
	error_expected(error, "%s", expected);
	error_next(error, _("find this card's own backup; --accept-other-card gives it the identity in this one all the same"));
	return -1;
}

static int other_card(const struct restore *restore, struct cxctl_error *error)
{
	char found[64], expected[64];

	id_text(found, &restore->source.backup.identity);
	id_text(expected, &restore->now);
	error_set(error, CXCTL_REFUSED, "other-card", _("the backup is of another card"));
	error_found(error, "%s", found);
	error_expected(error, "%s", expected);
	error_rule(error, _("two cards with the same GUIDs and MACs disturb each other on the network"));
	error_next(error, _("cxctl burn %s -i FILE takes the firmware of a backup and keeps the card's identity. If the card carries a wrong one, prove it by the label: --guid or --mac; --accept-other-card asks for no proof"),
		   card_address(restore->card));
	return -1;
}

static int not_proven(const struct restore *restore, struct cxctl_error *error)
{
	char found[64], expected[64];

	id_text(found, &restore->now);
	id_text(expected, &restore->source.backup.identity);
	error_set(error, CXCTL_REFUSED, "not-proven", _("nothing proves that the backup is of this card"));
	error_found(error, _("the card tells: %s"), found);
	error_expected(error, _("as in the backup: %s"), expected);
	error_rule(error, _("two cards with the same GUIDs and MACs disturb each other on the network"));
	error_next(error, _("read the label on the card and give what stands there: --guid GUID or --mac MAC; --accept-other-card asks for no proof"));
	return -1;
}

/* GUID or MAC: one of them may have been changed by its owner since. */
static bool same_identity(const struct backup_identity *a, const struct backup_identity *b)
{
	return (a->has_guid && b->has_guid && a->guid == b->guid) ||
	       (a->has_mac && b->has_mac && a->mac == b->mac);
}

static bool same_serial(const struct backup_identity *a, const struct backup_identity *b)
{
	return *a->serial && !strcmp(a->serial, b->serial);
}

static int check_identity(struct restore *restore, struct cxctl_error *error)
{
	const struct backup_identity *was = &restore->source.backup.identity, *now = &restore->now;
	const struct restore_request *request = restore->request;

	if (restore->source.is_image) {
		restore->proof = PROOF_IMAGE;
		return 0;
	}
	if (request->accept_other_card)
		restore->proof = PROOF_ACCEPTED;
	if (label_matches(request, was))
		restore->proof = PROOF_LABEL;
	else if ((request->has_guid || request->has_mac) && !request->accept_other_card)
		return wrong_label(restore, error);
	if (same_identity(now, was))
		restore->proof = PROOF_IDENTITY;
	else if (!now->has_guid && !now->has_mac && same_serial(now, was))
		restore->proof = PROOF_SERIAL;
	if (restore->proof != PROOF_NONE)
		return 0;
	return now->has_guid || now->has_mac ? other_card(restore, error) : not_proven(restore, error);
}

/* The PSID comes back with the firmware. A change of it is named, as everywhere. */
static int check_psid(const struct restore *restore, struct cxctl_error *error)
{
	const char *was = restore->source.component ? restore->source.backup.identity.psid :
			  restore->source.facts.psid, *now = restore->now.psid;
	const char *change = restore->request->psid_change;

	if (!*was || !*now || !strcmp(was, now))
		return 0;
	if (restore->source.component) {
		error_set(error, CXCTL_REFUSED, "psid-secure", _("secure firmware does not let its PSID be changed"));
	} else if (change && !strcmp(change, was)) {
		return 0;
	} else {
		error_set(error, CXCTL_REFUSED, change ? "psid-not-this" : "psid",
			  _("the restore changes the PSID back"));
		error_next(error, _("if you want that, name it: --psid-change %s"), was);
	}
	error_found(error, "%s", now);
	error_expected(error, "%s", was);
	error_rule(error, _("a PSID stands for a board; whoever changes it says to what"));
	return -1;
}

int restore_prove(struct restore *restore, struct cxctl_error *error)
{
	if (check_chip(restore, error) || check_flash(restore, error) || check_identity(restore, error))
		return -1;
	return check_psid(restore, error);
}
