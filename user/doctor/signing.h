/* SPDX-License-Identifier: GPL-2.0-only */
/* Who signed a module, and does the kernel trust that key? */
#ifndef CXCTL_DOCTOR_SIGNING_H
#define CXCTL_DOCTOR_SIGNING_H

#include "host.h"

enum trust {
	TRUST_UNKNOWN,		/* the kernel's keys cannot be read */
	TRUST_NONE,		/* the key is not among them */
	TRUST_YES,
};

struct signing {
	bool is_signed;
	char signer[128];	/* name of the certificate, "DKMS module signing key" */
	char key[160];		/* its serial number, or an id of the key: hexadecimal digits only */
	enum trust trust;
	bool enrolled;		/* among the machine owner's keys (MOK) of this firmware */
	char certificate[128];	/* the certificate's file, below the root; empty: not found */
};

/* The module file below the root. False when it cannot be read. */
bool signing_read(const struct host *host, const char *module, struct signing *signing);

/* A machine owner's key that waits for the next boot to be enrolled. */
bool signing_pending(const struct host *host);

/*
 * Trust by the text of /proc/keys. ids: the ids that the certificate's key may have there, parted by blanks: its
 * serial number and, when the certificate was found, the id of its key.
 */
enum trust trust_in_keys(const char *keys, const char *signer, const char *ids, bool ids_complete);

#endif /* CXCTL_DOCTOR_SIGNING_H */
