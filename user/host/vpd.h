/* SPDX-License-Identifier: GPL-2.0-only */
/* The vital product data of a PCI function, as sysfs shows them: device-access.md 10.3. */
#ifndef CXCTL_VPD_H
#define CXCTL_VPD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VPD_MOST 32768

/*
 * Reads up to the end tag and no further, since every four bytes are a question to the card's
 * firmware. Gives the length, or -errno; -ENODATA: what is there is no VPD.
 */
int vpd_read(const char *address, uint8_t *bytes, size_t room);

/* The text of a keyword ("SN", "PN"), without the blanks at its end. False: it is not there. */
bool vpd_keyword(const uint8_t *bytes, size_t length, const char *keyword, char *text, size_t room);

#endif /* CXCTL_VPD_H */
