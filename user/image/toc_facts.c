// SPDX-License-Identifier: GPL-2.0-only
/* Facts that FS3, FS4 and FS5 tell alike: ROM, keys, signatures. firmware-images.md 4.7. */
#include "toc.h"

#define SIGNATURE_MOST 0x1000	/* bytes that are looked at */

int toc_rom(const struct image_view *view, const struct toc *itoc, unsigned int flags,
	    struct image_facts *facts, struct image_error *error)
{
	const struct toc_section *rom = toc_find(itoc, SECTION_ROM_CODE, 0);

	if (!rom || !rom->size) {
		facts->rom_complete = true;
		return 0;
	}
	facts->has |= IMAGE_HAS_ROM;
	facts->rom_offset = rom->address;
	facts->rom_length = rom->size;
	if (flags & IMAGE_NO_ROM)
		return 0;
	return rom_look(view, rom->address, rom->size, flags & IMAGE_QUICK_ROM, facts, error);
}

static bool has_either(const struct toc *toc, uint32_t type, uint32_t other)
{
	return toc_find(toc, type, 0) || toc_find(toc, other, 0);
}

/*
 * Signed: A0 with the identities of signature and key, before the place of a plain digest; the others
 * with anything. An unsigned A3 is ones and then 0x20 zeros.
 */
static uint32_t signature_length(const struct toc_section *section)
{
	uint32_t length = section->size;

	if (section->type == SECTION_SIGNATURE_256)
		length = length < 0x20 ? length : 0x20;
	else if (section->type == SECTION_SIGNATURE_512 && length > 0x20)
		length -= 0x20;
	return length < SIGNATURE_MOST ? length : SIGNATURE_MOST;
}

int toc_security(const struct image_view *view, const struct toc *itoc, struct image_facts *facts,
		 struct image_error *error)
{
	static const uint32_t types[] = {
		SECTION_SIGNATURE_256, SECTION_SIGNATURE_512, SECTION_RSA_4096_SIGNATURES,
	};
	uint8_t bytes[SIGNATURE_MOST];
	unsigned int i;

	facts->security_keys = has_either(itoc, SECTION_SIGNATURE_256, SECTION_SIGNATURE_512) &&
			       has_either(itoc, SECTION_PUBLIC_KEYS_2048, SECTION_PUBLIC_KEYS_4096);
	for (i = 0; i < sizeof(types) / sizeof(types[0]) && !facts->signed_by; i++) {
		const struct toc_section *section = toc_find(itoc, types[i], 0);
		uint32_t length = section ? signature_length(section) : 0;
		int code;

		if (!section || !view_holds(view, section->address, length))
			continue;
		code = view_read(view, section->address, bytes, length, error);
		if (code)
			return code;
		if (!all_bytes(bytes, length, 0) && !all_bytes(bytes, length, 0xff))
			facts->signed_by = section_type_name(types[i]);
	}
	return 0;
}
