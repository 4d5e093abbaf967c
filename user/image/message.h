/* SPDX-License-Identifier: GPL-2.0-only */
/* Forms of the message that a digest or signature covers: firmware-images.md 4.7. */
#ifndef IMAGE_MESSAGE_H
#define IMAGE_MESSAGE_H

#include "toc_verify.h"

struct message_form {
	uint32_t masked[2];		/* types that count as ones, with their entries; 0: none */
	uint32_t zeroed;		/* type whose body counts as zeros; 0: none */
};

/* As message_digest(). */
int message_digest_of(const struct image_view *view, const struct toc *toc, const struct message_form *form,
		      uint8_t sha256[32], uint8_t sha512[64], struct image_error *error);

#endif /* IMAGE_MESSAGE_H */
