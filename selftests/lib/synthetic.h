/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Synthetic firmware of every format for tests: no vendor's code inside, only patterns. Written
 * from Documentation/reference/firmware-images.md with checksums of its own, so that it and
 * user/image/ are two readings of one format.
 */
#ifndef SYNTHETIC_H
#define SYNTHETIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum synthetic_format { SYNTHETIC_FS2 = 2, SYNTHETIC_FS3, SYNTHETIC_FS4, SYNTHETIC_FS5 };

/* Zero or NULL means the default of the format. */
struct synthetic {
	enum synthetic_format format;
	size_t size;			/* of the file; FS3-FS5 whole images only (1 MiB) */
	unsigned int log2;		/* of the slot or chunk */
	const char *psid, *version, *date, *time, *vsd, *device_vsd, *name, *description, *prs, *product;
	const char *board_name;		/* IMAGE_INFO 0x2d2 and the INI's */
	uint32_t hw_id, hw_revision, pci_device;
	uint64_t guid, mac;
	unsigned int uid_count;
	size_t code_size;		/* of the largest code section (64 KiB) */
	size_t rom_size;		/* 0: no ROM */
	const char *rom_version;	/* "3.4.752" */
	const char *ini;		/* NULL: made to fit */
	unsigned int ports;		/* num_of_ports in the INI (2) */
	uint32_t board_seed;		/* pattern of the compiled board sections */
	uint32_t seed;			/* pattern of everything else */
	uint32_t security_flags;	/* IMAGE_SECURITY_* bits */
	bool digest;			/* A0 with the plain digest */
	bool keys;			/* A1 and A4 present, blank */
	bool signature_2048, signature_4096;	/* RSA by keys that A1, A4 then hold */
	bool hashes;			/* FS4: hashes table */
	bool stripped;			/* no device data, ends with the last section */
	bool encrypted;			/* FS4, FS5: no table in clear */
	bool second_itoc;		/* FS4: the ITOC stands at its second place */
	bool encapsulated;		/* FS5: trailing component header */
	bool masked_magic;		/* first 16 bytes ff, as in MFA2 */
	bool connect_ib;		/* FS3: ids by port */
	bool no_uids;			/* FS3-FS5: GUID and MAC 0, as in a vendor's file */
	bool blank_guids, not_failsafe, no_mic;	/* FS2 */
	unsigned int dtoc_divisor;
	uint32_t security_version;
};

/* malloc()ed; NULL: what is asked for is impossible. */
uint8_t *synthetic_image(const struct synthetic *what, size_t *length);
/* A flash of flash_size bytes with the image in a slot, as a dump. */
uint8_t *synthetic_flash(const uint8_t *image, size_t length, const struct synthetic *what, size_t flash_size,
			 unsigned int slot);

struct synthetic_member {
	const uint8_t *image;
	size_t length;
	const char *psid, *version, *part_number, *description;
};
/* Variants of packing: firmware-images.md 7. */
struct synthetic_archive {
	const struct synthetic_member *members;
	size_t count;
	bool old_packing;		/* MFA2: version bytes and BCD date of 13.1910 and before */
	size_t padding;			/* MFA2: zero bytes behind the XZ stream */
	bool compressed;		/* MFA1: XZ sections */
	uint32_t dictionary;		/* bytes of the XZ dictionary; 0: 64 KiB */
};
uint8_t *synthetic_mfa1(const struct synthetic_archive *what, size_t *length);
uint8_t *synthetic_mfa2(const struct synthetic_archive *what, size_t *length);
uint8_t *synthetic_pldm(const struct synthetic_archive *what, size_t *length);

uint16_t synthetic_crc16(const void *bytes, size_t length);

#endif /* SYNTHETIC_H */
