/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_STRING_H
#define SHIM_STRING_H
#include <string.h>
#include <linux/types.h>
ssize_t strscpy(char *to, const char *from, size_t room);
void *memchr_inv(const void *start, int byte, size_t bytes);
static inline void memzero_explicit(void *memory, size_t bytes)
{
	memset(memory, 0, bytes);
	barrier();
}
#endif
