// SPDX-License-Identifier: GPL-2.0-only
/* user/image/: FS4 facts and verification. firmware-images.md 3, 4, 9. */
#include <errno.h>

#include "image_fixture.h"

#define FLASH 0x200000
#define ITOC 0x5000
#define DTOC (FLASH - 0x1000)

static uint64_t state;

static uint32_t random32(void)
{
	if (!state)
		state = ktap_seed() | 1;
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return state >> 32;
}

static void make(struct fixture *flash, uint64_t seed)
{
	struct cxsim_parameters parameters = fixture_parameters("connectx5");

	parameters.psid = "MT_0000000008";
	parameters.version = "16.27.2008";
	parameters.flash_size = FLASH;
	parameters.rom_size = 0x2000;
	parameters.seed = seed;
	fixture_make(flash, &parameters);
}

/* Address of the nth section of a type in a table of contents; 0: none. */
static uint32_t section(const struct fixture *flash, uint32_t toc, uint32_t type, unsigned int nth,
			uint32_t *size)
{
	const uint8_t *entry = flash->bytes + toc + 0x20;

	for (; entry[0] != 0xff; entry += 0x20) {
		if (entry[0] != type || nth--)
			continue;
		if (size)
			*size = cxsim_get_be32(entry) & 0xffffff;
		return cxsim_get_be32(entry + 0x14) & 0x7ffffffc;
	}
	return 0;
}

static uint32_t image_end(const struct fixture *flash)
{
	const uint8_t *entry = flash->bytes + ITOC + 0x20;
	uint32_t end = 0;

	for (; entry[0] != 0xff; entry += 0x20)
		end = (cxsim_get_be32(entry + 0x14) & 0x7ffffffc) + (cxsim_get_be32(entry) & 0xffffff);
	return end;
}

static void facts_of_a_flash(void)
{
	struct image_error error = { 0 };
	struct image_facts facts;
	struct fixture flash;

	make(&flash, 1);
	CHECK_EQ(image_query(&flash.reader, IMAGE_LAYOUT_FLASH, 0, &facts, &error), 0);
	CHECK_EQ(facts.place.format, IMAGE_FS4);
	CHECK_EQ(facts.version[0], 16);
	CHECK_EQ(facts.version[1], 27);
	CHECK_EQ(facts.version[2], 2008);
	CHECK_STR(facts.psid, "MT_0000000008");
	CHECK_STR(facts.original_psid, "MT_0000000008");
	CHECK_STR(facts.device_vsd, "fixture vsd");
	CHECK_EQ(facts.hw_ids[0].id, 0x20d);
	CHECK_EQ(facts.pci_device, 0x1017);
	CHECK_EQ(facts.base_guid.base, FIXTURE_GUID);
	CHECK_EQ(facts.base_mac.base, FIXTURE_MAC);
	CHECK(facts.base_guid.count > 0 && facts.base_guid.step > 0);
	CHECK(facts.rom_count > 0 && facts.rom_complete);
	CHECK_EQ(facts.length, image_end(&flash));
	CHECK(!facts.encrypted && !facts.stripped);
	fixture_free(&flash);
}

static void every_seed_is_good(void)
{
	struct fixture flash;
	struct verdict verdict;
	unsigned int i;

	for (i = 0; i < 8; i++) {
		make(&flash, random32());
		verdict = verdict_of(&flash, IMAGE_LAYOUT_FLASH);
		if (verdict.worst != IMAGE_GOOD || verdict.code)
			ktap_fail(__FILE__, __LINE__, "%s", verdict.text);
		CHECK(verdict.parts > 15);
		fixture_free(&flash);
	}
}

/* The image of slot 0 moved to slot 1, device data where it was. */
static void second_slot(void)
{
	struct image_error error = { 0 };
	struct image_facts facts;
	struct fixture flash;
	struct verdict verdict;
	uint32_t end, start;

	make(&flash, 2);
	CHECK_EQ(image_query(&flash.reader, IMAGE_LAYOUT_FLASH, 0, &facts, &error), 0);
	start = 1U << facts.place.log2_chunk;
	end = image_end(&flash);
	REQUIRE(start < FLASH && start + end < section(&flash, DTOC, 0xe5, 0, NULL));
	memcpy(flash.bytes + start, flash.bytes, end);
	memset(flash.bytes, 0, 4);
	CHECK_EQ(image_query(&flash.reader, IMAGE_LAYOUT_FLASH, 0, &facts, &error), 0);
	CHECK_EQ(facts.place.address, start);
	CHECK_EQ(facts.place.slot, 1);
	CHECK_EQ(facts.base_guid.base, FIXTURE_GUID);
	verdict = verdict_of(&flash, IMAGE_LAYOUT_FLASH);
	CHECK_EQ(verdict.worst, IMAGE_GOOD);
	fixture_free(&flash);
}

static bool flip_is_noticed(struct fixture *flash, uint32_t byte, unsigned int bit)
{
	struct verdict verdict;

	flash->bytes[byte] ^= 1 << bit;
	verdict = verdict_of(flash, IMAGE_LAYOUT_FLASH);
	flash->bytes[byte] ^= 1 << bit;
	return verdict.worst != IMAGE_GOOD;
}

static void flips_in(struct fixture *flash, const char *what, uint32_t start, uint32_t length,
		     unsigned int rounds)
{
	uint32_t byte;
	unsigned int i, bit;

	for (i = 0; i < rounds; i++) {
		byte = rounds == length ? start + i : start + random32() % length;
		bit = random32() % 8;
		if (!flip_is_noticed(flash, byte, bit))
			ktap_fail(__FILE__, __LINE__, "%s: bit %u of byte %#x", what, bit, byte);
	}
}

/* One flip in each byte of what holds the rest together, samples elsewhere. */
static void flips_are_noticed(void)
{
	struct fixture flash;
	uint32_t size, at;

	make(&flash, 3);
	flips_in(&flash, "header", 0, 0x100, 0x100);
	flips_in(&flash, "boot record", 0x100, 0x400, 40);
	flips_in(&flash, "tools area", 0x500, 0x40, 0x40);
	flips_in(&flash, "ITOC", ITOC, 0x20 * 8, 0x20 * 8);
	flips_in(&flash, "image", 0x1000, image_end(&flash) - 0x1000, 400);
	flips_in(&flash, "DTOC", DTOC, 0x20 * 7, 0x20 * 7);
	at = section(&flash, DTOC, 0xe1, 0, &size);
	flips_in(&flash, "DEV_INFO", at, size, 80);
	at = section(&flash, DTOC, 0xe0, 0, &size);
	flips_in(&flash, "MFG_INFO", at, size, 80);
	at = section(&flash, DTOC, 0xe3, 0, &size);
	flips_in(&flash, "VPD", at, size, 20);
	CHECK_EQ(verdict_of(&flash, IMAGE_LAYOUT_FLASH).worst, IMAGE_GOOD);
	fixture_free(&flash);
}

/* What nothing guards, so that a change of this list is seen. */
static void flips_that_nothing_guards(void)
{
	struct fixture flash;

	make(&flash, 3);
	CHECK(!flip_is_noticed(&flash, section(&flash, DTOC, 0xe5, 0, NULL) + 5, 0));	/* FW_NV_LOG */
	CHECK(!flip_is_noticed(&flash, section(&flash, DTOC, 0xe6, 0, NULL) + 5, 0));	/* NV_DATA0 */
	/* the copy of DEV_INFO that does not count is guarded by what it must look like */
	CHECK(flip_is_noticed(&flash, section(&flash, DTOC, 0xe1, 1, NULL) + 0x30, 0));
	fixture_free(&flash);
}

static void pointers_are_checked(void)
{
	struct image_error error = { 0 };
	struct image_facts facts;
	struct fixture flash;
	unsigned int i;

	make(&flash, 3);
	for (i = 0; i < 16; i++) {
		flash.bytes[0x18 + 8 * i + 3] ^= 4;
		CHECK_EQ(-image_query(&flash.reader, IMAGE_LAYOUT_FLASH, 0, &facts, &error), EBADMSG);
		flash.bytes[0x18 + 8 * i + 3] ^= 4;
	}
	/* a plain CRC16 of the pointer is accepted as well */
	cxsim_put_be32(flash.bytes + 0x1c, cxsim_crc16(flash.bytes + 0x18, 4));
	CHECK_EQ(image_query(&flash.reader, IMAGE_LAYOUT_FLASH, 0, &facts, &error), 0);
	fixture_free(&flash);
}

/* Moves a section of the device data, its entry sealed again. */
static void move(struct fixture *flash, uint32_t type, uint32_t address)
{
	uint8_t *entry = flash->bytes + DTOC + 0x20;

	while (entry[0] != type)
		entry += 0x20;
	cxsim_put_be32(entry + 0x14, address);
	cxsim_put_be32(entry + 0x1c, cxsim_crc16(entry, 0x1c));
}

static void misplaced_device_data(void)
{
	struct fixture flash;
	uint32_t at;

	make(&flash, 3);
	at = section(&flash, DTOC, 0xe5, 0, NULL);
	move(&flash, 0xe5, 0x8000);			/* inside the image */
	CHECK_EQ(verdict_of(&flash, IMAGE_LAYOUT_FLASH).worst, IMAGE_DAMAGED);
	move(&flash, 0xe5, FLASH - 0x800);		/* over the end */
	CHECK_EQ(verdict_of(&flash, IMAGE_LAYOUT_FLASH).worst, IMAGE_DAMAGED);
	move(&flash, 0xe5, at);
	CHECK_EQ(verdict_of(&flash, IMAGE_LAYOUT_FLASH).worst, IMAGE_GOOD);
	fixture_free(&flash);
}

/* Checksums right, content changed: only the digest of the whole tells. */
static void digest_is_checked(void)
{
	struct fixture flash;
	struct verdict verdict;

	make(&flash, 3);
	flash.bytes[0x200] ^= 1;			/* boot record */
	verdict = verdict_of(&flash, IMAGE_LAYOUT_FLASH);
	CHECK_EQ(verdict.worst, IMAGE_DAMAGED);
	CHECK(strstr(verdict.text, "digest"));
	fixture_free(&flash);
}

/* All CRCs right. */
static void longer_than_its_slot(void)
{
	struct fixture flash;
	struct verdict verdict;
	uint8_t *tools;

	make(&flash, 3);
	tools = flash.bytes + cxsim_get_be32(flash.bytes + 0x30);
	cxsim_put_be32(tools + 4, 12 << 16 | 0x100);
	cxsim_put_be32(tools + 0x3c, cxsim_crc16(tools, 0x3c));
	CHECK(image_end(&flash) > 1 << 12);
	verdict = verdict_of(&flash, IMAGE_LAYOUT_FLASH);
	CHECK_EQ(verdict.worst, IMAGE_DAMAGED);
	CHECK(strstr(verdict.text, "longer than its slot"));
	fixture_free(&flash);
}

/* A second IMAGE_INFO, behind the last section: which one counts, who knows. */
static void two_image_infos(void)
{
	struct fixture flash;
	struct verdict verdict;
	uint32_t end, size, info;
	uint8_t *entry;

	make(&flash, 3);
	end = image_end(&flash);
	info = section(&flash, ITOC, 0x10, 0, &size);
	memcpy(flash.bytes + end, flash.bytes + info, size);
	for (entry = flash.bytes + ITOC + 0x20; *entry != 0xff; entry += 0x20)
		;
	memset(entry, 0, 0x20);
	cxsim_put_be32(entry, 0x10 << 24 | size);
	cxsim_put_be32(entry + 0x14, end);
	cxsim_put_be32(entry + 0x18, cxsim_crc16(flash.bytes + end, size));
	cxsim_put_be32(entry + 0x1c, cxsim_crc16(entry, 0x1c));
	/* Beside the digest, which is another now, and the size to burn. */
	verdict = verdict_of(&flash, IMAGE_LAYOUT_FLASH);
	CHECK(verdict.worst != IMAGE_GOOD);
	CHECK_EQ(verdict.findings, 3);
	fixture_free(&flash);
}

static void two_valid_dev_infos(void)
{
	struct image_error error = { 0 };
	struct image_facts facts;
	struct fixture flash;
	uint32_t first, second, size;

	make(&flash, 4);
	first = section(&flash, DTOC, 0xe1, 0, &size);
	second = section(&flash, DTOC, 0xe1, 1, NULL);
	memcpy(flash.bytes + second, flash.bytes + first, size);
	CHECK_EQ(verdict_of(&flash, IMAGE_LAYOUT_FLASH).worst, IMAGE_DAMAGED);
	CHECK_EQ(image_query(&flash.reader, IMAGE_LAYOUT_FLASH, 0, &facts, &error), 0);
	CHECK(!(facts.has & IMAGE_HAS_GUIDS) && !facts.base_guid.base);
	CHECK(strstr(facts.device_data_trouble, "two"));
	memset(flash.bytes + first, 0, 4);	/* as after an update: the second counts */
	CHECK_EQ(verdict_of(&flash, IMAGE_LAYOUT_FLASH).worst, IMAGE_GOOD);
	CHECK_EQ(image_query(&flash.reader, IMAGE_LAYOUT_FLASH, 0, &facts, &error), 0);
	CHECK_EQ(facts.base_guid.base, FIXTURE_GUID);
	CHECK_STR(facts.device_data_trouble, "");
	memset(flash.bytes + second, 0, 4);
	CHECK_EQ(verdict_of(&flash, IMAGE_LAYOUT_FLASH).worst, IMAGE_DAMAGED);
	fixture_free(&flash);
}

/* A vendor's file without device data ends where its last section ends. */
static void stripped_file(void)
{
	struct image_error error = { 0 };
	struct image_facts facts;
	struct fixture flash, file;
	struct verdict verdict;

	make(&flash, 5);
	fixture_hold(&file, malloc(image_end(&flash)), image_end(&flash));
	memcpy(file.bytes, flash.bytes, file.length);
	CHECK_EQ(image_query(&file.reader, IMAGE_LAYOUT_AUTO, 0, &facts, &error), 0);
	CHECK(facts.stripped && !(facts.has & (IMAGE_HAS_GUIDS | IMAGE_HAS_ORIGINAL)));
	verdict = verdict_of(&file, IMAGE_LAYOUT_AUTO);
	CHECK_EQ(verdict.worst, IMAGE_GOOD);
	fixture_free(&file);
	fixture_free(&flash);
}

static void truncations(void)
{
	struct image_error error = { 0 };
	struct image_facts facts;
	struct fixture flash, cut;
	unsigned int i;
	size_t length, end;

	make(&flash, 6);
	end = image_end(&flash);
	for (i = 0; i < 600; i++) {
		length = i < 300 ? random32() % end : end - 1 - (i - 300);
		fixture_hold(&cut, malloc(length ? length : 1), length);
		memcpy(cut.bytes, flash.bytes, length);
		if (verdict_of(&cut, IMAGE_LAYOUT_FILE).worst != IMAGE_DAMAGED)
			ktap_fail(__FILE__, __LINE__, "cut at %#zx", length);
		image_query(&cut.reader, IMAGE_LAYOUT_FILE, 0, &facts, &error);
		fixture_free(&cut);
	}
	fixture_free(&flash);
}

/* No table of contents in clear: what IMAGE_INFO's pointer shows is all there is. */
static void encrypted_image(void)
{
	struct image_error error = { 0 };
	struct image_facts facts;
	struct fixture flash;

	make(&flash, 7);
	cxsim_put_be32(flash.bytes + 0x68, section(&flash, ITOC, 0x10, 0, NULL));
	cxsim_put_be32(flash.bytes + 0x6c, cxsim_pointer_crc(cxsim_get_be32(flash.bytes + 0x68)));
	cxsim_put_be32(flash.bytes + section(&flash, ITOC, 0x10, 0, NULL) + 0x12c, image_end(&flash));
	memset(flash.bytes + ITOC, 0x5a, 0x400);
	CHECK_EQ(image_query(&flash.reader, IMAGE_LAYOUT_FLASH, 0, &facts, &error), 0);
	CHECK(facts.encrypted);
	CHECK_STR(facts.psid, "MT_0000000008");
	CHECK_EQ(verdict_of(&flash, IMAGE_LAYOUT_FLASH).worst, IMAGE_UNUSUAL);
	/* and no pointer either: damaged */
	memset(flash.bytes + 0x68, 0, 8);
	CHECK_EQ(-image_query(&flash.reader, IMAGE_LAYOUT_FLASH, 0, &facts, &error), EBADMSG);
	CHECK_EQ(verdict_of(&flash, IMAGE_LAYOUT_FLASH).worst, IMAGE_DAMAGED);
	fixture_free(&flash);
}

static void security_words(void)
{
	struct image_facts facts = { .security_keys = true };

	facts.place.format = IMAGE_FS4;
	facts.security_flags = 0x4100;
	CHECK_STR(image_security_text(&facts), "signed-fw");
	facts.security_flags = 0xc100;
	CHECK_STR(image_security_text(&facts), "secure-fw");
	facts.security_flags = 0xe100;
	CHECK_STR(image_security_text(&facts), "secure-fw, debug");
	facts.security_flags = 0x0100;
	CHECK_STR(image_security_text(&facts), "N/A");
	facts.security_flags = 0x4100;
	facts.security_keys = false;
	CHECK_STR(image_security_text(&facts), "N/A");
	facts.place.format = IMAGE_FS2;
	CHECK(!image_security_text(&facts));
}

/* A generation that is not known is not taken for one that is. */
static void other_generations(void)
{
	struct image_error error = { 0 };
	struct image_facts facts;
	struct fixture flash;

	make(&flash, 8);
	flash.bytes[0x10] = 3;
	CHECK_EQ(-image_query(&flash.reader, IMAGE_LAYOUT_FLASH, 0, &facts, &error), EOPNOTSUPP);
	CHECK_EQ(verdict_of(&flash, IMAGE_LAYOUT_FLASH).worst, IMAGE_DAMAGED);
	fixture_free(&flash);
}

struct failing {
	const struct fixture *flash;
	unsigned long reads, fail_at;
};

static int failing_read(void *context, uint64_t offset, void *buffer, size_t length)
{
	struct failing *failing = context;

	if (++failing->reads == failing->fail_at)
		return -ENODEV;
	return failing->flash->reader.read(failing->flash->reader.context, offset, buffer, length);
}

static void failing_reads(void)
{
	struct fixture flash;
	struct failing failing = { .flash = &flash };
	struct image_reader reader = { failing_read, &failing, FLASH };
	struct image_place place;
	struct image_error error = { 0 };
	struct image_facts facts;
	enum image_verdict verdict;
	size_t count;
	int code;

	make(&flash, 9);
	REQUIRE(!image_locate(&flash.reader, IMAGE_LAYOUT_FLASH, &place, 1, &count, &error));
	for (failing.fail_at = 1;; failing.fail_at++) {
		failing.reads = 0;
		code = image_facts(&reader, &place, IMAGE_QUICK_ROM, &facts, &error);
		if (failing.reads < failing.fail_at)
			break;
		CHECK_EQ(-code, ENODEV);
	}
	for (failing.fail_at = 1;; failing.fail_at++) {
		failing.reads = 0;
		code = image_verify(&reader, &place, NULL, &verdict, &error);
		if (failing.reads < failing.fail_at)
			break;
		CHECK_EQ(-code, ENODEV);
	}
	fixture_free(&flash);
}

/* A chip that was overwritten from its end: the image still tells what it is. */
static void lost_device_data(void)
{
	struct image_error error = { 0 };
	struct image_facts facts;
	struct fixture flash;

	make(&flash, 10);
	memset(flash.bytes + DTOC, 0xff, 0x1000);
	CHECK_EQ(image_query(&flash.reader, IMAGE_LAYOUT_FLASH, 0, &facts, &error), 0);
	CHECK_STR(facts.psid, "MT_0000000008");
	CHECK(!(facts.has & (IMAGE_HAS_GUIDS | IMAGE_HAS_MACS)) && *facts.device_data_trouble);
	CHECK_EQ(verdict_of(&flash, IMAGE_LAYOUT_FLASH).worst, IMAGE_DAMAGED);
	fixture_free(&flash);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(facts_of_a_flash),
	KTAP_TEST(every_seed_is_good),
	KTAP_TEST(second_slot),
	KTAP_TEST(flips_are_noticed),
	KTAP_TEST(flips_that_nothing_guards),
	KTAP_TEST(pointers_are_checked),
	KTAP_TEST(misplaced_device_data),
	KTAP_TEST(digest_is_checked),
	KTAP_TEST(longer_than_its_slot),
	KTAP_TEST(two_image_infos),
	KTAP_TEST(two_valid_dev_infos),
	KTAP_TEST(stripped_file),
	KTAP_TEST(truncations),
	KTAP_TEST(encrypted_image),
	KTAP_TEST(security_words),
	KTAP_TEST(other_generations),
	KTAP_TEST(lost_device_data),
	KTAP_TEST(failing_reads),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
