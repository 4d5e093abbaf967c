// SPDX-License-Identifier: GPL-2.0-only
/* Names of cards against a sysfs that this test makes. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../user/device/private.h"
#include "../lib/ktap.h"

static char root[64];

static void run(const char *format, const char *a, const char *b)
{
	char command[512];
	int used = snprintf(command, sizeof(command), "cd '%s' && ", root);

	snprintf(command + used, sizeof(command) - used, format, a, b);
	if (system(command))
		ktap_fail(__FILE__, __LINE__, "cannot run %s", command);
}

static void put(const char *address, const char *file, const char *text)
{
	char path[256];
	FILE *stream;

	snprintf(path, sizeof(path), "%s/bus/pci/devices/%s/%s", root, address, file);
	stream = fopen(path, "w");
	if (!stream) {
		ktap_fail(__FILE__, __LINE__, "cannot write %s", path);
		return;
	}
	fprintf(stream, "%s\n", text);
	fclose(stream);
}

static void add_function(const char *address, const char *vendor, const char *device, const char *class_code)
{
	run("mkdir -p bus/pci/devices/%s", address, NULL);
	put(address, "vendor", vendor);
	put(address, "device", device);
	put(address, "class", class_code);
	put(address, "numa_node", "1");
}

static void add_interface(const char *address, const char *kind, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "bus/pci/devices/%s/%s", address, kind);
	run("mkdir -p %s/%s", path, name);
}

static void build(void)
{
	snprintf(root, sizeof(root), "%s/cxctl-names-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	if (!mkdtemp(root))
		exit(1);
	setenv("CXCTL_SYSFS", root, 1);
	add_function("0000:00:1f.2", "0x8086", "0x2922", "0x010601");
	add_function("0000:03:00.0", "0x15b3", "0x1003", "0x020700");
	add_function("0000:04:00.0", "0x15b3", "0x1017", "0x020000");
	add_function("0000:04:00.1", "0x15b3", "0x1017", "0x020000");
	add_function("0000:04:00.2", "0x15b3", "0x1018", "0x020000");
	add_function("0000:05:00.0", "0x15b3", "0x1017", "0x020000");
	add_function("0000:06:00.0", "0x15b3", "0x1978", "0x060400");	/* a bridge of a DPU */
	add_function("0000:07:00.0", "0x15b3", "0x020d", "0x058000");	/* recovery */
	add_function("0001:03:00.0", "0x15b3", "0x673c", "0x0c0600");
	add_function("10000:81:00.0", "0x15b3", "0x101d", "0x020000");
	add_interface("0000:03:00.0", "net", "ib0");
	add_interface("0000:04:00.0", "net", "eth4");
	add_interface("0000:04:00.0", "infiniband", "mlx5_0");
	add_interface("0000:05:00.0", "net", "mlx5_0");		/* an administrator's joke */
	put("0000:04:00.0", "current_link_speed", "8.0 GT/s PCIe");
	put("0000:04:00.0/infiniband/mlx5_0", "board_id", "MT_0000000010");
	put("0000:04:00.0/infiniband/mlx5_0", "fw_ver", "16.32.1010");
	run("ln -s ../0000:04:00.0 bus/pci/devices/0000:04:00.2/physfn", NULL, NULL);
	run("mkdir -p class/net/bond0 class/net/eth4rep && ln -s ../../../bus/pci/devices/0000:04:00.0 class/net/eth4rep/device",
	    NULL, NULL);
}

/* What the name means: an address, or the id of the error. */
static const char *meaning(const char *name)
{
	static struct pci_function function;
	static struct cxctl_error error;

	error_clear(&error);
	return name_resolve(name, &function, &error) ? error.id : function.address;
}

static void addresses(void)
{
	CHECK_STR(meaning("0000:04:00.0"), "0000:04:00.0");
	CHECK_STR(meaning("0000:04:00.1"), "0000:04:00.1");
	CHECK_STR(meaning("04:00.1"), "0000:04:00.1");
	CHECK_STR(meaning("04:00"), "0000:04:00.0");
	CHECK_STR(meaning("81:00.0"), "10000:81:00.0");
	CHECK_STR(meaning("10000:81:00.0"), "10000:81:00.0");
	CHECK_STR(meaning("/dev/cxfw/0000:05:00.0"), "0000:05:00.0");
	CHECK_STR(meaning("pciconf-05:00.0"), "0000:05:00.0");
	CHECK_STR(meaning("0001:03:00.0"), "0001:03:00.0");
}

static void interfaces(void)
{
	CHECK_STR(meaning("ib0"), "0000:03:00.0");
	CHECK_STR(meaning("eth4"), "0000:04:00.0");
	CHECK_STR(meaning("eth4rep"), "0000:04:00.0");
}

static void mst_names(void)
{
	CHECK_STR(meaning("mt4099_pci_cr0"), "0000:03:00.0");
	CHECK_STR(meaning("/dev/mst/mt4099_pciconf0"), "0000:03:00.0");
	CHECK_STR(meaning("mt4119_pciconf0"), "0000:04:00.0");
	CHECK_STR(meaning("mt4119_pciconf0.1"), "0000:04:00.1");
	CHECK_STR(meaning("mt4119_pciconf1"), "0000:05:00.0");
	CHECK_STR(meaning("/dev/mst/mt26428_pci_cr0"), "0001:03:00.0");
	CHECK_STR(meaning("mt525_pciconf0"), "0000:07:00.0");
	CHECK_STR(meaning("mt4119_pciconf2"), "no-such-card");
	CHECK_STR(meaning("mt4119_pciconf0.2"), "no-such-card");
	CHECK_STR(meaning("mt4119_pciconf0x"), "no-such-card");
}

static void errors(void)
{
	CHECK_STR(meaning("nosuch"), "no-such-card");
	CHECK_STR(meaning(""), "no-such-card");
	CHECK_STR(meaning("0000:09:00.0"), "no-such-card");
	CHECK_STR(meaning("../../etc/passwd"), "no-such-card");
	CHECK_STR(meaning("03:00.0"), "ambiguous-name");	/* domains 0 and 1 */
	CHECK_STR(meaning("mlx5_0"), "ambiguous-name");	/* an RDMA device and a network interface */
	CHECK_STR(meaning("00:1f.2"), "not-a-card");
	CHECK_STR(meaning("bond0"), "not-a-card");
	CHECK_STR(meaning("06:00.0"), "not-a-card");
	CHECK_STR(meaning("04:00.2"), "virtual-function");
}

static void each_error_has_its_exit_code(void)
{
	static const struct {
		const char *name;
		int exit;
	} cases[] = {
		{ "nosuch", CXCTL_NO_CARD },
		{ "03:00.0", CXCTL_USAGE },
		{ "bond0", CXCTL_NO_CARD },
		{ "04:00.2", CXCTL_REFUSED },
	};
	struct pci_function function;
	struct cxctl_error error;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CHECK(name_resolve(cases[i].name, &function, &error));
		CHECK_EQ(error.exit, cases[i].exit);
	}
}

static void a_virtual_function_names_its_physical_one(void)
{
	struct pci_function function;
	struct cxctl_error error;

	CHECK(name_resolve("0000:04:00.2", &function, &error));
	CHECK(strstr(error.text, "this is a virtual function; firmware operations belong to its physical function 0000:04:00.0"));
}

static void facts_of_sysfs(void)
{
	struct pci_function function;

	REQUIRE(!pci_read("0000:04:00.0", &function));
	CHECK_EQ(function.device, 0x1017);
	CHECK_EQ(function.numa_node, 1);
	CHECK_STR(function.board_id, "MT_0000000010");
	CHECK_STR(function.fw_version, "16.32.1010");
	CHECK_STR(function.link_speed, "8.0 GT/s PCIe");
	CHECK_STR(function.netdev[0], "eth4");
	CHECK_STR(function.rdma[0], "mlx5_0");
	CHECK_STR(function.driver, "");
}

static void the_scan_finds_cards_only(void)
{
	struct pci_list list;
	size_t i;

	REQUIRE(!pci_scan(&list));
	CHECK_EQ(list.count, 8);
	for (i = 0; i < list.count; i++) {
		CHECK(strcmp(list.functions[i].address, "0000:06:00.0"));
		if (i)
			CHECK(list.functions[i - 1].domain <= list.functions[i].domain);
	}
	CHECK_STR(list.functions[0].address, "0000:03:00.0");
	CHECK_STR(list.functions[list.count - 1].address, "10000:81:00.0");
	pci_list_free(&list);
}

static void no_sysfs_at_all(void)
{
	struct pci_list list;

	setenv("CXCTL_SYSFS", "/nonexistent", 1);
	CHECK(pci_scan(&list) < 0);
	CHECK_STR(meaning("nosuch"), "no-sysfs");
	setenv("CXCTL_SYSFS", root, 1);
}

int main(int argc, char **argv)
{
	static const struct ktap_test tests[] = {
		KTAP_TEST(addresses),
		KTAP_TEST(interfaces),
		KTAP_TEST(mst_names),
		KTAP_TEST(errors),
		KTAP_TEST(each_error_has_its_exit_code),
		KTAP_TEST(a_virtual_function_names_its_physical_one),
		KTAP_TEST(facts_of_sysfs),
		KTAP_TEST(the_scan_finds_cards_only),
		KTAP_TEST(no_sysfs_at_all),
	};
	char command[128];
	int result;

	build();
	result = ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
	snprintf(command, sizeof(command), "rm -r '%s'", root);
	if (system(command))
		return 1;
	return result;
}
