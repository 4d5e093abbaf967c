// SPDX-License-Identifier: GPL-2.0-only
/*
 * cxctl burn: image and card are read and judged, the plan is shown and confirmed, a
 * backup is saved, and the driver runs the plan.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/hexadecimal.h"
#include "burn.h"

enum {
	OPTION_IMAGE,
	OPTION_DRY_RUN,
	OPTION_YES,
	OPTION_BACKUP,
	OPTION_ROM,
	OPTION_REBURN,
	OPTION_DOWNGRADE,
	OPTION_IMAGE_IDENTITY,
	OPTION_GUID,
	OPTION_MAC,
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
	if (request->rom_of_image || !strcmp(argument, "keep"))
		return 0;
	error_set(error, CXCTL_USAGE, "bad-option", _("--rom: %s is unknown"), argument);
	error_expected(error, _("keep or image"));
	return -1;
}

static int take(void *data, size_t index, const char *argument, struct cxctl_error *error)
{
	struct burn_request *request = data;

	switch (index) {
	case OPTION_IMAGE:
		request->image = argument;
		return 0;
	case OPTION_DRY_RUN:
		request->dry_run = true;
		return 0;
	case OPTION_YES:
		request->yes = true;
		return 0;
	case OPTION_BACKUP:
		request->backup = argument;
		return 0;
	case OPTION_ROM:
		return take_rom(request, argument, error);
	case OPTION_REBURN:
		request->permits.reburn = true;
		return 0;
	case OPTION_DOWNGRADE:
		request->permits.downgrade = true;
		return 0;
	case OPTION_IMAGE_IDENTITY:
		request->use_image_identity = true;
		return 0;
	case OPTION_GUID:
		return take_guid(request, argument, error);
	case OPTION_MAC:
		return take_mac(request, argument, error);
	}
	return 0;
}

/* What user/image/ could not do, or what kept it from the card. */
static int image_trouble(const struct burn *burn, const struct image_error *why, enum cxctl_exit exit,
			 const char *id, struct cxctl_error *error)
{
	if (burn->card.flash.error.exit) {
		*error = burn->card.flash.error;
		return -1;
	}
	return error_set(error, exit, id, "%s", why->text);
}

static int read_card(struct burn *burn, struct cxctl_error *error)
{
	struct burn_card *card = &burn->card;
	struct burn_function functions[BURN_FUNCTIONS];
	size_t count;
	struct image_error why;

	burn_functions_of(card->card, functions, &count);
	if (card_access(card->card, error) || burn_guard_functions(functions, count, error) ||
	    card_info(card->card, &card->info, error) ||
	    burn_guard_format(&burn->image.facts, &card->info, error) ||
	    burn_guard_method(BURN_METHOD_FLASH, &burn->image.facts, &card->info, error) ||
	    (!card->info.flash_size && card_no_flash(card->card, &card->info, error)) ||
	    burn_guard_flash(&card->info, error) ||
	    burn_guard_hardware(&burn->image.facts, card->info.hw_id, card->info.hw_revision, error))
		return -1;
	if (flash_reader_open(&card->flash, card->card, card->info.flash_size))
		return error_set(error, CXCTL_FAILED, "memory", _("no memory for the flash's content"));
	card->target.flash = &card->flash.reader;
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
	if (image_flash_state(&card->target, &card->state, &why))
		return image_trouble(burn, &why, CXCTL_FAILED, "flash", error);
	return 0;
}

/* The same bytes as on the flash: nothing is to be done. */
static bool flash_holds(const struct burn *burn)
{
	const struct image_flash_state *state = &burn->card.state;
	struct image_facts facts = state->old_facts;
	uint8_t *bytes;
	size_t length;
	bool same;

	if (!state->has_old || !state->has_facts || facts.length != burn->length ||
	    image_load(&burn->card.flash.reader, &facts, &bytes, &length, NULL))
		return false;
	same = length == burn->length && !memcmp(bytes, burn->bytes, length);
	free(bytes);
	return same;
}

static int make_plan(struct burn *burn, struct cxctl_error *error)
{
	const struct image_flash_state *state = &burn->card.state;
	struct burn_psids psids = {
		.image = burn->image.facts.psid, .card = state->old_facts.psid, .method = BURN_METHOD_FLASH,
	};
	struct image_error why;

	if (state->has_facts && burn_guard_psid(&psids, &burn->request->permits, error))
		return -1;
	if (burn_identity_decide(burn, error))
		return -1;
	burn->already = flash_holds(burn) && !burn->request->permits.reburn;
	if (burn->already)
		return 0;
	/* A damaged image may be mended with any version. */
	if (state->has_old && state->has_facts && state->whole[state->old] &&
	    burn_guard_version(&burn->facts, &state->old_facts, &burn->request->permits, error))
		return -1;
	if (image_plan_make(&burn->card.target, state, burn->bytes, burn->length, &burn->facts, &burn->plan, &why))
		return image_trouble(burn, &why, CXCTL_REFUSED, "no-plan", error);
	return 0;
}

static int not_confirmed(const char *id, const char *found, struct cxctl_error *error)
{
	error_set(error, CXCTL_REFUSED, id, _("nothing was changed"));
	error_found(error, "%s", found);
	error_next(error, _("answer y, or add -y; -n shows the plan only"));
	return -1;
}

static int confirm(const struct burn *burn, struct cxctl_error *error)
{
	char answer[16] = "";

	if (burn->request->yes)
		return 0;
	if (output_is_json(burn->output) || !isatty(STDIN_FILENO))
		return not_confirmed("not-confirmed", _("no terminal to ask the question on"), error);
	fflush(stdout);
	fprintf(stderr, "%s ", _("Burn this? [y/N]"));
	fflush(stderr);
	if (!fgets(answer, sizeof(answer), stdin))
		answer[0] = '\0';
	if (*answer == 'y' || *answer == 'Y')
		return 0;
	return not_confirmed("declined", _("the question was not answered with y"), error);
}

static int already(const struct burn *burn)
{
	const uint32_t *version = burn->facts.version;
	bool pending = burn->card.info.running_valid &&
		       memcmp(burn->card.info.running, version, sizeof(burn->facts.version));

	if (pending)
		output_string(burn->output, "pending_action", "power-cycle");
	output_line(burn->output, _("%s: the flash holds exactly this already (%u.%u.%u with the card's identity); nothing to do."),
		    card_address(burn->card.card), version[0], version[1], version[2]);
	if (pending)
		output_line(burn->output, "%s", _("It runs after the next power cycle."));
	return CXCTL_DONE;
}

static void version_text(const uint32_t version[3], char text[48])
{
	snprintf(text, 48, "%u.%u.%u", version[0], version[1], version[2]);
}

static int run(struct burn *burn, struct cxctl_error *error)
{
	char from[48], to[48];
	struct burn_record record = {
		.what = "burn", .psid = burn->facts.psid, .to = to, .method = "flash", .image = burn->image.path,
		.image_sha256 = burn->image.sha256, .backup = burn->backup, .reason = burn->request->reason,
	};
	struct cxctl_job job;

	output_string(burn->output, "backup", burn->backup);
	version_text(burn->facts.version, to);
	if (burn->card.state.has_facts) {
		version_text(burn->card.state.old_facts.version, from);
		record.from = from;
	}
	if (burn_work(burn->card.card, &burn->card.info, &burn->plan, burn->bytes, &record, burn->output,
		      burn->options, &job, error))
		return -1;
	output_line(burn->output, _("Burned %u.%u.%u to slot %u of %s: %llu KiB erased, %llu KiB programmed, %llu KiB were right already."),
		    burn->facts.version[0], burn->facts.version[1], burn->facts.version[2],
		    burn->plan.target_slot,
		    card_address(burn->card.card), (unsigned long long)job.erased >> 10,
		    (unsigned long long)job.programmed >> 10, (unsigned long long)job.skipped >> 10);
	output_line(burn->output, _("The backup is %s."), burn->backup);
	output_line(burn->output, "%s", _("What to do next: switch the machine off and on. A reboot that keeps the slot powered may not be enough. Until then the old firmware runs."));
	return CXCTL_DONE;
}

static int burn_with(struct burn *burn, struct cxctl_error *error)
{
	if (burn_image_read(burn->request->image, &burn->image, error) || read_card(burn, error) ||
	    make_plan(burn, error))
		return -1;
	if (burn->already)
		return already(burn);
	burn_show_plan(burn);
	if (burn->request->dry_run)
		return CXCTL_DONE;
	/* A plan that nobody can read is none. */
	if (fflush(stdout) || ferror(stdout))
		return error_set(error, CXCTL_FAILED, "output", _("cannot write the answer to the standard output"));
	if (confirm(burn, error))
		return -1;
	burn_catch_interrupt();
	if (burn_save_backup(burn, error))
		return -1;
	return run(burn, error);
}

static int burn_one(struct cxctl_card *card, struct output *output, const struct options *options, void *data,
		    struct cxctl_error *error)
{
	struct burn *burn = calloc(1, sizeof(*burn));
	int code;

	if (!burn)
		return error_set(error, CXCTL_FAILED, "memory", _("no memory"));
	burn->request = data;
	burn->options = options;
	burn->output = output;
	burn->card.card = card;
	code = burn_with(burn, error);
	flash_reader_close(&burn->card.flash);
	burn_image_free(&burn->image);
	free(burn->identity.card_rom);
	free(burn->bytes);
	free(burn);
	return code;
}

int cmd_burn(struct options *options, int argc, char **argv)
{
	static const struct option_extra extra[] = {
		[OPTION_IMAGE] = { "image", 'i', N_("FILE"), N_("the image, or a backup of a flash") },
		[OPTION_DRY_RUN] = { "dry-run", 'n', NULL, N_("show the plan and change nothing") },
		[OPTION_YES] = { "yes", 'y', NULL, N_("do not ask; lifts no guard") },
		[OPTION_BACKUP] = { "backup", 0, N_("FILE"), N_("where to save the flash as it was") },
		[OPTION_ROM] = { "rom", 0, N_("WHICH"), N_("expansion ROM: keep (the card's, default) or image") },
		[OPTION_REBURN] = { "reburn", 0, NULL, N_("allow the version that the flash holds already") },
		[OPTION_DOWNGRADE] = { "downgrade", 0, NULL, N_("allow an older version") },
		[OPTION_IMAGE_IDENTITY] = { "use-image-identity", 0, NULL,
					    N_("for a card that lost its own: GUIDs and MACs of the image") },
		[OPTION_GUID] = { "guid", 0, N_("GUID"), N_("for a card that lost its own: the first of four GUIDs") },
		[OPTION_MAC] = { "mac", 0, N_("MAC"), N_("for a card that lost its own: the first of two MACs") },
	};
	static const struct usage usage = {
		.name = "burn",
		.synopsis = "CARD -i IMAGE [options]",
		.summary = N_("Writes a firmware image to a card. GUIDs, MACs, VSD, ROM and settings stay the card's."),
		.details = N_("The running image stays whole until the new one is written, read back and verified.\n"
			      "A backup is saved first, to /var/lib/cxctl/backups (or $XDG_STATE_HOME/cxctl/backups).\n"
			      "The new firmware runs after a power cycle."),
		.extra = extra,
		.extra_count = sizeof(extra) / sizeof(extra[0]),
		.take = take,
	};
	struct burn_request request = { 0 };
	struct cxctl_error error;
	int first, code;

	if (command_options(options, &usage, argc, argv, &request, &first, &code))
		return code;
	if (!request.image || !*request.image) {
		error_set(&error, CXCTL_USAGE, "no-image", _("no image named"));
		error_next(&error, _("cxctl burn CARD -i IMAGE"));
		return command_fail(options, &error);
	}
	if (request.backup && !*request.backup) {
		error_set(&error, CXCTL_USAGE, "no-file", _("no file named"));
		return command_fail(options, &error);
	}
	if (argc - first + !!options->device == 0) {
		error_set(&error, CXCTL_USAGE, "no-card-named", _("no card named: a burn never chooses one"));
		error_next(&error, _("cxctl list shows the cards"));
		return command_fail(options, &error);
	}
	return command_cards(options, argc, argv, first, 1, burn_one, &request);
}
