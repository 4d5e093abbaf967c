/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_SLAB_H
#define SHIM_SLAB_H
#include <stdlib.h>
#include <linux/types.h>
#define GFP_KERNEL 0u
#define GFP_KERNEL_ACCOUNT 0u
#define __GFP_RETRY_MAYFAIL 0u
#define __GFP_NOWARN 0u
#define __GFP_ZERO 0u
#define kmalloc(bytes, flags) ((void)(flags), malloc(bytes))
#define kzalloc(bytes, flags) ((void)(flags), calloc(1, bytes))
#define kcalloc(count, bytes, flags) ((void)(flags), calloc(count, bytes))
#define kmalloc_array(count, bytes, flags) kcalloc(count, bytes, flags)
#define kfree(memory) free(memory)
#define kvmalloc(bytes, flags) kmalloc(bytes, flags)
#define kvzalloc(bytes, flags) kzalloc(bytes, flags)
#define kvcalloc(count, bytes, flags) kcalloc(count, bytes, flags)
#define kvfree(memory) free((void *)(memory))
#endif
