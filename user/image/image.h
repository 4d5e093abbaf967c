/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Firmware images: from bytes to facts and back. Pure functions; nothing here knows how a
 * card is reached. The formats stand in Documentation/reference/firmware-images.md.
 *
 * Bytes come through struct image_reader, so that the same code reads a file, a backup or
 * a card's flash, where every byte costs configuration space accesses: facts are gathered
 * with as few bytes as they need.
 *
 * Functions that can fail return 0 or a negative errno and fill struct image_error:
 * -ENOENT no image there, -EBADMSG the bytes are damaged or impossible, -EOPNOTSUPP a
 * format or layout that is not supported, -ENOMEM, -EINVAL a request that makes no sense, or
 * what the reader returned.
 */
#ifndef IMAGE_H
#define IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image_error {
	uint64_t where;			/* byte offset in what the reader reads */
	char text[320];			/* for a person: what, expected, found */
};

/* error may be NULL. Returns code. */
__attribute__((format(printf, 4, 5)))
int image_fail(struct image_error *error, int code, uint64_t where, const char *format, ...);

/* A fixed-width text field; unprintable bytes become '?'. room includes the NUL. */
void image_text(char *text, size_t room, const uint8_t *bytes, size_t length);

/*
 * read: exactly length bytes from offset, 0 or a negative errno. offset + length never
 * exceeds size. Reads are of dword offsets and lengths, and short (4 bytes to 64 KiB).
 * bytes: where all size bytes lie in memory, when they do (a mapped file); NULL otherwise.
 */
struct image_reader {
	int (*read)(void *context, uint64_t offset, void *buffer, size_t length);
	void *context;
	uint64_t size;
	const uint8_t *bytes;
};

/* A reader of memory. The memory object must live as long as the reader. */
struct image_memory {
	const uint8_t *bytes;
	size_t length;
};
struct image_reader image_memory_reader(const struct image_memory *memory);

enum image_format {
	IMAGE_NONE,
	IMAGE_FS2,			/* ConnectX-2, 3, 3 Pro */
	IMAGE_FS3,			/* Connect-IB, ConnectX-4, 4 Lx */
	IMAGE_FS4,			/* ConnectX-5 and later */
	IMAGE_FS5,			/* ConnectX-8 and later */
};
const char *image_format_name(enum image_format format);	/* "FS2"; "none" */

/* How the bytes lie. An image file is contiguous; a flash (or its backup) has slots. */
enum image_layout {
	IMAGE_LAYOUT_AUTO,		/* decided by sizes (0.4); never use it for a card */
	IMAGE_LAYOUT_FILE,
	IMAGE_LAYOUT_FLASH,
};

/* Where the magic of an image may stand: firmware-images.md 1.2. */
#define IMAGE_PLACES 11
extern const uint32_t image_places[IMAGE_PLACES];

/* One magic that was found. */
struct image_place {
	enum image_format format;
	enum image_layout layout;	/* never AUTO */
	uint32_t address;		/* physical address of the magic */
	unsigned int slot;		/* 0 or 1 */
	uint32_t log2_chunk;		/* of a failsafe image; 0: not failsafe, or not known */
	uint8_t generation;		/* FS4, FS5: as the image says; 0: not looked at */
	bool misplaced;			/* no image of this format may start here: a leftover */
};

/*
 * Finds every magic at the search offsets, in rising order. 16 bytes are read a place
 * (and 8 more where one stands). *count says how many there are, also beyond room.
 */
int image_locate(const struct image_reader *reader, enum image_layout layout, struct image_place *places,
		 size_t room, size_t *count, struct image_error *error);

/* Product of a ROM: firmware-images.md 6.2. */
enum image_rom_product {
	IMAGE_ROM_UNKNOWN = 0,		/* a chain of PCI images without the vendor's record: no version */
	IMAGE_ROM_CLP_STRING = 0x0f,
	IMAGE_ROM_PXE = 0x10,
	IMAGE_ROM_UEFI = 0x11,
	IMAGE_ROM_CLP = 0x12,
	IMAGE_ROM_NVME = 0x13,
	IMAGE_ROM_UEFI_VIRTIO_NET = 0x14,
	IMAGE_ROM_UEFI_VIRTIO_BLK = 0x15,
	IMAGE_ROM_PXE_VIRTIO_NET = 0x16,
	IMAGE_ROM_FCODE = 0x21,
};

struct image_rom {
	uint16_t product;		/* enum image_rom_product, or another number */
	uint16_t version[3];
	uint16_t pci_device;		/* 0: any */
	uint8_t port;			/* 0: any */
	uint8_t cpu;			/* 0 unknown, 1 AMD64, 2 AARCH64, 3 both, 4 IA32 */
	uint8_t protocol;		/* 0 IB, 1 ETH, 2 VPI, 0xff not said */
};
#define IMAGE_ROMS 5
const char *image_rom_product_name(unsigned int product);	/* "PXE"; NULL: unknown */
const char *image_rom_cpu_name(unsigned int cpu);		/* "AMD64"; NULL: not said */
const char *image_rom_protocol_name(unsigned int protocol);	/* "ETH"; NULL: not said */

/* Fills roms from the bytes of a whole ROM section; returns how many (at most IMAGE_ROMS). */
unsigned int image_rom_parse(const uint8_t *rom, size_t length, struct image_rom roms[IMAGE_ROMS]);

struct image_hw_id {
	uint16_t id;
	uint8_t revision;
};
#define IMAGE_HW_IDS 32

/* Which facts are present. */
#define IMAGE_HAS_VERSION	(1U << 0)
#define IMAGE_HAS_DATE		(1U << 1)
#define IMAGE_HAS_PSID		(1U << 2)
#define IMAGE_HAS_VSD		(1U << 3)	/* vsd[]: of the image */
#define IMAGE_HAS_GUIDS		(1U << 4)
#define IMAGE_HAS_MACS		(1U << 5)
#define IMAGE_HAS_ROM		(1U << 6)
#define IMAGE_HAS_PRODUCT	(1U << 7)	/* product_version[] */
#define IMAGE_HAS_MIC		(1U << 8)
#define IMAGE_HAS_DEVICE_ID	(1U << 9)	/* pci_device */
#define IMAGE_HAS_HW_IDS	(1U << 10)	/* a list is there, even an empty one */
#define IMAGE_HAS_CONFIG	(1U << 11)	/* config_*: FS2's area of NV configuration */
#define IMAGE_HAS_DEVICE_VSD	(1U << 12)
#define IMAGE_HAS_FULL_CRC	(1U << 13)	/* the format revision at hand has a CRC of the whole image */
#define IMAGE_HAS_ORIGINAL	(1U << 14)	/* original_*: manufacture data of FS3, FS4, FS5 */

struct image_uids {
	uint64_t base;
	uint32_t count;			/* 0: the image does not say */
	uint32_t step;
};

/*
 * Everything that info, burn and verify want to know of one image. Numbers that the image
 * gives in packed BCD stay so: date 0xYYYYMMDD, time 0xHHMMSS.
 */
struct image_facts {
	struct image_place place;
	uint32_t has;			/* IMAGE_HAS_* */
	uint32_t length;		/* bytes from the magic to the end of the last section (logical) */
	bool failsafe;
	bool encrypted;			/* FS4, FS5: no TOC in clear, little else is known */
	bool stripped;			/* FS3, FS4, FS5: a file without device data */
	bool blank_guids;		/* FS2: identity was never written */
	bool macs_derived;		/* FS2: no MACs stored, mac[] follows from guid[] */
	bool guids_override;		/* FS4: identity comes from DEV_INFO, not MFG_INFO */

	uint32_t version[3];
	uint32_t date, time;
	uint32_t mic[3];
	uint32_t issu_version;		/* FS4: 0 when not said */
	char psid[17];
	char product_version[17];
	char vsd[209];
	uint8_t vsd_bytes[208];		/* FS2: as it stands, for an editor */
	char prs_name[129];
	char name[65];			/* FS4: part number */
	char description[257];
	uint16_t vsd_vendor;
	uint16_t pci_device, pci_vendor;
	uint16_t subsystem, subsystem_vendor;
	uint8_t silicon_revision;	/* FS2 */
	struct image_hw_id hw_ids[IMAGE_HW_IDS];
	unsigned int hw_id_count;

	/* FS2: node, port 1, port 2, system; then two MACs */
	uint64_t guid[4];
	uint64_t mac[2];
	uint32_t guid_entries;		/* of the GUID section: 4 or 6 */
	/* FS3 and later. Connect-IB counts ids by port: base_* are those of port 1, port2_* of port 2. */
	bool uids_by_port;
	struct image_uids port2_guid, port2_mac;
	struct image_uids base_guid, base_mac;
	struct image_uids original_guid, original_mac;
	char original_psid[17];
	char device_vsd[209];
	uint32_t security_flags;	/* IMAGE_SECURITY_*; IMAGE_INFO dword 0, bits 15:0 */
	bool security_keys;		/* sections for signature and keys are present */
	const char *signed_by;		/* section with a signature, whatever the flags say; NULL: none */
	uint32_t security_version;
	char device_data_trouble[160];	/* why identity is missing; empty when it is not */
	uint32_t dtoc_address;		/* FS4, FS5: physical; 0: there is no device data */
	uint32_t burn_size;		/* IMAGE_INFO burn_image_size; 0: not said */
	uint32_t max_size;		/* IMAGE_INFO maximal image size; 0: not said */
	uint32_t ini_number;
	char board_name[47];		/* the board's code name; often empty */

	/* ROM: rom_complete is false when a quick look may have missed one */
	struct image_rom roms[IMAGE_ROMS];
	unsigned int rom_count;
	bool rom_complete;
	uint32_t rom_offset, rom_length;	/* logical offset and bytes of the ROM's body */

	/* FS2: NV configuration area (2.8); sector 0: the image does not say */
	uint32_t config_sectors, config_pad, config_sector;

	/* logical offsets of bodies, for an editor */
	uint32_t guid_offset, info_offset, info_length, vsd_offset;
};

/* security_flags: firmware-images.md 3.5 */
#define IMAGE_SECURITY_SECURE		(1U << 15)	/* CR-space closed */
#define IMAGE_SECURITY_SIGNED		(1U << 14)
#define IMAGE_SECURITY_DEBUG		(1U << 13)	/* development, not GA */
#define IMAGE_SECURITY_CS_TOKENS	(1U << 12)
#define IMAGE_SECURITY_FRC		(1U << 11)
#define IMAGE_SECURITY_NVIDIA_CONFIG	(1U << 10)
#define IMAGE_SECURITY_VENDOR_CONFIG	(1U << 9)
#define IMAGE_SECURITY_MCC		(1U << 8)	/* mcc_en: update through the firmware is possible */
#define IMAGE_SECURITY_DEBUG_TOKENS	(1U << 7)
#define IMAGE_SECURITY_LONG_KEYS	(1U << 6)	/* 4096 bits */
#define IMAGE_SECURITY_WINBOND		(1U << 5)	/* no matter of security: drives Winbond flash */
#define IMAGE_SECURITY_ENCRYPTED	(3U << 3)	/* 1 before signing, 2 after */
#define IMAGE_SECURITY_SECURE_BOOT	(1U << 2)

#define IMAGE_QUICK_ROM	(1U << 0)	/* look for ROM versions only where they usually stand */
#define IMAGE_NO_ROM	(1U << 1)	/* do not look for ROM versions at all */

/*
 * Facts of the image at place. CRCs of what is read on the way are checked. Device data of
 * FS4 belongs to the card, not to the image: facts without it are facts, too.
 */
int image_facts(const struct image_reader *reader, const struct image_place *place, unsigned int flags,
		struct image_facts *facts, struct image_error *error);

/* Facts of the image that comes first in the search order and is not misplaced. */
int image_query(const struct image_reader *reader, enum image_layout layout, unsigned int flags,
		struct image_facts *facts, struct image_error *error);

/* ---- what an image is made of ---- */

enum image_crc_kind {
	IMAGE_CRC_STORED,		/* crc is that of the section's bytes (FS2: header and body) */
	IMAGE_CRC_IN_SECTION,		/* the section's last dword */
	IMAGE_CRC_ABSENT,
};

struct image_section {
	const char *name;		/* "MAIN_CODE", "DDR", "BOOT2", "HASHES_TABLE": constant strings */
	uint32_t type;			/* code of the format; BOOT2 and what no table lists: 0 */
	bool device_data;		/* belongs to a card, not to the firmware */
	uint64_t start, length;		/* of the body: logical; of device data physical */
	uint64_t described_at;		/* header (FS2) or table entry; counted as start is */
	enum image_crc_kind crc_kind;
	uint32_t crc;			/* IMAGE_CRC_STORED */
	uint32_t load, entry;		/* code: address in the chip's memory; FS2: parameter in load */
	bool compressed, encrypted, cache_line_crc;
};

/*
 * Calls visit for every section in the order of the table (FS2: of the chain), device data
 * last, until it gives something other than 0, which is then the result.
 */
int image_sections(const struct image_reader *reader, const struct image_place *place,
		   int (*visit)(void *context, const struct image_section *section), void *context,
		   struct image_error *error);

/*
 * The text of the board's INI that the image carries (FW_CONF or DBG_FW_INI, inflated), NUL
 * terminated and malloc()ed. -ENOENT: the image has none. At most IMAGE_INI_MOST bytes.
 */
#define IMAGE_INI_MOST (16U << 20)
int image_ini(const struct image_reader *reader, const struct image_place *place, char **text, size_t *length,
	      struct image_error *error);

/*
 * Whether a mark that image_edit() left in the INI says that the PSID was changed from from:
 * such a PSID no longer vouches for the board.
 */
bool image_ini_retagged(const char *ini, char from[17]);
/* The same of the image's INI, of which only that comment is unpacked. False also when it cannot be read. */
bool image_retagged(const struct image_reader *reader, const struct image_place *place, char from[17]);

/*
 * Compares versions of one family: FS2 by hardware id, FS3 and later by major version, which
 * names the chip. NOT_COMPARABLE: another family, or a version is missing.
 */
enum image_order {
	IMAGE_NOT_COMPARABLE,
	IMAGE_OLDER,
	IMAGE_SAME,
	IMAGE_NEWER,
};
enum image_order image_compare_versions(const struct image_facts *one, const struct image_facts *than);

/* The chip of a hardware id: "ConnectX-4 Lx"; NULL: unknown. firmware-images.md 1.5. */
const char *image_chip_name(uint16_t hw_id);
/* What its boot code reads; IMAGE_NONE: unknown. */
enum image_format image_chip_format(uint16_t hw_id);

/*
 * What query tools print: "secure-fw, debug", "signed-fw", "N/A". FS2 has none: NULL.
 */
const char *image_security_text(const struct image_facts *facts);

/* Hardware id of the chip whose PCI id this is (ConnectX-2, 3, 3 Pro); 0: unknown. */
uint32_t fs2_hw_id_of_pci(uint16_t pci_device);

/* The vendor of a board, by the first characters of its PSID; NULL when unknown. */
const char *image_psid_vendor(const char *psid);
/* How far apart two PSIDs are: 0 the same; for finding the nearest. Another vendor is far. */
unsigned int image_psid_distance(const char *one, const char *other);

/* Names that vendors leave in images and that no card may keep: firmware-images.md 2.4. */
bool image_guid_is_dummy(uint64_t guid);
bool image_mac_is_dummy(uint64_t mac);

/* The whole image, contiguous: facts.length bytes. *bytes is malloc()ed. */
int image_load(const struct image_reader *reader, const struct image_facts *facts, uint8_t **bytes,
	       size_t *length, struct image_error *error);

/* Physical address of a logical one: firmware-images.md 0.4. */
uint64_t image_physical(const struct image_place *place, uint64_t logical);

/* ---- verification: stricter than the vendor's ---- */

enum image_verdict {
	IMAGE_GOOD,
	IMAGE_UNUSUAL,			/* whole, but with something that no vendor's image shows */
	IMAGE_DAMAGED,
};

/* One checked part of the image. */
struct image_part {
	const char *name;		/* "BOOT2", "GUID", "Full image" */
	uint32_t type;
	uint64_t start, length;		/* logical */
	enum image_verdict verdict;
	bool crc_ignored;		/* nothing guards it */
};

struct image_finding {
	enum image_verdict verdict;	/* UNUSUAL or DAMAGED */
	const char *part;
	uint64_t where;			/* logical */
	bool compared;			/* expected and found are numbers */
	uint32_t expected, found;
	const char *text;
};

/* Both callbacks may be NULL. Strings live during the call only. */
struct image_listener {
	void (*part)(void *context, const struct image_part *part);
	void (*finding)(void *context, const struct image_finding *finding);
	void *context;
};

/*
 * Checks everything that can be checked. *verdict is the worst finding. An error means that
 * the bytes could not be read (damage is a finding, not an error) or that the format is one
 * that this version does not verify.
 */
int image_verify(const struct image_reader *reader, const struct image_place *place,
		 const struct image_listener *listener, enum image_verdict *verdict,
		 struct image_error *error);

/* ---- FS2: the edits of a burn; edit.h has those of all formats ---- */

enum fs2_rom_edit {
	FS2_ROM_KEEP,
	FS2_ROM_REPLACE,		/* or insert */
	FS2_ROM_REMOVE,
};

struct fs2_edit {
	bool set_guids, set_macs;
	uint64_t guid[4];
	uint64_t mac[2];
	const void *vsd;		/* NULL: unchanged */
	size_t vsd_length;		/* at most 208; the rest becomes zeros */
	enum fs2_rom_edit rom_edit;
	const uint8_t *rom;		/* the body of a ROM section */
	size_t rom_length;
};

/*
 * A changed copy of a whole, good FS2 image: exactly the bytes that the vendor's tool
 * makes. Bytes behind the image are kept when the ROM stays. *edited is malloc()ed.
 */
int fs2_edit(const uint8_t *image, size_t length, const struct fs2_edit *edit, uint8_t **edited,
	     size_t *edited_length, struct image_error *error);

/* The MAC that a port's GUID stands for. */
uint64_t fs2_mac_of_guid(uint64_t guid);

/* The body of the ROM section, its CRC checked. *rom is malloc()ed. */
int fs2_read_rom(const struct image_reader *reader, const struct image_facts *facts, uint8_t **rom,
		 size_t *length, struct image_error *error);

#endif /* IMAGE_H */
