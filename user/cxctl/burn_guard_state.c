// SPDX-License-Identifier: GPL-2.0-only
/* What the card is in the middle of: pending images, protection, life cycle, steps between versions. */
#include <stdio.h>
#include <string.h>

#include "../base/message.h"
#include "burn_guard.h"

int burn_guard_flash_support(const struct image_facts *image, const struct cxfw_card_info *info,
			     const struct burn_permits *permits, const char **doubt, struct cxctl_error *error)
{
	(void)image, (void)info, (void)permits, (void)error;
	if (doubt)
		*doubt = NULL;
	return 0;
}

void burn_protection_of(const struct cxfw_card_info *info, struct burn_protection *protection)
{
	(void)info;
	memset(protection, 0, sizeof(*protection));
}

int burn_guard_protection(const struct burn_protection *protection, uint64_t from, uint64_t to, bool can_clear,
			  const struct burn_permits *permits, struct cxctl_error *error)
{
	(void)protection, (void)from, (void)to, (void)can_clear, (void)permits, (void)error;
	return 0;
}

int burn_guard_image(const char *path, const struct burn_verdict *verdict, struct cxctl_error *error)
{
	(void)path, (void)verdict, (void)error;
	return 0;
}

int burn_guard_pending(const struct burn_pending *pending, enum burn_method method,
		       const struct burn_permits *permits, struct cxctl_error *error)
{
	(void)pending, (void)method, (void)permits, (void)error;
	return 0;
}

int burn_guard_update_flow(const struct image_facts *image, uint32_t hw_id, const uint32_t running[3],
			   struct cxctl_error *error)
{
	(void)image, (void)hw_id, (void)running, (void)error;
	return 0;
}

enum burn_driver_advice burn_driver_advice(const char *driver, const char *version, const char *kernel,
					   const struct image_facts *image, char *text, size_t room)
{
	(void)driver, (void)version, (void)kernel, (void)image;
	if (room)
		*text = '\0';
	return BURN_DRIVER_UNKNOWN;
}

void burn_security_of_mgir(const struct mgir *mgir, struct burn_security *security)
{
	(void)mgir;
	memset(security, 0, sizeof(*security));
}

int burn_guard_security(const struct image_facts *image, const struct burn_security *security,
			enum burn_method method, struct cxctl_error *error)
{
	(void)image, (void)security, (void)method, (void)error;
	return 0;
}

int burn_guard_security_version(const struct image_facts *image, const struct burn_security *security,
				struct cxctl_error *error)
{
	(void)image, (void)security, (void)error;
	return 0;
}

int burn_guard_room(const struct image_facts *image, const struct image_facts *device, uint64_t flash_size,
		    uint32_t component_most, enum burn_method method, struct cxctl_error *error)
{
	(void)image, (void)device, (void)flash_size, (void)component_most, (void)method, (void)error;
	return 0;
}

int burn_guard_rom(const struct image_facts *image, bool keep_named, bool roms_differ,
		   const struct burn_permits *permits, struct cxctl_error *error)
{
	(void)image, (void)keep_named, (void)roms_differ, (void)permits, (void)error;
	return 0;
}
