// SPDX-License-Identifier: GPL-2.0-only
/*
 * FS4 and FS5, every check that bytes allow: pointers, tables, sections, digests, gaps,
 * device data. firmware-images.md 3, 4, 9.4.
 */
#include <errno.h>

#include "fs4_verify.h"
#include "ini_verify.h"

struct fs4_verification {
	struct image_view view, flash;
	struct image_check *check;
	uint32_t pointers[FS4_POINTER_COUNT];
	struct toc itoc, dtoc;
	struct fs4_parts parts;
	struct image_facts facts;	/* as far as there are any */
	uint64_t end;			/* of what belongs to the image */
	uint64_t flash_size;
	uint32_t log2;			/* of the tools area */
	bool fs5;
	bool has_trouble;		/* why there are no facts, told when nothing else says so */
	struct image_error trouble;
};

static void damaged(struct fs4_verification *v, const char *part, uint64_t where, const char *text)
{
	check_finding(v->check, IMAGE_DAMAGED, part, where, "%s", text);
}

static void unusual(struct fs4_verification *v, const char *part, uint64_t where, const char *text)
{
	check_finding(v->check, IMAGE_UNUSUAL, part, where, "%s", text);
}

static int check_start(struct fs4_verification *v, struct image_error *error)
{
	uint32_t version = v->fs5 ? 0x02000100 : 0x01000100;
	uint8_t words[8];
	int code;

	code = view_read(&v->view, FS4_VERSION, words, sizeof(words), error);
	if (code)
		return code;
	if (words[0] != version >> 24)
		check_compared(v->check, IMAGE_DAMAGED, "header", FS4_VERSION, version >> 24, words[0],
			       _("not the version byte of a generation that this version knows"));
	if (get32(words) != version)
		check_compared(v->check, IMAGE_UNUSUAL, "header", FS4_VERSION, version, get32(words),
			       _("a version that no known image has"));
	if (get32(words + 4) != UINT32_MAX)
		check_compared(v->check, IMAGE_UNUSUAL, "header", FS4_VERSION + 4, UINT32_MAX,
			       get32(words + 4), _("a word that is all ones elsewhere is not"));
	return 0;
}

/* A pointer of ones counts as 0 whatever its CRC says: only what vendors write is usual. */
static int check_pointers(struct fs4_verification *v, struct image_error *error)
{
	static const bool needed[FS4_POINTER_COUNT] = {
		[FS4_BOOT_RECORD] = true, [FS4_BOOT2] = true, [FS4_ITOC] = true, [FS4_TOOLS] = true,
	};
	struct image_part part = { .name = "HW_POINTERS", .start = FS4_POINTERS,
				   .length = FS4_POINTERS_END - FS4_POINTERS };
	uint8_t entry[8];
	unsigned int i;
	int code;

	for (i = 0; i < FS4_POINTER_COUNT; i++) {
		code = view_read(&v->view, FS4_POINTERS + 8 * i, entry, sizeof(entry), error);
		if (code)
			return code;
		if (get32(entry) == UINT32_MAX && get32(entry + 4) && get32(entry + 4) != UINT32_MAX)
			check_compared(v->check, IMAGE_UNUSUAL, part.name, FS4_POINTERS + 8 * i + 4,
				       UINT32_MAX, get32(entry + 4),
				       _("the CRC of a pointer that is not used"));
		if (!v->pointers[i] && needed[i] && !v->fs5)
			check_finding(v->check, IMAGE_UNUSUAL, part.name, FS4_POINTERS + 8 * i,
				      _("pointer %u is not set"), i);
		if (i == FS4_SECURITY_VERSION || i == FS4_GCM_IV)
			continue;
		if (v->pointers[i] & 3 || v->pointers[i] >= view_size(&v->view))
			check_compared(v->check, IMAGE_DAMAGED, part.name, FS4_POINTERS + 8 * i,
				       view_size(&v->view), v->pointers[i],
				       _("pointer %u leads out of the image's place"), i);
	}
	check_part(v->check, &part);
	return 0;
}

static int check_tools(struct fs4_verification *v, struct image_error *error)
{
	uint64_t at = v->pointers[FS4_TOOLS];
	uint8_t area[FS4_TOOLS_LENGTH];
	uint32_t word;
	int code;

	if (!view_holds(&v->view, at, sizeof(area))) {
		damaged(v, "TOOLS_AREA", at, _("it lies outside the image"));
		return 0;
	}
	code = verify_crc(v->check, &v->view, "TOOLS_AREA", 0, at, sizeof(area), at + 0x3c, at + 0x3c, error);
	if (!code)
		code = view_read(&v->view, at, area, sizeof(area), error);
	if (code)
		return code;
	word = get32(area + 4);
	v->log2 = word >> 16;
	if ((word & 0xffff) >> 8 > 1 || v->log2 > (v->fs5 ? 25 : 24))
		check_compared(v->check, IMAGE_DAMAGED, "TOOLS_AREA", at + 4, 0x00180100, word,
			       _("slot size or binary version is impossible"));
	else if (v->view.place.address && v->view.place.address != 1U << v->log2)
		check_compared(v->check, IMAGE_DAMAGED, "TOOLS_AREA", at + 4, 1U << v->log2,
			       v->view.place.address, _("an image with this slot size cannot start here"));
	return 0;
}

int boot2_verify(struct image_check *check, const struct image_view *view, uint32_t at,
		 struct image_error *error)
{
	uint8_t words[4] = { 0 };
	uint64_t length;
	int code;

	code = fs4_boot2_length(view, at, &length, error);
	if (code)
		return code;
	if (length)
		return verify_crc(check, view, "BOOT2", 0, at, length, at + length - 4, at + length - 4,
				  error);
	if (view_holds(view, at, 8))
		code = view_read(view, at + 4ULL, words, sizeof(words), error);
	if (!code)
		check_compared(check, IMAGE_DAMAGED, "BOOT2", at + 4ULL, FS4_BOOT2_WORDS_LEAST, get32(words),
			       _("an impossible number of words"));
	return code;
}

/* What the pointers lead to does not overlap, and what is between is blank, as far as ends are known. */
static int check_parts(struct fs4_verification *v, uint64_t *least, struct image_error *error)
{
	const struct fs4_part *part, *before = NULL;
	uint64_t end = 0, blank;
	unsigned int i;
	int code;

	for (i = 0; i < v->parts.count; i++, before = part) {
		part = &v->parts.part[i];
		if (!part->open && part->start < end)
			check_compared(v->check, IMAGE_DAMAGED, part->name ? part->name : "ITOC", part->start,
				       end, part->start, _("it overlaps the part before it"));
		if (before && !before->open && part->start > end) {
			code = view_blank(&v->view, end, part->start - end, &blank, error);
			if (code)
				return code;
			if (blank < part->start)
				unusual(v, before->name ? before->name : "header", blank,
					_("the gap behind it is not blank"));
		}
		if (part->end > end)
			end = part->end;
	}
	*least = end;
	return 0;
}

static int check_ini(struct fs4_verification *v, struct image_error *error)
{
	const struct toc_section *section = toc_find(&v->itoc, SECTION_DBG_FW_INI, 0);

	if (v->has_trouble || !section || section->encrypted)
		return 0;
	return ini_verify(v->check, &v->view, v->facts.psid, error);
}

static int check_image(struct fs4_verification *v, struct image_error *error)
{
	uint64_t least = 0, blank;
	unsigned int i;
	bool good;
	int code;

	code = check_start(v, error);
	if (!code)
		code = check_pointers(v, error);
	if (!code)
		code = check_tools(v, error);
	if (!code)
		code = v->fs5 ? fs5_boot_verify(v->check, &v->view, v->pointers, error) :
				boot2_verify(v->check, &v->view, v->pointers[FS4_BOOT2], error);
	if (!code)
		code = toc_verify(v->check, &v->view, &v->itoc, "ITOC_HEADER", &good, error);
	if (!code && v->pointers[FS4_HASHES])
		code = hashes_verify(v->check, &v->view, v->pointers[FS4_HASHES], good ? &v->itoc : NULL,
				     error);
	if (code || !good)
		return code;
	for (i = 0; i < v->itoc.count && !code; i++)
		code = section_verify(v->check, &v->view, &v->itoc.sections[i], error);
	if (!code)
		code = fs4_parts_find(&v->view, v->pointers, &v->itoc, &v->parts, error);
	if (!code)
		code = check_parts(v, &least, error);
	if (!code)
		code = order_verify(v->check, &v->view, &v->itoc, least, error);
	if (!code)
		code = info_verify(v->check, &v->view, &v->itoc, v->log2, error);
	if (!code)
		code = digest_verify(v->check, &v->view, &v->itoc, &v->facts, error);
	if (!code)
		code = check_ini(v, error);
	if (code || !v->fs5 || v->end <= toc_end(&v->itoc) || !view_holds(&v->view, 0, v->end))
		return code;
	code = view_blank(&v->view, toc_end(&v->itoc), v->end - toc_end(&v->itoc), &blank, error);
	if (!code && blank < v->end)
		unusual(v, "IMAGE_INFO", blank, _("what is burnt behind the last section is not blank"));
	return code;
}

static void check_pointer_to_info(struct fs4_verification *v)
{
	const struct toc_section *section = toc_find(&v->itoc, SECTION_IMAGE_INFO, 0);
	uint32_t pointer = v->pointers[FS4_IMAGE_INFO_POINTER];

	if (!section || (!pointer && !v->fs5) || pointer == section->address)
		return;
	check_compared(v->check, IMAGE_DAMAGED, section_type_name(SECTION_IMAGE_INFO),
		       FS4_POINTERS + 8 * FS4_IMAGE_INFO_POINTER, section->address, pointer,
		       _("the hardware pointer does not lead to it"));
}

/* ---- device data ---- */

/*
 * A copy that does not count is as the factory left it (no signature, but a CRC), as an update left it
 * (its first dword programmed to 0), or was never written.
 */
static bool retired(const uint8_t info[DEV_INFO_LENGTH])
{
	uint8_t restored[DEV_INFO_LENGTH];

	if (all_bytes(info, DEV_INFO_LENGTH, 0xff))
		return true;
	if (get32(info + 0x1fc) == image_crc16(info, 0x1fc))
		return all_bytes(info, 16, 0);
	memcpy(restored, info, sizeof(restored));
	put32(restored, 0x6d446576);
	return !get32(info) && dev_info_valid(restored);
}

static int check_dev_info(struct fs4_verification *v, const struct toc_section *section, unsigned int *valid,
			  struct image_error *error)
{
	const char *name = section_type_name(section->type);
	struct image_part part = { .name = name, .type = section->type, .start = section->address,
				   .length = section->size };
	uint8_t info[DEV_INFO_LENGTH];
	int code;

	code = view_read(&v->flash, section->address, info, sizeof(info), error);
	if (code)
		return code;
	if (dev_info_signed(info)) {
		*valid += dev_info_valid(info);
		return section_verify(v->check, &v->flash, section, error);
	}
	if (!retired(info)) {
		part.verdict = IMAGE_UNUSUAL;
		unusual(v, name, section->address,
			_("the copy that does not count is neither a former one nor one that never counted"));
	}
	check_part(v->check, &part);
	return 0;
}

static bool overlaps(uint64_t start, uint64_t end, uint64_t other, uint64_t other_end)
{
	return start < other_end && other < end;
}

/* Whether a section's room is its own. */
static bool check_room(struct fs4_verification *v, const struct toc_section *section)
{
	uint64_t start = section->address, end = start + section->size, image = v->view.place.address;
	const char *name = section_type_name(section->type);
	const struct toc_section *other;

	if (end > v->flash_size) {
		damaged(v, name, section->where, _("it lies outside the flash"));
		return false;
	}
	if (overlaps(start, end, image, image + v->end)) {
		damaged(v, name, section->where, _("the device data overlaps the image"));
		return false;
	}
	if (overlaps(start, end, v->dtoc.address, v->dtoc.address + FS4_DTOC_BELOW_END))
		damaged(v, name, section->where, _("the device data overlaps its table"));
	for (other = v->dtoc.sections; other < section; other++)
		if (overlaps(start, end, other->address, (uint64_t)other->address + other->size))
			check_finding(v->check, IMAGE_DAMAGED, name, section->where, _("it overlaps %s"),
				      section_type_name(other->type));
	return true;
}

static int check_device_data(struct fs4_verification *v, struct image_error *error)
{
	const struct toc_section *section;
	unsigned int i, dev_infos = 0;
	bool good;
	int code;

	code = toc_read(&v->flash, v->facts.dtoc_address, "DTOC", &v->dtoc, error);
	if (code)
		return code;
	if (!v->dtoc.present) {
		damaged(v, "DTOC_HEADER", v->facts.dtoc_address, _("there is no table of the device data"));
		return 0;
	}
	code = toc_verify(v->check, &v->flash, &v->dtoc, "DTOC_HEADER", &good, error);
	if (code || !good)
		return code;
	for (i = 0; i < v->dtoc.count && !code; i++) {
		section = &v->dtoc.sections[i];
		if (!check_room(v, section))
			continue;
		if (section->type == SECTION_DEV_INFO && section->size >= DEV_INFO_LENGTH)
			code = check_dev_info(v, section, &dev_infos, error);
		else
			code = section_verify(v->check, &v->flash, section, error);
	}
	if (code)
		return code;
	if (dev_infos != 1)
		check_compared(v->check, IMAGE_DAMAGED, "DEV_INFO", v->dtoc.address, 1, dev_infos,
			       _("exactly one copy must be valid"));
	if (!toc_find(&v->dtoc, SECTION_MFG_INFO, 0))
		damaged(v, "MFG_INFO", v->dtoc.address, _("the section is missing"));
	return 0;
}

/* ---- the whole ---- */

/* An encrypted image: IMAGE_INFO is in clear, but nothing guards it. */
static int check_encrypted(struct fs4_verification *v, struct image_error *error)
{
	struct image_part part = { .name = section_type_name(SECTION_IMAGE_INFO), .type = SECTION_IMAGE_INFO,
				   .start = v->pointers[FS4_IMAGE_INFO_POINTER], .length = IMAGE_INFO_LENGTH,
				   .crc_ignored = true };
	int code;

	code = check_start(v, error);
	if (!code)
		code = check_pointers(v, error);
	if (code)
		return code;
	check_part(v->check, &part);
	if (!v->facts.length)
		check_compared(v->check, IMAGE_DAMAGED, part.name, part.start + 0x12c, view_size(&v->view), 0,
			       _("the encrypted image does not say how long it is"));
	else if (v->facts.security_flags & IMAGE_SECURITY_ENCRYPTED)
		unusual(v, "ITOC", v->pointers[FS4_ITOC],
			_("the image is encrypted: its sections cannot be checked"));
	else
		unusual(v, "ITOC", v->pointers[FS4_ITOC],
			_("there is no table in clear, yet IMAGE_INFO does not say that the image is encrypted"));
	return 0;
}

/* What only facts tell; damage is a finding here, and the rest is checked nevertheless. */
static int find_extent(struct fs4_verification *v, struct image_error *error)
{
	uint8_t divisor[4] = { 0 };
	const struct toc_section *info;
	int code;

	code = image_facts(v->view.reader, &v->view.place, IMAGE_NO_ROM, &v->facts, &v->trouble);
	if (code && code != -EBADMSG && code != -EOPNOTSUPP) {
		*error = v->trouble;
		return code;
	}
	v->end = v->facts.length;
	if (!code)
		return 0;
	v->has_trouble = true;
	v->end = toc_end(&v->itoc);
	info = toc_find(&v->itoc, SECTION_IMAGE_INFO, 0);
	if (info && view_holds(&v->view, info->address, IMAGE_INFO_LENGTH))
		code = view_read(&v->view, info->address + 0x110ULL, divisor, sizeof(divisor), error);
	else
		code = 0;
	v->facts.stripped = v->flash_size <= v->view.place.address + v->end;
	v->facts.dtoc_address = v->facts.stripped ? 0 : fs4_dtoc_address(v->flash_size, divisor[2]);
	return code;
}

static int find_tables(struct fs4_verification *v, struct image_error *error)
{
	struct image_error why = { 0 };
	const char *part = "HW_POINTERS";
	int code;

	code = fs4_pointers(&v->view, v->pointers, &why);
	if (!code) {
		part = "ITOC";
		code = fs4_itoc(&v->view, v->pointers, &v->itoc, &why);
	}
	if (code == -EBADMSG)
		check_finding(v->check, IMAGE_DAMAGED, part, why.where, "%s", why.text);
	else if (code)
		*error = why;
	return code;
}

static int verify(struct fs4_verification *v, struct image_error *error)
{
	int code;

	code = fs4_flash_size(v->view.reader, v->view.place.format, &v->flash_size, error);
	if (!code)
		code = find_tables(v, error);
	if (!code)
		code = find_extent(v, error);
	if (code)
		return code;
	if (v->itoc.present) {
		code = check_image(v, error);
		check_pointer_to_info(v);
	} else if (v->facts.encrypted) {
		code = check_encrypted(v, error);
	} else {
		return 0;
	}
	if (!code && !v->facts.stripped && v->facts.dtoc_address)
		code = check_device_data(v, error);
	return code;
}

int fs4_verify(const struct image_reader *reader, const struct image_place *place,
	       struct image_check *check, struct image_error *error)
{
	struct fs4_verification v = {
		.view = { reader, *place },
		.check = check,
		.fs5 = place->format == IMAGE_FS5,
	};
	struct image_error why = { 0 };
	int code;

	v.flash = fs4_flash_view(&v.view);
	code = verify(&v, &why);
	if (!code && v.has_trouble) {
		why = v.trouble;
		code = -EBADMSG;
	}
	if (code == -EBADMSG && check->worst != IMAGE_DAMAGED)
		check_finding(check, IMAGE_DAMAGED, "image", why.where, "%s", why.text);
	if (code && code != -EBADMSG && error)
		*error = why;
	/* Damage was reported as a finding. */
	return code == -EBADMSG ? 0 : code;
}
