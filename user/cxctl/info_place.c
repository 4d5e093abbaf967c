// SPDX-License-Identifier: GPL-2.0-only
/* Where the card sits, what chip it is and in what state: sysfs and the driver. */
#include <stdio.h>
#include <string.h>

#include "info.h"

static const char *model_name(const struct info_subject *subject)
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

static void show_functions(struct info_subject *subject)
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

void info_show_place(struct info_subject *subject)
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

void info_show_chip(struct info_subject *subject)
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

void info_show_state(struct info_subject *subject)
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
		info_pending(subject, "burn");
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
