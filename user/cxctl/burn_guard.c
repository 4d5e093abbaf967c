// SPDX-License-Identifier: GPL-2.0-only
/* What stands between an image and a card: firmware-images.md 5.5. One rule a function. */
#include <stdio.h>
#include <string.h>

#include "../base/message.h"
#include "burn_guard.h"

int burn_guard_functions(const struct burn_function *functions, size_t count, struct cxctl_error *error)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (strcmp(functions[i].driver, "vfio-pci"))
			continue;
		error_set(error, CXCTL_REFUSED, "vfio", _("%s belongs to a virtual machine or a user-space driver"),
			  functions[i].address);
		error_found(error, _("bound to the driver vfio-pci"));
		error_expected(error, _("the host's own driver, or none"));
		error_rule(error, _("a card that was handed out is not burned behind its user's back"));
		error_next(error, _("stop the virtual machine, unbind the function from vfio-pci, then burn"));
		return -1;
	}
	return 0;
}

/* ---- the way: a plan of flash writes, or the firmware's own update ---- */

static uint64_t capability_of(enum image_format format)
{
	switch (format) {
	case IMAGE_FS2:
		return CXFW_CAP_BURN_FS2;
	case IMAGE_FS3:
		return CXFW_CAP_BURN_FS3;
	case IMAGE_FS4:
		return CXFW_CAP_BURN_FS4;
	case IMAGE_FS5:
		return CXFW_CAP_BURN_FS5;
	default:
		return 0;
	}
}

/* firmware-images.md 5.8: mcc_en and a section for the signature */
static bool image_takes_component(const struct image_facts *image)
{
	return image->place.format >= IMAGE_FS3 && image->security_flags & IMAGE_SECURITY_MCC &&
	       (image->security_keys || image->signed_by);
}

/* A lock that somebody holds is no closed flash. */
static bool is_closed(const struct cxfw_card_info *info)
{
	return info->capabilities & CXFW_CAP_COMPONENT && info->flash_access == CXFW_FLASH_ACCESS_NONE &&
	       !info->semaphore;
}

static bool offers_plan(const struct cxfw_card_info *info, enum image_format format)
{
	uint64_t needed = CXFW_CAP_BURN_PLAN | capability_of(format);

	return !is_closed(info) && capability_of(format) && (info->capabilities & needed) == needed;
}

static int no_component(const struct image_facts *image, const struct cxfw_card_info *info,
			struct cxctl_error *error)
{
	bool offered = info->capabilities & CXFW_CAP_COMPONENT;

	error_set(error, CXCTL_REFUSED, offered ? "image-no-component" : "no-component",
		  offered ? _("the image cannot be taken by the firmware's own update") :
			    _("the card's firmware does not offer an update of its own"));
	if (offered) {
		error_found(error, image->security_flags & IMAGE_SECURITY_MCC ?
			    _("an image without a section for signatures") :
			    _("an image that does not allow it (IMAGE_INFO, mcc_en)"));
		error_rule(error, _("the firmware's: only images made for it are taken (firmware-images.md 5.8)"));
	} else {
		error_found(error, "%s", *info->why ? info->why : _("no component update among the card's capabilities"));
	}
	error_expected(error, _("firmware and image with component update (MCC)"));
	if (info->flash_access != CXFW_FLASH_ACCESS_NONE)
		error_next(error, _("burn through the flash: --method flash"));
	else
		error_next(error, _("the flash is closed as well: look for a newer image of this PSID"));
	return -1;
}

static int flash_closed(const struct cxfw_card_info *info, struct cxctl_error *error)
{
	error_set(error, CXCTL_REFUSED, "flash-closed", _("the card's firmware does not let its flash be written"));
	error_found(error, "%s", *info->why ? info->why : _("neither the firmware nor the flash gateway gives access"));
	error_expected(error, _("an open flash"));
	error_rule(error, _("the firmware's: on a secure card only it writes its flash"));
	error_next(error, _("burn through the firmware: --method component, with an image that it accepts"));
	return -1;
}

static int no_plan_offered(const struct image_facts *image, const struct cxfw_card_info *info,
			   struct cxctl_error *error)
{
	error_set(error, CXCTL_REFUSED, "burn-not-offered", _("the driver cxfw does not burn this card"));
	error_found(error, "%s", *info->why ? info->why : _("the driver offers no burning"));
	error_expected(error, _("a driver that burns format %s"), image_format_name(image->place.format));
	error_next(error, _("look at the module's parameter burn (/sys/module/cxfw/parameters/burn) and at cxctl access; an older module is replaced by make install"));
	return -1;
}

int burn_guard_method(enum burn_method method, const struct image_facts *image,
		      const struct cxfw_card_info *info, struct cxctl_error *error)
{
	if (method == BURN_METHOD_COMPONENT) {
		if (info->capabilities & CXFW_CAP_COMPONENT && image_takes_component(image))
			return 0;
		return no_component(image, info, error);
	}
	if (offers_plan(info, image->place.format))
		return 0;
	if (is_closed(info))
		return flash_closed(info, error);
	return no_plan_offered(image, info, error);
}

enum burn_method burn_method_choose(const struct image_facts *image, const struct cxfw_card_info *info,
				    const char **why)
{
	bool component = info->capabilities & CXFW_CAP_COMPONENT,
	     open = offers_plan(info, image->place.format);

	if (component && image_takes_component(image)) {
		*why = open ? _("the firmware offers it and the image allows it") :
			      _("the flash is closed; the firmware updates itself");
		return BURN_METHOD_COMPONENT;
	}
	if (component && !open) {
		*why = _("the flash is closed");
		return BURN_METHOD_COMPONENT;	/* refused by its guard, which says why */
	}
	*why = component ? _("the image does not allow an update by the firmware") :
			   _("the firmware offers no update of its own");
	return BURN_METHOD_FLASH;
}

/* ---- the chip ---- */

int burn_guard_format(const struct image_facts *image, const struct cxfw_card_info *info,
		      struct cxctl_error *error)
{
	const char *format = pci_format_by_hw_id(info->hw_id), *model,
		   *is = image_format_name(image->place.format);

	if (format && !strcmp(format, is))
		return 0;
	model = pci_model_by_hw_id(info->hw_id, info->hw_revision);
	error_set(error, CXCTL_REFUSED, "wrong-format", _("the image is not for this kind of card"));
	error_found(error, _("an image of format %s"), is);
	if (format)
		error_expected(error, _("format %s for %s"), format, model ? model : _("this card"));
	else
		error_expected(error, _("hardware id 0x%x, whose format is not known"), info->hw_id);
	error_rule(error, _("the chip's boot code reads one format only"));
	error_next(error, _("look for the image that belongs to this card's PSID (cxctl info shows it)"));
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

static int compare_versions(const uint32_t a[3], const uint32_t b[3])
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

int burn_guard_version(const struct image_facts *image, const struct image_facts *device,
		       const struct burn_permits *permits, struct cxctl_error *error)
{
	int order = compare_versions(image->version, device->version);
	const uint32_t *version = image->version, *stored = device->version;

	if (order > 0 || (!order && permits->reburn) || (order < 0 && permits->downgrade))
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
