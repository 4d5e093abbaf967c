// SPDX-License-Identifier: GPL-2.0-only
/* Writes of a plan: what is right already is left alone, and everything is read back. */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>

#include <asm/byteorder.h>

#include "plan_private.h"
#include "sha256.h"
#include "reg.h"

#define STEADY_READS	8	/* a half-programmed bit that reads either way passes with 2^-8 */
#define SKIP_READS	3	/* as long as nothing was written there by us, a torn cell may read right once */
#define WRITE_TRIES	2
#define MFMC		0x9013	/* device-access.md 4.3 */
#define MFMC_BYTES	0x1c
#define MFMC_PROTECTED	0x80000000U
#define FIRST_LOOK	128	/* bytes that mostly tell already that something differs: a block of MFBA */
#define FEW_SECTORS	3	/* up to so many cost less than the block: 45 ms each, and 150 ms */

int cxfw_plan_reads_as(struct cxfw_device *device, u32 address, const u8 *expected, u32 length, bool *same)
{
	u8 bytes[CXFW_MAGIC_BYTES];
	int i, error;

	*same = true;
	for (i = 0; i < STEADY_READS && *same; i++) {
		error = cxfw_flash_read(device, address, bytes, length);
		if (error)
			return error;
		*same = !memcmp(bytes, expected, length);
	}
	return 0;
}

int cxfw_plan_read_magic(struct cxfw_device *device, u32 address, enum cxfw_magic *magic)
{
	u8 bytes[CXFW_MAGIC_BYTES];
	int i, seen = 0, error;

	for (i = 0; i < STEADY_READS; i++) {
		error = cxfw_flash_read(device, address, bytes, sizeof(bytes));
		if (error)
			return error;
		seen += cxfw_is_magic(bytes);
	}
	*magic = seen == STEADY_READS ? CXFW_MAGIC_STEADY : seen ? CXFW_MAGIC_UNSTEADY : CXFW_MAGIC_NONE;
	return 0;
}

/*
 * Why the flash does not hold what was written: over the gateway block protection was looked
 * at before, and through firmware it tells no more than that nothing has changed.
 */
int cxfw_plan_not_taken(struct cxfw_run *run, u32 address)
{
	struct cxfw_device *device = run->device;
	__be32 mfmc[MFMC_BYTES / 4] = { 0 };
	u32 word;

	if (device->flash.access != CXFW_FLASH_ACCESS_MFBA ||
	    cxfw_reg(device, MFMC, CXFW_METHOD_GET, mfmc, sizeof(mfmc), sizeof(mfmc), NULL))
		return 0;
	word = be32_to_cpu(mfmc[1]);
	if (!(word & MFMC_PROTECTED))
		return 0;
	return cxfw_fail(device, -EROFS,
			 "flash at %#x is write protected by the chip (MFMC: wrp_en 1, wrp_block_count %u, block_size %u: block protect bits)",
			 address, word & 0xff, word >> 16 & 3);
}

int cxfw_plan_program_exactly(struct cxfw_run *run, u32 address, const u8 *bytes, u32 length, const char *what)
{
	bool same = false;
	int i, error;

	for (i = 0; i < WRITE_TRIES && !same; i++) {
		error = cxfw_flash_program(run->device, address, bytes, length);
		if (!error)
			error = cxfw_plan_reads_as(run->device, address, bytes, length, &same);
		if (error)
			return error;
	}
	if (same)
		return 0;
	error = cxfw_plan_not_taken(run, address);
	return error ? error :
		cxfw_fail(run->device, -EIO,
			  "%s at %#x does not read back: the flash does not take it (write protection, or a bad cell)",
			  what, address);
}

int cxfw_plan_clear_magic(struct cxfw_run *run, u32 address)
{
	static const u8 zero[4];

	return cxfw_plan_program_exactly(run, address, zero, sizeof(zero), "clearing the magic");
}

/* What the flash shall hold at an offset of the target before the commit: the magic still erased. */
static u8 wanted(const struct cxfw_target *target, u32 offset)
{
	return offset < target->erased ? 0xff : target->bytes[offset];
}

/* Compares [from, to) of the target with the flash. *at: where they differ first, or to; *found: what is there. */
static int compare(struct cxfw_run *run, const struct cxfw_target *target, u32 from, u32 to, u32 *at, u8 *found)
{
	u32 part, i;
	int error;

	for (*at = to; from < to; from += part) {
		part = min_t(u32, from ? CXFW_PLAN_PIECE : FIRST_LOOK, to - from);
		error = cxfw_flash_read(run->device, target->address + from, run->piece, part);
		if (error)
			return error;
		for (i = 0; i < part; i++) {
			if (run->piece[i] == wanted(target, from + i))
				continue;
			*at = from + i;
			*found = run->piece[i];
			return 0;
		}
	}
	return 0;
}

int cxfw_plan_is_right(struct cxfw_run *run, const struct cxfw_target *target, bool *right)
{
	u32 at = target->length;
	u8 found;
	int i, error;

	for (i = 0; i < SKIP_READS && at == target->length; i++) {
		error = compare(run, target, 0, target->length, &at, &found);
		if (error)
			return error;
	}
	*right = at == target->length;
	return 0;
}

static int program(struct cxfw_run *run, const struct cxfw_target *target)
{
	if (target->length <= target->erased)
		return 0;
	return cxfw_flash_program(run->device, target->address + target->erased, target->bytes + target->erased,
				  target->length - target->erased);
}

/* A sector that this run has just erased needs no second erase; what another wrote there is found by comparing. */
static bool is_blank(struct cxfw_run *run, const struct cxfw_target *target, u32 unit)
{
	bool blank = run->blank && target->address == run->start && unit == run->device->flash.sector;

	run->blank = false;
	return blank;
}

static int write_wrong(struct cxfw_run *run, const struct cxfw_target *target, u32 unit)
{
	u32 at = 0;
	u8 found = 0;
	int i, error;

	for (i = 0; i < WRITE_TRIES && at != target->length; i++) {
		error = i || !is_blank(run, target, unit) ? cxfw_flash_erase(run->device, target->address, unit) : 0;
		if (!error)
			error = program(run, target);
		if (!error)
			error = compare(run, target, 0, target->length, &at, &found);
		if (error)
			return error;
	}
	if (at == target->length)
		return 0;
	error = cxfw_plan_not_taken(run, target->address + at);
	return error ? error :
		cxfw_fail(run->device, -EIO,
			  "flash at %#x holds %02x after writing, expected %02x: write protection, or a bad cell",
			  target->address + at, found, wanted(target, at));
}

int cxfw_plan_write_unit(struct cxfw_run *run, const struct cxfw_target *target, u32 unit)
{
	bool right;
	int error = cxfw_plan_is_right(run, target, &right);

	if (error)
		return error;
	if (!right)
		return write_wrong(run, target, unit);
	run->watch->skipped += target->length;
	return 0;
}

static struct cxfw_target sector_of(const struct cxfw_target *block, u32 offset, u32 sector)
{
	struct cxfw_target target = {
		.address = block->address + offset,
		.bytes = block->bytes + offset,
		.length = min_t(u32, sector, block->length - offset),
		.erased = offset ? 0 : block->erased,
	};

	return target;
}

/* Do more than a few of the block's sectors begin with something else? */
static int differs_much(struct cxfw_run *run, const struct cxfw_target *block, bool *much)
{
	u32 sector = run->device->flash.sector, offset, at, few = 0;
	u8 found;
	int error;

	for (offset = 0; offset < block->length && few <= FEW_SECTORS; offset += sector) {
		struct cxfw_target target = sector_of(block, offset, sector);
		u32 look = min_t(u32, FIRST_LOOK, target.length);

		error = compare(run, &target, 0, look, &at, &found);
		if (error)
			return error;
		few += at != look;
	}
	*much = few > FEW_SECTORS;
	return 0;
}

int cxfw_plan_write_block(struct cxfw_run *run, const struct cxfw_target *target)
{
	u32 sector = run->device->flash.sector, offset;
	bool much;
	int error = differs_much(run, target, &much);

	if (error)
		return error;
	if (much)
		return write_wrong(run, target, run->device->flash.block);
	for (offset = 0; offset < target->length; offset += sector) {
		struct cxfw_target part = sector_of(target, offset, sector);

		error = cxfw_plan_write_unit(run, &part, sector);
		if (error)
			return error;
	}
	return 0;
}

int cxfw_plan_verify(struct cxfw_run *run, int (*add)(struct cxfw_run *run, struct cxfw_sha256 *hash),
		     const char *failure)
{
	struct cxfw_sha256 *hash = cxfw_sha256_start();
	u8 digest[32];
	int error, finish;

	if (IS_ERR(hash))
		return PTR_ERR(hash);
	error = add(run, hash);
	finish = cxfw_sha256_finish(hash, digest);
	if (error || finish)
		return error ? error : finish;
	if (memcmp(digest, run->plan->head.segments_sha256, sizeof(digest)))
		return cxfw_fail(run->device, -EIO, "%s", failure);
	return 0;
}
