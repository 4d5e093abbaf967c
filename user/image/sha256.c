// SPDX-License-Identifier: GPL-2.0-only
#include <openssl/sha.h>

#include "sha256.h"

void image_sha256(const void *bytes, size_t length, uint8_t digest[IMAGE_SHA256_LENGTH])
{
	SHA256(bytes, length, digest);
}
