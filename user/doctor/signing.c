// SPDX-License-Identifier: GPL-2.0-only
#include "signing.h"

#include <ctype.h>
#include <libkmod.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "certificate.h"

#define EFI_SHIM "605dab50-e046-4300-abb6-3dd810dd8b23"

/* Hexadecimal digits of a serial number or id, in lower case, without what parts them. */
static void plain_digits(char *to, size_t size, const char *from)
{
	size_t used = 0;

	for (; *from && used + 1 < size; from++)
		if (isxdigit((unsigned char)*from))
			to[used++] = tolower((unsigned char)*from);
	to[used] = '\0';
}

static void take(struct signing *signing, const char *key, const char *value)
{
	if (!strcmp(key, "signer")) {
		signing->is_signed = true;
		snprintf(signing->signer, sizeof(signing->signer), "%s", value);
	} else if (!strcmp(key, "sig_key")) {
		signing->is_signed = true;
		plain_digits(signing->key, sizeof(signing->key), value);
	} else if (!strcmp(key, "sig_id") || !strcmp(key, "signature")) {
		signing->is_signed = true;
	}
}

static bool read_module(const char *path, struct signing *signing)
{
	const char *no_config = NULL;
	struct kmod_ctx *context = kmod_new("/", &no_config);
	struct kmod_module *module = NULL;
	struct kmod_list *list = NULL, *entry;
	bool read;

	if (!context)
		return false;
	kmod_set_log_priority(context, 0);
	read = kmod_module_new_from_path(context, path, &module) >= 0 && kmod_module_get_info(module, &list) >= 0;
	if (read)
		kmod_list_foreach(entry, list)
			take(signing, kmod_module_info_get_key(entry), kmod_module_info_get_value(entry));
	kmod_module_info_free_list(list);
	if (module)
		kmod_module_unref(module);
	kmod_unref(context);
	return read;
}

/* Where DKMS and Ubuntu keep theirs, and where ours are. */
static const char *const certificates[] = {
	"var/lib/dkms/mok.pub", "var/lib/shim-signed/mok/MOK.der", "etc/cxctl/mok.der", "etc/pki/akmods/certs/public_key.der",
};

static bool is_signers(const struct certificate *certificate, const struct signing *signing)
{
	return signing->key[0] && (!strcmp(certificate->serial, signing->key) || !strcmp(certificate->key_id, signing->key));
}

/* Among the files of this host, and among the keys that the firmware has of its owner. */
static bool find_certificate(const struct host *host, struct signing *signing, struct certificate *certificate)
{
	bool found = false;
	char *bytes;
	size_t length, i;

	for (i = 0; i < sizeof(certificates) / sizeof(certificates[0]) && !found; i++) {
		bytes = host_bytes(host, &length, "%s", certificates[i]);
		found = bytes && certificate_read((const unsigned char *)bytes, length, certificate) &&
			is_signers(certificate, signing);
		if (found)
			snprintf(signing->certificate, sizeof(signing->certificate), "%s", certificates[i]);
		free(bytes);
	}
	bytes = host_bytes(host, &length, "sys/firmware/efi/efivars/MokListRT-" EFI_SHIM);
	if (bytes)
		signing->enrolled = efi_list_find((const unsigned char *)bytes, length, signing->key, certificate);
	free(bytes);
	return found || signing->enrolled;
}

/* "…: asymmetri DKMS module signing key: 1b5790…: X509.rsa f16ae16f []": name, then id or serial number. */
static bool line_has_id(const char *line, size_t length, const char *ids)
{
	char id[160], found[512];
	size_t used;

	snprintf(found, sizeof(found), "%.*s", (int)length, line);
	while (*ids) {
		ids += strspn(ids, " ");
		used = strcspn(ids, " ");
		if (used >= 8 && used + 3 < sizeof(id)) {
			snprintf(id, sizeof(id), ": %.*s:", (int)used, ids);
			if (strcasestr(found, id))
				return true;
		}
		ids += used;
	}
	return false;
}

static bool line_has_name(const char *line, size_t length, const char *signer)
{
	char name[160], found[512];

	if (!signer[0])
		return false;
	snprintf(found, sizeof(found), "%.*s", (int)length, line);
	snprintf(name, sizeof(name), " %s: ", signer);
	return strstr(found, name);
}

enum trust trust_in_keys(const char *keys, const char *signer, const char *ids, bool ids_complete)
{
	enum trust trust = TRUST_UNKNOWN;
	const char *line = keys;
	bool namesake = false;

	while (line && *line) {
		size_t length = strcspn(line, "\n");
		const char *kind = memmem(line, length, " asymmetri ", strlen(" asymmetri "));

		if (kind) {
			size_t rest = length - (kind - line);

			if (line_has_id(kind, rest, ids))
				return TRUST_YES;
			namesake |= line_has_name(kind, rest, signer);
			trust = TRUST_NONE;
		}
		line += length;
		line += *line == '\n';
	}
	/* Of that name, but by an id that only the certificate would tell: this key, or one before it. */
	return namesake && !ids_complete ? TRUST_UNKNOWN : trust;
}

bool signing_read(const struct host *host, const char *module, struct signing *signing)
{
	struct certificate certificate;
	char path[PATH_MAX], ids[400], *keys;
	bool found;

	memset(signing, 0, sizeof(*signing));
	host_path(host, path, sizeof(path), "%s", module);
	if (!read_module(path, signing))
		return false;
	if (!signing->is_signed)
		return true;
	found = find_certificate(host, signing, &certificate);
	snprintf(ids, sizeof(ids), "%s%s%s", signing->key, found ? " " : "", found ? certificate.key_id : "");
	keys = host_text(host, "proc/keys");
	signing->trust = keys ? trust_in_keys(keys, signing->signer, ids, found) : TRUST_UNKNOWN;
	free(keys);
	return true;
}

bool signing_pending(const struct host *host)
{
	return host_has(host, "sys/firmware/efi/efivars/MokNew-" EFI_SHIM);
}
