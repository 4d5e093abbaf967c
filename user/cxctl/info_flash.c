// SPDX-License-Identifier: GPL-2.0-only
/* The flash: its image, found by the few bytes that tell, and its chip. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../device/registers.h"
#include "../image/image.h"
#include "flash_reader.h"
#include "info.h"

/* The version that runs, when there is one. */
const char *info_running(struct info_subject *subject, char *text, size_t size)
{
	if (!subject->has_info || !subject->info.running_valid || subject->recovery)
		return NULL;
	info_version_text(subject->info.running, text, size);
	info_show_running(subject, text, subject->mlx4 ? FROM_CR " 0x1f064" : FROM_MGIR);
	if (subject->info.running_date)
		output_fact(subject->output, "running_date", _("Running build date"), FROM_CR " 0x1f06c",
			    "%04x-%02x-%02x", subject->info.running_date >> 16,
			    subject->info.running_date >> 8 & 0xff, subject->info.running_date & 0xff);
	return text;
}

#define FS2_HEADER	0x40
#define FS2_INFO	0x2c	/* bits 23:0: body of the image information */
#define FS2_GUIDS	0x34	/* body of the GUID section; its header of 16 bytes comes before */

/*
 * The usual card has its FS2 image at 0. Then nothing is searched for, and what the reader
 * will ask for in pieces is read in one: a quarter of the accesses.
 */
static int query_usual(struct flash_reader *flash, struct image_facts *facts)
{
	struct image_reader start = flash->reader;
	struct image_error ignored;
	struct image_place place;
	uint8_t header[FS2_HEADER];
	uint64_t info, guids;
	size_t count;

	if (start.size < FS2_HEADER)
		return -ENOENT;
	flash_reader_expect(flash, 0, FS2_HEADER);
	start.size = FS2_HEADER;
	if (image_locate(&start, IMAGE_LAYOUT_FLASH, &place, 1, &count, &ignored) || count != 1 ||
	    place.format != IMAGE_FS2 || flash->reader.read(flash, 0, header, sizeof(header)))
		return -ENOENT;
	info = be32_at(header, FS2_INFO) & 0xffffff;
	guids = be32_at(header, FS2_GUIDS);
	if (guids >= 0x10 && info > guids && info - guids <= 0x200 &&
	    image_physical(&place, info) - image_physical(&place, guids - 0x10) == info - guids + 0x10)
		flash_reader_expect(flash, image_physical(&place, guids - 0x10), info - guids + 0x10);
	return image_facts(&flash->reader, &place, IMAGE_QUICK_ROM, facts, &ignored);
}

static int query_flash(struct info_subject *subject, struct flash_reader *flash, struct image_facts *facts,
		       struct image_error *why)
{
	if (subject->mlx4 && !query_usual(flash, facts))
		return 0;
	if (flash->error.exit)
		return -EIO;
	memset(facts, 0, sizeof(*facts));
	return image_query(&flash->reader, IMAGE_LAYOUT_FLASH, IMAGE_QUICK_ROM, facts, why);
}

void info_show_by_flash(struct info_subject *subject)
{
	struct image_error why = { 0 };
	struct flash_reader flash;
	struct image_facts *facts;
	const char *running;
	char text[32];
	int result;

	running = info_running(subject, text, sizeof(text));
	facts = calloc(1, sizeof(*facts));
	if (!facts || flash_reader_open(&flash, subject->card, subject->info.flash_size)) {
		struct cxctl_error error;

		free(facts);
		error_set(&error, CXCTL_FAILED, "memory", _("out of memory"));
		info_trouble(subject, &error);
		return;
	}
	result = query_flash(subject, &flash, facts, &why);
	if (!result)
		info_show_image(subject, facts, running);
	else if (flash.error.exit)
		info_trouble(subject, &flash.error);
	else
		info_show_no_image(subject, result, &why);
	output_number(subject->output, "flash_bytes_read", flash.bytes_read);
	say_debug(subject->options, "%llu bytes read from the flash by %u reads", (unsigned long long)flash.bytes_read,
		  flash.reads);
	flash_reader_close(&flash);
	free(facts);
}

/* ---- the chip ---- */

void info_show_flash(struct info_subject *subject)
{
	const struct cxfw_card_info *info = &subject->info;
	struct output *output = subject->output;
	const char *source = info->flash_access == CXFW_FLASH_ACCESS_MFBA ? "register MFPA" : FROM_CHIP;
	char status[32] = "", part[8];
	int i;

	if (!info->flash_size) {
		output_null(output, "flash");
		output_show(output, _("Flash"), FROM_CXFW, "%s", *info->why ? info->why : _("unknown"));
		return;
	}
	output_object(output, "flash");
	output_string(output, "name", *info->flash_name ? info->flash_name : NULL);
	snprintf(status, sizeof(status), "%06x", info->flash_jedec);
	output_string(output, "jedec", status);
	output_number(output, "size", info->flash_size);
	output_number(output, "sector", info->flash_sector);
	output_number(output, "block", info->flash_block);
	output_number(output, "banks", info->flash_banks);
	output_string(output, "access", info->flash_access == CXFW_FLASH_ACCESS_MFBA ? "firmware" :
		      info->flash_access == CXFW_FLASH_ACCESS_SPI ? "spi" : "none");
	output_array(output, "status");
	for (i = 0, status[0] = '\0'; i < 3; i++) {
		if (!(info->flash_status_valid >> i & 1)) {
			output_null(output, NULL);
			continue;
		}
		output_number(output, NULL, info->flash_status[i]);
		snprintf(part, sizeof(part), " %02x", info->flash_status[i] & 0xff);
		strcat(status, part);
	}
	output_end(output);
	output_end(output);
	output_source(output, "flash", source);
	output_show(output, _("Flash"), source, _("%s, JEDEC %06x, %u KiB, %u bank(s), erases %u KiB"),
		    *info->flash_name ? info->flash_name : _("unknown chip"), info->flash_jedec,
		    info->flash_size >> 10, info->flash_banks, info->flash_sector >> 10);
	output_show(output, _("Flash access"), FROM_CXFW, "%s",
		    info->flash_access == CXFW_FLASH_ACCESS_MFBA ? _("through the running firmware (MFBA)") :
		    info->flash_access == CXFW_FLASH_ACCESS_SPI ? _("SPI gateway") : _("none"));
	if (*status)
		output_show(output, _("Flash status"), source, "%s; %s", status + 1,
			    info->flash_status_valid & 1 && info->flash_status[0] & 0x1c ?
			    _("WRITE PROTECTED in part") : _("not write protected"));
}
