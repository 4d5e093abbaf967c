// SPDX-License-Identifier: GPL-2.0-only
/* Who has a card, and which bond hangs on it: the same with the driver cxfw and without it. */
#include <stdlib.h>
#include <unistd.h>

#include "../../user/cxctl/burn_bond.c"
#include "../lib/ktap.h"

static char root[64];
static struct cxctl_card_facts facts;
static struct pci_function pci = { .address = "0000:03:00.0" };

const struct cxctl_card_facts *card_facts(const struct cxctl_card *card)
{
	return &facts;
}

const struct pci_function *card_pci(const struct cxctl_card *card)
{
	return &pci;
}

int card_register(struct cxctl_card *card, uint16_t id, void *data, size_t length, uint32_t *status,
		  struct cxctl_error *error)
{
	return -1;
}

static void shell(const char *format, const char *argument)
{
	char command[512];

	snprintf(command, sizeof(command), format, root, argument);
	if (system(command))
		exit(1);
}

static void add_port(const char *address, const char *driver, const char *netdev)
{
	char text[256];

	snprintf(text, sizeof(text), "bus/pci/devices/%s && cd bus/pci/devices/%s", address, address);
	shell("cd %s && mkdir -p %s && echo 0x15b3 >vendor && echo 0x1019 >device && echo 0x020000 >class", text);
	snprintf(text, sizeof(text), "bus/pci/drivers/%s && ln -sfn ../../drivers/%s bus/pci/devices/%s/driver", driver, driver, address);
	shell("cd %s && mkdir -p %s", text);
	if (!netdev)
		return;
	snprintf(text, sizeof(text), "bus/pci/devices/%s/net/%s class/net/%s", address, netdev, netdev);
	shell("cd %s && mkdir -p %s", text);
	snprintf(text, sizeof(text), "class/net/%s/master", netdev);
	shell("cd %s && mkdir -p class/net/bond0 && ln -sfn ../bond0 %s", text);
}

static void check_all(void)
{
	struct burn_function functions[BURN_FUNCTIONS];
	struct burn_bonds bonds;
	struct cxctl_error error;
	size_t count;

	burn_functions_of(NULL, functions, &count);
	CHECK_EQ(count, 2);
	CHECK(burn_guard_functions(functions, count, &error) != 0);
	burn_bonds_of(NULL, &bonds);
	CHECK_EQ(bonds.count, 1);
	CHECK_STR(bonds.name[0], "bond0");
}

static void with_the_driver(void)
{
	facts.valid = true;
	facts.function_count = 2;
	strcpy(facts.functions[0].address, "0000:03:00.0");
	strcpy(facts.functions[1].address, "0000:03:00.1");
	check_all();
}

/* So it is when devlink burns. */
static void without_the_driver(void)
{
	memset(&facts, 0, sizeof(facts));
	check_all();
}

int main(int argc, char **argv)
{
	static const struct ktap_test tests[] = {
		KTAP_TEST(with_the_driver),
		KTAP_TEST(without_the_driver),
	};
	int result;

	snprintf(root, sizeof(root), "/tmp/cxctl-functions-XXXXXX");
	if (!mkdtemp(root))
		return 1;
	setenv("CXCTL_SYSFS", root, 1);
	add_port("0000:03:00.0", "mlx5_core", "eth0");
	add_port("0000:03:00.1", "vfio-pci", NULL);
	add_port("0000:04:00.0", "mlx5_core", NULL);
	result = ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
	shell("rm -rf %s%s", "");
	return result;
}
