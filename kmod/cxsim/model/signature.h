/* SPDX-License-Identifier: GPL-2.0-only */
/* What a secure card looks for in an image: firmware-images.md 4.7. */
#ifndef CXSIM_SIGNATURE_H
#define CXSIM_SIGNATURE_H

#include "os.h"

struct cxsim_card;

enum cxsim_signature {
	CXSIM_SIGNATURE_NONE,	/* no section that could hold one */
	CXSIM_SIGNATURE_BY_KEY,	/* it names a key */
	CXSIM_SIGNATURE_WRONG,
	CXSIM_SIGNATURE_RIGHT,	/* the plain digest */
};

/* Of the FS4 image at a flash address, length bytes; its first 16 count as 0xff. */
enum cxsim_signature cxsim_signature(struct cxsim_card *card, u32 address, u32 length);

#endif /* CXSIM_SIGNATURE_H */
