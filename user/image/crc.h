/* SPDX-License-Identifier: GPL-2.0-only */
/* Checksums of firmware images: Documentation/reference/firmware-images.md 0.1, 0.2. */
#ifndef IMAGE_CRC_H
#define IMAGE_CRC_H

#include <stddef.h>
#include <stdint.h>

/* In pieces: start with IMAGE_CRC16_START, update, finish. */
#define IMAGE_CRC16_START 0xf6aa
uint16_t image_crc16_update(uint16_t crc, const void *bytes, size_t length);
uint16_t image_crc16_finish(uint16_t crc);

/* As image_crc16_update(), without what only some processors have: for tests. */
uint16_t image_crc16_portable(uint16_t crc, const void *bytes, size_t length);

uint16_t image_crc16(const void *bytes, size_t length);

/* Of a hardware pointer of FS4. */
uint16_t image_pointer_crc(uint32_t pointer);

#endif /* IMAGE_CRC_H */
