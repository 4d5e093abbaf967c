// SPDX-License-Identifier: GPL-2.0-only
/*
 * cxctl verify: every image on a card's flash, or what a closed card gives out of its firmware, checked by
 * everything that bytes allow; with -i also whether it is that image, the card's identity apart.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify.h"

struct verify {
	const char *image;		/* -i FILE, or NULL */
};

int verify_failed(const struct verification *v, const struct image_error *why, struct cxctl_error *error)
{
	if (v->flash.error.exit)
		*error = v->flash.error;
	else
		error_set(error, CXCTL_FAILED, "verify", "%s", why->text);
	return -1;
}

static void show_facts(struct verification *v, const struct image_place *place)
{
	struct image_facts facts;
	char version[48];

	if (image_facts(&v->reader, place, IMAGE_NO_ROM, &facts, NULL))
		return;
	snprintf(version, sizeof(version), "%u.%u.%u", facts.version[0], facts.version[1], facts.version[2]);
	output_string(v->output, "version", version);
	output_string(v->output, "psid", facts.psid);
	output_line(v->output, _("  version %s, PSID %s"), version, facts.psid);
}

static void show_verdict(struct verification *v, const struct image_place *place, enum image_verdict verdict)
{
	output_string(v->output, "verdict", verdict_id(verdict));
	switch (verdict) {
	case IMAGE_GOOD:
		output_line(v->output, _("  The image at 0x%x is whole."), place->address);
		break;
	case IMAGE_UNUSUAL:
		output_line(v->output, _("  The image at 0x%x is whole, but something in it is unusual."),
			    place->address);
		break;
	case IMAGE_DAMAGED:
		output_line(v->output, _("  The image at 0x%x is damaged."), place->address);
		break;
	}
}

static int verify_image(struct verification *v, const struct image_place *place, struct cxctl_error *error)
{
	struct image_listener listener = findings_listener(&v->findings);
	enum image_verdict verdict;
	struct image_error why;
	int code;

	output_object(v->output, NULL);
	output_number(v->output, "address", place->address);
	output_number(v->output, "slot", place->slot);
	output_string(v->output, "format", image_format_name(place->format));
	output_line(v->output, _("Image of format %s at 0x%x (slot %u):"), image_format_name(place->format),
		    place->address, place->slot);
	show_facts(v, place);
	output_array(v->output, "parts");
	code = image_verify(&v->reader, place, &listener, &verdict, &why);
	output_end(v->output);
	findings_write(&v->findings);
	if (!code)
		show_verdict(v, place, verdict);
	output_end(v->output);
	if (code == -EOPNOTSUPP && !v->flash.error.exit)
		return error_set(error, CXCTL_REFUSED, "format", "%s", why.text);
	return code ? verify_failed(v, &why, error) : 0;
}

/* A magic where no image can start: harmless, but a boot ROM may look there. */
static void show_leftover(struct verification *v, const struct image_place *place)
{
	v->findings.count++;
	output_object(v->output, NULL);
	output_number(v->output, "address", place->address);
	output_string(v->output, "format", image_format_name(place->format));
	output_string(v->output, "verdict", "leftover");
	output_end(v->output);
	output_line(v->output, _("  ! a magic of format %s stands at 0x%x, where no image can start"),
		    image_format_name(place->format), place->address);
}

static int verify_flash(struct verification *v, struct cxctl_error *error)
{
	struct image_error why;
	size_t i;
	int result = 0;

	if (image_locate(&v->reader, v->layout, v->places, IMAGE_PLACES, &v->count, &why))
		return verify_failed(v, &why, error);
	output_array(v->output, "images");
	for (i = 0; i < v->count && !result; i++) {
		if (v->places[i].misplaced) {
			show_leftover(v, &v->places[i]);
			continue;
		}
		v->live++;
		result = verify_image(v, &v->places[i], error);
	}
	output_end(v->output);
	if (result)
		return -1;
	if (!v->live) {
		v->findings.count++;
		output_line(v->output, "%s", _("  ! The flash holds no image: the card boots into recovery. Burn one, or restore a backup."));
	} else if (v->live > 1) {
		v->findings.count++;
		output_line(v->output, _("  ! %u images are alive: an earlier burn was interrupted after its commit. Burn again to settle which one stays."),
			    v->live);
	}
	return 0;
}

static int open_flash(struct verification *v, struct cxctl_error *error)
{
	if (flash_reader_open(&v->flash, v->card, v->info.flash_size))
		return error_set(error, CXCTL_FAILED, "memory", _("no memory for the flash's content"));
	v->reader = v->flash.reader;
	v->layout = IMAGE_LAYOUT_FLASH;
	output_string(v->output, "source", "flash");
	output_line(v->output, _("%s: %u KiB of flash"), card_address(v->card), v->info.flash_size >> 10);
	return 0;
}

static int open_component(struct verification *v, struct cxctl_error *error)
{
	if (verify_read_component(v, false, error))
		return -1;
	v->layout = IMAGE_LAYOUT_FILE;
	output_string(v->output, "source", "component");
	output_line(v->output, _("%s: the flash is closed; the firmware gave out %zu KiB of itself"),
		    card_address(v->card), v->component.length >> 10);
	return 0;
}

static int verify_all(struct verification *v, const char *image, struct cxctl_error *error)
{
	int result;

	if (v->info.flash_size)
		result = open_flash(v, error);
	else if (v->info.capabilities & CXFW_CAP_COMPONENT_READ)
		result = open_component(v, error);
	else
		return card_no_flash(v->card, &v->info, error);
	if (!result)
		result = verify_flash(v, error);
	if (!result && image)
		result = verify_compare(v, image, error);
	return result;
}

static int verify_one(struct cxctl_card *card, struct output *output, const struct options *options,
		      void *data, struct cxctl_error *error)
{
	struct verification v = { .output = output, .options = options, .card = card, .findings.output = output };
	const struct verify *request = data;
	int result;

	if (card_access(card, error) || card_info(card, &v.info, error))
		return -1;
	result = verify_all(&v, request->image, error);
	flash_reader_close(&v.flash);
	free((void *)v.component.bytes);
	if (result)
		return -1;
	output_number(output, "finding_count", v.findings.count);
	if (v.findings.count) {
		output_line(output, ngettext("%u finding.", "%u findings.", v.findings.count), v.findings.count);
		return CXCTL_FINDINGS;
	}
	output_line(output, "%s", _("No findings."));
	return CXCTL_DONE;
}

static int take(void *data, size_t index, const char *argument, struct cxctl_error *error)
{
	struct verify *verify = data;

	(void)index;
	(void)error;
	verify->image = argument;
	return 0;
}

int cmd_verify(struct options *options, int argc, char **argv)
{
	static const struct option_extra extra[] = {
		{ "image", 'i', N_("PATH"), N_("also compare with this image, identity and ROM apart") },
	};
	static const struct usage usage = {
		.name = "verify",
		.synopsis = "CARD [-i IMAGE]",
		.summary = N_("Checks every image on a card. Changes nothing. Exit code 8: something was found."),
		.extra = extra,
		.extra_count = sizeof(extra) / sizeof(extra[0]),
		.take = take,
	};
	struct verify verify = { 0 };
	struct cxctl_error error;
	int first, code;

	if (command_options(options, &usage, argc, argv, &verify, &first, &code))
		return code;
	if (verify.image && !*verify.image) {
		error_set(&error, CXCTL_USAGE, "no-image", _("no image named"));
		return command_fail(options, &error);
	}
	return command_cards(options, argc, argv, first, 64, verify_one, &verify);
}
