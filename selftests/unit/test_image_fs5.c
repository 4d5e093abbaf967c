// SPDX-License-Identifier: GPL-2.0-only
/* user/image/: FS5, and the parts of FS4 that only synthetic images have. firmware-images.md 4. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <errno.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>

#include "../../user/image/image.h"
#include "../lib/ktap.h"
#include "../lib/synthetic.h"

struct image {
	uint8_t *bytes;
	size_t length;
	struct image_memory memory;
	struct image_reader reader;
};

static bool make(struct image *image, const struct synthetic *what)
{
	image->bytes = synthetic_image(what, &image->length);
	if (!CHECK(image->bytes))
		return false;
	image->memory = (struct image_memory){ image->bytes, image->length };
	image->reader = image_memory_reader(&image->memory);
	return true;
}

static uint32_t be32(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
}

static void put_be32(uint8_t *bytes, uint32_t value)
{
	bytes[0] = value >> 24;
	bytes[1] = value >> 16;
	bytes[2] = value >> 8;
	bytes[3] = value;
}

/* ---- what a verification said ---- */

struct said {
	enum image_verdict worst;
	int code;
	char parts[4096];		/* names, ';' behind each; '-' in front of what nothing guards */
	char findings[2048];
};

static void append(char *text, size_t room, const char *more)
{
	strncat(text, more, room - strlen(text) - 1);
}

static void on_part(void *context, const struct image_part *part)
{
	struct said *said = context;

	if (part->crc_ignored)
		append(said->parts, sizeof(said->parts), "-");
	append(said->parts, sizeof(said->parts), part->name);
	append(said->parts, sizeof(said->parts), ";");
}

static void on_finding(void *context, const struct image_finding *finding)
{
	struct said *said = context;

	append(said->findings, sizeof(said->findings), finding->part);
	append(said->findings, sizeof(said->findings), ": ");
	append(said->findings, sizeof(said->findings), finding->text);
	append(said->findings, sizeof(said->findings), "; ");
}

static struct said verify(const struct image *image)
{
	struct said said = { .worst = IMAGE_DAMAGED };
	struct image_listener listener = { on_part, on_finding, &said };
	struct image_place places[IMAGE_PLACES];
	struct image_error error = { 0 };
	size_t count = 0;

	if (!image_locate(&image->reader, IMAGE_LAYOUT_AUTO, places, IMAGE_PLACES, &count, &error) && count)
		said.code = image_verify(&image->reader, &places[0], &listener, &said.worst, &error);
	return said;
}

static int query(const struct image *image, struct image_facts *facts)
{
	struct image_error error = { 0 };

	return image_query(&image->reader, IMAGE_LAYOUT_AUTO, 0, facts, &error);
}

/* ---- sections ---- */

struct found {
	struct image_section section[64];
	unsigned int count;
};

static int on_section(void *context, const struct image_section *section)
{
	struct found *found = context;

	if (found->count < 64)
		found->section[found->count++] = *section;
	return 0;
}

static const struct image_section *section(const struct found *found, const char *name)
{
	unsigned int i;

	for (i = 0; i < found->count; i++)
		if (!strcmp(found->section[i].name, name))
			return &found->section[i];
	return NULL;
}

static bool sections_of(const struct image *image, struct found *found)
{
	struct image_error error = { 0 };
	struct image_facts facts;

	memset(found, 0, sizeof(*found));
	return CHECK(!query(image, &facts)) &&
	       CHECK(!image_sections(&image->reader, &facts.place, on_section, found, &error));
}

/* The CRC that a section claims is that of its bytes, as the maker of the image computes it. */
static void check_crcs(const struct image *image, const struct found *found)
{
	const struct image_section *s;
	unsigned int i;

	for (i = 0; i < found->count; i++) {
		s = &found->section[i];
		REQUIRE(s->start + s->length <= image->length);
		if (s->crc_kind == IMAGE_CRC_STORED)
			CHECK_EQ(synthetic_crc16(image->bytes + s->start, s->length), s->crc);
		/* a DEV_INFO that does not count may have any */
		if (s->crc_kind == IMAGE_CRC_IN_SECTION && s->type != 0xe1)
			CHECK_EQ(synthetic_crc16(image->bytes + s->start, s->length - 4),
				 be32(image->bytes + s->start + s->length - 4));
	}
}

static void fs4_sections(void)
{
	static const char *const names[] = { "BOOT_RECORD", "TOOLS_AREA", "BOOT2", "HASHES_TABLE",
					     "MAIN_CODE", "IMAGE_INFO", "DBG_FW_INI", "FW_NV_LOG",
					     "DEV_INFO", "MFG_INFO" };
	struct found found;
	struct image image;
	unsigned int i;

	REQUIRE(make(&image, &(struct synthetic){ SYNTHETIC_FS4, .hashes = true, .rom_size = 0x800 }));
	REQUIRE(sections_of(&image, &found));
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!section(&found, names[i]))
			ktap_fail(__FILE__, __LINE__, "no section %s", names[i]);
	check_crcs(&image, &found);
	CHECK_EQ(section(&found, "TOOLS_AREA")->type, 0);
	CHECK_EQ(section(&found, "TOOLS_AREA")->described_at, 0x30);
	CHECK_EQ(section(&found, "HASHES_TABLE")->length, 0x804);
	CHECK(section(&found, "DEV_INFO")->device_data && !section(&found, "MAIN_CODE")->device_data);
	CHECK(section(&found, "MAIN_CODE")->load && section(&found, "MAIN_CODE")->entry);
	/* device data comes last */
	for (i = 1; i < found.count; i++)
		CHECK(found.section[i].device_data || !found.section[i - 1].device_data);
	free(image.bytes);
}

/* ---- FS5 ---- */

static void fs5_facts(void)
{
	struct image_facts facts;
	struct image image;

	REQUIRE(make(&image, &(struct synthetic){ SYNTHETIC_FS5, .psid = "NVD0000000099",
						  .version = "40.45.1200", .security_version = 3 }));
	REQUIRE(!query(&image, &facts));
	CHECK_EQ(facts.place.format, IMAGE_FS5);
	CHECK_STR(facts.psid, "NVD0000000099");
	CHECK_EQ(facts.version[0], 40);
	CHECK_EQ(facts.version[2], 1200);
	CHECK_EQ(facts.security_version, 3);
	CHECK_EQ(facts.length, facts.burn_size);
	CHECK(facts.base_guid.base && facts.base_guid.count && !facts.stripped && facts.dtoc_address);
	CHECK_EQ(verify(&image).worst, IMAGE_GOOD);
	free(image.bytes);
}

static void fs5_sections(void)
{
	struct found found;
	struct image image;

	REQUIRE(make(&image, &(struct synthetic){ SYNTHETIC_FS5 }));
	REQUIRE(sections_of(&image, &found));
	REQUIRE(section(&found, "NCORE_BCH") && section(&found, "BOOT2") && section(&found, "HASHES_TABLE"));
	CHECK_EQ(section(&found, "NCORE_BCH")->length, 0x2000);
	CHECK_EQ(section(&found, "BOOT2")->start, section(&found, "NCORE_BCH")->start + 0x2000);
	CHECK_EQ(section(&found, "BOOT2")->crc_kind, IMAGE_CRC_ABSENT);
	CHECK_EQ(section(&found, "HASHES_TABLE")->start,
		 section(&found, "BOOT2")->start + section(&found, "BOOT2")->length);
	check_crcs(&image, &found);
	free(image.bytes);
}

/* The file may end with a boot component header of its own, which is no part of the flash. */
static void fs5_encapsulated(void)
{
	struct image_facts facts, plain;
	struct image image;

	REQUIRE(make(&image, &(struct synthetic){ SYNTHETIC_FS5 }));
	REQUIRE(!query(&image, &plain));
	free(image.bytes);
	REQUIRE(make(&image, &(struct synthetic){ SYNTHETIC_FS5, .encapsulated = true }));
	REQUIRE(!query(&image, &facts));
	CHECK(!facts.stripped);
	CHECK_EQ(facts.dtoc_address, plain.dtoc_address);
	CHECK_EQ(facts.base_guid.base, plain.base_guid.base);
	CHECK_EQ(verify(&image).worst, IMAGE_GOOD);
	/* without its magic it is more flash, and the device data is not where it should be */
	image.bytes[image.length - 0x2000] ^= 1;
	CHECK(verify(&image).worst != IMAGE_GOOD);
	free(image.bytes);
}

static void fs5_stripped(void)
{
	struct image_facts facts;
	struct image image;

	REQUIRE(make(&image, &(struct synthetic){ SYNTHETIC_FS5, .stripped = true }));
	REQUIRE(!query(&image, &facts));
	CHECK(facts.stripped && !(facts.has & IMAGE_HAS_GUIDS));
	CHECK_EQ(verify(&image).worst, IMAGE_GOOD);
	free(image.bytes);
}

static void fs5_broken_boot(void)
{
	struct found found;
	struct image image;
	struct said said;
	uint8_t *header;

	REQUIRE(make(&image, &(struct synthetic){ SYNTHETIC_FS5 }));
	REQUIRE(sections_of(&image, &found) && section(&found, "NCORE_BCH"));
	header = image.bytes + section(&found, "NCORE_BCH")->start;
	header[0] ^= 1;
	said = verify(&image);
	CHECK_EQ(said.worst, IMAGE_DAMAGED);
	CHECK(strstr(said.findings, "NCORE_BCH"));
	header[0] ^= 1;
	header[0x1ee4] ^= 4;		/* the component's length, little-endian */
	CHECK(verify(&image).worst != IMAGE_GOOD);
	memset(header + 0x1ee4, 0xff, 4);
	CHECK_EQ(verify(&image).worst, IMAGE_DAMAGED);
	free(image.bytes);
}

/* ---- hashes ---- */

static void hashes_are_compared(void)
{
	struct found found;
	struct image image;
	struct said said;
	uint8_t *table;
	uint32_t length;

	REQUIRE(make(&image, &(struct synthetic){ SYNTHETIC_FS4, .hashes = true }));
	CHECK_EQ(verify(&image).worst, IMAGE_GOOD);
	REQUIRE(sections_of(&image, &found));
	table = image.bytes + section(&found, "HASHES_TABLE")->start;
	length = section(&found, "HASHES_TABLE")->length;
	table[0xfc + 5] ^= 1;
	CHECK_EQ(verify(&image).worst, IMAGE_DAMAGED);	/* its CRC */
	put_be32(table + length - 4, synthetic_crc16(table, length - 4));
	said = verify(&image);
	CHECK_EQ(said.worst, IMAGE_UNUSUAL);		/* CRC right again, a hash wrong */
	CHECK(strstr(said.findings, "the hash of"));
	free(image.bytes);
}

/* ---- signatures ---- */

static const struct synthetic signed_both = {
	SYNTHETIC_FS4, .keys = true, .signature_2048 = true, .signature_4096 = true, .code_size = 0x1000,
};

static void signatures_fit(void)
{
	struct image image;
	struct said said;

	REQUIRE(make(&image, &signed_both));
	said = verify(&image);
	CHECK_EQ(said.worst, IMAGE_GOOD);
	CHECK(strstr(said.parts, ";IMAGE_SIGNATURE_256: signature by key in the image;"));
	CHECK(strstr(said.parts, ";IMAGE_SIGNATURE_512: signature by key in the image;"));
	free(image.bytes);
}

/* Only a signature guards the boot record. */
static void signatures_notice(void)
{
	struct image image;
	struct said said;

	REQUIRE(make(&image, &signed_both));
	image.bytes[0x200] ^= 0x10;
	said = verify(&image);
	CHECK_EQ(said.worst, IMAGE_DAMAGED);
	CHECK(strstr(said.findings, "IMAGE_SIGNATURE_256: the signature does not fit"));
	CHECK(strstr(said.findings, "IMAGE_SIGNATURE_512: the signature does not fit"));
	free(image.bytes);
}

/* Entry and section CRC after a change of a section. */
static void reseal(struct image *image, const struct image_section *changed)
{
	uint8_t *entry = image->bytes + changed->described_at;

	if (changed->crc_kind != IMAGE_CRC_STORED)
		return;
	entry[0x1a] = synthetic_crc16(image->bytes + changed->start, changed->length) >> 8;
	entry[0x1b] = synthetic_crc16(image->bytes + changed->start, changed->length);
	put_be32(entry + 0x1c, synthetic_crc16(entry, 0x1c));
}

/* A signature by a key that the image does not hold: nothing is proved, nothing is wrong. */
static void signature_of_a_stranger(void)
{
	const struct image_section *keys;
	struct image image;
	struct found found;
	struct said said;

	REQUIRE(make(&image, &(struct synthetic){ SYNTHETIC_FS4, .keys = true, .signature_2048 = true }));
	REQUIRE(sections_of(&image, &found));
	keys = section(&found, "PUBLIC_KEYS_2048");
	REQUIRE(keys);
	memset(image.bytes + keys->start, 0, keys->length);
	reseal(&image, keys);
	said = verify(&image);
	CHECK_EQ(said.worst, IMAGE_GOOD);
	CHECK(strstr(said.parts, "-IMAGE_SIGNATURE_256: signature by a key that is not in the image;"));
	free(image.bytes);
}

/* Without the uuid of its key a signature is still tried, and said to be odd. */
static void signature_with_another_name(void)
{
	const struct image_section *signature;
	struct image image;
	struct found found;
	struct said said;

	REQUIRE(make(&image, &(struct synthetic){ SYNTHETIC_FS4, .keys = true, .signature_2048 = true }));
	REQUIRE(sections_of(&image, &found));
	signature = section(&found, "IMAGE_SIGNATURE_256");
	REQUIRE(signature);
	image.bytes[signature->start + 0x1f] ^= 1;
	reseal(&image, signature);
	said = verify(&image);
	CHECK_EQ(said.worst, IMAGE_UNUSUAL);
	CHECK(strstr(said.findings, "names a key that is not in the image"));
	free(image.bytes);
}

/* ---- the digest, and what its section may hold ---- */

static void digest_of_zeros(void)
{
	const struct image_section *section_a0;
	struct image image;
	struct found found;

	REQUIRE(make(&image, &(struct synthetic){ SYNTHETIC_FS4, .digest = true }));
	CHECK(strstr(verify(&image).parts, ";SHA-256 digest;"));
	REQUIRE(sections_of(&image, &found));
	section_a0 = section(&found, "IMAGE_SIGNATURE_256");
	REQUIRE(section_a0);
	image.bytes[section_a0->start] ^= 1;	/* a key's name beside a plain digest */
	reseal(&image, section_a0);
	CHECK_EQ(verify(&image).worst, IMAGE_UNUSUAL);
	memset(image.bytes + section_a0->start, 0, section_a0->length);
	reseal(&image, section_a0);
	CHECK_EQ(verify(&image).worst, IMAGE_GOOD);	/* none: nothing to check */
	CHECK(!strstr(verify(&image).parts, "SHA-256 digest"));
	free(image.bytes);
}

/* ---- the message of an image with a hashes table ---- */

/* Puts the hash of the ITOC right, which its table lists under type fd. */
static void rehash_itoc(struct image *image, const struct image_section *table, uint32_t entries)
{
	uint8_t *bytes = image->bytes + table->start, *entry = bytes + 0x1c;
	uint32_t itoc = be32(image->bytes + 0x28);

	while (entry[1] != 0xfd)
		entry += 8;
	SHA512(image->bytes + itoc, 0x20 + 0x20 * entries, bytes + 0x0c + (be32(entry) & 0xffff));
	put_be32(bytes + table->length - 4, synthetic_crc16(bytes, table->length - 4));
}

/* The plain digest: ones for magic, gaps and A0, and without the last dword of each line of MAIN_CODE. */
static void put_digest(struct image *image, const struct found *found, uint64_t end)
{
	uint8_t *copy = malloc(end), *message = malloc(end);
	const struct image_section *s, *before = NULL, *code = section(found, "MAIN_CODE");
	const struct image_section *signature = section(found, "IMAGE_SIGNATURE_256");
	uint64_t at, to = 0, lines = code->length / 68 * 68;
	unsigned int i;

	memcpy(copy, image->bytes, end);
	memset(copy, 0xff, 16);
	memset(copy + signature->start, 0xff, signature->length);
	memset(copy + signature->described_at, 0xff, 0x20);
	for (i = 0; i < found->count; i++) {
		s = &found->section[i];
		if (!s->type || s->device_data)
			continue;
		if (before && s->start > before->start + before->length)
			memset(copy + before->start + before->length, 0xff,
			       s->start - before->start - before->length);
		before = s;
	}
	for (at = 0; at < end; at++)
		if (at < code->start || at >= code->start + lines || (at - code->start) % 68 < 64)
			message[to++] = copy[at];
	SHA256(message, to, image->bytes + signature->start + 0x20);
	reseal(image, signature);
	free(copy);
	free(message);
}

/* Each way of handing over the bytes: at once, and in pieces that cut lines. */
static int read_some(void *context, uint64_t offset, void *buffer, size_t length)
{
	const struct image *image = context;

	memcpy(buffer, image->bytes + offset, length);
	return 0;
}

static void lines_without_crc(void)
{
	const struct image_section *code;
	struct image_facts facts;
	struct image image;
	struct found found;
	unsigned int entries = 0, i;
	uint8_t *entry;

	REQUIRE(make(&image, &(struct synthetic){ SYNTHETIC_FS4, .hashes = true, .digest = true,
						  .hw_id = 0x218, .code_size = 0x2a000, .stripped = true }));
	CHECK_EQ(verify(&image).worst, IMAGE_GOOD);
	REQUIRE(sections_of(&image, &found) && !query(&image, &facts));
	for (i = 0; i < found.count; i++)
		entries += found.section[i].type && !found.section[i].device_data;
	code = section(&found, "MAIN_CODE");
	entry = image.bytes + code->described_at;
	entry[4] |= 0x40;		/* lines of 64 bytes and a CRC */
	put_be32(entry + 0x1c, synthetic_crc16(entry, 0x1c));
	rehash_itoc(&image, section(&found, "HASHES_TABLE"), entries);
	CHECK(strstr(verify(&image).findings, "digest"));
	put_digest(&image, &found, facts.length);
	CHECK_STR(verify(&image).findings, "");
	image.reader = (struct image_reader){ .read = read_some, .context = &image, .size = image.length };
	CHECK_STR(verify(&image).findings, "");
	image.bytes[code->start + 66] ^= 1;	/* not in the message, but in the section's CRC */
	CHECK(strstr(verify(&image).findings, "MAIN_CODE") && !strstr(verify(&image).findings, "digest"));
	free(image.bytes);
}

/* ---- IMAGE_INFO longer than it needs to be ---- */

static void long_image_info(void)
{
	const struct image_section *info;
	struct image_facts facts;
	struct image image;
	struct found found;
	uint8_t *entry;

	REQUIRE(make(&image, &(struct synthetic){ SYNTHETIC_FS4, .stripped = true }));
	REQUIRE(sections_of(&image, &found));
	info = section(&found, "IMAGE_INFO");
	REQUIRE(info);
	entry = image.bytes + info->described_at;
	put_be32(entry, be32(entry) + 0x10);
	put_be32(entry + 0x1c, synthetic_crc16(entry, 0x1c));
	CHECK_EQ(-query(&image, &facts), EBADMSG);	/* the CRC is that of 0x400 bytes */
	free(image.bytes);
}

/* ---- signed, by its own word ---- */

static void signed_without_a_signature(void)
{
	struct synthetic what = { SYNTHETIC_FS4, .digest = true, .keys = true, .security_flags = 0x4100 };
	struct image image;

	REQUIRE(make(&image, &what));
	CHECK_EQ(verify(&image).worst, IMAGE_UNUSUAL);
	CHECK(strstr(verify(&image).findings, "there is no signature in it"));
	free(image.bytes);
	what.digest = what.keys = false;
	what.signature_2048 = true;
	REQUIRE(make(&image, &what));
	CHECK_EQ(verify(&image).worst, IMAGE_GOOD);
	free(image.bytes);
}

/* ---- encrypted ---- */

static void encrypted(void)
{
	struct image_facts facts;
	struct image image;

	REQUIRE(make(&image,
		     &(struct synthetic){ SYNTHETIC_FS4, .encrypted = true, .security_flags = 0xc108 }));
	REQUIRE(!query(&image, &facts));
	CHECK(facts.encrypted && facts.base_guid.base);
	CHECK_STR(image_security_text(&facts), "secure-fw");
	CHECK_EQ(verify(&image).worst, IMAGE_UNUSUAL);
	CHECK(strstr(verify(&image).findings, "encrypted"));
	free(image.bytes);
}

/* A table of which a bit is wrong is no encrypted one. */
static void nearly_a_table(void)
{
	struct image_facts facts;
	struct image image;
	uint32_t itoc;

	REQUIRE(make(&image, &(struct synthetic){ SYNTHETIC_FS5 }));
	itoc = be32(image.bytes + 0x28);
	image.bytes[itoc + 9] ^= 0x80;
	CHECK_EQ(-query(&image, &facts), EBADMSG);
	CHECK_EQ(verify(&image).worst, IMAGE_DAMAGED);
	free(image.bytes);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(fs4_sections),
	KTAP_TEST(fs5_facts),
	KTAP_TEST(fs5_sections),
	KTAP_TEST(fs5_encapsulated),
	KTAP_TEST(fs5_stripped),
	KTAP_TEST(fs5_broken_boot),
	KTAP_TEST(hashes_are_compared),
	KTAP_TEST(signatures_fit),
	KTAP_TEST(signatures_notice),
	KTAP_TEST(signature_of_a_stranger),
	KTAP_TEST(signature_with_another_name),
	KTAP_TEST(digest_of_zeros),
	KTAP_TEST(lines_without_crc),
	KTAP_TEST(long_image_info),
	KTAP_TEST(signed_without_a_signature),
	KTAP_TEST(encrypted),
	KTAP_TEST(nearly_a_table),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
