/* SPDX-License-Identifier: GPL-2.0-only */
/* GUIDs and MACs as people write them. */
#ifndef CXCTL_HEXADECIMAL_H
#define CXCTL_HEXADECIMAL_H

#include <stdint.h>

/*
 * Reads an address of bits bits: all its hexadecimal digits, so that a forgotten one makes no other
 * identity; with or without 0x, with colons or without. Gives where it ended (the NUL, or a character
 * that belongs to no address), or NULL when the digits are too few or too many.
 */
const char *hexadecimal_parse(const char *text, unsigned int bits, uint64_t *value);

#endif /* CXCTL_HEXADECIMAL_H */
