// SPDX-License-Identifier: GPL-2.0-only
/*
 * Versions compare inside one family only: FS2 has one major number for three chips, later formats
 * have one for each chip.
 */
#include "private.h"

static bool has_hw_id(const struct image_facts *facts, uint32_t id)
{
	unsigned int i;

	for (i = 0; i < facts->hw_id_count; i++)
		if (facts->hw_ids[i].id == id)
			return true;
	/* Old images name the PCI id only. */
	return !facts->hw_id_count && facts->place.format == IMAGE_FS2 && facts->pci_device &&
	       fs2_hw_id_of_pci(facts->pci_device) == id;
}

static bool same_chip(const struct image_facts *one, const struct image_facts *other)
{
	unsigned int i;

	for (i = 0; i < one->hw_id_count; i++)
		if (has_hw_id(other, one->hw_ids[i].id))
			return true;
	return !one->hw_id_count && one->pci_device && fs2_hw_id_of_pci(one->pci_device) &&
	       has_hw_id(other, fs2_hw_id_of_pci(one->pci_device));
}

static bool same_family(const struct image_facts *one, const struct image_facts *other)
{
	bool old = one->place.format == IMAGE_FS2;

	if (old != (other->place.format == IMAGE_FS2))
		return false;
	if (old)
		return same_chip(one, other);
	if (one->hw_id_count && other->hw_id_count && !same_chip(one, other))
		return false;
	return one->version[0] == other->version[0];
}

enum image_order image_compare_versions(const struct image_facts *one, const struct image_facts *than)
{
	unsigned int i;

	if (!(one->has & than->has & IMAGE_HAS_VERSION) || !same_family(one, than))
		return IMAGE_NOT_COMPARABLE;
	for (i = 0; i < 3; i++)
		if (one->version[i] != than->version[i])
			return one->version[i] < than->version[i] ? IMAGE_OLDER : IMAGE_NEWER;
	return IMAGE_SAME;
}
