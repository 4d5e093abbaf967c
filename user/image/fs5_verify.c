// SPDX-License-Identifier: GPL-2.0-only
/* FS5: boot component headers and what they describe. firmware-images.md 4.8. */
#include <errno.h>

#include "fs4_verify.h"

#define COMPONENT 0x1ee0
#define COMPONENT_DIGEST 0x50

int fs5_verify(const struct image_reader *reader, const struct image_place *place,
	       struct image_check *check, struct image_error *error)
{
	return fs4_verify(reader, place, check, error);
}

/* A header that begins as one should. */
static int check_header(struct image_check *check, const struct image_view *view, const char *name,
			uint32_t at, struct image_error *error)
{
	struct image_part part = { .name = name, .start = at, .length = FS5_BCH_LENGTH, .crc_ignored = true };
	uint8_t magic[4];
	int code;

	if (!view_holds(view, at, FS5_BCH_LENGTH)) {
		check_finding(check, IMAGE_DAMAGED, name, at, _("it lies outside the image"));
		return 0;
	}
	code = view_read(view, at, magic, sizeof(magic), error);
	if (code)
		return code;
	if (memcmp(magic, "NVDA", 4))
		check_compared(check, IMAGE_DAMAGED, name, at, 0x4e564441, get32(magic),
			       _("not the magic of a boot component header"));
	check_part(check, &part);
	return 0;
}

/* SHA-512 of BOOT2 and the hashes table, where the header has one: what it covers is not confirmed. */
static int check_component(struct image_check *check, const struct image_view *view, uint64_t header,
			   uint64_t start, uint64_t length, bool *matched, struct image_error *error)
{
	uint8_t stored[64], hash[64];
	int code;

	*matched = false;
	code = view_read(view, header + COMPONENT + COMPONENT_DIGEST, stored, sizeof(stored), error);
	if (code || all_bytes(stored, sizeof(stored), 0) || all_bytes(stored, sizeof(stored), 0xff))
		return code;
	code = view_sha512(view, start, length, hash, error);
	if (code)
		return code;
	*matched = !memcmp(hash, stored, sizeof(hash));
	if (!*matched)
		check_compared(check, IMAGE_UNUSUAL, "NCORE_BCH", header + COMPONENT + COMPONENT_DIGEST,
			       get32(hash), get32(stored),
			       _("the digest is not that of BOOT2 and the hashes (first words)"));
	return 0;
}

static int check_boot2(struct image_check *check, const struct image_view *view,
		       const uint32_t pointers[FS4_POINTER_COUNT], struct image_error *error)
{
	uint32_t header = pointers[FS4_NCORE_BCH], start = pointers[FS4_BOOT2], hashes = pointers[FS4_HASHES];
	struct image_part part = { .name = "BOOT2", .start = start };
	uint8_t word[4];
	bool matched;
	int code;

	code = fs5_boot2_length(view, pointers, &part.length, error);
	if (code)
		return code;
	if (!part.length) {
		check_finding(check, IMAGE_DAMAGED, "NCORE_BCH", header + COMPONENT + 4ULL,
			      _("the length of its component leaves no room for BOOT2"));
		return 0;
	}
	if (start != header + FS5_BCH_LENGTH)
		check_compared(check, IMAGE_UNUSUAL, "BOOT2", FS4_POINTERS + 8 * FS4_BOOT2,
			       header + FS5_BCH_LENGTH, start, _("it does not stand behind its header"));
	if (hashes != start + part.length)
		check_compared(check, IMAGE_UNUSUAL, "HASHES_TABLE", FS4_POINTERS + 8 * FS4_HASHES,
			       start + part.length, hashes, _("it does not stand behind BOOT2"));
	code = view_read(view, hashes + 4ULL, word, sizeof(word), error);
	if (!code)
		code = check_component(check, view, header, start,
				       part.length + fs4_hashes_length(get32(word)), &matched, error);
	if (code)
		return code;
	part.crc_ignored = !matched;
	check_part(check, &part);
	return 0;
}

int fs5_boot_verify(struct image_check *check, const struct image_view *view,
		    const uint32_t pointers[FS4_POINTER_COUNT], struct image_error *error)
{
	static const struct {
		unsigned int pointer;
		const char *name;
	} headers[] = {
		{ FS5_PSC_BL1_BCH, "PSC_BL1_BCH" },
		{ FS4_NCORE_BCH, "NCORE_BCH" },
		{ FS5_PSC_FW_BCH, "PSC_FW_BCH" },
	};
	unsigned int i;
	int code = 0;

	for (i = 0; i < sizeof(headers) / sizeof(headers[0]) && !code; i++)
		if (pointers[headers[i].pointer])
			code = check_header(check, view, headers[i].name, pointers[headers[i].pointer],
					    error);
	if (code)
		return code;
	if (!pointers[FS4_NCORE_BCH] || !pointers[FS4_HASHES]) {
		check_finding(check, IMAGE_DAMAGED, "HW_POINTERS", FS4_POINTERS + 8 * FS4_NCORE_BCH,
			      _("there is no pointer to the boot header or to the hashes table"));
		return 0;
	}
	return check_boot2(check, view, pointers, error);
}
