// SPDX-License-Identifier: GPL-2.0-only
/* The image on the flash: mlx4, and any card in recovery. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../image/image.h"
#include "info.h"

static void show_fs2_identity(struct info_subject *subject, const struct image_facts *facts)
{
	static const char *const guid_names[] = { N_("node"), N_("port 1"), N_("port 2"), N_("system") };
	struct output *output = subject->output;
	char text[32];
	int i;

	if (facts->has & IMAGE_HAS_GUIDS) {
		output_array(output, "guids");
		for (i = 0; i < 4; i++) {
			snprintf(text, sizeof(text), "%016llx", (unsigned long long)facts->guid[i]);
			output_string(output, NULL, text);
			output_show(output, i ? NULL : _("GUIDs"), FROM_FLASH, "%s  %s", text, _(guid_names[i]));
		}
		output_end(output);
		output_source(output, "guids", FROM_FLASH);
	}
	if (facts->has & IMAGE_HAS_MACS) {
		output_array(output, "macs");
		for (i = 0; i < 2; i++) {
			snprintf(text, sizeof(text), "%012llx", (unsigned long long)facts->mac[i]);
			output_string(output, NULL, text);
			output_show(output, i ? NULL : _("MACs"), FROM_FLASH, "%s  %s", text,
				    _(guid_names[i + 1]));
		}
		output_end(output);
		output_source(output, "macs", FROM_FLASH);
	}
	output_bool(output, "blank_guids", facts->blank_guids);
	if (facts->blank_guids)
		output_show(output, NULL, NULL, "%s", _("the card's identity was never written"));
	else if ((facts->has & IMAGE_HAS_GUIDS) && image_guid_is_dummy(facts->guid[0]))
		output_show(output, NULL, NULL, "%s",
			    _("these are the placeholders of a vendor's image: the card has lost its own"));
}

static void show_fs4_identity(struct info_subject *subject, const struct image_facts *facts)
{
	if (*facts->device_data_trouble)
		output_fact(subject->output, "device_data_trouble", _("Device data"), FROM_DEVICE_DATA, "%s",
			    facts->device_data_trouble);
	if (facts->base_guid.base)
		info_show_uid(subject, "base_guid", _("Base GUID"), facts->base_guid.base, 16, facts->base_guid.count,
			      FROM_DEVICE_DATA);
	if (facts->base_mac.base)
		info_show_uid(subject, "base_mac", _("Base MAC"), facts->base_mac.base, 12, facts->base_mac.count,
			      FROM_DEVICE_DATA);
	if ((facts->has & IMAGE_HAS_ORIGINAL) && *facts->original_psid &&
	    strcmp(facts->original_psid, facts->psid))
		output_fact(subject->output, "original_psid", _("Original PSID"), FROM_DEVICE_DATA, "%s",
			    facts->original_psid);
	if (facts->has & IMAGE_HAS_DEVICE_VSD) {
		output_string(subject->output, "device_vsd", *facts->device_vsd ? facts->device_vsd : NULL);
		output_source(subject->output, "device_vsd", FROM_DEVICE_DATA);
		output_show(subject->output, _("Device VSD"), FROM_DEVICE_DATA, "%s",
			    *facts->device_vsd ? facts->device_vsd : _("none"));
	}
	if (facts->issu_version)
		output_fact(subject->output, "issu_version", _("ISSU version"), FROM_FLASH, "%u",
			    facts->issu_version);
}

static void show_image_roms(struct info_subject *subject, const struct image_facts *facts)
{
	bool label = false;
	unsigned int i;

	output_array(subject->output, "roms");
	for (i = 0; i < facts->rom_count; i++) {
		const struct image_rom *rom = &facts->roms[i];
		const char *name = image_rom_product_name(rom->product);
		uint32_t version[3] = { rom->version[0], rom->version[1], rom->version[2] };
		char number[16];

		snprintf(number, sizeof(number), "0x%x", rom->product);
		info_show_rom(subject, &label, name ? name : number, version, image_rom_cpu_name(rom->cpu),
			      image_rom_protocol_name(rom->protocol), FROM_FLASH);
	}
	output_end(subject->output);
	output_source(subject->output, "roms", FROM_FLASH);
	output_bool(subject->output, "roms_complete", facts->rom_complete);
	if (!label)
		output_show(subject->output, _("Expansion ROM"), FROM_FLASH, "%s",
			    facts->has & IMAGE_HAS_ROM ? _("present, version unknown") : _("none"));
}

static void show_slot(struct info_subject *subject, const struct image_facts *facts, bool runs)
{
	struct output *output = subject->output;

	output_object(output, "slot");
	output_number(output, "stored", facts->place.slot);
	output_number(output, "address", facts->place.address);
	output_bool(output, "failsafe", facts->failsafe);
	output_number(output, "size", facts->place.log2_chunk ? 1LL << facts->place.log2_chunk : 0);
	if (runs)
		output_number(output, "running", facts->place.slot);
	else
		output_null(output, "running");
	output_end(output);
	output_source(output, "slot", FROM_FLASH);
	output_show(output, _("Image slot"), FROM_FLASH, facts->failsafe ? _("%u, at 0x%06x, failsafe; %s") :
		    _("%u, at 0x%06x, NOT failsafe; %s"), facts->place.slot, facts->place.address,
		    runs ? _("the running firmware comes from it") :
		    subject->recovery ? _("not running") : _("the running firmware is another"));
}

static void show_image_texts(struct info_subject *subject, const struct image_facts *facts)
{
	const struct {
		const char *key, *label, *text;
		uint32_t bit;		/* 0: shown when it is not empty */
	} fields[] = {
		{ "product_version", _("Product version"), facts->product_version, IMAGE_HAS_PRODUCT },
		{ "part_number", _("Part number"), facts->name, 0 },
		{ "description", _("Description"), facts->description, 0 },
		{ "prs_name", _("PRS name"), facts->prs_name, 0 },
		{ facts->place.format == IMAGE_FS2 ? "vsd" : "image_vsd",
		  facts->place.format == IMAGE_FS2 ? _("VSD") : _("Image VSD"), facts->vsd, IMAGE_HAS_VSD },
	};
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (fields[i].bit ? !(facts->has & fields[i].bit) : !*fields[i].text)
			continue;
		output_string(subject->output, fields[i].key, *fields[i].text ? fields[i].text : NULL);
		output_source(subject->output, fields[i].key, FROM_FLASH);
		output_show(subject->output, fields[i].label, FROM_FLASH, "%s",
			    *fields[i].text ? fields[i].text : _("none"));
	}
	if (facts->has & IMAGE_HAS_MIC)
		output_fact(subject->output, "mic_version", _("MIC version"), FROM_FLASH, "%u.%u.%u",
			    facts->mic[0], facts->mic[1], facts->mic[2]);
	if (facts->has & IMAGE_HAS_CONFIG) {
		output_number(subject->output, "config_sectors", facts->config_sectors);
		output_show(subject->output, _("Config sectors"), FROM_FLASH, "%u", facts->config_sectors);
	}
	if (facts->has & IMAGE_HAS_DEVICE_ID) {
		output_number(subject->output, "image_pci_device", facts->pci_device);
		output_show(subject->output, _("Image made for"), FROM_FLASH, _("PCI device %u (0x%04x)"),
			    facts->pci_device, facts->pci_device);
	}
}

static void show_image_security(struct info_subject *subject, const struct image_facts *facts)
{
	const char *text = image_security_text(facts);

	if (text)
		output_fact(subject->output, "security_attributes", _("Security attributes"), FROM_FLASH, "%s",
			    text);
	else
		output_fact(subject->output, "security_attributes", _("Security attributes"), "image format",
			    "%s", "N/A");
}

void info_show_image(struct info_subject *subject, const struct image_facts *facts, const char *running)
{
	char stored[32];

	info_version_text(facts->version, stored, sizeof(stored));
	if (facts->has & IMAGE_HAS_PSID)
		info_show_psid(subject, facts->psid, FROM_FLASH);
	if (facts->has & IMAGE_HAS_VERSION)
		info_show_stored(subject, stored, running, FROM_FLASH);
	if (facts->has & IMAGE_HAS_DATE)
		info_show_date(subject->output, facts->date, FROM_FLASH);
	show_slot(subject, facts, running && !strcmp(running, stored));
	show_image_texts(subject, facts);
	if (facts->place.format == IMAGE_FS2)
		show_fs2_identity(subject, facts);
	else
		show_fs4_identity(subject, facts);
	show_image_roms(subject, facts);
	show_image_security(subject, facts);
	output_string(subject->output, "update_method", "flash");
	output_show(subject->output, _("Update method"), "hardware id", "%s", _("flash access"));
}

void info_show_no_image(struct info_subject *subject, int result, const struct image_error *why)
{
	struct output *output = subject->output;

	output_null(output, "firmware_stored");
	output_string(output, "flash_image", result == -ENOENT ? "none" : "damaged");
	output_string(output, "flash_image_text", why->text);
	output_source(output, "firmware_stored", FROM_FLASH);
	output_show(output, _("Firmware stored"), FROM_FLASH, "%s: %s",
		    result == -ENOENT ? _("NONE, the flash holds no image") : _("DAMAGED"), why->text);
	if (!subject->recovery) {
		output_show(output, NULL, NULL, "%s",
			    _("the card runs from memory and will not start again: do not power it off before it is burned"));
		info_pending(subject, "burn");
	}
}
