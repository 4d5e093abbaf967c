/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_ERR_H
#define SHIM_ERR_H
#include <stdbool.h>
#include <stdint.h>
static inline void *ERR_PTR(long error)
{
	return (void *)(intptr_t)error;
}

static inline long PTR_ERR(const void *pointer)
{
	return (long)(intptr_t)pointer;
}

static inline bool IS_ERR(const void *pointer)
{
	return (uintptr_t)pointer >= (uintptr_t)-4095;
}

static inline bool IS_ERR_OR_NULL(const void *pointer)
{
	return !pointer || IS_ERR(pointer);
}
#endif
