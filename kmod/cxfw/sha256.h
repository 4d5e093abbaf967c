/* SPDX-License-Identifier: GPL-2.0-only */
/* SHA-256 in pieces: the kernel's crypto API, or libcrypto in the user-space shim. */
#ifndef CXFW_SHA256_H
#define CXFW_SHA256_H

#include <linux/types.h>

struct cxfw_sha256;

/* An ERR_PTR on failure. Every start is followed by exactly one finish. */
struct cxfw_sha256 *cxfw_sha256_start(void);
int cxfw_sha256_update(struct cxfw_sha256 *hash, const void *data, size_t length);
int cxfw_sha256_finish(struct cxfw_sha256 *hash, u8 digest[32]);	/* digest may be NULL; frees */

int cxfw_sha256_module_init(void);
void cxfw_sha256_module_exit(void);

#endif /* CXFW_SHA256_H */
