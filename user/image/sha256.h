/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef IMAGE_SHA256_H
#define IMAGE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define IMAGE_SHA256_LENGTH 32

void image_sha256(const void *bytes, size_t length, uint8_t digest[IMAGE_SHA256_LENGTH]);

#endif /* IMAGE_SHA256_H */
