// SPDX-License-Identifier: GPL-2.0-only
/* kmod/cxfw/sha256.h over libcrypto. */
#include <openssl/evp.h>

#include <linux/err.h>
#include <linux/errno.h>

#include "../../../kmod/cxfw/sha256.h"

struct cxfw_sha256 *cxfw_sha256_start(void)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();

	if (!context || !EVP_DigestInit_ex(context, EVP_sha256(), NULL)) {
		EVP_MD_CTX_free(context);
		return ERR_PTR(-ENOMEM);
	}
	return (struct cxfw_sha256 *)context;
}

int cxfw_sha256_update(struct cxfw_sha256 *hash, const void *data, size_t length)
{
	return EVP_DigestUpdate((EVP_MD_CTX *)hash, data, length) ? 0 : -EIO;
}

int cxfw_sha256_finish(struct cxfw_sha256 *hash, u8 digest[32])
{
	EVP_MD_CTX *context = (EVP_MD_CTX *)hash;
	unsigned char unused[32];
	int error = EVP_DigestFinal_ex(context, digest ? digest : unused, NULL) ? 0 : -EIO;

	EVP_MD_CTX_free(context);
	return error;
}

int cxfw_sha256_module_init(void)
{
	return 0;
}

void cxfw_sha256_module_exit(void)
{
}
