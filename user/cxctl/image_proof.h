/* SPDX-License-Identifier: GPL-2.0-only */
/* An image on its way from one file to another is verified first: what is damaged goes nowhere. */
#ifndef CXCTL_IMAGE_PROOF_H
#define CXCTL_IMAGE_PROOF_H

#include "image.h"

struct image_proof {
	enum image_verdict verdict;
	size_t findings;
	/* the first of the worst findings; part is empty when there is none */
	enum image_verdict worst;
	char part[64], text[256];
	uint64_t where;
	bool compared;
	uint32_t expected, found;
};

/* As image_verify(); bytes that cannot be an image are a finding, too. */
int image_prove(const struct image_reader *reader, const struct image_place *place, struct image_proof *proof,
		struct image_error *error);
/* "damaged-image": name is what the image is called in the text. Returns -1. */
int image_proof_refuse(const char *name, const struct image_proof *proof, struct cxctl_error *error);

/* What stands behind the last slash. */
const char *image_base_name(const char *path);
/* "bundle.mfa2: srcs.mfa: MT_0D90110009": text of at least room bytes. */
const char *image_full_name(const char *path, const char *inside, const char *psid, char *text, size_t room);

#endif /* CXCTL_IMAGE_PROOF_H */
