// SPDX-License-Identifier: GPL-2.0-only
/*
 * cxctl restore CARD --guid --mac --vsd, without a file: the card keeps its firmware and all else, and gets
 * another identity in its device data. firmware-images.md 3.7, 4.4.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "restore.h"

bool restore_wants_identity(const struct restore_request *request)
{
	return !request->file && (request->has_guid || request->has_mac || request->vsd);
}

static int closed_card(const struct restore *restore, struct cxctl_error *error)
{
	error_set(error, CXCTL_REFUSED, "identity-closed", _("the card keeps its flash closed: its identity cannot be set"));
	error_found(error, _("GUIDs, MACs and VSD stand in device data, which only the firmware may write"));
	error_next(error, _("ask the vendor; cxctl access %s tells what this card offers"), card_address(restore->card));
	return -1;
}

static int not_here(const struct restore *restore, const struct image_error *why, struct cxctl_error *error)
{
	error_set(error, CXCTL_REFUSED, "identity-not-here", _("the identity of this card is not set alone"));
	error_found(error, "%.250s", why->text);
	error_expected(error, _("a card of format FS4 or FS5, with two copies of DEV_INFO"));
	if (restore->target.format == IMAGE_FS2)
		error_next(error, _("give the identity to the image that is burned: cxctl burn %s -i IMAGE --guid GUID --mac MAC"),
			   card_address(restore->card));
	else
		error_next(error, _("a backup of this card brings its own identity back: cxctl restore %s BACKUP"),
			   card_address(restore->card));
	return -1;
}

static int refused(const struct restore *restore, int code, const struct image_error *why,
		   struct cxctl_error *error)
{
	if (restore->flash.error.exit) {
		*error = restore->flash.error;
		return -1;
	}
	if (code == -EOPNOTSUPP)
		return not_here(restore, why, error);
	return error_set(error, CXCTL_REFUSED, "identity", "%s", why->text);
}

/* Who the card will be, where it is not told anew who it is. */
static void take_identity(struct restore *restore)
{
	struct backup_identity *will = &restore->source.backup.identity;
	const struct restore_request *request = restore->request;

	*will = restore->now;
	if (request->has_guid) {
		will->has_guid = true;
		will->guid = request->guid;
	}
	if (request->has_mac) {
		will->has_mac = true;
		will->mac = request->mac;
	}
}

int restore_identity_open(struct restore *restore, struct cxctl_error *error)
{
	const struct restore_request *request = restore->request;
	struct restore_source *source = &restore->source;
	struct image_edit edit = {
		.set_guids = request->has_guid, .guid = { request->guid },
		.set_macs = request->has_mac, .mac = { request->mac }, .vsd = request->vsd,
	};
	struct image_error why = { .text = "" };
	int code;

	if (!restore->info.flash_size)
		return closed_card(restore, error);
	code = image_device_edit(&restore->target, &restore->state, &edit, &source->identity, &why);
	if (code && code != -ENOENT)
		return refused(restore, code, &why, error);
	source->is_identity = true;
	source->facts = restore->state.old_facts;
	restore->proof = PROOF_GIVEN;
	take_identity(restore);
	/* Nothing to change: the flash as it is. */
	source->reader = code ? restore->flash.reader : image_device_edit_reader(&source->identity);
	return 0;
}

void restore_identity_text(const struct restore *restore, char text[300])
{
	const struct restore_request *request = restore->request;
	int used = 0;

	text[0] = '\0';
	if (request->has_guid)
		used = snprintf(text, 300, "GUID %016" PRIx64, request->guid);
	if (request->has_mac)
		used += snprintf(text + used, 300 - used, "%sMAC %012" PRIx64, used ? ", " : "", request->mac);
	if (request->vsd)
		snprintf(text + used, 300 - used, "%sVSD %s", used ? ", " : "", request->vsd);
}
