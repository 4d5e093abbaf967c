/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SHA-256 and SHA-512 by libcrypto's plain functions: its newer interface needs some milliseconds in each
 * process until the first byte is hashed, more than a whole image takes.
 */
#ifndef IMAGE_SHA256_H
#define IMAGE_SHA256_H

#ifndef OPENSSL_SUPPRESS_DEPRECATED
#define OPENSSL_SUPPRESS_DEPRECATED
#endif
#include <openssl/sha.h>
#include <stddef.h>
#include <stdint.h>

#define IMAGE_SHA256_LENGTH 32

void image_sha256(const void *bytes, size_t length, uint8_t digest[IMAGE_SHA256_LENGTH]);

#endif /* IMAGE_SHA256_H */
