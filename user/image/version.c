// SPDX-License-Identifier: GPL-2.0-only
/* Versions compare inside one family only. */
#include "private.h"

enum image_order image_compare_versions(const struct image_facts *one, const struct image_facts *than)
{
	(void)one;
	(void)than;
	return IMAGE_NOT_COMPARABLE;
}
