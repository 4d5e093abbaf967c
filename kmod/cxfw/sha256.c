// SPDX-License-Identifier: GPL-2.0-only
/*
 * Through the crypto API, whose source form is the same on every kernel: the library's
 * SHA-256 changed its header and its names several times.
 */
#include <crypto/hash.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "sha256.h"

#define PIECE	(1U << 20)

struct cxfw_sha256 {
	struct shash_desc shash;	/* last: the driver's state follows */
};

/* Allocated once: a hash of an image may be wanted when memory is short. Set at load, read-only after. */
static struct crypto_shash *algorithm;

int cxfw_sha256_module_init(void)
{
	algorithm = crypto_alloc_shash("sha256", 0, 0);
	return PTR_ERR_OR_ZERO(algorithm);
}

void cxfw_sha256_module_exit(void)
{
	crypto_free_shash(algorithm);
}

struct cxfw_sha256 *cxfw_sha256_start(void)
{
	struct cxfw_sha256 *hash;
	int error;

	hash = kzalloc(sizeof(*hash) + crypto_shash_descsize(algorithm), GFP_KERNEL);
	if (!hash)
		return ERR_PTR(-ENOMEM);
	hash->shash.tfm = algorithm;
	error = crypto_shash_init(&hash->shash);
	if (error) {
		kfree(hash);
		return ERR_PTR(error);
	}
	return hash;
}

/* An image is megabytes: others have their turn in between. */
int cxfw_sha256_update(struct cxfw_sha256 *hash, const void *data, size_t length)
{
	const u8 *from = data;
	unsigned int part;
	int error = 0;

	for (; length && !error; from += part, length -= part) {
		part = min_t(size_t, length, PIECE);
		error = crypto_shash_update(&hash->shash, from, part);
		cond_resched();
	}
	return error;
}

int cxfw_sha256_finish(struct cxfw_sha256 *hash, u8 digest[32])
{
	u8 unwanted[32];
	int error = crypto_shash_final(&hash->shash, digest ? digest : unwanted);

	kfree(hash);
	return error;
}
