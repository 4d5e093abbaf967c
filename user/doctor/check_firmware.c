// SPDX-License-Identifier: GPL-2.0-only
/* Is the firmware of each card as new as the vendor's driver, which was tested with it, wants? */
#include <stdio.h>
#include <string.h>

#include "../base/message.h"
#include "../host/driver_release.h"
#include "drivers.h"

static void check_card(struct doctor *doctor, const struct pci_function *card, const struct driver *driver,
		       const struct driver_release *release)
{
	unsigned int major, minor, subminor;
	struct finding *finding;

	if (sscanf(card->fw_version, "%u.%u.%u", &major, &minor, &subminor) != 3)
		return;
	if (minor >= release->branch) {
		doctor_find(doctor, "firmware", SEVERITY_OK, "firmware-fits", _("%s: firmware %s, the driver %s came with %u.%u"),
			    card->address, card->fw_version, driver->version, major, release->branch);
		return;
	}
	finding = doctor_find(doctor, "firmware", SEVERITY_WARNING, "firmware-older",
			      _("%s: firmware %s is older than %u.%u, which came with the driver %s"), card->address,
			      card->fw_version, major, release->branch, driver->version);
	finding_why(finding, _("It works; features of the driver that need newer firmware stay off."));
	finding_command(finding, "cxctl burn %s -i DIRECTORY", card->address);
}

void check_firmware(struct doctor *doctor)
{
	const struct driver_release *release = NULL;
	unsigned int year, month;
	struct pci_list cards;
	struct driver driver;
	size_t i;

	if (!doctor->host->release[0])
		return;
	driver_read(doctor->host, "mlx5_core", &driver);
	if (driver.origin == DRIVER_OF_VENDOR && driver_release_read(driver.version, &year, &month))
		release = driver_release_before(year, month);
	/* Of a kernel's own driver no table tells which firmware it wants. */
	if (!release)
		return;
	host_cards(doctor->host, &cards);
	for (i = 0; i < cards.count; i++)
		if (!cards.functions[i].is_virtual && !cards.functions[i].function && !pci_is_mlx4(cards.functions[i].device))
			check_card(doctor, &cards.functions[i], &driver, release);
	pci_list_free(&cards);
}
