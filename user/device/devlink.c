// SPDX-License-Identifier: GPL-2.0-only
/* devlink: what the bound driver tells of the firmware, to everybody. */
#include <errno.h>
#include <linux/devlink.h>
#include <linux/genetlink.h>
#include <stdio.h>
#include <string.h>

#include "private.h"

/* One entry of VERSION_FIXED, _RUNNING or _STORED: newer kernels repeat fw.version as fw. */
static void take_version(const struct nlattr *nest, const char *wanted, char *text, size_t size)
{
	const struct nlattr *table[DEVLINK_ATTR_INFO_VERSION_VALUE + 1];
	char name[32];

	genl_nested(nest, table, DEVLINK_ATTR_INFO_VERSION_VALUE);
	genl_string(name, sizeof(name), table[DEVLINK_ATTR_INFO_VERSION_NAME]);
	if (!strcmp(name, wanted))
		genl_string(text, size, table[DEVLINK_ATTR_INFO_VERSION_VALUE]);
}

static void take_info(const struct nlmsghdr *message, struct cxctl_devlink_facts *facts)
{
	const struct nlattr *attribute;
	char bus[16] = "";

	memset(facts, 0, sizeof(*facts));
	mnl_attr_for_each(attribute, message, sizeof(struct genlmsghdr)) {
		switch (mnl_attr_get_type(attribute)) {
		case DEVLINK_ATTR_BUS_NAME:
			genl_string(bus, sizeof(bus), attribute);
			break;
		case DEVLINK_ATTR_DEV_NAME:
			genl_string(facts->address, sizeof(facts->address), attribute);
			break;
		case DEVLINK_ATTR_INFO_DRIVER_NAME:
			genl_string(facts->driver, sizeof(facts->driver), attribute);
			break;
		case DEVLINK_ATTR_INFO_SERIAL_NUMBER:
			genl_string(facts->serial, sizeof(facts->serial), attribute);
			break;
		case DEVLINK_ATTR_INFO_BOARD_SERIAL_NUMBER:
			genl_string(facts->board_serial, sizeof(facts->board_serial), attribute);
			break;
		case DEVLINK_ATTR_INFO_VERSION_FIXED:
			take_version(attribute, "fw.psid", facts->psid, sizeof(facts->psid));
			break;
		case DEVLINK_ATTR_INFO_VERSION_RUNNING:
			take_version(attribute, "fw.version", facts->running, sizeof(facts->running));
			break;
		case DEVLINK_ATTR_INFO_VERSION_STORED:
			take_version(attribute, "fw.version", facts->stored, sizeof(facts->stored));
			break;
		}
	}
	/* "The firmware refused to tell", device-access.md 10.4 */
	if (!strcmp(facts->stored, "255.255.65535"))
		facts->stored[0] = '\0';
	facts->valid = !strcmp(bus, "pci");
}

struct each {
	int (*callback)(const struct cxctl_devlink_facts *facts, void *data);
	void *data;
};

static int take_each(const struct nlmsghdr *message, void *data)
{
	struct cxctl_devlink_facts facts;
	struct each *each = data;

	take_info(message, &facts);
	if (facts.valid)
		each->callback(&facts, each->data);
	return MNL_CB_OK;
}

static int run(const char *address, mnl_cb_t callback, void *data)
{
	struct nlmsghdr *request;
	struct genl genl;
	int result = genl_open(&genl, DEVLINK_GENL_NAME, DEVLINK_GENL_VERSION, NULL);

	if (result)
		return result;
	request = genl_request(&genl, DEVLINK_CMD_INFO_GET, !address);
	if (address) {
		mnl_attr_put_strz(request, DEVLINK_ATTR_BUS_NAME, "pci");
		mnl_attr_put_strz(request, DEVLINK_ATTR_DEV_NAME, address);
	}
	result = genl_run(&genl, request, callback, data);
	genl_close(&genl);
	return result;
}

int devlink_each(int (*callback)(const struct cxctl_devlink_facts *facts, void *data), void *data,
		 struct cxctl_error *error)
{
	struct each each = { callback, data };
	int result = run(NULL, take_each, &each);

	if (result)
		return error_set(error, CXCTL_NO_ACCESS, "devlink", "devlink: %s", strerror(-result));
	return 0;
}

static int take_one(const struct nlmsghdr *message, void *data)
{
	take_info(message, data);
	return MNL_CB_OK;
}

int devlink_get(const char *address, struct cxctl_devlink_facts *facts)
{
	memset(facts, 0, sizeof(*facts));
	return run(address, take_one, facts);
}
