/* SPDX-License-Identifier: GPL-2.0-only */
/* Words of the MFA2 format: firmware-images.md 7.2. */
#ifndef CONTAINER_MFA2_H
#define CONTAINER_MFA2_H

#define MFA2_FINGERPRINT "MLNX.MFA2.XZ.00!"
#define MFA2_FINGERPRINT_LENGTH 16
#define MFA2_TLV_HEADER 4
#define MFA2_DIGEST 32

enum mfa2_type {
	MFA2_MULTI = 0x01,
	MFA2_PACKAGE = 0x02,
	MFA2_DEVICE = 0x03,
	MFA2_COMPONENT = 0x04,
	MFA2_VERSION = 0x21,
	MFA2_COMPONENT_POINTER = 0x22,
	MFA2_SOURCE_FILE = 0x27,	/* real archives keep both digests under this type */
	MFA2_PSID = 0x2a,
	MFA2_SHA256 = 0x2f,
	MFA2_DESCRIPTORS_SHA256 = 0x30,
};

#define MFA2_PACKAGE_LENGTH 0x1c
#define MFA2_VERSION_LENGTH 12
#define MFA2_POINTER_LENGTH 8
#define MFA2_COMPONENT_LENGTH 16

#endif /* CONTAINER_MFA2_H */
