/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What FS3, FS4 and FS5 share: tables of contents, IMAGE_INFO and device data.
 * Documentation/reference/firmware-images.md 3.2-3.7, 4.3, 4.4.
 */
#ifndef IMAGE_TOC_H
#define IMAGE_TOC_H

#include "private.h"

#define TOC_HEADER	0x20
#define TOC_ENTRY	0x20
#define TOC_ENTRIES	64
#define TOC_END		0xff		/* type byte of the end entry */

#define IMAGE_INFO_LENGTH 0x400
#define DEV_INFO_LENGTH	0x200
#define MFG_INFO_LENGTH	0x140

enum section_type {
	SECTION_BOOT_CODE = 0x01,
	SECTION_PCI_CODE = 0x02,
	SECTION_MAIN_CODE = 0x03,
	SECTION_PCIE_LINK_CODE = 0x04,
	SECTION_HW_BOOT_CFG = 0x08,
	SECTION_HW_MAIN_CFG = 0x09,
	SECTION_IMAGE_INFO = 0x10,
	SECTION_FW_BOOT_CFG = 0x11,
	SECTION_FW_MAIN_CFG = 0x12,
	SECTION_ROM_CODE = 0x18,
	SECTION_RESET_INFO = 0x20,
	SECTION_DBG_FW_INI = 0x30,
	SECTION_SIGNATURE_256 = 0xa0,
	SECTION_PUBLIC_KEYS_2048 = 0xa1,
	SECTION_SIGNATURE_512 = 0xa3,
	SECTION_PUBLIC_KEYS_4096 = 0xa4,
	SECTION_RSA_PUBLIC_KEY = 0xa6,
	SECTION_RSA_4096_SIGNATURES = 0xa7,
	SECTION_MFG_INFO = 0xe0,
	SECTION_DEV_INFO = 0xe1,
	SECTION_NV_DATA1 = 0xe2,
	SECTION_VPD_R0 = 0xe3,
	SECTION_NV_DATA2 = 0xe4,
	SECTION_FW_NV_LOG = 0xe5,
	SECTION_NV_DATA0 = 0xe6,
};

/* "MAIN_CODE"; "unknown section" */
const char *section_type_name(uint32_t type);

enum toc_crc_mode {
	TOC_CRC_IN_ENTRY,
	TOC_CRC_NONE,
	TOC_CRC_IN_SECTION,
};

struct toc_section {
	uint32_t type;
	uint32_t size;		/* bytes */
	uint32_t address;	/* relative: from the image's start; else from the flash's (or file's) */
	uint32_t load, entry;	/* param0, param1 */
	uint32_t version;
	uint32_t crc_mode;	/* enum toc_crc_mode, or an unknown number */
	uint32_t crc;		/* as the entry says it */
	bool zipped, cache_line_crc, encrypted;
	bool relative;		/* FS3; the others: true, in the DTOC without meaning */
	bool device_data;	/* FS3 only; in FS4 and FS5 all of the DTOC is */
	uint32_t where;		/* of the entry, counted as the table's address is */
	uint32_t stored_crc, computed_crc;	/* of the entry; all 32 bits of what is stored */
};

struct toc {
	uint32_t address;
	bool present;
	uint32_t stored_crc, computed_crc;	/* of the header */
	unsigned int count;
	bool ended;		/* the end entry was there */
	struct toc_section sections[TOC_ENTRIES];
};

/* Header and entries at an address; present is false when the signature is not there. */
int toc_read(const struct image_view *view, uint32_t address, const char name[4], struct toc *toc,
	     struct image_error *error);
/* A table's entry as image_sections() shows it. */
void toc_section_describe(const struct toc_section *entry, bool device_data, struct image_section *section);
/* Calls visit for each entry; -EBADMSG when one lies outside the view. */
int toc_visit(const struct image_view *view, const struct toc *toc, bool device_data, section_visit visit,
	      void *context, struct image_error *error);
/* Bits in which what stands there differs from a table's signature; 128 when nothing can stand there. */
int toc_distance(const struct image_view *view, uint32_t address, const char name[4], unsigned int *bits,
		 struct image_error *error);
/* End of the last section that belongs to the image. */
uint32_t toc_end(const struct toc *toc);
const struct toc_section *toc_find(const struct toc *toc, uint32_t type, unsigned int nth);
/* Header, entries and end are right; -EBADMSG says which is not. */
int toc_check(const struct toc *toc, const char *name, struct image_error *error);

/*
 * The first length bytes of a section, from a view that counts addresses as the section does.
 * The section's CRC is checked, if it has one: what is behind these bytes is read for it.
 */
int toc_read_section(const struct image_view *view, const struct toc_section *section, uint8_t *bytes,
		     uint32_t length, struct image_error *error);

/* The facts that IMAGE_INFO holds; where is for the error only. */
int image_info_take(const uint8_t info[IMAGE_INFO_LENGTH], uint32_t where, struct image_facts *facts,
		    struct image_error *error);

/* The ROM, as IMAGE_NO_ROM and IMAGE_QUICK_ROM of flags want it looked at. */
int toc_rom(const struct image_view *view, const struct toc *itoc, unsigned int flags,
	    struct image_facts *facts, struct image_error *error);
/* security_keys and signed_by; a section outside the view is passed over. */
int toc_security(const struct image_view *view, const struct toc *itoc, struct image_facts *facts,
		 struct image_error *error);

/* Signature and CRC of a DEV_INFO, as FS4 and FS5 store it. */
bool dev_info_signed(const uint8_t info[DEV_INFO_LENGTH]);
bool dev_info_valid(const uint8_t info[DEV_INFO_LENGTH]);
/* Facts from the table that lists the device data: the DTOC. flash counts from the flash's start. */
int mfg_info_take(const struct image_view *flash, const struct toc *table, struct image_facts *facts,
		  struct image_error *error);
int dev_info_take(const struct image_view *flash, const struct toc *table, struct image_facts *facts,
		  struct image_error *error);

#endif /* IMAGE_TOC_H */
