/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_BYTEORDER_H
#define SHIM_BYTEORDER_H
#include <linux/types.h>
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define shim_be32(x) __builtin_bswap32(x)
#define shim_be16(x) __builtin_bswap16(x)
#define shim_le32(x) ((u32)(x))
#else
#define shim_be32(x) ((u32)(x))
#define shim_be16(x) ((u16)(x))
#define shim_le32(x) __builtin_bswap32(x)
#endif
#define cpu_to_be32(x) ((__force __be32)shim_be32((u32)(x)))
#define be32_to_cpu(x) shim_be32((__force u32)(x))
#define cpu_to_be16(x) ((__force __be16)shim_be16((u16)(x)))
#define be16_to_cpu(x) shim_be16((__force u16)(x))
#define cpu_to_le32(x) ((__force __le32)shim_le32((u32)(x)))
#define le32_to_cpu(x) shim_le32((__force u32)(x))
#endif
