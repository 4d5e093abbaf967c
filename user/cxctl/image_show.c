// SPDX-License-Identifier: GPL-2.0-only
/* What the subcommands show alike. */
#include "../image/compare.h"
#include "../image/edit.h"
#include "../image/ini.h"
#include "image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *image_version_text(const struct image_facts *facts, char text[32])
{
	const uint32_t *version = facts->version;

	if (!(facts->has & IMAGE_HAS_VERSION))
		text[0] = '\0';
	else
		snprintf(text, 32, version[0] >= 10 ? "%u.%u.%04u" : "%u.%u.%u", version[0], version[1],
			 version[2]);
	return text;
}

const char *image_date_text(const struct image_facts *facts, char text[32])
{
	if (!(facts->has & IMAGE_HAS_DATE) || !facts->date)
		text[0] = '\0';
	else
		snprintf(text, 32, "%04x-%02x-%02x", facts->date >> 16, facts->date >> 8 & 0xff,
			 facts->date & 0xff);
	return text;
}

/* ---- facts; keys and labels are those of cxctl info ---- */

/* Names of where a fact was read from: stable, English. */
#define FROM_HEADER	"header"
#define FROM_DEVICE_DATA "device data"
#define FROM_ROM	"ROM section"
#define FROM_INI	"INI"

struct shown {
	struct output *output;
	const struct image_facts *facts;
	const char *from;		/* where most facts of the format stand */
	bool fs2;
};

static const char *image_chip_of(const struct image_facts *facts)
{
	uint32_t id = facts->hw_id_count ? facts->hw_ids[0].id : 0;

	if (!id && (facts->has & IMAGE_HAS_DEVICE_ID))
		id = fs2_hw_id_of_pci(facts->pci_device);
	return id ? image_chip_name(id) : NULL;
}

static const char *hw_ids_text(const struct image_facts *facts, char *text, size_t room)
{
	size_t used = 0;
	unsigned int i;

	text[0] = '\0';
	for (i = 0; i < facts->hw_id_count && used + 24 < room; i++)
		used += snprintf(text + used, room - used, "%s0x%x/%u", i ? ", " : "", facts->hw_ids[i].id,
				 facts->hw_ids[i].revision);
	return text;
}

static void show_chip(const struct shown *shown)
{
	const struct image_facts *facts = shown->facts;
	struct output *output = shown->output;
	const char *chip = image_chip_of(facts);
	char text[512];
	unsigned int i;

	output_string(output, "format", image_format_name(facts->place.format));
	output_string(output, "model", chip);
	output_show(output, _("Format"), FROM_HEADER, chip ? _("%s, for %s") : "%s",
		    image_format_name(facts->place.format), chip);
	if (facts->has & IMAGE_HAS_HW_IDS) {
		output_array(output, "hw_ids");
		for (i = 0; i < facts->hw_id_count; i++)
			output_number(output, NULL, facts->hw_ids[i].id);
		output_end(output);
		output_array(output, "hw_revisions");
		for (i = 0; i < facts->hw_id_count; i++)
			output_number(output, NULL, facts->hw_ids[i].revision);
		output_end(output);
		output_source(output, "hw_ids", shown->from);
		output_show(output, _("Hardware ids"), shown->from, "%s",
			    facts->hw_id_count ? hw_ids_text(facts, text, sizeof(text)) : _("none"));
	}
	if ((facts->has & IMAGE_HAS_DEVICE_ID) && facts->pci_device) {
		output_number(output, "image_pci_device", facts->pci_device);
		output_show(output, _("Image made for"), shown->from, _("PCI device %u (0x%04x)"),
			    facts->pci_device, facts->pci_device);
	}
	if (facts->pci_vendor)
		output_number(output, "image_pci_vendor", facts->pci_vendor);
	if (facts->subsystem || facts->subsystem_vendor) {
		output_number(output, "subsystem_device", facts->subsystem);
		output_number(output, "subsystem_vendor", facts->subsystem_vendor);
		output_show(output, _("Subsystem"), shown->from, "%04x:%04x", facts->subsystem_vendor,
			    facts->subsystem);
	}
	if (shown->fs2)
		output_number(output, "silicon_revision", facts->silicon_revision);
}

static void show_psids(const struct shown *shown, const char *retagged_from)
{
	const struct image_facts *facts = shown->facts;
	struct output *output = shown->output;
	const char *vendor = image_psid_vendor(facts->psid);

	if (facts->has & IMAGE_HAS_PSID) {
		output_string(output, "psid", facts->psid);
		output_string(output, "psid_vendor", vendor);
		output_source(output, "psid", shown->from);
		output_show(output, _("PSID"), shown->from, "%s (%s)", facts->psid,
			    vendor ? vendor : _("a vendor that cxctl does not know"));
	} else {
		output_null(output, "psid");
		output_show(output, _("PSID"), shown->from, "%s", _("none"));
	}
	output_bool(output, "retagged", *retagged_from);
	if (*retagged_from) {
		output_string(output, "retagged_from", retagged_from);
		output_source(output, "retagged_from", FROM_INI);
		output_show(output, NULL, FROM_INI,
			    _("RETAGGED: this image was made for %s; its PSID does not vouch for its board"),
			    retagged_from);
	}
	if ((facts->has & IMAGE_HAS_ORIGINAL) && *facts->original_psid &&
	    strcmp(facts->original_psid, facts->psid))
		output_fact(output, "original_psid", _("Original PSID"), FROM_DEVICE_DATA, "%s",
			    facts->original_psid);
}

static void show_versions(const struct shown *shown)
{
	const struct image_facts *facts = shown->facts;
	struct output *output = shown->output;
	char version[32], date[32], time[32] = "";

	image_version_text(facts, version);
	if (*version)
		output_fact(output, "firmware_version", _("Firmware version"), shown->from, "%s", version);
	image_date_text(facts, date);
	if (*date) {
		if (facts->time)
			snprintf(time, sizeof(time), "%02x:%02x:%02x", facts->time >> 16 & 0xff,
				 facts->time >> 8 & 0xff, facts->time & 0xff);
		output_string(output, "firmware_date", date);
		output_string(output, "firmware_time", *time ? time : NULL);
		output_source(output, "firmware_date", shown->from);
		output_show(output, _("Firmware date"), shown->from, "%s%s%s", date, *time ? " " : "", time);
	}
	if (facts->has & IMAGE_HAS_PRODUCT)
		output_fact(output, "product_version", _("Product version"), shown->from, "%s",
			    facts->product_version);
	if (facts->has & IMAGE_HAS_MIC)
		output_fact(output, "mic_version", _("MIC version"), shown->from, "%u.%u.%u", facts->mic[0],
			    facts->mic[1], facts->mic[2]);
	if (facts->issu_version)
		output_fact(output, "issu_version", _("ISSU version"), shown->from, "%u",
			    facts->issu_version);
}

static void show_text(const struct shown *shown, const char *key, const char *label, const char *from,
		      const char *text)
{
	output_string(shown->output, key, *text ? text : NULL);
	output_source(shown->output, key, from);
	output_show(shown->output, label, from, "%s", *text ? text : _("none"));
}

/* A board's INI says more of the board than any field of the image; FS2 has nothing else. */
static void show_board(const struct shown *shown, const struct ini *ini)
{
	const struct image_facts *facts = shown->facts;
	struct output *output = shown->output;
	struct ini_board board = { 0 };
	unsigned int ports;

	if (*facts->name)
		show_text(shown, "part_number", _("Part number"), shown->from, facts->name);
	if (*facts->description)
		show_text(shown, "description", _("Description"), shown->from, facts->description);
	if (*facts->prs_name)
		show_text(shown, "prs_name", _("PRS name"), shown->from, facts->prs_name);
	if (*facts->board_name)
		show_text(shown, "board_code_name", _("Board's code name"), shown->from, facts->board_name);
	if (!ini) {
		output_null(output, "board");
		return;
	}
	ini_board(ini, &board);
	ports = ini_ports(ini);
	output_object(output, "board");
	output_string(output, "name", board.name);
	output_string(output, "revision", *board.revision ? board.revision : NULL);
	output_string(output, "description", board.description);
	output_string(output, "psid", board.psid);
	if (ports)
		output_number(output, "ports", ports);
	else
		output_null(output, "ports");
	output_end(output);
	output_source(output, "board", FROM_INI);
	output_show(output, _("Board"), FROM_INI, "%s%s%s", board.name ? board.name : _("no name"),
		    *board.revision ? _(", revision ") : "", board.revision);
	if (ports)
		output_show(output, NULL, FROM_INI, ngettext("%u port", "%u ports", ports), ports);
	if (board.description && strcmp(board.description, facts->description))
		output_show(output, NULL, FROM_INI, "%s", board.description);
	if (board.psid && (facts->has & IMAGE_HAS_PSID) && strcmp(board.psid, facts->psid))
		output_show(output, NULL, FROM_INI, _("the INI's PSID is another: %s"), board.psid);
}

/* ---- identity ---- */

static void show_fs2_identity(const struct shown *shown)
{
	static const char *const names[] = { N_("node"), N_("port 1"), N_("port 2"), N_("system") };
	const struct image_facts *facts = shown->facts;
	struct output *output = shown->output;
	bool dummy = false;
	char text[32];
	int i;

	if ((facts->has & IMAGE_HAS_GUIDS) && !facts->blank_guids) {
		output_array(output, "guids");
		for (i = 0; i < 4; i++) {
			snprintf(text, sizeof(text), "%016llx", (unsigned long long)facts->guid[i]);
			output_string(output, NULL, text);
			output_show(output, i ? NULL : _("GUIDs"), "GUID section", "%s  %s", text,
				    _(names[i]));
		}
		output_end(output);
		output_source(output, "guids", "GUID section");
		dummy = image_guid_is_dummy(facts->guid[0]);
	}
	if ((facts->has & IMAGE_HAS_MACS) && !facts->blank_guids) {
		output_array(output, "macs");
		for (i = 0; i < 2; i++) {
			snprintf(text, sizeof(text), "%012llx", (unsigned long long)facts->mac[i]);
			output_string(output, NULL, text);
			output_show(output, i ? NULL : _("MACs"),
				    facts->macs_derived ? "GUIDs" : "GUID section", "%s  %s", text,
				    _(names[i + 1]));
		}
		output_end(output);
		output_source(output, "macs", facts->macs_derived ? "GUIDs" : "GUID section");
	}
	output_bool(output, "blank_guids", facts->blank_guids);
	output_bool(output, "dummy_ids", dummy);
	if (facts->blank_guids)
		output_show(output, _("GUIDs"), "GUID section", "%s", _("blank: never written"));
	else if (dummy)
		output_show(output, NULL, NULL, "%s",
			    _("these are the placeholders of a vendor's image; a burn keeps the card's own"));
}

static void show_uids(const struct shown *shown, const char *key, const char *label,
		      const struct image_uids *uids, int digits)
{
	struct output *output = shown->output;
	char text[32], other[64];

	snprintf(text, sizeof(text), "%0*llx", digits, (unsigned long long)uids->base);
	output_string(output, key, uids->base ? text : NULL);
	output_source(output, key, FROM_DEVICE_DATA);
	snprintf(other, sizeof(other), "%s_count", key);
	output_number(output, other, uids->count);
	snprintf(other, sizeof(other), "%s_step", key);
	output_number(output, other, uids->step);
	if (!uids->base)
		output_show(output, label, FROM_DEVICE_DATA,
			    uids->count ? _("none (room for %u)") : _("none"), uids->count);
	else
		output_show(output, label, FROM_DEVICE_DATA,
			    uids->count ? _("%s (%u in a row, step %u)") : "%s", text, uids->count,
			    uids->step);
}

static void show_identity(const struct shown *shown)
{
	const struct image_facts *facts = shown->facts;
	struct output *output = shown->output;
	bool by_port = facts->uids_by_port;

	if (facts->stripped)
		return;
	if (*facts->device_data_trouble)
		output_fact(output, "device_data_trouble", _("Device data"), FROM_DEVICE_DATA, "%s",
			    facts->device_data_trouble);
	if (facts->has & IMAGE_HAS_GUIDS) {
		show_uids(shown, "base_guid", by_port ? _("GUID, port 1") : _("Base GUID"), &facts->base_guid,
			  16);
		if (by_port)
			show_uids(shown, "port2_guid", _("GUID, port 2"), &facts->port2_guid, 16);
	}
	if (facts->has & IMAGE_HAS_MACS) {
		show_uids(shown, "base_mac", by_port ? _("MAC, port 1") : _("Base MAC"), &facts->base_mac,
			  12);
		if (by_port)
			show_uids(shown, "port2_mac", _("MAC, port 2"), &facts->port2_mac, 12);
	}
	output_bool(output, "dummy_ids", facts->base_guid.base && image_guid_is_dummy(facts->base_guid.base));
	if (facts->has & IMAGE_HAS_ORIGINAL) {
		if (facts->original_guid.base != facts->base_guid.base && facts->original_guid.base)
			show_uids(shown, "original_guid", _("Original GUID"), &facts->original_guid, 16);
		if (facts->original_mac.base != facts->base_mac.base && facts->original_mac.base)
			show_uids(shown, "original_mac", _("Original MAC"), &facts->original_mac, 12);
	}
}

static void show_vsds(const struct shown *shown)
{
	const struct image_facts *facts = shown->facts;

	if (facts->has & IMAGE_HAS_VSD)
		show_text(shown, shown->fs2 ? "vsd" : "image_vsd", shown->fs2 ? _("VSD") : _("Image VSD"),
			  shown->from, facts->vsd);
	if (facts->has & IMAGE_HAS_DEVICE_VSD)
		show_text(shown, "device_vsd", _("Device VSD"), FROM_DEVICE_DATA, facts->device_vsd);
	if (facts->vsd_vendor)
		output_number(shown->output, "vsd_vendor", facts->vsd_vendor);
}

/* ---- ROM, layout, security ---- */

static void show_rom(const struct shown *shown, const struct image_rom *rom, bool first)
{
	const char *name = image_rom_product_name(rom->product), *cpu = image_rom_cpu_name(rom->cpu);
	const char *protocol = image_rom_protocol_name(rom->protocol);
	struct output *output = shown->output;
	char number[16], version[32] = "";

	snprintf(number, sizeof(number), "0x%x", rom->product);
	if (rom->product != IMAGE_ROM_UNKNOWN)
		snprintf(version, sizeof(version), "%u.%u.%u", rom->version[0], rom->version[1],
			 rom->version[2]);
	output_object(output, NULL);
	output_string(output, "type", name ? name : number);
	output_string(output, "version", *version ? version : NULL);
	output_string(output, "cpu", cpu);
	output_string(output, "protocol", protocol);
	if (rom->pci_device)
		output_number(output, "pci_device", rom->pci_device);
	output_end(output);
	output_show(output, first ? _("Expansion ROM") : NULL, FROM_ROM, "%s %s%s%s%s%s",
		    name ? name : number, *version ? version : _("version unknown"), cpu ? " " : "",
		    cpu ? cpu : "", protocol ? " " : "", protocol ? protocol : "");
}

static void show_roms(const struct shown *shown)
{
	const struct image_facts *facts = shown->facts;
	struct output *output = shown->output;
	unsigned int i;

	if (facts->encrypted)
		return;
	output_array(output, "roms");
	for (i = 0; i < facts->rom_count; i++)
		show_rom(shown, &facts->roms[i], !i);
	output_end(output);
	output_source(output, "roms", FROM_ROM);
	output_bool(output, "roms_complete", facts->rom_complete);
	output_number(output, "rom_length", facts->rom_length);
	if (!facts->rom_count)
		output_show(output, _("Expansion ROM"), FROM_ROM, "%s",
			    facts->has & IMAGE_HAS_ROM ? _("present, version unknown") : _("none"));
}

static void show_layout(const struct shown *shown)
{
	const struct image_facts *facts = shown->facts;
	struct output *output = shown->output;
	uint64_t slot = facts->place.log2_chunk ? 1ULL << facts->place.log2_chunk : 0;

	output_object(output, "slot");
	output_number(output, "stored", facts->place.slot);
	output_number(output, "address", facts->place.address);
	output_bool(output, "failsafe", facts->failsafe);
	output_number(output, "size", slot);
	output_end(output);
	output_source(output, "slot", FROM_HEADER);
	output_number(output, "length", facts->length);
	if (facts->place.layout == IMAGE_LAYOUT_FLASH)
		output_show(output, _("Image slot"), FROM_HEADER, _("%u, at 0x%06x"), facts->place.slot,
			    facts->place.address);
	if (facts->failsafe && slot)
		output_show(output, _("Layout"), FROM_HEADER, _("%u bytes, failsafe, slots of %llu KiB"),
			    facts->length, (unsigned long long)slot >> 10);
	else
		output_show(output, _("Layout"), FROM_HEADER, facts->failsafe ? _("%u bytes, failsafe") :
			    _("%u bytes, NOT failsafe"), facts->length);
	if (facts->max_size)
		output_number(output, "max_size", facts->max_size);
	if (facts->burn_size)
		output_number(output, "burn_size", facts->burn_size);
	if (facts->ini_number)
		output_number(output, "ini_number", facts->ini_number);
	if (facts->has & IMAGE_HAS_CONFIG) {
		output_number(output, "config_sectors", facts->config_sectors);
		output_number(output, "config_pad", facts->config_pad);
		output_number(output, "config_sector_size", facts->config_sector);
		output_show(output, _("Config sectors"), shown->from, "%u", facts->config_sectors);
	}
}

static void security_flags(struct output *output, const struct image_facts *facts)
{
	static const struct {
		const char *key;
		uint32_t bits;
	} flags[] = {
		{ "secure", IMAGE_SECURITY_SECURE },
		{ "signed", IMAGE_SECURITY_SIGNED },
		{ "development", IMAGE_SECURITY_DEBUG },
		{ "support_tokens", IMAGE_SECURITY_CS_TOKENS },
		{ "recustomisation", IMAGE_SECURITY_FRC },
		{ "signed_nvidia_config", IMAGE_SECURITY_NVIDIA_CONFIG },
		{ "signed_vendor_config", IMAGE_SECURITY_VENDOR_CONFIG },
		{ "mcc", IMAGE_SECURITY_MCC },
		{ "debug_tokens", IMAGE_SECURITY_DEBUG_TOKENS },
		{ "long_keys", IMAGE_SECURITY_LONG_KEYS },
		{ "encrypted", IMAGE_SECURITY_ENCRYPTED },
		{ "secure_boot", IMAGE_SECURITY_SECURE_BOOT },
	};
	size_t i;

	output_object(output, "security");
	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		output_bool(output, flags[i].key, facts->security_flags & flags[i].bits);
	output_bool(output, "keys", facts->security_keys);
	output_string(output, "signed_by", facts->signed_by);
	output_number(output, "security_version", facts->security_version);
	output_end(output);
}

/* What the flags mean for somebody with a card and this file. */
static void show_meaning(const struct shown *shown)
{
	const struct image_facts *facts = shown->facts;
	struct output *output = shown->output;
	char why[320];
	bool forbidden = image_edit_forbidden(facts, why, sizeof(why));

	if (!forbidden && facts->place.format == IMAGE_FS5) {
		forbidden = true;
		snprintf(why, sizeof(why), "%s",
			 _("only GUIDs, MACs and the card's VSD: how the digests of FS5 follow others is not public"));
	}
	output_bool(output, "editable", !forbidden);
	if (forbidden)
		output_string(output, "not_editable_because", why);
	output_show(output, _("Edits"), NULL, "%s",
		    forbidden ? why : _("possible: no signature covers the firmware"));
	if (shown->fs2)
		return;
	if (facts->security_flags & IMAGE_SECURITY_DEBUG)
		output_show(output, NULL, NULL, "%s",
			    _("development firmware, not for general use: production cards may refuse it"));
	if (!(facts->security_flags & IMAGE_SECURITY_MCC))
		output_show(
			output, _("Update method"), shown->from, "%s",
			_("flash access: the image does not offer update by the running firmware (mcc_en)"));
	else
		output_show(output, _("Update method"), shown->from, "%s",
			    _("by the running firmware (fw_ctrl)"));
	output_string(output, "update_method",
		      facts->security_flags & IMAGE_SECURITY_MCC ? "fw_ctrl" : "flash");
}

static void show_security(const struct shown *shown)
{
	const struct image_facts *facts = shown->facts;
	const char *text = image_security_text(facts);
	struct output *output = shown->output;

	output_fact(output, "security_attributes", _("Security attributes"),
		    text ? shown->from : "image format", "%s", text ? text : "N/A");
	output_bool(output, "encrypted", facts->encrypted);
	if (!shown->fs2) {
		security_flags(output, facts);
		if (facts->security_version)
			output_show(output, _("Security version"), "pointer 13",
				    _("%u: a card whose fuses say more refuses the image"),
				    facts->security_version);
	}
	show_meaning(shown);
}

static void show_missing(const struct shown *shown)
{
	const struct image_facts *facts = shown->facts;
	struct output *output = shown->output;

	output_bool(output, "stripped", facts->stripped);
	if (facts->encrypted)
		output_show(output, _("Missing"), NULL, "%s",
			    _("the image is encrypted: only its IMAGE_INFO can be read"));
	if (facts->stripped)
		output_show(
			output, _("Missing"), NULL, "%s",
			_("device data (a component for update by the running firmware): GUIDs, MACs and VSD stay the card's"));
}

void image_show_facts(struct output *output, const struct image_facts *facts, const char *ini,
		      const char *from)
{
	struct shown shown = { output, facts, facts->place.format == IMAGE_FS2 ? "Image Info" : "IMAGE_INFO",
			       facts->place.format == IMAGE_FS2 };
	struct image_error why;
	struct ini parsed = { 0 };
	bool known;

	known = ini && !ini_parse(ini, strlen(ini), &parsed, &why);
	show_chip(&shown);
	show_psids(&shown, from);
	show_versions(&shown);
	show_board(&shown, known ? &parsed : NULL);
	show_vsds(&shown);
	if (shown.fs2)
		show_fs2_identity(&shown);
	else
		show_identity(&shown);
	show_roms(&shown);
	show_layout(&shown);
	show_security(&shown);
	show_missing(&shown);
	if (known)
		ini_free(&parsed);
}

void image_progress(const struct options *options, const char *what, uint64_t done, uint64_t total)
{
	static struct progress progress;

	if (!progress.title || progress.total != total) {
		progress_end(&progress);
		progress_start(&progress, options, what, total);
	}
	progress_show(&progress, done);
	if (done >= total) {
		progress_end(&progress);
		progress.title = NULL;
	}
}
