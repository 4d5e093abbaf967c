// SPDX-License-Identifier: GPL-2.0-only
/* What stands between an image and a card: firmware-images.md 5.5. One rule a function. */
#include <stdio.h>
#include <string.h>

#include "burn.h"

int burn_guard_functions(const struct cxctl_card *card, struct cxctl_error *error)
{
	const struct cxctl_card_facts *facts = card_facts(card);
	struct pci_function function;
	unsigned int i;

	for (i = 0; i < facts->function_count; i++) {
		if (pci_read(facts->functions[i].address, &function) || strcmp(function.driver, "vfio-pci"))
			continue;
		error_set(error, CXCTL_REFUSED, "vfio", _("%s belongs to a virtual machine or a user-space driver"),
			  facts->functions[i].address);
		error_found(error, _("bound to the driver vfio-pci"));
		error_rule(error, _("a card that was handed out is not burned behind its user's back"));
		error_next(error, _("stop the virtual machine, unbind the function from vfio-pci, then burn"));
		return -1;
	}
	return 0;
}

int burn_guard_driver(const struct cxctl_card_facts *facts, struct cxctl_error *error)
{
	if (facts->capabilities & CXFW_CAP_BURN_PLAN && facts->capabilities & CXFW_CAP_BURN_FS2)
		return 0;
	error_set(error, CXCTL_REFUSED, "burn-not-offered", _("the driver cxfw does not burn this card"));
	if (facts->family == CXFW_FAMILY_MLX5) {
		error_found(error, _("a card of the mlx5 generation"));
		error_expected(error, _("ConnectX-2, ConnectX-3 or ConnectX-3 Pro: this version of cxctl burns no others"));
	} else {
		error_found(error, "%s", *facts->trouble ? facts->trouble : _("the driver offers no burning"));
		error_next(error, _("look at the module's parameter burn (/sys/module/cxfw/parameters/burn) and at cxctl access"));
	}
	return -1;
}

int burn_guard_flash(const struct cxfw_card_info *info, struct cxctl_error *error)
{
	if (!info->flash_size) {
		error_set(error, CXCTL_CARD_ERROR, "flash-unreadable", _("the card's flash cannot be reached"));
		error_found(error, "%s", *info->why ? info->why : _("no flash size"));
		error_next(error, _("cxctl access tells which way works and which does not"));
		return -1;
	}
	if (*info->flash_name)
		return 0;
	error_set(error, CXCTL_REFUSED, "flash-unknown", _("the card's flash chip is not in the driver's table"));
	error_found(error, _("JEDEC id %06x"), info->flash_jedec);
	error_rule(error, _("a chip whose erase sizes and protection bits are unknown is read, never written"));
	error_next(error, _("save a backup with cxctl backup, and report the id"));
	return -1;
}

int burn_guard_format(const struct image_facts *image, const struct cxfw_card_info *info,
		      struct cxctl_error *error)
{
	const char *format = pci_format_by_hw_id(info->hw_id), *model;

	if (image->place.format == IMAGE_FS2 && info->family == CXFW_FAMILY_MLX4)
		return 0;
	model = pci_model_by_hw_id(info->hw_id, info->hw_revision);
	error_set(error, CXCTL_REFUSED, "wrong-format", _("the image is not for this kind of card"));
	error_found(error, _("an image of format %s"), image_format_name(image->place.format));
	if (info->family == CXFW_FAMILY_MLX4)
		error_expected(error, _("format FS2 for %s"), model ? model : "ConnectX-2, 3, 3 Pro");
	else
		error_expected(error, _("%s takes format %s, which this version of cxctl does not burn"),
			       model ? model : _("this card"), format ? format : "FS3, FS4");
	return -1;
}

/* "0x1f5 revision 1, 0x1f5 revision 0" */
static void list_hw_ids(const struct image_facts *image, char *text, size_t room)
{
	unsigned int i;
	size_t used = 0;

	*text = '\0';
	for (i = 0; i < image->hw_id_count && used < room; i++)
		used += snprintf(text + used, room - used, _("%s0x%x revision 0x%x"), i ? ", " : "",
				 image->hw_ids[i].id, image->hw_ids[i].revision);
}

static int wrong_hardware(const char *found, uint32_t hw_id, uint32_t hw_revision, struct cxctl_error *error)
{
	const char *model = pci_model_by_hw_id(hw_id, hw_revision);

	error_set(error, CXCTL_REFUSED, "wrong-hardware", _("the image is for another chip"));
	error_found(error, _("an image for hardware id %s"), found);
	error_expected(error, _("0x%x revision 0x%x (%s)"), hw_id, hw_revision, model ? model : _("unknown"));
	error_rule(error, _("hardware id and revision must both be among those that the image names"));
	error_next(error, _("look for the image that belongs to this card's PSID (cxctl info shows it)"));
	return -1;
}

int burn_guard_hardware(const struct image_facts *image, uint32_t hw_id, uint32_t hw_revision,
			struct cxctl_error *error)
{
	char text[200];
	unsigned int i;
	uint32_t of_pci;

	for (i = 0; i < image->hw_id_count; i++)
		if (image->hw_ids[i].id == hw_id && image->hw_ids[i].revision == hw_revision)
			return 0;
	if (image->hw_id_count) {
		list_hw_ids(image, text, sizeof(text));
		return wrong_hardware(text, hw_id, hw_revision, error);
	}
	/* Old images name the PCI id only. */
	of_pci = fs2_hw_id_of_pci(image->pci_device);
	if (of_pci && of_pci == hw_id)
		return 0;
	if (of_pci) {
		snprintf(text, sizeof(text), "0x%x", of_pci);
		return wrong_hardware(text, hw_id, hw_revision, error);
	}
	error_set(error, CXCTL_REFUSED, "hardware-unknown", _("the image does not say for which chip it is"));
	error_found(error, _("no list of hardware ids, PCI device id 0x%04x"), image->pci_device);
	error_expected(error, _("hardware id 0x%x"), hw_id);
	return -1;
}

static const char *vendor(const char *psid)
{
	const char *name = image_psid_vendor(psid);

	return name ? name : _("vendor unknown");
}

int burn_guard_psid(const struct image_facts *image, const struct image_facts *device,
		    struct cxctl_error *error)
{
	if (!strcmp(image->psid, device->psid))
		return 0;
	error_set(error, CXCTL_REFUSED, "psid", _("the image is for another board: the PSIDs differ"));
	error_found(error, _("the image's PSID is %s (%s)"), image->psid, vendor(image->psid));
	error_expected(error, _("%s (%s), the card's"), device->psid, vendor(device->psid));
	error_rule(error, _("a PSID stands for a board and its settings; another board's image can leave a card without link or without boot"));
	error_next(error, _("get the image for %s; this version of cxctl does not change a PSID"), device->psid);
	return -1;
}

static int compare_versions(const uint32_t a[3], const uint32_t b[3])
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

int burn_guard_version(const struct image_facts *image, const struct image_facts *device,
		       const struct burn_request *request, struct cxctl_error *error)
{
	int order = compare_versions(image->version, device->version);
	const uint32_t *version = image->version, *stored = device->version;

	if (order > 0 || (!order && request->reburn) || (order < 0 && request->downgrade))
		return 0;
	if (!order)
		error_set(error, CXCTL_REFUSED, "same-version", _("the card's flash holds this version already, with other content"));
	else
		error_set(error, CXCTL_REFUSED, "older-version", _("the image is older than what the card's flash holds"));
	error_found(error, _("version %u.%u.%u"), version[0], version[1], version[2]);
	error_expected(error, _("a version after %u.%u.%u"), stored[0], stored[1], stored[2]);
	error_next(error, order ? _("add --downgrade if an older version is what you want") :
				  _("add --reburn to write it again"));
	return -1;
}
