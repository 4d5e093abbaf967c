// SPDX-License-Identifier: GPL-2.0-only
/*
 * Everything that can be known of one card. mlx5 with running firmware answers by access
 * registers; mlx4, and any card in recovery, by the few bytes of its flash that tell.
 * Without the driver sysfs and devlink tell what they can.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../device/registers.h"
#include "../image/image.h"
#include "command.h"
#include "flash_reader.h"
#include "info_history.h"

#define MQIS_FIELDS	4
#define MQIS_LONGEST	256

/* Names of where a fact was read from: stable, English. */
#define FROM_SYSFS	"sysfs"
#define FROM_DEVLINK	"devlink"
#define FROM_CXFW	"cxfw"
#define FROM_MGIR	"register MGIR"
#define FROM_MCQI	"register MCQI"
#define FROM_MQIS	"register MQIS"
#define FROM_MNVDA	"register MNVDA"
#define FROM_MLOCK	"register MLOCK"
#define FROM_MCAM	"register MCAM"
#define FROM_MPIR	"register MPIR"
#define FROM_CR		"CR-space"
#define FROM_CHIP	"flash chip"
#define FROM_FLASH	"flash image"
#define FROM_DEVICE_DATA "flash device data"

struct subject {
	struct cxctl_card *card;
	struct output *output;
	const struct options *options;
	const struct pci_function *pci;
	const struct cxctl_card_facts *facts;
	struct cxfw_card_info info;
	bool has_info;
	bool mlx4;
	bool recovery;
	bool psid_told, running_told, stored_told;
	char psid[17], running[32];	/* as told */
	struct cxctl_error trouble;	/* the first thing that should have worked and did not */
};

static void note_trouble(struct subject *subject, const struct cxctl_error *error)
{
	if (!subject->trouble.exit)
		subject->trouble = *error;
	say_verbose(subject->options, "%s%s%s", error->text, *error->found ? ": " : "", error->found);
}

static void version_text(const uint32_t version[3], char *text, size_t size)
{
	snprintf(text, size, version[0] >= 10 ? "%u.%u.%04u" : "%u.%u.%u", version[0], version[1], version[2]);
}

/* 0xYYYYMMDD in packed BCD. */
static void show_date(struct output *output, uint32_t date, const char *source)
{
	if (date)
		output_fact(output, "firmware_date", _("Firmware date"), source, "%04x-%02x-%02x", date >> 16,
			    date >> 8 & 0xff, date & 0xff);
}

static void show_psid(struct subject *subject, const char *psid, const char *source)
{
	const char *vendor = image_psid_vendor(psid);

	subject->psid_told = true;
	snprintf(subject->psid, sizeof(subject->psid), "%.16s", psid);
	output_string(subject->output, "psid", psid);
	output_string(subject->output, "psid_vendor", vendor);
	output_source(subject->output, "psid", source);
	output_show(subject->output, _("PSID"), source, "%s (%s)", psid,
		    vendor ? vendor : _("a vendor that cxctl does not know"));
}

static void show_running(struct subject *subject, const char *version, const char *source)
{
	subject->running_told = true;
	snprintf(subject->running, sizeof(subject->running), "%.31s", version);
	output_fact(subject->output, "firmware_running", _("Firmware running"), source, "%s", version);
}

static void pending(struct subject *subject, const char *action)
{
	output_string(subject->output, "pending_action", action);
}

/* stored: NULL when unknown. */
static void show_stored(struct subject *subject, const char *stored, const char *running, const char *source)
{
	output_fact(subject->output, "firmware_stored", _("Firmware stored"), source, "%s", stored);
	if (running && strcmp(stored, running)) {
		subject->stored_told = true;
		pending(subject, "activate");
		output_show(subject->output, NULL, NULL, _("does not run yet: cxctl activate %s starts it, or tells what does"),
			    subject->pci->address);
	}
}

/* ---- where it sits: sysfs and the driver ---- */

static const char *model_name(const struct subject *subject)
{
	const char *name = NULL;

	if (subject->facts->hw_id_valid && subject->facts->hw_id == 0x190)
		name = pci_model_by_hw_id(0x190, subject->facts->hw_revision);
	if (!name)
		name = pci_model(subject->pci->device, NULL);
	if (!name && subject->facts->hw_id_valid)
		name = pci_model_by_hw_id(subject->facts->hw_id, subject->facts->hw_revision);
	return name;
}

static void show_names(struct output *output, const char *key, const char *label, const char names[][32],
		       unsigned int count)
{
	char text[PCI_NAMES * 33] = "";
	size_t used = 0;
	unsigned int i;

	output_array(output, key);
	for (i = 0; i < count; i++) {
		output_string(output, NULL, names[i]);
		used += snprintf(text + used, sizeof(text) - used, "%s%s", i ? ", " : "", names[i]);
	}
	output_end(output);
	output_source(output, key, FROM_SYSFS);
	if (count)
		output_show(output, label, FROM_SYSFS, "%s", text);
}

static void show_functions(struct subject *subject)
{
	const struct cxctl_card_facts *facts = subject->facts;
	char text[256] = "";
	size_t used = 0;
	unsigned int i;

	if (!facts->valid)
		return;
	output_array(subject->output, "functions");
	for (i = 0; i < facts->function_count; i++) {
		output_string(subject->output, NULL, facts->functions[i].address);
		if (strcmp(facts->functions[i].address, subject->pci->address) && used + 20 < sizeof(text))
			used += snprintf(text + used, sizeof(text) - used, "%s%s", used ? ", " : "",
					 facts->functions[i].address);
	}
	output_end(subject->output);
	output_source(subject->output, "functions", FROM_CXFW);
	if (used)
		output_show(subject->output, _("Same card"), FROM_CXFW, "%s", text);
}

static void show_link(struct output *output, const struct pci_function *pci)
{
	output_object(output, "link");
	output_string(output, "speed", *pci->link_speed ? pci->link_speed : NULL);
	output_string(output, "width", *pci->link_width ? pci->link_width : NULL);
	output_string(output, "speed_max", *pci->link_speed_max ? pci->link_speed_max : NULL);
	output_string(output, "width_max", *pci->link_width_max ? pci->link_width_max : NULL);
	output_end(output);
	output_source(output, "link", FROM_SYSFS);
	if (!*pci->link_speed || !*pci->link_width || !strcmp(pci->link_speed, "Unknown"))
		return;
	if (*pci->link_speed_max && strcmp(pci->link_speed_max, "Unknown"))
		output_show(output, _("PCIe link"), FROM_SYSFS, _("%s x%s (card: %s x%s)"), pci->link_speed,
			    pci->link_width, pci->link_speed_max, pci->link_width_max);
	else
		output_show(output, _("PCIe link"), FROM_SYSFS, "%s x%s", pci->link_speed, pci->link_width);
}

static void show_place(struct subject *subject)
{
	const struct pci_function *pci = subject->pci;
	struct output *output = subject->output;
	const char *model = model_name(subject);

	output_show(output, _("Card"), FROM_SYSFS, "%s", pci->address);
	if (model)
		output_fact(output, "model", _("Model"), FROM_SYSFS, "%s", model);
	else
		output_show(output, _("Model"), FROM_SYSFS, _("generic (%04x)"), pci->device);
	if (!model)
		output_null(output, "model");
	output_bool(output, "generic", subject->facts->generic || !model);
	if (subject->facts->generic || !model)
		output_show(output, NULL, NULL, "%s",
			    _("cxctl does not know this chip: it is asked what every mlx5 chip answers, and never burned"));
	output_number(output, "pci_device", pci->device);
	output_number(output, "pci_vendor", pci->vendor);
	output_number(output, "subsystem_device", pci->subsystem_device);
	output_number(output, "subsystem_vendor", pci->subsystem_vendor);
	output_number(output, "pci_revision", pci->revision);
	output_show(output, _("PCI id"), FROM_SYSFS, _("%04x:%04x, subsystem %04x:%04x, revision %02x"), pci->vendor,
		    pci->device, pci->subsystem_vendor, pci->subsystem_device, pci->revision);
	show_functions(subject);
	output_string(output, "driver", *pci->driver ? pci->driver : NULL);
	output_source(output, "driver", FROM_SYSFS);
	output_show(output, _("Driver"), FROM_SYSFS, "%s", *pci->driver ? pci->driver : _("none"));
	show_names(output, "netdevs", _("Network interface"), pci->netdev, pci->netdev_count);
	show_names(output, "rdma_devices", _("RDMA device"), pci->rdma, pci->rdma_count);
	if (pci->numa_node >= 0) {
		output_number(output, "numa_node", pci->numa_node);
		output_show(output, _("NUMA node"), FROM_SYSFS, "%d", pci->numa_node);
	} else {
		output_null(output, "numa_node");
	}
	show_link(output, pci);
	output_number(output, "virtual_functions", pci->virtual_count);
	if (pci->virtual_count)
		output_show(output, _("Virtual functions"), FROM_SYSFS, "%u", pci->virtual_count);
}

static void show_chip(struct subject *subject)
{
	const struct cxctl_card_facts *facts = subject->facts;
	struct output *output = subject->output;
	const char *format;

	if (!facts->hw_id_valid)
		return;
	format = pci_format_by_hw_id(facts->hw_id);
	output_number(output, "hw_id", facts->hw_id);
	output_number(output, "hw_revision", facts->hw_revision);
	output_source(output, "hw_id", FROM_CR " 0xf0014");
	output_show(output, _("Chip"), FROM_CR " 0xf0014", _("hardware id 0x%x, revision 0x%x"), facts->hw_id,
		    facts->hw_revision);
	output_string(output, "image_type", format);
	if (format)
		output_show(output, _("Image type"), "hardware id", "%s", format);
}

static const char *gateway_name(uint32_t gateway)
{
	switch (gateway) {
	case CXFW_GATEWAY_CONF:
		return "configuration space 0x58/0x5c";
	case CXFW_GATEWAY_VSC:
		return "vendor specific capability";
	}
	return "none";
}

static void show_state(struct subject *subject)
{
	static const char *const names[] = { "unknown", "running", "recovery", "absent" };
	uint32_t state = subject->has_info ? subject->info.state : subject->facts->state;
	const char *source = subject->facts->valid ? FROM_CXFW : FROM_SYSFS;
	struct output *output = subject->output;
	bool by_id = false;

	pci_model(subject->pci->device, &by_id);
	if (state > CXFW_STATE_ABSENT)
		state = CXFW_STATE_UNKNOWN;
	subject->recovery = state == CXFW_STATE_RECOVERY || (state == CXFW_STATE_UNKNOWN && by_id);
	output_string(output, "state", subject->recovery ? "recovery" : names[state]);
	output_source(output, "state", source);
	if (subject->recovery) {
		output_show(output, _("State"), source, "%s",
			    _("RECOVERY: the card started without firmware, because its flash holds no bootable image or it was told to"));
		output_show(output, NULL, NULL, _("next: save what is there with 'cxctl backup %s -o FILE'; 'cxctl verify %s' tells what is wrong with it;"),
			    subject->pci->address, subject->pci->address);
		output_show(output, NULL, NULL, _("then 'cxctl restore %s' shows the backups that may be its; with none, it takes an image made for this board's PSID, and the identity on the label"),
			    subject->pci->address);
		pending(subject, "burn");
	} else if (state == CXFW_STATE_ABSENT) {
		output_show(output, _("State"), FROM_CXFW, "%s",
			    _("ABSENT: the card answers nothing; it is unplugged, in reset or without power"));
	} else if (state == CXFW_STATE_RUNNING) {
		output_show(output, _("State"), FROM_CXFW, "%s", _("firmware is running"));
	}
	if (subject->facts->valid) {
		output_string(output, "gateway", gateway_name(subject->facts->gateway));
		output_show(output, _("Reached through"), FROM_CXFW, "%s", gateway_name(subject->facts->gateway));
	}
}

/* ---- mlx5 with running firmware: registers ---- */

/* A register that real firmware may refuse: its absence is a fact, not a failure. */
static bool ask(struct subject *subject, uint16_t id, uint8_t *bytes, size_t length)
{
	struct cxctl_error error;
	uint32_t status;

	if (!card_register(subject->card, id, bytes, length, &status, &error))
		return true;
	say_debug(subject->options, "register 0x%04x: %s %s", id, error.text, error.found);
	/* What the firmware does not have, and what the driver does not let through, is simply not told. */
	if (status || !strcmp(error.id, "not-supported") || !strcmp(error.id, "no-permission"))
		return false;
	note_trouble(subject, &error);
	return false;
}

static void show_rom(struct subject *subject, bool *label, const char *type, const uint32_t version[3],
		     const char *cpu, const char *protocol, const char *source)
{
	struct output *output = subject->output;
	char text[32];

	*text = 0;
	if (version[0] || version[1] || version[2])
		snprintf(text, sizeof(text), "%u.%u.%u", version[0], version[1], version[2]);
	output_object(output, NULL);
	output_string(output, "type", type);
	output_string(output, "version", *text ? text : NULL);
	output_string(output, "cpu", cpu);
	output_string(output, "protocol", protocol);
	output_end(output);
	output_show(output, *label ? NULL : _("Expansion ROM"), source, "%s %s%s%s%s%s", type, text,
		    cpu ? " " : "", cpu ? cpu : "", protocol ? " " : "", protocol ? protocol : "");
	*label = true;
}

static void show_mgir_roms(struct subject *subject, const struct mgir *mgir)
{
	bool label = false;
	int i;

	output_array(subject->output, "roms");
	/* Highest first, as the vendor's tools list them. */
	for (i = MGIR_ROMS - 1; i >= 0; i--) {
		const char *name = mgir_rom_name(mgir->roms[i].type);
		char number[16];

		if (!mgir->roms[i].type)
			continue;
		snprintf(number, sizeof(number), "type %u", mgir->roms[i].type);
		show_rom(subject, &label, name ? name : number, mgir->roms[i].version,
			 mgir_rom_cpu(mgir->roms[i].cpu), NULL, FROM_MGIR);
	}
	output_end(subject->output);
	output_source(subject->output, "roms", FROM_MGIR);
	if (!label)
		output_show(subject->output, _("Expansion ROM"), FROM_MGIR, "%s", _("none"));
}

static void show_security(struct subject *subject, const struct mgir *mgir)
{
	const char *name = life_cycle_name(mgir->life_cycle);
	struct output *output = subject->output;
	char text[64];

	mgir_security_text(mgir, text, sizeof(text));
	output_fact(output, "security_attributes", _("Security attributes"), FROM_MGIR, "%s", text);
	if (name)
		snprintf(text, sizeof(text), "%s", name);
	else
		snprintf(text, sizeof(text), "%u", mgir->life_cycle);
	output_fact(output, "life_cycle", _("Life cycle"), FROM_MGIR, "%s", text);
	output_bool(output, "secure_boot", mgir->secure_boot);
	output_bool(output, "encrypted", mgir->encrypted);
	if (mgir->secure_boot || mgir->encrypted)
		output_show(output, NULL, FROM_MGIR, "%s%s%s", mgir->secure_boot ? _("secure boot") : "",
			    mgir->secure_boot && mgir->encrypted ? ", " : "", mgir->encrypted ? _("encrypted") : "");
}

/* The component that is the firmware: usually the first. Gives its index, or -1. */
static int boot_component(struct subject *subject, uint32_t *update_state)
{
	uint8_t bytes[MCQS_BYTES];
	int index;

	for (index = 0; index < 32; index++) {
		memset(bytes, 0, sizeof(bytes));
		be32_put(bytes, 0, index);
		if (!ask(subject, REGISTER_MCQS, bytes, sizeof(bytes)))
			return -1;
		if (mcqs_identifier(bytes) == MCQS_BOOT_IMAGE) {
			*update_state = mcqs_update_state(bytes);
			return index;
		}
		if (mcqs_last(bytes))
			return -1;
	}
	return -1;
}

static void show_component(struct subject *subject, const char *running)
{
	uint8_t bytes[MCQI_BYTES];
	struct mcqi_version version;
	uint32_t update_state = 0;
	char text[32];
	int index = boot_component(subject, &update_state);

	if (index < 0)
		return;
	mcqi_request(bytes, index, MCQI_VERSION, false);
	if (ask(subject, REGISTER_MCQI, bytes, sizeof(bytes)) && mcqi_version_decode(bytes, &version) &&
	    *version.text)
		output_fact(subject->output, "product_version", _("Product version"), FROM_MCQI, "%s",
			    version.text);
	if (update_state == 0) {
		/* Idle: what runs is what is stored; asking for more would be refused. */
		show_stored(subject, running, running, "register MCQS");
		return;
	}
	mcqi_request(bytes, index, MCQI_VERSION, true);
	if (ask(subject, REGISTER_MCQI, bytes, sizeof(bytes)) && mcqi_version_decode(bytes, &version)) {
		version_text(version.version, text, sizeof(text));
		show_stored(subject, text, running, FROM_MCQI);
		return;
	}
	output_null(subject->output, "firmware_stored");
	output_show(subject->output, _("Firmware stored"), "register MCQS",
		    _("not told: an update is in state %u"), update_state);
}

static uint64_t be64_at(const uint8_t *bytes, size_t offset)
{
	return (uint64_t)be32_at(bytes, offset) << 32 | be32_at(bytes, offset + 4);
}

/* count 0: not told. */
static void show_uid(struct subject *subject, const char *key, const char *label, uint64_t uid, int digits,
		     uint32_t count, const char *source)
{
	char text[32], count_key[32];

	snprintf(text, sizeof(text), "%0*llx", digits, (unsigned long long)uid);
	output_string(subject->output, key, text);
	output_source(subject->output, key, source);
	if (count) {
		snprintf(count_key, sizeof(count_key), "%s_count", key);
		output_number(subject->output, count_key, count);
		output_show(subject->output, label, source, _("%s (%u in a row)"), text, count);
	} else {
		output_show(subject->output, label, source, "%s", text);
	}
}

static void show_identity_register(struct subject *subject, const struct mgir *mgir)
{
	uint8_t bytes[MNVDA_BYTES];
	uint64_t mac = 0, guid = 0;
	uint32_t macs = 0, guids = 0;

	mnvda_request(bytes, 2);
	if (ask(subject, REGISTER_MNVDA, bytes, sizeof(bytes)) && mnvda_length(bytes) >= 16) {
		mac = be64_at(bytes, 0x0c) & 0xffffffffffffULL;
		guid = be64_at(bytes, 0x14);
		mnvda_request(bytes, 3);
		if (ask(subject, REGISTER_MNVDA, bytes, sizeof(bytes)) && mnvda_length(bytes) >= 8) {
			macs = be32_at(bytes, 0x10) & 0xffff;
			guids = be32_at(bytes, 0x10) >> 16;
		}
	}
	if (guid)
		show_uid(subject, "base_guid", _("Base GUID"), guid, 16, guids, FROM_MNVDA);
	if (mac)
		show_uid(subject, "base_mac", _("Base MAC"), mac, 12, macs, FROM_MNVDA);
	else if (mgir->base_mac)
		show_uid(subject, "base_mac", _("Base MAC"), mgir->base_mac, 12, 0, FROM_MGIR);
}

/* Eight bytes a question; the field is as long as it may be, so stop where the text does. */
static bool read_string(struct subject *subject, uint32_t type, char *text)
{
	uint8_t bytes[MQIS_BYTES];
	uint32_t length = MQIS_LONGEST, done = 0, got;

	text[0] = '\0';
	while (done < length && done < MQIS_LONGEST) {
		memset(bytes, 0, sizeof(bytes));
		be32_put(bytes, 0x00, type);
		be32_put(bytes, 0x08, done << 16 | 8);
		if (!ask(subject, REGISTER_MQIS, bytes, sizeof(bytes)))
			return done > 0;
		if (!done)
			length = be32_at(bytes, 0x04) & 0xffff;
		got = be32_at(bytes, 0x08) & 0xffff;
		if (!got || got > 8)
			break;
		if (got > MQIS_LONGEST - done)
			got = MQIS_LONGEST - done;
		memcpy(text + done, bytes + 0x10, got);
		done += got;
		text[done] = '\0';
		if (memchr(bytes + 0x10, '\0', got))
			break;
	}
	return true;
}

static void show_strings(struct subject *subject)
{
	static const struct {
		const char *key, *label;
	} fields[MQIS_FIELDS] = {
		{ "part_number", N_("Part number") },
		{ "description", N_("Description") },
		{ "image_vsd", N_("Image VSD") },
		{ "device_vsd", N_("Device VSD") },
	};
	char text[MQIS_LONGEST + 1];
	uint32_t i;

	for (i = 0; i < MQIS_FIELDS; i++) {
		if (!read_string(subject, i + 1, text))
			continue;
		output_string(subject->output, fields[i].key, *text ? text : NULL);
		output_source(subject->output, fields[i].key, FROM_MQIS);
		output_show(subject->output, _(fields[i].label), FROM_MQIS, "%s", *text ? text : _("none"));
	}
}

static void show_update_method(struct subject *subject)
{
	static const uint16_t needed[] = {
		REGISTER_MCQS, REGISTER_MCQI, 0x9062, 0x9063, REGISTER_MGIR,
	};
	uint8_t bytes[MCAM_BYTES] = { 0 };
	size_t i;

	if (!ask(subject, REGISTER_MCAM, bytes, sizeof(bytes)))
		return;
	for (i = 0; i < sizeof(needed) / sizeof(needed[0]) && mcam_has(bytes, needed[i]); i++)
		;
	if (i == sizeof(needed) / sizeof(needed[0])) {
		output_string(subject->output, "update_method", "fw_ctrl");
		output_show(subject->output, _("Update method"), FROM_MCAM, "%s",
			    _("by the running firmware (fw_ctrl)"));
	} else {
		output_string(subject->output, "update_method", "flash");
		output_show(subject->output, _("Update method"), FROM_MCAM, "%s", _("flash access"));
	}
	output_source(subject->output, "update_method", FROM_MCAM);
}

static void show_lock(struct subject *subject)
{
	uint8_t bytes[MLOCK_BYTES] = { 0 };
	uint32_t mode;

	if (!ask(subject, REGISTER_MLOCK, bytes, sizeof(bytes)))
		return;
	mode = be32_at(bytes, 0) & 0xff;
	output_number(subject->output, "hardware_lock", mode);
	output_source(subject->output, "hardware_lock", FROM_MLOCK);
	if (mode)
		output_show(subject->output, _("Hardware access"), FROM_MLOCK,
			    _("LOCKED, mode %u: the owner of the card has closed it to hosts"), mode);
	else
		output_show(subject->output, _("Hardware access"), FROM_MLOCK, "%s", _("not locked"));
}

static void show_pcie_index(struct subject *subject)
{
	uint8_t bytes[MPIR_BYTES] = { 0 };
	uint32_t word;

	if (!subject->options->verbose || !ask(subject, REGISTER_MPIR, bytes, sizeof(bytes)))
		return;
	word = be32_at(bytes, 0x08);
	output_number(subject->output, "physical_bus", word >> 16 & 0xff);
	output_source(subject->output, "physical_bus", FROM_MPIR);
	output_show(subject->output, _("Physical PCI bus"), FROM_MPIR, "0x%02x", word >> 16 & 0xff);
}

static void show_by_registers(struct subject *subject)
{
	uint8_t bytes[MGIR_BYTES] = { 0 };
	struct cxctl_error error;
	struct mgir mgir;
	char running[32];

	if (card_register(subject->card, REGISTER_MGIR, bytes, sizeof(bytes), NULL, &error)) {
		note_trouble(subject, &error);
		return;
	}
	mgir_decode(bytes, &mgir);
	version_text(mgir.version, running, sizeof(running));
	if (*mgir.psid)
		show_psid(subject, mgir.psid, FROM_MGIR);
	show_running(subject, running, FROM_MGIR);
	show_date(subject->output, mgir.date, FROM_MGIR);
	show_component(subject, running);
	show_strings(subject);
	show_identity_register(subject, &mgir);
	show_mgir_roms(subject, &mgir);
	show_security(subject, &mgir);
	show_lock(subject);
	show_update_method(subject);
	show_pcie_index(subject);
	output_number(subject->output, "ports", mgir.ports);
	output_number(subject->output, "uptime", mgir.uptime);
	output_show(subject->output, _("Firmware uptime"), FROM_MGIR, _("%u s"), mgir.uptime);
}

/* ---- mlx4, and recovery: the flash ---- */

static void show_fs2_identity(struct subject *subject, const struct image_facts *facts)
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

static void show_fs4_identity(struct subject *subject, const struct image_facts *facts)
{
	if (*facts->device_data_trouble)
		output_fact(subject->output, "device_data_trouble", _("Device data"), FROM_DEVICE_DATA, "%s",
			    facts->device_data_trouble);
	if (facts->base_guid.base)
		show_uid(subject, "base_guid", _("Base GUID"), facts->base_guid.base, 16, facts->base_guid.count,
			 FROM_DEVICE_DATA);
	if (facts->base_mac.base)
		show_uid(subject, "base_mac", _("Base MAC"), facts->base_mac.base, 12, facts->base_mac.count,
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

static void show_image_roms(struct subject *subject, const struct image_facts *facts)
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
		show_rom(subject, &label, name ? name : number, version, image_rom_cpu_name(rom->cpu),
			 image_rom_protocol_name(rom->protocol), FROM_FLASH);
	}
	output_end(subject->output);
	output_source(subject->output, "roms", FROM_FLASH);
	output_bool(subject->output, "roms_complete", facts->rom_complete);
	if (!label)
		output_show(subject->output, _("Expansion ROM"), FROM_FLASH, "%s",
			    facts->has & IMAGE_HAS_ROM ? _("present, version unknown") : _("none"));
}

static void show_slot(struct subject *subject, const struct image_facts *facts, bool runs)
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

static void show_image_texts(struct subject *subject, const struct image_facts *facts)
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

static void show_image_security(struct subject *subject, const struct image_facts *facts)
{
	const char *text = image_security_text(facts);

	if (text)
		output_fact(subject->output, "security_attributes", _("Security attributes"), FROM_FLASH, "%s",
			    text);
	else
		output_fact(subject->output, "security_attributes", _("Security attributes"), "image format",
			    "%s", "N/A");
}

static void show_image(struct subject *subject, const struct image_facts *facts, const char *running)
{
	char stored[32];

	version_text(facts->version, stored, sizeof(stored));
	if (facts->has & IMAGE_HAS_PSID)
		show_psid(subject, facts->psid, FROM_FLASH);
	if (facts->has & IMAGE_HAS_VERSION)
		show_stored(subject, stored, running, FROM_FLASH);
	if (facts->has & IMAGE_HAS_DATE)
		show_date(subject->output, facts->date, FROM_FLASH);
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

static void show_no_image(struct subject *subject, int result, const struct image_error *why)
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
		pending(subject, "burn");
	}
}

/* The version that runs, when there is one. */
static const char *running_by_info(struct subject *subject, char *text, size_t size)
{
	if (!subject->has_info || !subject->info.running_valid || subject->recovery)
		return NULL;
	version_text(subject->info.running, text, size);
	show_running(subject, text, subject->mlx4 ? FROM_CR " 0x1f064" : FROM_MGIR);
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

static int query_flash(struct subject *subject, struct flash_reader *flash, struct image_facts *facts,
		       struct image_error *why)
{
	if (subject->mlx4 && !query_usual(flash, facts))
		return 0;
	if (flash->error.exit)
		return -EIO;
	memset(facts, 0, sizeof(*facts));
	return image_query(&flash->reader, IMAGE_LAYOUT_FLASH, IMAGE_QUICK_ROM, facts, why);
}

static void show_by_flash(struct subject *subject)
{
	struct image_error why = { 0 };
	struct flash_reader flash;
	struct image_facts *facts;
	const char *running;
	char text[32];
	int result;

	running = running_by_info(subject, text, sizeof(text));
	facts = calloc(1, sizeof(*facts));
	if (!facts || flash_reader_open(&flash, subject->card, subject->info.flash_size)) {
		struct cxctl_error error;

		free(facts);
		error_set(&error, CXCTL_FAILED, "memory", _("out of memory"));
		note_trouble(subject, &error);
		return;
	}
	result = query_flash(subject, &flash, facts, &why);
	if (!result)
		show_image(subject, facts, running);
	else if (flash.error.exit)
		note_trouble(subject, &flash.error);
	else
		show_no_image(subject, result, &why);
	output_number(subject->output, "flash_bytes_read", flash.bytes_read);
	say_debug(subject->options, "%llu bytes read from the flash by %u reads", (unsigned long long)flash.bytes_read,
		  flash.reads);
	flash_reader_close(&flash);
	free(facts);
}

/* ---- the flash chip ---- */

static void show_flash(struct subject *subject)
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

/* ---- without the driver ---- */

static void show_without_driver(struct subject *subject)
{
	const struct cxctl_devlink_facts *devlink = card_devlink(subject->card);
	const struct pci_function *pci = subject->pci;
	const char *running = NULL;

	if (!subject->psid_told && *devlink->psid)
		show_psid(subject, devlink->psid, FROM_DEVLINK);
	else if (!subject->psid_told && *pci->board_id)
		show_psid(subject, pci->board_id, FROM_SYSFS);
	if (!subject->running_told) {
		running = *devlink->running ? devlink->running : *pci->fw_version ? pci->fw_version : NULL;
		if (running)
			show_running(subject, running, *devlink->running ? FROM_DEVLINK : FROM_SYSFS);
	}
	if (running && *devlink->stored)
		show_stored(subject, devlink->stored, running, FROM_DEVLINK);
	if (*devlink->board_serial)
		output_fact(subject->output, "board_serial", _("Board serial"), FROM_DEVLINK, "%s",
			    devlink->board_serial);
}

static void show_proof(struct subject *subject)
{
	output_bool(subject->output, "confirmed_on_hardware", false);
	output_show(subject->output, _("Proven on"), NULL, "%s",
		    _("simulated cards only: cxctl was never confirmed on a real card of this chip"));
}

/*
 * Where registers tell everything, a flash that cannot be recognised is no trouble. A stuck
 * semaphore is: each further question would wait for it as long again.
 */
static void judge_no_flash(struct subject *subject, bool registers)
{
	struct cxctl_error error;

	card_no_flash(subject->card, &subject->info, &error);
	if (!registers || !strcmp(error.id, "semaphore-stuck") || !strcmp(error.id, "card-gone"))
		note_trouble(subject, &error);
}

static void show_history(const struct subject *subject)
{
	struct info_history history = {
		.card = subject->pci->address,
		.psid = *subject->psid ? subject->psid : NULL,
		.running = *subject->running ? subject->running : NULL,
		.hw_id = subject->facts->hw_id_valid ? subject->facts->hw_id : 0,
		.stored_told = subject->stored_told,
	};

	info_history_show(&history, subject->output, subject->options);
}

static int info_one(struct cxctl_card *card, struct output *output, const struct options *options, void *data,
		    struct cxctl_error *error)
{
	struct subject subject = { .card = card, .output = output, .options = options };
	struct cxctl_error no_driver;
	bool driver = !card_access(card, &no_driver), registers;
	char text[32];

	(void)data;
	subject.pci = card_pci(card);
	subject.facts = card_facts(card);
	subject.mlx4 = subject.facts->valid ? subject.facts->family == CXFW_FAMILY_MLX4 :
					       pci_is_mlx4(subject.pci->device);
	if (driver)
		subject.has_info = !card_info(card, &subject.info, &subject.trouble);

	if (subject.has_info)
		say_debug(options, "the driver has made %llu configuration accesses on this card so far",
			  (unsigned long long)(subject.info.config_reads + subject.info.config_writes));
	show_place(&subject);
	show_chip(&subject);
	show_state(&subject);
	registers = driver && !subject.mlx4 && !subject.recovery;
	if (subject.has_info && !subject.info.flash_size)
		judge_no_flash(&subject, registers);
	if (subject.trouble.exit)
		running_by_info(&subject, text, sizeof(text));
	else if (registers)
		show_by_registers(&subject);
	else if (driver)
		show_by_flash(&subject);
	if (!subject.psid_told || !subject.running_told)
		show_without_driver(&subject);
	if (subject.has_info)
		show_flash(&subject);
	show_history(&subject);
	show_proof(&subject);

	if (!driver)
		*error = no_driver;
	else if (subject.trouble.exit)
		*error = subject.trouble;
	else
		return CXCTL_DONE;
	return -1;
}

int cmd_info(struct options *options, int argc, char **argv)
{
	static const struct usage usage = {
		.name = "info",
		.synopsis = "[CARD ...] [options]",
		.summary = N_("Tells everything that is known of a card and its firmware. Changes nothing."),
		.details = N_("-v tells where each fact was read from. Without the driver cxfw the facts of sysfs and\ndevlink are shown, and the exit code is 5. CARD may be left out when there is only one."),
	};
	int first, code;

	if (command_options(options, &usage, argc, argv, NULL, &first, &code))
		return code;
	return command_cards(options, argc, argv, first, 256, info_one, NULL);
}
