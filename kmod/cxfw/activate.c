// SPDX-License-Identifier: GPL-2.0-only
#include <linux/errno.h>
#include <linux/kernel.h>

#include "activate.h"
#include "card.h"

bool cxfw_activate_offered(const struct cxfw_device *device)
{
	return false;
}

int cxfw_card_activate(struct cxfw_card *card, u32 level, char *why)
{
	strscpy(why, "this driver does not reset cards yet", CXFW_WHY_LENGTH);
	return -EOPNOTSUPP;
}
