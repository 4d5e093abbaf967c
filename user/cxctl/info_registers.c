// SPDX-License-Identifier: GPL-2.0-only
/* mlx5 with running firmware: access registers tell. */
#include <stdio.h>
#include <string.h>

#include "../device/registers.h"
#include "info.h"

#define MQIS_FIELDS	4
#define MQIS_LONGEST	256

/* A register that real firmware may refuse: its absence is a fact, not a failure. */
static bool ask(struct info_subject *subject, uint16_t id, uint8_t *bytes, size_t length)
{
	struct cxctl_error error;
	uint32_t status;

	if (!card_register(subject->card, id, bytes, length, &status, &error))
		return true;
	say_debug(subject->options, "register 0x%04x: %s %s", id, error.text, error.found);
	/* What the firmware does not have, and what the driver does not let through, is simply not told. */
	if (status || !strcmp(error.id, "not-supported") || !strcmp(error.id, "no-permission"))
		return false;
	info_trouble(subject, &error);
	return false;
}

static void show_mgir_roms(struct info_subject *subject, const struct mgir *mgir)
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
		info_show_rom(subject, &label, name ? name : number, mgir->roms[i].version,
			      mgir_rom_cpu(mgir->roms[i].cpu), NULL, FROM_MGIR);
	}
	output_end(subject->output);
	output_source(subject->output, "roms", FROM_MGIR);
	if (!label)
		output_show(subject->output, _("Expansion ROM"), FROM_MGIR, "%s", _("none"));
}

static void show_security(struct info_subject *subject, const struct mgir *mgir)
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
static int boot_component(struct info_subject *subject, uint32_t *update_state)
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

static void show_component(struct info_subject *subject, const char *running)
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
		info_show_stored(subject, running, running, "register MCQS");
		return;
	}
	mcqi_request(bytes, index, MCQI_VERSION, true);
	if (ask(subject, REGISTER_MCQI, bytes, sizeof(bytes)) && mcqi_version_decode(bytes, &version)) {
		info_version_text(version.version, text, sizeof(text));
		info_show_stored(subject, text, running, FROM_MCQI);
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

static void show_identity_register(struct info_subject *subject, const struct mgir *mgir)
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
		info_show_uid(subject, "base_guid", _("Base GUID"), guid, 16, guids, FROM_MNVDA);
	if (mac)
		info_show_uid(subject, "base_mac", _("Base MAC"), mac, 12, macs, FROM_MNVDA);
	else if (mgir->base_mac)
		info_show_uid(subject, "base_mac", _("Base MAC"), mgir->base_mac, 12, 0, FROM_MGIR);
}

/* Eight bytes a question; the field is as long as it may be, so stop where the text does. */
static bool read_string(struct info_subject *subject, uint32_t type, char *text)
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

static void show_strings(struct info_subject *subject)
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

static void show_update_method(struct info_subject *subject)
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

static void show_lock(struct info_subject *subject)
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

static void show_pcie_index(struct info_subject *subject)
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

void info_show_registers(struct info_subject *subject)
{
	uint8_t bytes[MGIR_BYTES] = { 0 };
	struct cxctl_error error;
	struct mgir mgir;
	char running[32];

	if (card_register(subject->card, REGISTER_MGIR, bytes, sizeof(bytes), NULL, &error)) {
		info_trouble(subject, &error);
		return;
	}
	mgir_decode(bytes, &mgir);
	info_version_text(mgir.version, running, sizeof(running));
	if (*mgir.psid)
		info_show_psid(subject, mgir.psid, FROM_MGIR);
	info_show_running(subject, running, FROM_MGIR);
	info_show_date(subject->output, mgir.date, FROM_MGIR);
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
