/* SPDX-License-Identifier: GPL-2.0-only */
/* Certificates (X.509, DER) by which kernels and firmware know who signed a module. */
#ifndef CXCTL_DOCTOR_CERTIFICATE_H
#define CXCTL_DOCTOR_CERTIFICATE_H

#include <stdbool.h>
#include <stddef.h>

struct certificate {
	char serial[160];	/* hexadecimal digits, lower case */
	char key_id[160];	/* subject key identifier; empty: it has none */
};

bool certificate_read(const unsigned char *bytes, size_t length, struct certificate *certificate);

/*
 * Looks through lists of EFI signatures, as a variable of efivarfs holds them, for the certificate of that
 * serial number or key id.
 */
bool efi_list_find(const unsigned char *variable, size_t length, const char *key, struct certificate *certificate);

#endif /* CXCTL_DOCTOR_CERTIFICATE_H */
