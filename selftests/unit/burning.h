/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A simulated card and a plan to burn it, for tests of the driver's burn floor. The plan is
 * made here by hand, not by user/image, so that the two check each other.
 */
#ifndef BURNING_H
#define BURNING_H

#include <stdlib.h>
#include <string.h>

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mm.h>
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

/* A card of each format, with a flash that is as small as its images allow. */
struct burning_kind {
	const char *model, *psid, *chip;
	u32 format;		/* CXFW_FORMAT_* */
	u32 flash;		/* bytes */
	u32 code;		/* bytes of code in an image */
	const char *old_version, *new_version, *third_version;
};

static const struct burning_kind burning_fs2 __attribute__((unused)) = {
	"connectx3pro", "MT_1200111023", "W25QxxBV", CXFW_FORMAT_FS2, BURNING_FLASH, 0x3000,
	OLD_VERSION, NEW_VERSION, "2.40.7000",
};

static const struct burning_kind burning_fs3 __attribute__((unused)) = {
	"connectx4lx", "MT_2420110034", "W25QxxBV", CXFW_FORMAT_FS3, BURNING_FLASH, 0x3000,
	"14.20.1010", "14.32.1010", "14.24.1000",
};

static const struct burning_kind burning_fs4 __attribute__((unused)) = {
	"connectx5", "MT_0000000011", "W25QxxBV", CXFW_FORMAT_FS4, BURNING_FLASH, 0x3000,
	"16.32.1010", "16.35.2000", "16.33.1048",
};

/* As the last, with a register for write protection. */
static const struct burning_kind burning_fs4_newer __attribute__((unused)) = {
	"connectx6-open", "MT_0000000223", "", CXFW_FORMAT_FS4, BURNING_FLASH, 0x3000,
	"20.32.1010", "20.35.2000", "20.33.1048",
};

static const struct burning_kind burning_fs4_large __attribute__((unused)) = {
	"connectx7", "MT_0000000838", "", CXFW_FORMAT_FS4, 0x2000000, 0x8000,
	"28.35.1012", "28.36.1010", "28.37.1014",
};

struct burning {
	struct burning_kind sized;	/* of the card's model, with its own flash */
	const struct burning_kind *kind;
	bool beside;		/* one of several cards under one clock */
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

static inline struct cxsim_parameters burning_parameters_of(const struct burning_kind *kind, const char *version,
							    u64 seed)
{
	struct cxsim_parameters parameters = {
		.model = kind->model,
		.psid = kind->psid,
		.version = version,
		.vsd = "kept over a burn",
		.chip = kind->chip,
		.guid = BURNING_GUID,
		.mac = BURNING_MAC,
		.flash_size = kind->flash,
		.code_size = kind->code,
		.seed = seed,
	};

	return parameters;
}

static inline struct cxsim_parameters burning_parameters(const char *version, u64 seed)
{
	return burning_parameters_of(&burning_fs2, version, seed);
}

static inline u32 burning_dword(const u8 *bytes)
{
	return (u32)bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
}

/* Offset of the table of contents of a FS3 or FS4 image: firmware-images.md 3.1, 4.1. */
static inline u32 burning_toc(const u8 *image)
{
	if (image[4] == 0xab)
		return burning_dword(image + 0x18 + 8 * 2);
	return ALIGN(0x38 + 4 * (burning_dword(image + 0x3c) + 4), 0x1000);
}

static inline u32 burning_log2(const u8 *image)
{
	if (image[4] == 0xab)
		return burning_dword(image + burning_dword(image + 0x18 + 8 * 3) + 4) >> 16;
	return image[0x24] == 3 ? image[0x25] : 16 + (image[0x2b] & 7);
}

/* Where the last section of a FS3 or FS4 image ends: behind it is device data. */
static inline size_t burning_end_of(const u8 *image)
{
	const u8 *entry = image + burning_toc(image) + 0x20;
	u32 end = 0, last;

	for (; entry[0] != 0xff; entry += 0x20) {
		last = (burning_dword(entry + 0x14) & 0x7ffffffc) + (burning_dword(entry) & 0xfffffc);
		if ((image[4] == 0xab || !(entry[0x19] & 2)) && last > end)
			end = last;
	}
	return end;
}

/* Address of the lowest device data of a flash whose image at start is FS3 or FS4. */
static inline u32 burning_device_data(const u8 *flash, u32 size, u32 start)
{
	bool fs4 = flash[start + 4] == 0xab;
	const u8 *entry = fs4 ? flash + size - 0x1000 + 0x20 : flash + start + burning_toc(flash + start) + 0x20;
	u32 low = size;

	for (; entry[0] != 0xff; entry += 0x20)
		if (fs4 || entry[0x19] & 2)
			low = min_t(u32, low, burning_dword(entry + 0x14) & 0x7ffffffc);
	return low;
}

/* What belongs into a slot. */
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
	if (image[4] == 0xab || image[0x24] == 3)
		*length = burning_end_of(image);
	return image;
}

/* What belongs into a slot, put there as a burn would. */
static inline void burning_place(const struct burning_kind *kind, const u8 *image, size_t length, u8 *flash,
				 unsigned int slot)
{
	if (kind->format == CXFW_FORMAT_FS2)
		cxsim_image_place(kind->model, image, length, flash, kind->flash, slot);
	else
		memcpy(flash + (slot ? 1U << burning_log2(image) : 0), image, length);
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

/* Bytes that a slot of the card has for an image. */
static inline u32 burning_window(const struct burning *burning, u32 log2_chunk, unsigned int slot, const u8 *flash,
				 u32 old)
{
	u32 start = slot ? 1U << log2_chunk : 0, low;

	if (burning->kind->format == CXFW_FORMAT_FS2)
		return burning->kind->flash / 2 - 0x10000;
	low = burning_device_data(flash, burning->kind->flash, old);
	return min_t(u32, 1U << log2_chunk, low - start);
}

/* The plan to write image into slot, keeping what the other slot of flash holds. */
static inline void burning_plan(struct burning *burning, const u8 *image, size_t length, unsigned int slot,
				const u8 *flash)
{
	struct cxfw_plan *plan = &burning->plan;
	u32 log2_chunk = burning_log2(image);

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
	plan->head.format = burning->kind->format;
	plan->head.hw_id = burning->device.hw_id;
	plan->head.hw_revision = burning->device.hw_revision;
	plan->head.flash_size = burning->kind->flash;
	plan->head.log2_chunk = log2_chunk;
	plan->head.target_slot = slot;
	plan->head.old_address = slot ? 0 : 1U << log2_chunk;
	plan->head.window_length = burning_window(burning, log2_chunk, slot, flash, plan->head.old_address);
	burning_sha256(image + 16, length - 16, plan->head.segments_sha256);
	burning_sha256(flash + plan->head.old_address, 4096, plan->head.old_sha256);
}

/* The same on a flash that holds nothing. */
static inline void burning_plan_recovery(struct burning *burning, const u8 *image, size_t length)
{
	u8 *none = malloc(burning->kind->flash);

	memset(none, 0xff, burning->kind->flash);
	burning_plan(burning, image, length, 0, none);
	burning->plan.head.flags = CXFW_PLAN_RECOVERY;
	burning->plan.head.old_address = CXFW_NO_ADDRESS;
	burning->plan.head.window_length = burning->kind->format == CXFW_FORMAT_FS2 ?
		burning->kind->flash / 2 - 0x10000 : 1U << burning->plan.head.log2_chunk;
	memset(burning->plan.head.old_sha256, 0, 32);
	free(none);
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

static inline const struct burning_kind *burning_kind_of(const char *model)
{
	static const struct burning_kind *const kinds[] = {
		&burning_fs2, &burning_fs3, &burning_fs4, &burning_fs4_newer, &burning_fs4_large,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i]->model, model))
			return kinds[i];
	abort();
}

static inline bool burning_start_one(struct burning *burning, const struct cxsim_parameters *parameters)
{
	burning->sized = *burning_kind_of(parameters->model);
	if (parameters->flash_size)
		burning->sized.flash = parameters->flash_size;
	burning->kind = &burning->sized;
	burning->stop_at = -1;
	burning->watch.progress = burning_progress;
	burning->card = burning->beside ? shim_card_beside(parameters, burning->why) :
					  shim_card(parameters, burning->why);
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

static inline bool burning_start(struct burning *burning, const struct cxsim_parameters *parameters)
{
	memset(burning, 0, sizeof(*burning));
	return burning_start_one(burning, parameters);
}

/* The same for one card of several that burn at once. */
static inline bool burning_start_beside(struct burning *burning, const struct cxsim_parameters *parameters)
{
	memset(burning, 0, sizeof(*burning));
	burning->beside = true;
	return burning_start_one(burning, parameters);
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
