/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Containers of images: MFA1, MFA2 and PLDM packages. Documentation/reference/firmware-images.md 7.
 * They are read in one pass over their data, whatever it unpacks to; what is held is the
 * directory, the decoder's dictionary and buffers. Errors as in image.h.
 */
#ifndef CONTAINER_H
#define CONTAINER_H

#include "../image/image.h"

enum container_kind {
	CONTAINER_NONE,
	CONTAINER_MFA1,			/* "MFAR" */
	CONTAINER_MFA2,			/* "MLNX.MFA2.XZ.00!" */
	CONTAINER_PLDM,
};
const char *container_kind_name(enum container_kind kind);		/* "MFA2" */

/* By content: 16 bytes are looked at. */
enum container_kind container_kind_of(const struct image_reader *reader);

enum container_content {
	CONTAINER_FIRMWARE,
	CONTAINER_CLP,
	CONTAINER_PXE,
	CONTAINER_UEFI,
	CONTAINER_FCODE,
	CONTAINER_OTHER,		/* content_name tells: "BMC", "CEC", "BFB", "component 0x3020" */
};

/* One line of the directory: what it offers to the boards of one PSID. */
struct container_member {
	unsigned int index;		/* in the archive's order, from 0 */
	unsigned int component;		/* members with the same number share their bytes */
	char psid[33];			/* PLDM: empty when the record is not bound to a PSID */
	char part_number[65];
	char description[257];
	char select_tag[33];
	char board_revision[33];	/* MFA1 */
	char branch[33];		/* MFA1 */
	enum container_content content;
	char content_name[33];
	uint32_t version[4];
	unsigned int version_words;	/* 0: the container does not say */
	bool version_exact;		/* false: cut to 8 bits somewhere (MFA2); the image tells */
	char version_text[65];		/* PLDM: as it stands */
	uint32_t date, time;		/* packed BCD as in image_facts; 0: not said, or not to be trusted */
	uint64_t size;			/* bytes of the component, unpacked */
};

struct container;

/*
 * Reads and checks the directory. The reader must live as long as the archive. Everything
 * that the container says of sizes and offsets is checked against what there is; at most
 * CONTAINER_MEMBERS members.
 */
#define CONTAINER_MEMBERS 65536
int container_open(const struct image_reader *reader, struct container **container,
		   struct image_error *error);
void container_close(struct container *container);

enum container_kind container_kind(const struct container *container);
/* Bytes that belong to the container; what is behind them does not (an archive inside an installer). */
uint64_t container_length(const struct container *container);
size_t container_members(const struct container *container);
const struct container_member *container_member(const struct container *container, size_t index);

/*
 * One pass over the data. For every member for which wanted() is true (NULL: all) found() gets its bytes
 * as a reader that lives during the call: a normal image, its masked magic restored (restored says so).
 * Members that share a component are called one after the other. What found() gives other than 0 ends
 * the pass and is the result. progress (may be NULL) is told bytes of container data read so far.
 *
 * Bytes that stand in the container as they are, are read there; packed ones are spooled to an unnamed
 * temporary file, not held in memory (spool.h: a command may keep it). A member whose bytes cannot be had
 * goes to trouble() (may be NULL: then it ends the pass) and the pass goes on if it can.
 */
struct container_pass {
	bool (*wanted)(void *context, const struct container_member *member);
	int (*found)(void *context, const struct container_member *member, const struct image_reader *reader,
		     bool restored);
	void (*trouble)(void *context, const struct container_member *member,
			const struct image_error *error);
	void (*progress)(void *context, uint64_t done, uint64_t total);
	void *context;
};
int container_pass(struct container *container, const struct container_pass *pass, struct image_error *error);

/*
 * The container's own guards: CRC32 of MFA1, both digests of MFA2, header checksum of PLDM, padding.
 * Images inside are not looked at: container_pass() and image_verify() do that. Findings as there.
 */
int container_verify(struct container *container, const struct image_listener *listener,
		     enum image_verdict *verdict, struct image_error *error);

/* ---- making an MFA2 ---- */

/*
 * Writes an MFA2 with one component for each image (whole or stripped FS3, FS4): payload cut at the last
 * section, magic masked, device entries taken out, as firmware-images.md 5.8 and 7.2.5 say, such that
 * mlxfw of Linux and container_open() read it. The same images give the same bytes. write() gets
 * them in their order. -EINVAL: two images are for the same PSID, or one has none.
 */
struct mfa2_source {
	const struct image_reader *reader;
	const struct image_facts *facts;
};
int mfa2_write(const struct mfa2_source *sources, size_t count,
	       int (*write)(void *context, const void *bytes, size_t length), void *context,
	       struct image_error *error);

/* What stands in place of the magic, if the image's magic is masked: 16 bytes; NULL: it is not. */
const uint8_t *container_masked_magic(const uint8_t head[0x28]);

#endif /* CONTAINER_H */
