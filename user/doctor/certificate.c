// SPDX-License-Identifier: GPL-2.0-only
#include "certificate.h"

#include <openssl/x509v3.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define EFI_ATTRIBUTES	4	/* efivarfs puts them before each variable */
#define EFI_LIST_HEAD	28	/* type (GUID), then sizes of list, header and each signature */
#define EFI_OWNER	16	/* a GUID before each signature */

/* EFI_CERT_X509_GUID as it lies in memory. */
static const unsigned char x509_type[16] = { 0xa1, 0x59, 0xc0, 0xa5, 0xe4, 0x94, 0xa7, 0x4a,
					     0x87, 0xb5, 0xab, 0x15, 0x5c, 0x2b, 0xf0, 0x72 };

static void write_hexadecimal(char *to, size_t size, const ASN1_STRING *string)
{
	const unsigned char *bytes = ASN1_STRING_get0_data(string);
	int length = ASN1_STRING_length(string), i;

	to[0] = '\0';
	for (i = 0; i < length && (size_t)(2 * i + 3) <= size; i++)
		snprintf(to + 2 * i, 3, "%02x", bytes[i]);
}

bool certificate_read(const unsigned char *bytes, size_t length, struct certificate *certificate)
{
	X509 *x509 = length && length <= 1 << 20 ? d2i_X509(NULL, &bytes, length) : NULL;
	const ASN1_OCTET_STRING *id;

	memset(certificate, 0, sizeof(*certificate));
	if (!x509)
		return false;
	write_hexadecimal(certificate->serial, sizeof(certificate->serial), X509_get0_serialNumber(x509));
	id = X509_get0_subject_key_id(x509);
	if (id)
		write_hexadecimal(certificate->key_id, sizeof(certificate->key_id), id);
	X509_free(x509);
	return true;
}

static uint32_t read_le32(const unsigned char *bytes)
{
	return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* One list: signatures of one type and one size. */
static bool find_in_list(const unsigned char *list, size_t size, size_t head, size_t each, const char *key,
			 struct certificate *certificate)
{
	size_t at;

	if (memcmp(list, x509_type, sizeof(x509_type)) || each <= EFI_OWNER || head > size - EFI_LIST_HEAD)
		return false;
	for (at = EFI_LIST_HEAD + head; each <= size - at; at += each)
		if (certificate_read(list + at + EFI_OWNER, each - EFI_OWNER, certificate) &&
		    (!strcmp(certificate->serial, key) || !strcmp(certificate->key_id, key)))
			return true;
	return false;
}

bool efi_list_find(const unsigned char *variable, size_t length, const char *key, struct certificate *certificate)
{
	struct certificate one;
	size_t at = EFI_ATTRIBUTES;

	while (key[0] && at < length && length - at >= EFI_LIST_HEAD) {
		const unsigned char *list = variable + at;
		size_t size = read_le32(list + 16);

		if (size < EFI_LIST_HEAD || size > length - at)
			break;
		if (find_in_list(list, size, read_le32(list + 20), read_le32(list + 24), key, &one)) {
			*certificate = one;
			return true;
		}
		at += size;
	}
	return false;
}
