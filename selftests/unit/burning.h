/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A simulated ConnectX-3 Pro and a plan to burn it, for tests of the driver's burn floor.
 * The plan is made here by hand, not by user/image, so that the two check each other.
 */
#ifndef BURNING_H
#define BURNING_H

#include <stdlib.h>
#include <string.h>

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>

#include "../../kmod/cxfw/bootable.h"
#include "../../kmod/cxfw/device.h"
#include "../../kmod/cxfw/plan.h"
#include "../../kmod/cxfw/sha256.h"
#include "../lib/ktap.h"
#include "shim.h"

#define BURNING_FLASH	0x200000
#define BURNING_GUID	0x0002c90300112230ULL
#define BURNING_MAC	0x0002c9112230ULL
#define OLD_VERSION	"2.36.5000"
#define NEW_VERSION	"2.42.5000"

struct burning {
	struct cxsim_card *card;
	struct pci_dev *pdev;
	struct cxfw_device device;
	struct cxfw_plan plan;
	struct cxfw_segment segment;
	struct cxfw_plan_watch watch;
	u32 commits;			/* progress calls that said COMMIT */
	int stop_at;			/* progress call that answers -ECANCELED; -1: none */
	int calls;
	char why[160];
};

static inline struct cxsim_parameters burning_parameters(const char *version, u64 seed)
{
	struct cxsim_parameters parameters = {
		.model = "connectx3pro",
		.psid = "MT_1200111023",
		.version = version,
		.vsd = "kept over a burn",
		.chip = "W25QxxBV",
		.guid = BURNING_GUID,
		.mac = BURNING_MAC,
		.flash_size = BURNING_FLASH,
		.code_size = 0x3000,
		.seed = seed,
	};

	return parameters;
}

static inline u8 *burning_image(const struct cxsim_parameters *parameters, size_t *length)
{
	char why[160] = "";
	u8 *image;

	*length = cxsim_image_make(parameters, NULL, 0, why);
	image = *length ? malloc(*length) : NULL;
	if (!image || cxsim_image_make(parameters, image, *length, why) != *length) {
		ktap_fail(__FILE__, __LINE__, "no image: %s", why);
		abort();
	}
	return image;
}

static inline int burning_progress(struct cxfw_plan_watch *watch, enum cxfw_job_phase phase, u64 done, u64 total,
				   bool may_stop)
{
	struct burning *burning = container_of(watch, struct burning, watch);

	(void)done;
	(void)total;
	burning->commits += phase == CXFW_PHASE_COMMIT;
	return burning->calls++ == burning->stop_at && may_stop ? -ECANCELED : 0;
}

static inline void burning_sha256(const void *data, size_t length, u8 digest[32])
{
	struct cxfw_sha256 *hash = cxfw_sha256_start();

	if (IS_ERR(hash) || cxfw_sha256_update(hash, data, length) || cxfw_sha256_finish(hash, digest))
		abort();
}

/* The plan to write image into slot, keeping what the other slot of flash holds. */
static inline void burning_plan(struct burning *burning, const u8 *image, size_t length, unsigned int slot,
				const u8 *flash)
{
	struct cxfw_plan *plan = &burning->plan;
	u32 log2_chunk = 16 + (image[0x2b] & 7);

	free(plan->image);
	memset(plan, 0, sizeof(*plan));
	plan->image = malloc(length);
	memcpy(plan->image, image, length);
	burning->segment.offset = 16;
	burning->segment.length = length - 16;
	plan->segments = &burning->segment;
	plan->head.size = sizeof(plan->head);
	plan->head.image_length = length;
	plan->head.segment_count = 1;
	plan->head.format = CXFW_FORMAT_FS2;
	plan->head.hw_id = burning->device.hw_id;
	plan->head.hw_revision = burning->device.hw_revision;
	plan->head.flash_size = BURNING_FLASH;
	plan->head.log2_chunk = log2_chunk;
	plan->head.target_slot = slot;
	plan->head.window_length = BURNING_FLASH / 2 - 0x10000;
	plan->head.old_address = slot ? 0 : 1U << log2_chunk;
	burning_sha256(image + 16, length - 16, plan->head.segments_sha256);
	burning_sha256(flash + plan->head.old_address, 4096, plan->head.old_sha256);
}

/* Opens the card anew, as the driver does after a power cycle and the time that a chip takes to come back. */
static inline int burning_open(struct burning *burning)
{
	cxsim_advance(burning->card, 5000000000ULL);
	cxfw_device_close(&burning->device);
	shim_pci_dev_free(burning->pdev);
	burning->pdev = shim_pci_dev(burning->card, 0);
	memset(&burning->device, 0, sizeof(burning->device));
	return cxfw_device_open(&burning->device, burning->pdev);
}

static inline bool burning_start(struct burning *burning, const struct cxsim_parameters *parameters)
{
	memset(burning, 0, sizeof(*burning));
	burning->stop_at = -1;
	burning->watch.progress = burning_progress;
	burning->card = shim_card(parameters, burning->why);
	if (!burning->card) {
		ktap_fail(__FILE__, __LINE__, "no card: %s", burning->why);
		return false;
	}
	burning->pdev = shim_pci_dev(burning->card, 0);
	if (cxfw_device_open(&burning->device, burning->pdev)) {
		ktap_fail(__FILE__, __LINE__, "open: %s", burning->device.why);
		return false;
	}
	return true;
}

static inline void burning_end(struct burning *burning)
{
	cxfw_device_close(&burning->device);
	shim_pci_dev_free(burning->pdev);
	shim_card_free(burning->card);
	free(burning->plan.image);
	memset(burning, 0, sizeof(*burning));
}

static inline int burning_run(struct burning *burning)
{
	char why[CXFW_WHY_LENGTH] = "";
	int error = cxfw_plan_check(&burning->plan, why);

	if (error) {
		strcpy(burning->device.why, why);
		return error;
	}
	burning->calls = 0;
	burning->commits = 0;
	burning->watch.skipped = 0;
	return cxfw_plan_run(&burning->device, &burning->plan, &burning->watch);
}

#endif /* BURNING_H */
