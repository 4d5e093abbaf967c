// SPDX-License-Identifier: GPL-2.0-only
/* cxctl burn: what it was asked for. */
#include <string.h>

#include "../base/hexadecimal.h"
#include "burn.h"

enum {
	OPTION_IMAGE,
	OPTION_DRY_RUN,
	OPTION_YES,
	OPTION_METHOD,
	OPTION_BACKUP,
	OPTION_REASON,
	OPTION_PSID,
	OPTION_RETAG,
	OPTION_ROM,
	OPTION_VSD,
	OPTION_GUID,
	OPTION_MAC,
	OPTION_IMAGE_IDENTITY,
	OPTION_REBURN,
	OPTION_DOWNGRADE,
	OPTION_PSID_CHANGE,
	OPTION_BOARD_CHANGE,
	OPTION_OVER_PENDING,
	OPTION_UNKNOWN_FLASH,
	OPTION_ROM_CHANGE,
	OPTION_CLEAR_PROTECTION,
};

static int take_id(const char *option, const char *argument, unsigned int bits, uint64_t *value,
		   struct cxctl_error *error)
{
	const char *end = hexadecimal_parse(argument, bits, value);

	if (end && !*end)
		return 0;
	error_set(error, CXCTL_USAGE, "bad-option", _("--%s: %s is not such an address"), option, argument);
	error_expected(error, _("%u hexadecimal digits"), bits / 4);
	return -1;
}

static int take_guid(struct burn_request *request, const char *argument, struct cxctl_error *error)
{
	if (take_id("guid", argument, 64, &request->guid, error))
		return -1;
	if (image_guid_is_dummy(request->guid) || request->guid > UINT64_MAX - 3)
		return error_set(error, CXCTL_USAGE, "bad-option", _("--guid: no card may carry %s"), argument);
	request->has_guid = true;
	return 0;
}

static int take_mac(struct burn_request *request, const char *argument, struct cxctl_error *error)
{
	if (take_id("mac", argument, 48, &request->mac, error))
		return -1;
	if (image_mac_is_dummy(request->mac) || request->mac >> 40 & 1 || (request->mac + 1) >> 48)
		return error_set(error, CXCTL_USAGE, "bad-option", _("--mac: no card may carry %s"), argument);
	request->has_mac = true;
	return 0;
}

static int take_rom(struct burn_request *request, const char *argument, struct cxctl_error *error)
{
	request->rom_of_image = !strcmp(argument, "image");
	request->rom_none = !strcmp(argument, "none");
	request->rom_keep_named = !strcmp(argument, "keep");
	if (request->rom_of_image || request->rom_none || request->rom_keep_named)
		return 0;
	error_set(error, CXCTL_USAGE, "bad-option", _("--rom: %s is unknown"), argument);
	error_expected(error, _("keep, image or none"));
	return -1;
}

static int take_method(struct burn_request *request, const char *argument, struct cxctl_error *error)
{
	static const char *const names[] = {
		[BURN_METHOD_AUTO] = "auto", [BURN_METHOD_FLASH] = "flash", [BURN_METHOD_COMPONENT] = "component",
		[BURN_METHOD_DEVLINK] = "devlink",
	};
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(argument, names[i])) {
			request->method = i;
			return 0;
		}
	error_set(error, CXCTL_USAGE, "bad-option", _("--method: %s is unknown"), argument);
	error_expected(error, _("auto, flash, component or devlink"));
	return -1;
}

static int take_text(const char *option, const char *argument, const char **text, struct cxctl_error *error)
{
	*text = argument;
	if (*argument)
		return 0;
	return error_set(error, CXCTL_USAGE, "bad-option", _("--%s: no text"), option);
}

/* Options without an argument: where each is kept. */
static bool *flag(struct burn_request *request, size_t index)
{
	switch (index) {
	case OPTION_DRY_RUN:
		return &request->dry_run;
	case OPTION_YES:
		return &request->yes;
	case OPTION_RETAG:
		return &request->retag;
	case OPTION_IMAGE_IDENTITY:
		return &request->use_image_identity;
	case OPTION_REBURN:
		return &request->permits.reburn;
	case OPTION_DOWNGRADE:
		return &request->permits.downgrade;
	case OPTION_BOARD_CHANGE:
		return &request->permits.board_change;
	case OPTION_OVER_PENDING:
		return &request->permits.over_pending;
	case OPTION_UNKNOWN_FLASH:
		return &request->permits.unknown_flash;
	case OPTION_ROM_CHANGE:
		return &request->permits.rom_change;
	case OPTION_CLEAR_PROTECTION:
		return &request->permits.clear_protection;
	}
	return NULL;
}

static int take(void *data, size_t index, const char *argument, struct cxctl_error *error)
{
	struct burn_request *request = data;
	bool *on = flag(request, index);

	if (on) {
		*on = true;
		return 0;
	}
	switch (index) {
	case OPTION_IMAGE:
		request->image = argument;
		return 0;
	case OPTION_METHOD:
		return take_method(request, argument, error);
	case OPTION_BACKUP:
		request->backup = argument;
		return 0;
	case OPTION_REASON:
		return take_text("reason", argument, &request->reason, error);
	case OPTION_PSID:
		return image_take_psid(argument, &request->psid, error);
	case OPTION_PSID_CHANGE:
		return image_take_psid(argument, &request->permits.psid_change, error);
	case OPTION_ROM:
		return take_rom(request, argument, error);
	case OPTION_VSD:
		request->vsd = argument;
		return 0;
	case OPTION_GUID:
		return take_guid(request, argument, error);
	case OPTION_MAC:
		return take_mac(request, argument, error);
	}
	return 0;
}

/* What is wrong with a request whatever the cards are. */
static int check_request(const struct burn_request *request, size_t cards, struct cxctl_error *error)
{
	if (!request->image || !*request->image) {
		error_set(error, CXCTL_USAGE, "no-image", _("no image named"));
		error_next(error, _("cxctl burn CARD -i IMAGE"));
		return -1;
	}
	if (request->backup && !*request->backup)
		return error_set(error, CXCTL_USAGE, "no-file", _("no file named"));
	if (!cards) {
		error_set(error, CXCTL_USAGE, "no-card-named", _("no card named: a burn never chooses one"));
		error_next(error, _("cxctl list shows the cards"));
		return -1;
	}
	if (cards > BURN_CARDS_MOST) {
		error_set(error, CXCTL_USAGE, "too-many-cards", _("%zu cards at once"), cards);
		error_expected(error, _("at most %u cards"), BURN_CARDS_MOST);
		return -1;
	}
	if (request->retag && request->permits.psid_change) {
		error_set(error, CXCTL_USAGE, "bad-option", _("--retag keeps the card's PSID, --psid-change changes it"));
		error_next(error, _("give one of them"));
		return -1;
	}
	if (cards == 1)
		return 0;
	if (request->backup)
		return error_set(error, CXCTL_USAGE, "one-card-only", _("--backup names one file; there are %zu cards"),
				 cards);
	if (request->has_guid || request->has_mac || request->use_image_identity) {
		error_set(error, CXCTL_USAGE, "one-card-only", _("an identity belongs to one card; there are %zu"), cards);
		error_rule(error, _("every card needs GUIDs and MACs of its own; two with the same disturb each other on the network"));
		return -1;
	}
	return 0;
}

int cmd_burn(struct options *options, int argc, char **argv)
{
	static const struct option_extra extra[] = {
		[OPTION_IMAGE] = { "image", 'i', N_("PATH"),
				   N_("image, container, directory, catalogue or backup; chosen by the card's PSID") },
		[OPTION_DRY_RUN] = { "dry-run", 'n', NULL, N_("show the plan and change nothing") },
		[OPTION_YES] = { "yes", 'y', NULL, N_("do not ask; lifts no guard") },
		[OPTION_METHOD] = { "method", 0, N_("WAY"),
				    N_("flash (cxfw writes it), component (the firmware updates itself), devlink (the bound driver), auto") },
		[OPTION_BACKUP] = { "backup", 0, N_("FILE"), N_("where to save the card as it was") },
		[OPTION_REASON] = { "reason", 0, N_("TEXT"), N_("why, for the journal") },
		[OPTION_PSID] = { "psid", 0, "PSID", N_("take this image of a container, whatever the card's PSID is") },
		[OPTION_RETAG] = { "retag", 0, NULL, N_("give the image the card's PSID first") },
		[OPTION_ROM] = { "rom", 0, N_("WHICH"), N_("expansion ROM: keep (the card's), image or none") },
		[OPTION_VSD] = { "vsd", 0, N_("TEXT"), N_("another VSD than the card's") },
		[OPTION_GUID] = { "guid", 0, "GUID", N_("for a card that lost its own: the first GUID") },
		[OPTION_MAC] = { "mac", 0, "MAC", N_("for a card that lost its own: the first MAC") },
		[OPTION_IMAGE_IDENTITY] = { "use-image-identity", 0, NULL,
					    N_("for a card that lost its own: GUIDs and MACs of the image") },
		[OPTION_REBURN] = { "reburn", 0, NULL, N_("allow the version that is there already") },
		[OPTION_DOWNGRADE] = { "downgrade", 0, NULL, N_("allow an older version") },
		[OPTION_PSID_CHANGE] = { "psid-change", 0, "PSID", N_("allow that the card gets this PSID, the image's") },
		[OPTION_BOARD_CHANGE] = { "accept-board-change", 0, NULL, N_("allow an image for another board") },
		[OPTION_OVER_PENDING] = { "over-pending", 0, NULL,
					  N_("allow that firmware is lost that waits for its activation") },
		[OPTION_UNKNOWN_FLASH] = { "accept-unknown-flash", 0, NULL,
					   N_("allow a flash chip that the new firmware does not name") },
		[OPTION_ROM_CHANGE] = { "allow-rom-change", 0, NULL,
					N_("allow a ROM that the vendor did not test with the image") },
		[OPTION_CLEAR_PROTECTION] = { "clear-protection", 0, NULL,
					      N_("allow that the flash chip's write protection is cleared") },
	};
	static const struct usage usage = {
		.name = "burn",
		.synopsis = "CARD... -i PATH [options]",
		.summary = N_("Writes a firmware image to cards. GUIDs, MACs, VSD, ROM and settings stay the card's."),
		.details = N_("The old image stays whole until the new one is written, read back and verified.\n"
			      "A backup is saved first, to /var/lib/cxctl/backups (or $XDG_STATE_HOME/cxctl/backups).\n"
			      "Several cards are burned together, but never two legs of one bond.\n"
			      "The new firmware runs after cxctl activate."),
		.extra = extra,
		.extra_count = sizeof(extra) / sizeof(extra[0]),
		.take = take,
	};
	char *names[BURN_CARDS_MOST + 1];
	size_t count = 0;
	struct burn_request request = { 0 };
	struct cxctl_error error;
	int first, code;

	if (command_options(options, &usage, argc, argv, &request, &first, &code))
		return code;
	if (options->device)
		names[count++] = (char *)options->device;
	for (; first < argc && count <= BURN_CARDS_MOST; first++)
		names[count++] = argv[first];
	if (check_request(&request, count, &error))
		return command_fail(options, &error);
	return burn_cards(&request, options, names, count);
}
