// SPDX-License-Identifier: GPL-2.0-only
/* The flash chips that a simulated card can carry. */
#include "card.h"

/* Which of the registers 0x05, 0x35, 0x15 a part has; 0x35 is another command on the rest. */
#define REGISTERS_1	0x1
#define REGISTERS_12	0x3
#define REGISTERS_123	0x7
#define REGISTERS_13	0x5

/*
 * device-access.md 5.5. Times are typical and maximum values of the family's data sheets,
 * rounded; the smaller parts of old families take as long as the larger.
 */
#define ERASES_4K		.sector_erase = true
#define ERASES_64K		.block_erase = true
#define ERASES_ALL		.sector_erase = true, .half_erase = true, .block_erase = true
#define LEGACY			.smallest = 20, .largest = 24
#define ONLY(log2)		.smallest = (log2), .largest = (log2)

static const struct cxsim_chip_type chip_types[] = {
	{ "W25QxxBV", 0xef, 0x40, LEGACY, ERASES_ALL, .registers = REGISTERS_123,
	  .protect = CXSIM_PROTECT_3, .quad = CXSIM_QUAD_STATUS2, .short_write_clears = true,
	  .program_us = { 700, 3000 }, .sector_us = { 45000, 400000 },
	  .block_us = { 150000, 2000000 }, .status_us = { 10000, 15000 } },
	{ "W25Qxxx", 0xef, 0x70, ONLY(24), ERASES_ALL, .registers = REGISTERS_123,
	  .protect = CXSIM_PROTECT_3_LARGE, .quad = CXSIM_QUAD_STATUS2,
	  .program_us = { 400, 3000 }, .sector_us = { 45000, 400000 },
	  .block_us = { 150000, 2000000 }, .status_us = { 10000, 15000 } },
	{ "W25Qxxx", 0xef, 0x70, ONLY(25), ERASES_ALL, .registers = REGISTERS_123,
	  .protect = CXSIM_PROTECT_4, .quad = CXSIM_QUAD_STATUS2,
	  .program_us = { 400, 3000 }, .sector_us = { 50000, 400000 },
	  .block_us = { 150000, 2000000 }, .status_us = { 10000, 15000 } },
	{ "W25Qxxx", 0xef, 0x40, .smallest = 25, .largest = 26, .code_64m = 0x20, ERASES_ALL,
	  .registers = REGISTERS_123, .protect = CXSIM_PROTECT_4, .quad = CXSIM_QUAD_STATUS2,
	  .program_us = { 700, 3000 }, .sector_us = { 50000, 400000 },
	  .block_us = { 150000, 2000000 }, .status_us = { 10000, 15000 } },
	{ "W25Xxx", 0xef, 0x30, LEGACY, ERASES_4K, .registers = REGISTERS_1, .protect = CXSIM_PROTECT_3,
	  .program_us = { 1500, 3000 }, .sector_us = { 150000, 300000 },
	  .block_us = { 1000000, 2000000 }, .status_us = { 10000, 15000 } },
	{ "M25PXxx", 0x20, 0x71, LEGACY, ERASES_4K, ERASES_64K, .registers = REGISTERS_1,
	  .protect = CXSIM_PROTECT_3,
	  .program_us = { 800, 5000 }, .sector_us = { 70000, 150000 },
	  .block_us = { 700000, 3000000 }, .status_us = { 1300, 15000 } },
	{ "M25Pxx", 0x20, 0x20, LEGACY, ERASES_64K, .registers = REGISTERS_1, .protect = CXSIM_PROTECT_3,
	  .program_us = { 640, 5000 }, .sector_us = { 0, 0 },
	  .block_us = { 600000, 3000000 }, .status_us = { 1300, 15000 } },
	{ "N25Q0XX", 0x20, 0xba, LEGACY, ERASES_4K, ERASES_64K, .registers = REGISTERS_1,
	  .protect = CXSIM_PROTECT_3,
	  .program_us = { 500, 5000 }, .sector_us = { 250000, 800000 },
	  .block_us = { 700000, 3000000 }, .status_us = { 1300, 8000 } },
	{ "MT25QLxxx", 0x20, 0xba, ONLY(26), .code_64m = 0x20, ERASES_ALL, .registers = REGISTERS_1,
	  .protect = CXSIM_PROTECT_3,
	  .program_us = { 120, 1800 }, .sector_us = { 50000, 400000 },
	  .block_us = { 150000, 1000000 }, .status_us = { 1300, 8000 } },
	{ "MT25QUxxx", 0x20, 0xbb, ONLY(26), .code_64m = 0x20, ERASES_ALL, .registers = REGISTERS_1,
	  .protect = CXSIM_PROTECT_3,
	  .program_us = { 120, 1800 }, .sector_us = { 50000, 400000 },
	  .block_us = { 150000, 1000000 }, .status_us = { 1300, 8000 } },
	{ "SST25VFxx", 0xbf, 0x25, LEGACY, ERASES_64K, .registers = REGISTERS_1, .protect = CXSIM_PROTECT_ALL,
	  .program_us = { 1800, 2600 }, .sector_us = { 18000, 25000 },
	  .block_us = { 18000, 25000 }, .status_us = { 1, 10 } },
	{ "AT25DFxxx", 0x1f, 0x02, LEGACY, ERASES_4K, .registers = REGISTERS_1, .protect = CXSIM_PROTECT_ALL,
	  .power_on_status = 0x0c,
	  .program_us = { 1000, 3000 }, .sector_us = { 50000, 200000 },
	  .block_us = { 400000, 950000 }, .status_us = { 1, 10 } },
	{ "S25FLXXXP", 0x01, 0x02, LEGACY, ERASES_64K, .registers = REGISTERS_1, .protect = CXSIM_PROTECT_3,
	  .program_us = { 1500, 3000 }, .sector_us = { 200000, 800000 },
	  .block_us = { 500000, 2000000 }, .status_us = { 50000, 100000 } },
	{ "S25FL11xx", 0x01, 0x40, LEGACY, ERASES_4K, ERASES_64K, .registers = REGISTERS_123,
	  .protect = CXSIM_PROTECT_3, .quad = CXSIM_QUAD_STATUS2, .short_write_clears = true,
	  .program_us = { 700, 3000 }, .sector_us = { 50000, 450000 },
	  .block_us = { 500000, 2000000 }, .status_us = { 2500, 30000 } },
	{ "S25FLxxx", 0x01, 0x60, ONLY(24), ERASES_ALL, .registers = REGISTERS_123,
	  .protect = CXSIM_PROTECT_3_LARGE, .quad = CXSIM_QUAD_STATUS2, .short_write_clears = true,
	  .program_us = { 450, 1350 }, .sector_us = { 65000, 320000 },
	  .block_us = { 300000, 725000 }, .status_us = { 220000, 750000 } },
	{ "MX25L16xxx", 0xc2, 0x20, LEGACY, ERASES_4K, ERASES_64K, .registers = REGISTERS_13,
	  .protect = CXSIM_PROTECT_4_CONFIG, .quad = CXSIM_QUAD_STATUS1,
	  .program_us = { 1400, 5000 }, .sector_us = { 60000, 300000 },
	  .block_us = { 700000, 2000000 }, .status_us = { 5000, 40000 } },
	{ "MX25Lxxx", 0xc2, 0x20, ONLY(25), ERASES_ALL, .registers = REGISTERS_13,
	  .protect = CXSIM_PROTECT_4_CONFIG, .quad = CXSIM_QUAD_STATUS1,
	  .program_us = { 600, 3000 }, .sector_us = { 45000, 400000 },
	  .block_us = { 400000, 2000000 }, .status_us = { 5000, 40000 } },
	{ "MX25Uxxx", 0xc2, 0x25, .smallest = 22, .largest = 22, ERASES_ALL, .registers = REGISTERS_13,
	  .protect = CXSIM_PROTECT_4_CONFIG, .quad = CXSIM_QUAD_STATUS1,
	  .program_us = { 500, 3000 }, .sector_us = { 35000, 200000 },
	  .block_us = { 350000, 2000000 }, .status_us = { 5000, 40000 } },
	{ "MX25Uxxx", 0xc2, 0x25, .smallest = 25, .largest = 26, .code_64m = 0x1a, ERASES_ALL,
	  .registers = REGISTERS_13, .protect = CXSIM_PROTECT_4_CONFIG, .quad = CXSIM_QUAD_STATUS1,
	  .program_us = { 150, 750 }, .sector_us = { 25000, 400000 },
	  .block_us = { 220000, 2000000 }, .status_us = { 5000, 40000 } },
	{ "MX25Uxxx", 0xc2, 0x28, ONLY(22), ERASES_ALL, .registers = REGISTERS_13,
	  .protect = CXSIM_PROTECT_4_CONFIG, .quad = CXSIM_QUAD_STATUS1,
	  .program_us = { 850, 4000 }, .sector_us = { 40000, 240000 },
	  .block_us = { 480000, 3500000 }, .status_us = { 5000, 40000 } },
	{ "IS25LPxxx", 0x9d, 0x60, LEGACY, ERASES_ALL, .registers = REGISTERS_1,
	  .protect = CXSIM_PROTECT_4_CONFIG, .quad = CXSIM_QUAD_STATUS1,
	  .program_us = { 200, 800 }, .sector_us = { 70000, 300000 },
	  .block_us = { 170000, 500000 }, .status_us = { 2000, 15000 } },
	{ "IS25WPxxx", 0x9d, 0x60, ONLY(25), ERASES_ALL, .registers = REGISTERS_1,
	  .protect = CXSIM_PROTECT_4_CONFIG, .quad = CXSIM_QUAD_STATUS1,
	  .program_us = { 200, 800 }, .sector_us = { 70000, 300000 },
	  .block_us = { 170000, 1000000 }, .status_us = { 2000, 15000 } },
	{ "IS25LPxxx", 0x9d, 0x70, ONLY(22), ERASES_ALL, .registers = REGISTERS_1,
	  .protect = CXSIM_PROTECT_4_CONFIG, .quad = CXSIM_QUAD_STATUS1,
	  .program_us = { 200, 800 }, .sector_us = { 70000, 300000 },
	  .block_us = { 170000, 500000 }, .status_us = { 2000, 15000 } },
	{ "IS25LPxxx", 0x9d, 0x70, ONLY(26), .code_64m = 0x1a, ERASES_ALL, .registers = REGISTERS_1,
	  .protect = CXSIM_PROTECT_4_CONFIG, .quad = CXSIM_QUAD_STATUS1,
	  .program_us = { 200, 1000 }, .sector_us = { 100000, 300000 },
	  .block_us = { 200000, 1000000 }, .status_us = { 2000, 15000 } },
	{ "GD25LBxxx", 0xc8, 0x40, .smallest = 24, .largest = 25, ERASES_ALL, .registers = REGISTERS_123,
	  .protect = CXSIM_PROTECT_3, .quad = CXSIM_QUAD_STATUS2,
	  .program_us = { 500, 3000 }, .sector_us = { 70000, 500000 },
	  .block_us = { 200000, 1600000 }, .status_us = { 5000, 30000 } },
	{ "GD25LBxxxMF", 0xc8, 0x60, ONLY(26), .code_64m = 0x1a, ERASES_ALL, .registers = REGISTERS_123,
	  .protect = CXSIM_PROTECT_3, .quad = CXSIM_QUAD_STATUS2,
	  .program_us = { 500, 3000 }, .sector_us = { 70000, 500000 },
	  .block_us = { 200000, 1600000 }, .status_us = { 5000, 30000 } },
};

static unsigned int log2_of(u32 size)
{
	unsigned int log2 = 0;

	while (size > 1) {
		size >>= 1;
		log2++;
	}
	return log2;
}

const struct cxsim_chip_type *cxsim_chip_type(unsigned int index)
{
	return index < ARRAY_SIZE(chip_types) ? &chip_types[index] : NULL;
}

static bool type_named(const struct cxsim_chip_type *type, const char *name)
{
	return !name || !*name || !strcmp(type->name, name);
}

/* The size when none is asked for: 16 MiB, else the nearest that the part is made in. */
static u32 default_size(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(chip_types); i++) {
		const struct cxsim_chip_type *type = &chip_types[i];

		if (!type_named(type, name))
			continue;
		if (type->smallest > 24)
			return 1U << type->smallest;
		return 1U << (type->largest < 24 ? type->largest : 24);
	}
	return 1U << 24;
}

const struct cxsim_chip_type *cxsim_chip_find(const char *name, u32 *flash_size, char *why)
{
	u32 size = *flash_size ? *flash_size : default_size(name);
	unsigned int i, log2 = log2_of(size);
	bool known = false;

	if (size != 1U << log2 || log2 < 21 || log2 > 26) {
		snprintf(why, CXSIM_WHY, "flash size %u: expected a power of two from 2 MiB to 64 MiB", size);
		return NULL;
	}
	*flash_size = size;
	for (i = 0; i < ARRAY_SIZE(chip_types); i++) {
		const struct cxsim_chip_type *type = &chip_types[i];

		if (!type_named(type, name))
			continue;
		known = true;
		if (log2 >= type->smallest && log2 <= type->largest)
			return type;
	}
	if (known)
		snprintf(why, CXSIM_WHY, "flash chip \"%.40s\" is not made in %u MiB", name, size >> 20);
	else
		snprintf(why, CXSIM_WHY, "flash chip \"%.40s\" is not in the chip table", name);
	return NULL;
}

bool cxsim_chip_is_made(const char *name, u32 flash_size)
{
	char why[CXSIM_WHY];

	return cxsim_chip_find(name, &flash_size, why) != NULL;
}

u32 cxsim_chip_capacity(const struct cxsim_chip_type *type, u32 flash_size)
{
	return flash_size == 1U << 26 && type->code_64m ? type->code_64m : log2_of(flash_size);
}
