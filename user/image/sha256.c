// SPDX-License-Identifier: GPL-2.0-only
#include "sha256.h"

void image_sha256(const void *bytes, size_t length, uint8_t digest[IMAGE_SHA256_LENGTH])
{
	SHA256_CTX context;

	SHA256_Init(&context);
	SHA256_Update(&context, bytes, length);
	SHA256_Final(digest, &context);
}
