// SPDX-License-Identifier: GPL-2.0-only
/* What kernel lockdown means here, and why: Documentation/security.rst. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/security.h>

#include "../compat/compat.h"
#include "netlink.h"

/*
 * Integrity lockdown changes nothing: no operation of this driver changes the running
 * kernel. Confidentiality lockdown keeps flash content in, since it may hold keys. The
 * kernel knows no reason of that name; the one for reading kernel memory is nearest, and
 * stands at the same level.
 */
int cxfw_flash_content_allowed(char *why)
{
#ifdef CXFW_HAVE_SECURITY_LOCKED_DOWN
	if (security_locked_down(LOCKDOWN_KCORE)) {
		if (why)
			strscpy(why, "kernel lockdown (confidentiality) keeps flash content in the card, since it may hold keys",
				CXFW_WHY_LENGTH);
		return -EPERM;
	}
#endif
	return 0;
}
