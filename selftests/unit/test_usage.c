// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who uses a card: on trees of files like those of sysfs and procfs, with netlink answers of our own. A
 * user that is overlooked here is one who is cut off without a word.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../user/host/procfs.h"
#include "../../user/host/upstream.h"
#include "../../user/host/usage.h"
#include "../lib/ktap.h"

static char root[64];
static struct card_usage usage;

static void make_parents(char *path)
{
	char *slash;

	for (slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

static void put(const char *name, const char *text)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	make_parents(path);
	file = fopen(path, "w");
	if (!CHECK(file))
		return;
	fputs(text, file);
	fclose(file);
}

static void put_bytes(const char *name, const char *bytes, size_t length)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	make_parents(path);
	file = fopen(path, "w");
	if (!CHECK(file))
		return;
	fwrite(bytes, 1, length, file);
	fclose(file);
}

/* what: what the link says; relative like sysfs's own, or absolute below the root when it begins with '@'. */
static void put_link(const char *name, const char *what)
{
	char path[512], target[512];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	make_parents(path);
	if (*what == '@')
		snprintf(target, sizeof(target), "%s/%s", root, what + 1);
	else
		snprintf(target, sizeof(target), "%s", what);
	CHECK(!symlink(target, path) || errno == EEXIST);
}

static void put_interface(const char *name, const char *operstate)
{
	char path[128];

	snprintf(path, sizeof(path), "sys/class/net/%s/flags", name);
	put(path, strcmp(operstate, "down") ? "0x1003\n" : "0x1002\n");
	snprintf(path, sizeof(path), "sys/class/net/%s/operstate", name);
	put(path, operstate);
}

/* An interface of a PCI function. */
static void put_port(const char *name, const char *function, const char *operstate)
{
	char path[160], target[128];

	put_interface(name, operstate);
	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/net/%s", function, name);
	snprintf(target, sizeof(target), "@sys/class/net/%s", name);
	put_link(path, target);
	snprintf(path, sizeof(path), "sys/class/net/%s/device", name);
	snprintf(target, sizeof(target), "@sys/bus/pci/devices/%s", function);
	put_link(path, target);
}

static void put_above(const char *upper, const char *lower)
{
	char path[160];

	snprintf(path, sizeof(path), "sys/class/net/%s/upper_%s", lower, upper);
	put_link(path, upper);
	snprintf(path, sizeof(path), "sys/class/net/%s/lower_%s", upper, lower);
	put_link(path, lower);
}

static void put_master(const char *master, const char *port)
{
	char path[160], target[64];

	put_above(master, port);
	snprintf(path, sizeof(path), "sys/class/net/%s/master", port);
	snprintf(target, sizeof(target), "../%s", master);
	put_link(path, target);
}

static void put_leg(const char *bond, const char *leg, const char *state)
{
	char path[160];

	put_master(bond, leg);
	snprintf(path, sizeof(path), "sys/class/net/%s/bonding_slave/mii_status", leg);
	put(path, state);
	snprintf(path, sizeof(path), "sys/class/net/%s/bonding/mode", bond);
	put(path, "active-backup 1\n");
}

/* ---- netlink's answers ---- */

static struct {
	const char *interface, *address;
} addresses[8];
static struct {
	const char *address, *interface;
} routes[8];
static struct {
	uint32_t pid;
	const char *name;
} objects[8];

static void fake_addresses(void (*take)(const char *, const char *, void *), void *data)
{
	size_t i;

	for (i = 0; i < 8 && addresses[i].interface; i++)
		take(addresses[i].interface, addresses[i].address, data);
}

static bool fake_route(const char *address, char *interface, size_t room)
{
	size_t i;

	for (i = 0; i < 8 && routes[i].address; i++)
		if (!strcmp(routes[i].address, address)) {
			snprintf(interface, room, "%s", routes[i].interface);
			return true;
		}
	return false;
}

static void fake_rdma(const char *device, void (*take)(uint32_t, const char *, unsigned int, void *),
		      void *data)
{
	size_t i;

	for (i = 0; !strcmp(device, "mlx5_0") && i < 8 && objects[i].name; i++)
		take(objects[i].pid, objects[i].name, 1, data);
}

static const struct usage_kernel fake = { fake_addresses, fake_route, fake_rdma };

static void start(void)
{
	char path[128];

	snprintf(root, sizeof(root), "/tmp/cxctl-usage-XXXXXX");
	CHECK(mkdtemp(root));
	memset(addresses, 0, sizeof(addresses));
	memset(routes, 0, sizeof(routes));
	memset(objects, 0, sizeof(objects));
	snprintf(path, sizeof(path), "%s/sys", root);
	setenv("CXCTL_SYSFS", path, 1);
	snprintf(path, sizeof(path), "%s/proc", root);
	setenv("CXCTL_PROC", path, 1);
	unsetenv("SSH_CONNECTION");
	put("sys/bus/pci/devices/0000:03:00.0/vendor", "0x15b3\n");
	put("sys/bus/pci/devices/0000:03:00.0/device", "0x1017\n");
	put("sys/bus/pci/devices/0000:03:00.0/class", "0x020000\n");
	put_link("sys/bus/pci/devices/0000:03:00.0/driver", "../../drivers/mlx5_core");
}

static void ask(void)
{
	struct pci_function function;

	REQUIRE(!pci_read("0000:03:00.0", &function));
	usage_query(&function, 1, &fake, &usage);
}

static void end(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	CHECK(!system(command));
}

static const struct usage_item *item(enum usage_kind kind, const char *what)
{
	size_t i;

	for (i = 0; i < usage.count; i++)
		if (usage.items[i].kind == kind && !strcmp(usage.items[i].what, what))
			return &usage.items[i];
	return NULL;
}

/* There is such an item, and its text has each of these. */
static const struct usage_item *want(enum usage_kind kind, const char *what, const char *words, bool harmless)
{
	const struct usage_item *found = item(kind, what);

	if (!CHECK(found)) {
		ktap_note("no %s of kind %s", what, usage_kind_name(kind));
		return NULL;
	}
	CHECK_EQ(found->harmless, harmless);
	if (!CHECK(strstr(found->text, words)))
		ktap_note("\"%s\" lacks \"%s\"", found->text, words);
	return found;
}

/* ---- the tests ---- */

static void nobody_uses_an_idle_card(void)
{
	start();
	put_port("ens1", "0000:03:00.0", "down");
	ask();
	CHECK_EQ(usage.hit, 0);
	CHECK_EQ(usage.count, 0);
	CHECK_EQ(usage.interface_count, 1);
	end();
}

static void interface_with_address(void)
{
	start();
	put_port("ens1", "0000:03:00.0", "up");
	addresses[0].interface = "ens1";
	addresses[0].address = "fe80::1/64";
	ask();
	CHECK(!usage_has(&usage, USAGE_NETWORK));
	want(USAGE_NETWORK, "ens1", "without addresses", true);
	addresses[1].interface = "ens1";
	addresses[1].address = "10.0.0.5/24";
	addresses[2].interface = "eth9";
	addresses[2].address = "10.9.0.5/24";
	put("proc/net/route", "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\n"
			      "ens1\t00000000\t0100000A\t0003\t0\t0\t100\t00000000\t0\t0\t0\n");
	ask();
	CHECK(usage_has(&usage, USAGE_NETWORK));
	want(USAGE_NETWORK, "ens1", "10.0.0.5/24, default route", false);
	CHECK(!item(USAGE_NETWORK, "eth9"));
	end();
}

static void vlan_and_bridge_go_down_too(void)
{
	start();
	put_port("ens1", "0000:03:00.0", "up");
	put_interface("ens1.7", "up");
	put_above("ens1.7", "ens1");
	put_interface("br0", "up");
	put_master("br0", "ens1.7");
	put_interface("vnet0", "unknown");
	put_master("br0", "vnet0");
	addresses[0].interface = "br0";
	addresses[0].address = "192.0.2.1/24";
	ask();
	/* The guest's tap is no way out: the bridge has lost its only one. */
	want(USAGE_NETWORK, "br0", "192.0.2.1/24", false);
	want(USAGE_NETWORK, "ens1.7", "port of br0", false);
	CHECK_EQ(usage.interface_count, 3);
	end();
}

static void bridge_with_another_way_out_stays(void)
{
	start();
	put_port("ens1", "0000:03:00.0", "up");
	put_interface("br0", "up");
	put_master("br0", "ens1");
	put_port("eth0", "0000:00:1f.6", "up");
	put_master("br0", "eth0");
	addresses[0].interface = "br0";
	addresses[0].address = "192.0.2.1/24";
	ask();
	CHECK(!item(USAGE_NETWORK, "br0"));
	want(USAGE_NETWORK, "ens1", "port of br0", false);
	end();
}

static void bond_with_another_leg(void)
{
	start();
	put_port("ens1", "0000:03:00.0", "up");
	put_port("ens2", "0000:04:00.0", "up");
	put_interface("bond0", "up");
	put_leg("bond0", "ens1", "up\n");
	put_leg("bond0", "ens2", "up\n");
	addresses[0].interface = "bond0";
	addresses[0].address = "10.0.0.5/24";
	ask();
	CHECK_EQ(usage.hit, 0);
	want(USAGE_BOND, "bond0", "goes on over ens2", true);
	end();
}

static void only_leg_of_a_bond(void)
{
	start();
	put_port("ens1", "0000:03:00.0", "up");
	put_port("ens2", "0000:04:00.0", "up");
	put_interface("bond0", "up");
	put_leg("bond0", "ens1", "up\n");
	put_leg("bond0", "ens2", "down\n");
	addresses[0].interface = "bond0";
	addresses[0].address = "10.0.0.5/24";
	ask();
	want(USAGE_BOND, "bond0", "no working leg", false);
	want(USAGE_NETWORK, "bond0", "10.0.0.5/24", false);
	end();
}

static void both_legs_on_one_card(void)
{
	start();
	put_port("ens1", "0000:03:00.0", "up");
	put_port("ens2", "0000:03:00.0", "up");
	put_interface("bond0", "up");
	put_leg("bond0", "ens1", "up\n");
	put_leg("bond0", "ens2", "up\n");
	ask();
	want(USAGE_BOND, "bond0", "no working leg", false);
	end();
}

static void rdma_by_process(void)
{
	const struct usage_item *found;

	start();
	put("sys/bus/pci/devices/0000:03:00.0/infiniband/mlx5_0/board_id", "MT_0000000008\n");
	put("sys/class/infiniband_verbs/uverbs0/ibdev", "mlx5_0\n");
	put("sys/class/infiniband_verbs/uverbs1/ibdev", "mlx5_1\n");
	put("proc/77/comm", "ib_write_bw\n");
	put_link("proc/77/fd/3", "/dev/infiniband/uverbs0");
	put("proc/78/comm", "other\n");
	put_link("proc/78/fd/3", "/dev/infiniband/uverbs1");
	put("proc/79/comm", "mpirun\n");
	objects[0].pid = 79;
	objects[0].name = "";
	objects[1] = objects[0];
	objects[2].name = "ib_core";
	objects[3].name = "nvme_rdma";
	ask();
	found = want(USAGE_RDMA, "ib_write_bw", "process 77", false);
	CHECK(found && found->pid == 77);
	want(USAGE_RDMA, "mpirun", "2 RDMA objects", false);
	want(USAGE_RDMA, "nvme_rdma", "kernel module", false);
	CHECK(!item(USAGE_RDMA, "other"));
	CHECK(!item(USAGE_RDMA, "ib_core"));
	end();
}

static void virtual_functions(void)
{
	start();
	put_link("sys/bus/pci/devices/0000:03:00.0/virtfn0", "../0000:03:00.2");
	put_link("sys/bus/pci/devices/0000:03:00.0/virtfn1", "../0000:03:00.3");
	put_link("sys/bus/pci/devices/0000:03:00.3/driver", "../../drivers/vfio-pci");
	put_port("ens1v0", "0000:03:00.2", "up");
	addresses[0].interface = "ens1v0";
	addresses[0].address = "10.3.0.1/24";
	ask();
	want(USAGE_VIRTUAL, "0000:03:00.0", "2 virtual functions, 1 of them with vfio-pci", false);
	CHECK_EQ(usage.guests, 1);
	want(USAGE_NETWORK, "ens1v0", "10.3.0.1/24", false);
	end();
}

static void network_file_systems(void)
{
	start();
	put_port("ens1", "0000:03:00.0", "up");
	put("proc/self/mountinfo",
	    "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
	    "40 22 0:44 / /home\\040big rw,relatime shared:1 - nfs4 srv:/home "
	    "rw,vers=4.2,clientaddr=10.0.0.5,addr=10.0.0.9\n"
	    "41 22 0:45 / /other rw - nfs srv2:/x rw,mountaddr=10.0.0.9,addr=10.7.0.9\n"
	    "42 22 0:46 / /ceph rw - ceph 10.0.0.8:6789,10.0.0.9:6789:/ rw,name=admin\n");
	routes[0].address = "10.0.0.9";
	routes[0].interface = "ens1";
	routes[1].address = "10.7.0.9";
	routes[1].interface = "eth0";
	routes[2].address = "10.0.0.8";
	routes[2].interface = "ens1";
	ask();
	want(USAGE_STORAGE, "/home big", "nfs4 file system of 10.0.0.9", false);
	want(USAGE_STORAGE, "/ceph", "10.0.0.8", false);
	CHECK(!item(USAGE_STORAGE, "/other"));
	CHECK(!item(USAGE_STORAGE, "/"));
	end();
}

static void nvme_over_fabrics(void)
{
	start();
	put_port("ens1", "0000:03:00.0", "up");
	put("sys/class/nvme/nvme0/transport", "pcie\n");
	put("sys/class/nvme/nvme0/address", "0000:01:00.0\n");
	put("sys/class/nvme/nvme1/transport", "rdma\n");
	put("sys/class/nvme/nvme1/address", "traddr=10.0.0.9,trsvcid=4420\n");
	/* One path of several: the disk is nvme1n1, with a volume above its partition. */
	put("sys/class/nvme/nvme1/nvme1c1n1/size", "1");
	put("sys/class/block/nvme1n1/dev", "259:3\n");
	put("sys/class/block/nvme1n1/nvme1n1p1/partition", "1\n");
	put("sys/class/block/nvme1n1p1/dev", "259:4\n");
	put("sys/class/block/nvme1n1p1/holders/dm-0/dm/name", "vg-data\n");
	put("sys/class/block/dm-0/dev", "253:0\n");
	put("proc/self/mountinfo", "50 22 253:0 / /data rw - xfs /dev/mapper/vg-data rw\n");
	routes[0].address = "10.0.0.9";
	routes[0].interface = "ens1";
	ask();
	want(USAGE_STORAGE, "nvme1", "NVMe/RDMA, target 10.0.0.9, over ens1: /data", false);
	CHECK(!item(USAGE_STORAGE, "nvme0"));
	put("sys/class/nvme/nvme1/transport", "tcp\n");
	put("proc/self/mountinfo", "");
	ask();
	want(USAGE_STORAGE, "nvme1", "NVMe/TCP, target 10.0.0.9, over ens1: not mounted", false);
	end();
}

static void iscsi(void)
{
	start();
	put_port("ens1", "0000:03:00.0", "up");
	put("sys/class/iscsi_session/session3/targetname", "iqn.x\n");
	put("sys/class/iscsi_session/session3/device/target5:0:0/5:0:0:1/block/sdc/size", "1");
	put("sys/class/iscsi_connection/connection3:0/address", "10.0.0.9\n");
	put("sys/class/block/sdc/dev", "8:32\n");
	put("proc/self/mountinfo", "50 22 0:51 / /scratch rw - btrfs /dev/sdc rw\n");
	routes[0].address = "10.0.0.9";
	routes[0].interface = "ens1";
	ask();
	want(USAGE_STORAGE, "session3", "over ens1: /scratch", false);
	end();
}

static void own_session(void)
{
	static const char environment[] = "HOME=/root\0SSH_CONNECTION=10.0.0.77 50000 10.0.0.5 22\0TERM=x";

	start();
	put_port("ens1", "0000:03:00.0", "up");
	addresses[0].interface = "ens1";
	addresses[0].address = "10.0.0.5/24";
	ask();
	CHECK(!usage_has(&usage, USAGE_SESSION));
	/* By the parent of a parent: sudo has cleaned ours. */
	put("proc/self/stat", "300 (cxctl) R 299 1 1 0\n");
	put("proc/299/stat", "299 (sudo (x)) S 298 1 1 0\n");
	put("proc/299/environ", "A=b");
	put_bytes("proc/298/environ", environment, sizeof(environment));
	ask();
	want(USAGE_SESSION, "ens1", "10.0.0.77", false);
	setenv("SSH_CONNECTION", "10.0.0.77 50000 10.8.0.5 22", 1);
	ask();
	CHECK(!usage_has(&usage, USAGE_SESSION));
	routes[0].address = "10.0.0.77";
	routes[0].interface = "ens1";
	ask();
	want(USAGE_SESSION, "ens1", "10.0.0.77", false);
	unsetenv("SSH_CONNECTION");
	end();
}

static void interface_in_a_container(void)
{
	start();
	ask();
	want(USAGE_NETWORK, "0000:03:00.0", "network namespace", false);
	end();
}

static void more_users_than_room(void)
{
	char line[128], *mounts = calloc(300, 128);
	int i;

	start();
	put_port("ens1", "0000:03:00.0", "up");
	for (i = 0; i < 300; i++) {
		snprintf(line, sizeof(line), "%d 22 0:44 / /m%d rw - nfs s:/x rw,addr=10.0.0.9\n", i, i);
		strcat(mounts, line);
	}
	put("proc/self/mountinfo", mounts);
	free(mounts);
	routes[0].address = "10.0.0.9";
	routes[0].interface = "ens1";
	setenv("SSH_CONNECTION", "10.0.0.9 1 10.0.0.5 22", 1);
	ask();
	unsetenv("SSH_CONNECTION");
	CHECK_EQ(usage.count, USAGE_MOST);
	CHECK_EQ(usage.left_out, 300 + 2 - USAGE_MOST);
	CHECK(usage_has(&usage, USAGE_SESSION));
	end();
}

/* ---- the port above: what the driver would refuse is known before anybody is cut off ---- */

#define PORT "sys/devices/pci0000:00/0000:00:01.0"

static void put_device(const char *path, const char *class)
{
	const char *name = strrchr(path, '/') + 1;
	char file[192], target[192];

	snprintf(file, sizeof(file), "%s/class", path);
	put(file, class);
	snprintf(file, sizeof(file), "%s/vendor", path);
	put(file, "0x15b3\n");
	snprintf(file, sizeof(file), "sys/bus/pci/devices/%s", name);
	snprintf(target, sizeof(target), "@%s", path);
	put_link(file, target);
}

static void put_port_config(unsigned int slot, unsigned int hotplug)
{
	char config[256] = { 0 };

	config[0x34] = 0x40;
	config[0x40] = 0x01;		/* power management, then PCIe */
	config[0x41] = 0x60;
	config[0x60] = 0x10;
	config[0x63] = slot;
	config[0x74] = hotplug ? 0x40 : 0;
	put_bytes(PORT "/config", config, sizeof(config));
}

static const char *trouble(size_t functions)
{
	struct pci_function function[2];
	static char why[192];

	CHECK(!pci_read("0000:04:00.0", &function[0]));
	if (functions > 1)
		CHECK(!pci_read("0000:04:00.1", &function[1]));
	upstream_trouble("0000:04:00.0", function, functions, why, sizeof(why));
	return why;
}

static void port_above(void)
{
	start();
	put_device("sys/devices/pci0000:00/0000:04:00.0", "0x020000\n");
	CHECK(strstr(trouble(1), "no PCIe port"));
	end();
	start();
	put_device(PORT, "0x060400\n");
	put_device(PORT "/0000:04:00.0", "0x020000\n");
	put_device(PORT "/0000:04:00.1", "0x020000\n");
	CHECK(strstr(trouble(1), "0000:04:00.1 hangs below the same port"));
	CHECK_STR(trouble(2), "");
	put_port_config(1, 0);
	CHECK_STR(trouble(2), "");
	put_port_config(1, 1);
	CHECK(strstr(trouble(2), "hot-plug"));
	put_port_config(0, 1);
	CHECK_STR(trouble(2), "");
	/* Virtual functions go with their driver. */
	put_device(PORT "/0000:04:00.2", "0x020000\n");
	put_link(PORT "/0000:04:00.2/physfn", "../0000:04:00.0");
	CHECK_STR(trouble(2), "");
	end();
	start();
	put_device(PORT, "0x060400\n");
	put_device(PORT "/0000:04:00.0", "0x020000\n");
	put_device("sys/devices/pci0000:00/0000:00:02.0", "0x060400\n");
	put_device("sys/devices/pci0000:00/0000:00:02.0/0000:04:00.1", "0x020000\n");
	CHECK(strstr(trouble(2), "one card in two places"));
	end();
}

static const struct ktap_test tests[] = {
	KTAP_TEST(nobody_uses_an_idle_card),
	KTAP_TEST(interface_with_address),
	KTAP_TEST(vlan_and_bridge_go_down_too),
	KTAP_TEST(bridge_with_another_way_out_stays),
	KTAP_TEST(bond_with_another_leg),
	KTAP_TEST(only_leg_of_a_bond),
	KTAP_TEST(both_legs_on_one_card),
	KTAP_TEST(rdma_by_process),
	KTAP_TEST(virtual_functions),
	KTAP_TEST(network_file_systems),
	KTAP_TEST(nvme_over_fabrics),
	KTAP_TEST(iscsi),
	KTAP_TEST(own_session),
	KTAP_TEST(interface_in_a_container),
	KTAP_TEST(more_users_than_room),
	KTAP_TEST(port_above),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
