// SPDX-License-Identifier: GPL-2.0-only
/* What the kinds of container have in common: firmware-images.md 7. */
#include <errno.h>
#include <stdlib.h>

#include "../base/message.h"
#include "container.h"

const char *container_kind_name(enum container_kind kind)
{
	switch (kind) {
	case CONTAINER_MFA1:
		return "MFA1";
	case CONTAINER_MFA2:
		return "MFA2";
	case CONTAINER_PLDM:
		return "PLDM";
	default:
		return "none";
	}
}

enum container_kind container_kind_of(const struct image_reader *reader)
{
	(void)reader;
	return CONTAINER_NONE;
}

int container_open(const struct image_reader *reader, struct container **container, struct image_error *error)
{
	(void)reader;
	(void)error;
	*container = NULL;
	return -EOPNOTSUPP;
}

void container_close(struct container *container)
{
	(void)container;
}

enum container_kind container_kind(const struct container *container)
{
	(void)container;
	return CONTAINER_NONE;
}

uint64_t container_length(const struct container *container)
{
	(void)container;
	return 0;
}

size_t container_members(const struct container *container)
{
	(void)container;
	return 0;
}

const struct container_member *container_member(const struct container *container, size_t index)
{
	(void)container;
	(void)index;
	return NULL;
}

int container_pass(struct container *container, const struct container_pass *pass, struct image_error *error)
{
	(void)container;
	(void)pass;
	(void)error;
	return -EOPNOTSUPP;
}

int container_verify(struct container *container, const struct image_listener *listener, enum image_verdict *verdict,
		     struct image_error *error)
{
	(void)container;
	(void)listener;
	(void)verdict;
	(void)error;
	return -EOPNOTSUPP;
}

int mfa2_write(const struct mfa2_source *sources, size_t count,
	       int (*write)(void *context, const void *bytes, size_t length), void *context,
	       struct image_error *error)
{
	(void)sources;
	(void)count;
	(void)write;
	(void)context;
	(void)error;
	return -EOPNOTSUPP;
}
