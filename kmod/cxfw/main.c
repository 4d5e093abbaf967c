// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/string.h>

#include "netlink.h"
#include "sha256.h"

static char *burn = "all";
module_param(burn, charp, 0444);
MODULE_PARM_DESC(burn,
		 "which firmware may be burned: all, signed (only by the firmware's own update, on cards whose firmware takes signed images only), or none");

enum burn_policy {
	BURN_ALL,
	BURN_SIGNED,
	BURN_NONE,
};

static const char *const burn_policies[] = {
	[BURN_ALL] = "all",
	[BURN_SIGNED] = "signed",
	[BURN_NONE] = "none",
};

static enum burn_policy burn_policy;	/* set at load */

static int read_burn_policy(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(burn_policies); i++)
		if (!strcmp(burn, burn_policies[i])) {
			burn_policy = i;
			return 0;
		}
	pr_err("cxfw: burn=%s: expected all, signed or none\n", burn);
	return -EINVAL;
}

/* Whoever writes the flash itself writes what no card has checked, signed or not. */
int cxfw_burn_allowed(u32 flags, char *why)
{
	if (burn_policy == BURN_ALL || (burn_policy == BURN_SIGNED && flags & CXFW_PLAN_COMPONENT))
		return 0;
	if (burn_policy == BURN_SIGNED)
		strscpy(why,
			"the module was loaded with burn=signed: only the firmware's own update checks a signature, a write to the flash does not",
			CXFW_WHY_LENGTH);
	else
		strscpy(why, "the module was loaded with burn=none: nothing is burned on this machine",
			CXFW_WHY_LENGTH);
	return -EPERM;
}

bool cxfw_burn_signed_only(void)
{
	return burn_policy == BURN_SIGNED;
}

struct part {
	int (*start)(void);
	void (*stop)(void);
};

/* In this order up and in the opposite one down: netlink before the cards, whose events it sends. */
static const struct part parts[] = {
	{ cxfw_sha256_module_init, cxfw_sha256_module_exit },
	{ cxfw_jobs_start, cxfw_jobs_stop },
	{ cxfw_chardev_start, cxfw_chardev_stop },
	{ cxfw_netlink_start, cxfw_netlink_stop },
	{ cxfw_pci_start, cxfw_pci_stop },
};

static void stop(int started)
{
	while (started--)
		parts[started].stop();
}

static int __init cxfw_init(void)
{
	int error = read_burn_policy();
	int i;

	for (i = 0; i < ARRAY_SIZE(parts) && !error; i++)
		error = parts[i].start();
	if (error)
		stop(i ? i - 1 : 0);
	return error;
}

static void __exit cxfw_exit(void)
{
	stop(ARRAY_SIZE(parts));
}

module_init(cxfw_init);
module_exit(cxfw_exit);

MODULE_DESCRIPTION("Firmware of ConnectX network cards: query, read flash, burn");
MODULE_LICENSE("GPL");
