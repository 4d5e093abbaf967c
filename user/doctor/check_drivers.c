// SPDX-License-Identifier: GPL-2.0-only
/* The cards' drivers: built in, the kernel's, the vendor's, or a mixture that cannot work. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/message.h"
#include "../host/driver_release.h"
#include "drivers.h"

/* Modules of one stack: they call each other, so all of them are of one origin. */
static const char *const partners[] = { "ib_core", "ib_uverbs", "mlx5_ib", "mlx4_ib" };

static const char *origin_text(enum driver_origin origin)
{
	return origin == DRIVER_OF_VENDOR ? _("the vendor's") : _("the kernel's");
}

static bool of_generation(const char *partner, const char *core)
{
	return strncmp(partner, "mlx", 3) || !strncmp(partner, core, 4);
}

static bool check_mixed(struct doctor *doctor, const char *core, const struct driver *driver)
{
	struct finding *finding;
	struct driver other;
	size_t i;

	for (i = 0; i < sizeof(partners) / sizeof(partners[0]); i++) {
		driver_read(doctor->host, partners[i], &other);
		if (!of_generation(partners[i], core) || other.origin == DRIVER_ABSENT ||
		    (other.origin == DRIVER_OF_VENDOR) == (driver->origin == DRIVER_OF_VENDOR))
			continue;
		finding = doctor_find(doctor, "drivers", SEVERITY_ERROR, "driver-mixed", _("%s is %s, but %s is %s"), core,
				      origin_text(driver->origin), partners[i], origin_text(other.origin));
		finding_why(finding, _("They call each other and do not fit: one of them is not loaded (\"disagrees about version "
				       "of symbol\"), and there is no RDMA."));
		finding_vendor_build(finding, doctor->host, NULL);
		return true;
	}
	return false;
}

static bool check_kernel(struct doctor *doctor, const char *core, const struct driver *driver)
{
	const struct host *host = doctor->host;
	struct finding *finding;

	if (!driver->kernel[0] || !strcmp(driver->kernel, host->release) || strstr(driver->path, "/weak-updates/"))
		return false;
	finding = doctor_find(doctor, "drivers", SEVERITY_ERROR, "driver-wrong-kernel",
			      _("/%s was built for kernel %s: kernel %s refuses it"), driver->path, driver->kernel, host->release);
	finding_why(finding, _("The cards have no driver until %s is built for this kernel."), core);
	finding_vendor_build(finding, host, NULL);
	return true;
}

static void report_built_in(struct doctor *doctor, const char *core, const struct driver *driver)
{
	struct finding *finding;

	if (driver->path[0] && !strstr(driver->path, "/kernel/")) {
		finding = doctor_find(doctor, "drivers", SEVERITY_WARNING, "driver-shadowed",
				      _("%s is built into kernel %s: /%s is never loaded"), core, doctor->host->release,
				      driver->path);
		finding_why(finding, _("A vendor's driver takes effect only on a kernel that has %s as a module."), core);
		return;
	}
	finding = doctor_find(doctor, "drivers", SEVERITY_NOTE, "driver-built-in", _("%s is built into kernel %s"), core,
			      doctor->host->release);
	finding_why(finding, _("It cannot be unloaded: where a burn or a reset asks for that, unbind the card instead, and a vendor's "
			       "driver cannot take its place."));
}

static void check_core(struct doctor *doctor, const char *core, const struct driver *driver)
{
	if (driver->origin == DRIVER_ABSENT)
		return;
	if (driver->origin == DRIVER_BUILT_IN) {
		report_built_in(doctor, core, driver);
		return;
	}
	if (check_kernel(doctor, core, driver) || check_mixed(doctor, core, driver))
		return;
	if (driver->origin == DRIVER_OF_VENDOR)
		doctor_find(doctor, "drivers", SEVERITY_OK, "driver-vendor", _("%s is the vendor's: %s (/%s)"), core,
			    driver->version[0] ? driver->version : _("version unknown"), driver->path);
	else
		doctor_find(doctor, "drivers", SEVERITY_OK, "driver-kernel", _("%s is the kernel's own"), core);
}

/* A card that no driver of this kernel serves. */
static void check_served(struct doctor *doctor, const char *core, const struct driver *driver, const struct pci_list *cards)
{
	struct finding *finding;
	size_t i;

	if (driver->origin != DRIVER_ABSENT)
		return;
	for (i = 0; i < cards->count; i++)
		if (!cards->functions[i].is_virtual && pci_is_mlx4(cards->functions[i].device) == !strcmp(core, "mlx4_core"))
			break;
	if (i == cards->count)
		return;
	finding = doctor_find(doctor, "drivers", SEVERITY_WARNING, "driver-missing", _("kernel %s has no %s, the driver of %s"),
			      doctor->host->release, core, cards->functions[i].address);
	finding_why(finding, _("The card works as no network or RDMA device; cxfw burns it all the same."));
	if (doctor->host->lineage == LINEAGE_RHEL || doctor->host->lineage == LINEAGE_ANOLIS)
		finding_install(finding, doctor->host, "kernel-modules");
}

static bool uses_library_of_vendor(const struct host *host)
{
	char *status = host_text(host, "var/lib/dpkg/status"), *package, *end, *version;
	bool vendor = false;

	package = status ? strstr(status, "Package: libibverbs1\n") : NULL;
	if (package) {
		end = strstr(package, "\n\n");
		if (end)
			*end = '\0';
		version = strstr(package, "\nVersion: ");
		/* "2404mlnx51-1.2404066" of the vendor, "44.0-2" of Debian. */
		vendor = version && strstr(version, "mlnx");
	}
	free(status);
	return vendor;
}

static void check_library(struct doctor *doctor, const struct driver *driver)
{
	struct finding *finding;

	if (!uses_library_of_vendor(doctor->host) || driver->origin == DRIVER_OF_VENDOR || driver->origin == DRIVER_ABSENT)
		return;
	finding = doctor_find(doctor, "drivers", SEVERITY_WARNING, "verbs-mixed",
			      _("libibverbs is the vendor's, but mlx5_core is the kernel's"));
	finding_why(finding, _("Programs may find no device, or miss functions: both should be of one origin."));
	finding_vendor_build(finding, doctor->host, NULL);
}

void check_drivers(struct doctor *doctor)
{
	struct driver mlx5, mlx4;
	struct pci_list cards;

	if (!doctor->host->release[0])
		return;
	host_cards(doctor->host, &cards);
	check_cxfw(doctor, &cards);
	driver_read(doctor->host, "mlx5_core", &mlx5);
	driver_read(doctor->host, "mlx4_core", &mlx4);
	check_core(doctor, "mlx5_core", &mlx5);
	check_core(doctor, "mlx4_core", &mlx4);
	check_served(doctor, "mlx5_core", &mlx5, &cards);
	check_served(doctor, "mlx4_core", &mlx4, &cards);
	check_library(doctor, &mlx5);
	check_chips(doctor, &cards, &mlx5);
	check_vendor_stack(doctor, mlx5.origin == DRIVER_OF_VENDOR || mlx4.origin == DRIVER_OF_VENDOR);
	pci_list_free(&cards);
}
