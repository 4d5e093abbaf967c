/* SPDX-License-Identifier: GPL-2.0-only */
/* The SPI gateway's registers as others need to know them: device-access.md 5.1 - 5.3. */
#ifndef CXFW_SPI_GATEWAY_H
#define CXFW_SPI_GATEWAY_H

#include <linux/types.h>

struct cxfw_device;

#define CXFW_SPI_LOCK		0x80000000U	/* command register, generation 5 and later */
#define CXFW_SPI_NO_FLASH	0xbadacce6U

/* CR address of the command register; 0 when this chip's gateway is not known. */
u32 cxfw_spi_command_register(const struct cxfw_device *device);

#endif /* CXFW_SPI_GATEWAY_H */
