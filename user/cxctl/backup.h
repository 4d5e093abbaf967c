/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A backup of a card: one file, an archive that every tar reads (base/archive.h).
 *
 *   backup.json		what the card is, and what is in this file or could not be had
 *   flash.bin		the whole flash; or, where the card lets nobody read it
 *   boot-image.bin	the running firmware as the card gives it out (magic masked), if it does
 *   vpd.bin		vital product data
 *   nv-NUMBER.bin	NV configuration by register MNVDA: header and data of one TLV
 *   SHA256SUMS		of all the others, as sha256sum(1) writes and checks them: the last member
 *
 * A file without SHA256SUMS is torn. Old tools take flash.bin: "tar xf FILE flash.bin".
 */
#ifndef CXCTL_BACKUP_H
#define CXCTL_BACKUP_H

#include <limits.h>

#include "../image/file.h"
#include "command.h"
#include "flash_reader.h"

/* Who a card is, as it tells itself or as a backup says. */
struct backup_identity {
	uint32_t hw_id, hw_revision;
	uint32_t flash_size;		/* 0: closed, or unknown */
	uint32_t flash_jedec;
	char psid[17];			/* the texts may be empty */
	char serial[64], part[64];
	char running[48], stored[48];	/* versions */
	bool has_guid, has_mac;
	uint64_t guid, mac;		/* FS2: of the node, of port 1; later: base */
};

struct backup_request {
	const char *file;		/* NULL: a name of our own, in backups/ of the state directory */
	bool force;			/* write over a file that exists */
	bool raw;			/* the flash's bytes and nothing else */
	bool verify;			/* read the flash a second time and compare */
	bool (*interrupted)(void);	/* asked now and then; may be NULL */
};

struct backup_result {
	char path[PATH_MAX];
	char sha256[65];		/* of the file */
	char flash_sha256[65];		/* empty: the flash could not be read */
	uint64_t size;			/* bytes of the file */
	uint32_t flash_bytes, component_bytes;
	unsigned int nv_count;
	char missing[512];		/* what the card does not give out, and why; empty: all is there */
	struct backup_identity identity;
};

/*
 * Saves what the card gives out. flash: a reader of it that is open already and may have read a part;
 * NULL: one of our own. The file gets its name when it is whole and on the disk; an error leaves
 * nothing behind. 0, or -1 with *error.
 */
int backup_save(struct cxctl_card *card, const struct cxfw_card_info *info, struct flash_reader *flash,
		const struct options *options, const struct backup_request *request,
		struct backup_result *result, struct cxctl_error *error);

/*
 * Who the card is: from its flash, else from registers, serial number from VPD. What cannot be had is left
 * empty. vpd: VPD_MOST bytes; may be NULL.
 */
void backup_identify(struct cxctl_card *card, const struct cxfw_card_info *info, struct flash_reader *flash,
		     struct backup_identity *identity, uint8_t *vpd, int *vpd_length);

/* What of it an image on a flash tells. */
void backup_identify_image(const struct image_reader *flash, struct backup_identity *identity);

/* A backup that was read back: an archive, or the plain content of a flash (--raw, dd, mstflint ri). */
struct backup_file {
	char path[PATH_MAX];
	struct image_file file;
	bool plain;
	char time[32];			/* empty: unknown */
	struct backup_identity identity;
	struct image_memory flash, component;	/* length 0: not in it */
	struct image_memory vpd;
	char sha256[65];		/* of the flash or the component */
};

/* Opens and proves every checksum. 0, or -1 with *error: exit 6 for what is no backup, torn or damaged. */
int backup_open(const char *path, struct backup_file *backup, struct cxctl_error *error);
void backup_close(struct backup_file *backup);

/* What backup.json says: 0, or -1 for text that is no such description. */
int backup_describe_read(const uint8_t *text, size_t length, struct backup_file *backup);
/* The text of backup.json, to free(). */
char *backup_describe(const char *address, const struct backup_result *result, uint64_t time);

#endif /* CXCTL_BACKUP_H */
