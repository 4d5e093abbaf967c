// SPDX-License-Identifier: GPL-2.0-only
/* Does the vendor's driver of this host still know the chips of this host? */
#include "../base/message.h"
#include "../host/driver_release.h"
#include "drivers.h"

static bool is_seen(const struct pci_list *cards, size_t i)
{
	size_t j;

	for (j = 0; j < i; j++)
		if (cards->functions[j].device == cards->functions[i].device)
			return true;
	return false;
}

static void report_dropped(struct doctor *doctor, const struct pci_function *card, const struct driver *driver,
			   const char *last)
{
	bool recovery;
	const char *model = pci_model(card->device, &recovery);
	struct finding *finding;

	finding = doctor_find(doctor, "drivers", SEVERITY_ERROR, "chip-dropped",
			      _("%s: the vendor's driver %s no longer supports %s; the last that did is %s"), card->address,
			      driver->version, model ? model : "?", last);
	finding_why(finding, _("Use the kernel's own driver, or that older release if it is made for this kernel (source: "
			       "NVIDIA's release notes)."));
}

void check_chips(struct doctor *doctor, const struct pci_list *cards, const struct driver *driver)
{
	unsigned int year, month, last_year = 0, last_month = 0;
	size_t i;

	if (driver->origin != DRIVER_OF_VENDOR || !driver_release_read(driver->version, &year, &month))
		return;
	for (i = 0; i < cards->count; i++) {
		const struct pci_function *card = &cards->functions[i];
		const char *last = driver_release_last(card->device, &last_year, &last_month);

		if (card->is_virtual || is_seen(cards, i))
			continue;
		if (!last)
			doctor_find(doctor, "drivers", SEVERITY_NOTE, "chip-support-unknown",
				    _("%s: no document was found that takes this chip from the vendor's driver %s, and none that promises it"),
				    card->address, driver->version);
		else if (year > last_year || (year == last_year && month > last_month))
			report_dropped(doctor, card, driver, last);
	}
}
