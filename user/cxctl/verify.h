/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of cxctl verify. */
#ifndef CXCTL_VERIFY_H
#define CXCTL_VERIFY_H

#include "burn.h"
#include "findings.h"

/* What is verified: a flash, or what a closed card's firmware gives out of itself. */
struct verification {
	struct output *output;
	const struct options *options;
	struct cxctl_card *card;
	struct cxfw_card_info info;
	struct flash_reader flash;	/* closed when there is none to read */
	struct image_memory component;	/* malloc()ed bytes, the magic put back */
	struct image_reader reader;	/* of the one or of the other */
	enum image_layout layout;
	struct image_place places[IMAGE_PLACES];
	size_t count;
	struct findings findings;	/* on all of it */
	unsigned int live;		/* images that could boot */
};

/* *error to what kept bytes from being read; -1. */
int verify_failed(const struct verification *v, const struct image_error *why, struct cxctl_error *error);

/* The running boot image through the firmware, or the one that waits for its activation. */
int verify_read_component(struct verification *v, bool pending, struct cxctl_error *error);

/* Does the card hold the image that path names, identity and ROM apart? A difference is a finding. */
int verify_compare(struct verification *v, const char *path, struct cxctl_error *error);

#endif /* CXCTL_VERIFY_H */
