// SPDX-License-Identifier: GPL-2.0-only
/* FS3 and later: what a burn leaves to the card, and whose ROM the new image has. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../user/cxctl/burn.h"
#include "../../user/image/edit.h"
#include "../../user/image/toc.h"
#include "../lib/ktap.h"
#include "../lib/synthetic.h"

#define FLASH	(4U << 20)
#define LOG2	20
#define GUID	0x0002c90300112230ULL
#define MAC	0x0002c9112230ULL

struct dressing {
	struct burn burn;
	struct burn_request request;
	struct cxctl_error error;
	uint8_t *card, *flash, *image;
	struct image_memory flash_memory, image_memory;
};

static struct synthetic an_image(enum synthetic_format format, const char *version, size_t rom)
{
	struct synthetic what = {
		.format = format,
		.log2 = LOG2,
		.size = FLASH,
		.version = version,
		.psid = "MT_0000000008",
		.guid = GUID,
		.mac = MAC,
		.uid_count = 8,
		.code_size = 0x8000,
		.rom_size = rom,
		.digest = true,
		.seed = version[4],
		.device_vsd = "the card's",
		.product = "",
	};

	return what;
}

static void dress_start(struct dressing *d, enum synthetic_format format, size_t card_rom,
			struct synthetic *image)
{
	struct synthetic card = an_image(format, "16.35.2000", card_rom);
	struct burn *burn = &d->burn;
	size_t length;

	memset(d, 0, sizeof(*d));
	d->card = synthetic_image(&card, &length);
	REQUIRE(d->card != NULL);
	d->flash = synthetic_flash(d->card, length, &card, FLASH, 0);
	d->image = synthetic_image(image, &length);
	REQUIRE(d->flash && d->image);
	d->flash_memory = (struct image_memory){ d->flash, FLASH };
	d->image_memory = (struct image_memory){ d->image, length };
	burn->request = &d->request;
	burn->image.reader = image_memory_reader(&d->image_memory);
	burn->card.flash.reader = image_memory_reader(&d->flash_memory);
	burn->card.has_flash = true;
	burn->card.target.flash = &burn->card.flash.reader;
	burn->card.target.flash_sector = 4096;
	CHECK_EQ(image_query(&burn->image.reader, IMAGE_LAYOUT_FILE, 0, &burn->image.facts, NULL), 0);
	burn->card.target.format = burn->image.facts.place.format;
	CHECK_EQ(image_flash_state(&burn->card.target, &burn->card.state, NULL), 0);
	CHECK(burn->card.state.has_facts);
}

static int dress(struct dressing *d)
{
	free(d->burn.bytes);
	free(d->burn.identity.card_rom);
	d->burn.bytes = NULL;
	memset(&d->burn.identity, 0, sizeof(d->burn.identity));
	return burn_identity_decide(&d->burn, &d->error);
}

static void dress_end(struct dressing *d)
{
	free(d->burn.bytes);
	free(d->burn.identity.card_rom);
	free(d->card);
	free(d->flash);
	free(d->image);
}

/* The ROM of what will be burned is the one that is expected; NULL: none. */
static void check_rom(struct dressing *d, const uint8_t *from, size_t from_length)
{
	struct image_memory memory = { from, from_length }, made = { d->burn.bytes, d->burn.length };
	struct image_reader reader = image_memory_reader(&memory), burned = image_memory_reader(&made);
	struct image_facts facts;
	uint8_t *one = NULL, *two = NULL;
	size_t length = 0, other = 0;

	if (!from) {
		CHECK(!(d->burn.facts.has & IMAGE_HAS_ROM));
		return;
	}
	REQUIRE(!image_query(&reader, IMAGE_LAYOUT_FILE, 0, &facts, NULL));
	REQUIRE(!image_rom_read(&reader, &facts, &one, &length, NULL));
	REQUIRE(!image_rom_read(&burned, &d->burn.facts, &two, &other, NULL));
	CHECK_EQ(length, other);
	CHECK(length == other && !memcmp(one, two, length));
	free(one);
	free(two);
}

static void roms(void)
{
	enum { NONE, CARD, IMAGE };
	static const struct {
		size_t card, image;
		const char *product;
		enum { DEFAULT, OF_IMAGE, KEEP, NO } option;
		enum burn_rom expected;
		int whose;
	} table[] = {
		{ 0, 0, "", DEFAULT, BURN_ROM_NONE, NONE },
		{ 0, 0x4000, "", DEFAULT, BURN_ROM_NEW, IMAGE },
		{ 0x4000, 0, "", DEFAULT, BURN_ROM_KEPT, CARD },
		{ 0x4000, 0x5000, "", DEFAULT, BURN_ROM_KEPT, CARD },
		{ 0x4000, 0x5000, "16.36.1010", DEFAULT, BURN_ROM_IMAGE, IMAGE }, /* tested together */
		{ 0x4000, 0x5000, "16.36.1010", KEEP, BURN_ROM_KEPT, CARD }, /* its guard has the say */
		{ 0x4000, 0x5000, "", OF_IMAGE, BURN_ROM_IMAGE, IMAGE },
		{ 0x4000, 0, "", OF_IMAGE, BURN_ROM_REMOVED, NONE },
		{ 0x4000, 0x5000, "", NO, BURN_ROM_REMOVED, NONE },
		{ 0, 0, "", NO, BURN_ROM_NONE, NONE },
	};
	static const enum synthetic_format formats[] = { SYNTHETIC_FS3, SYNTHETIC_FS4 };
	struct dressing d;
	size_t i, f;

	for (f = 0; f < 2; f++)
		for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
			struct synthetic image = an_image(formats[f], "16.36.1010", table[i].image);

			image.product = table[i].product;
			image.rom_version = "3.7.100";
			dress_start(&d, formats[f], table[i].card, &image);
			d.request.rom_of_image = table[i].option == OF_IMAGE;
			d.request.rom_keep_named = table[i].option == KEEP;
			d.request.rom_none = table[i].option == NO;
			if (dress(&d)) {
				ktap_fail(__FILE__, __LINE__, "format %zu, row %zu: %s; %s", f, i,
					  d.error.text, d.error.found);
			} else {
				if (d.burn.identity.rom != table[i].expected)
					ktap_fail(__FILE__, __LINE__, "format %zu, row %zu: %d", f, i,
						  d.burn.identity.rom);
				check_rom(&d,
					  table[i].whose == NONE   ? NULL
					  : table[i].whose == CARD ? d.card
								   : d.image,
					  table[i].whose == CARD ? FLASH : d.image_memory.length);
				CHECK_EQ(d.burn.identity.guid[0], GUID);
				CHECK_EQ(d.burn.identity.mac[0], MAC);
				CHECK_STR(d.burn.identity.vsd, "the card's");
				CHECK_EQ(d.burn.identity.guids_from, BURN_FROM_CARD);
			}
			dress_end(&d);
		}
}

/* A signed image cannot be given another ROM: its own, unless the card's was named. */
static void signed_images(void)
{
	struct synthetic image = an_image(SYNTHETIC_FS4, "16.36.1010", 0x5000);
	struct dressing d;

	image.security_flags = IMAGE_SECURITY_SIGNED | IMAGE_SECURITY_MCC;
	image.keys = true;
	image.rom_version = "3.7.100";
	dress_start(&d, SYNTHETIC_FS4, 0x4000, &image);
	REQUIRE(!dress(&d));
	CHECK_EQ(d.burn.identity.rom, BURN_ROM_IMAGE);
	d.request.rom_keep_named = true;
	CHECK(dress(&d));
	CHECK_STR(d.error.id, "rom-fixed");
	CHECK(strstr(d.error.found, "signed") && strstr(d.error.next, "--rom image"));
	d.request.rom_keep_named = false;
	d.request.rom_none = true;
	CHECK(dress(&d));
	CHECK_STR(d.error.id, "rom-fixed");
	dress_end(&d);
}

static void components(void)
{
	struct synthetic image = an_image(SYNTHETIC_FS4, "16.36.1010", 0x5000);
	struct dressing d;

	image.rom_version = "3.7.100";
	dress_start(&d, SYNTHETIC_FS4, 0x4000, &image);
	d.burn.component = true;
	REQUIRE(!dress(&d));
	CHECK_EQ(d.burn.identity.rom, BURN_ROM_IMAGE);
	CHECK_EQ(d.burn.length, d.burn.image.facts.length);
	CHECK_EQ(d.burn.bytes[0], 0xff);		/* the magic is masked */
	CHECK_EQ(d.burn.facts.version[1], 36);
	CHECK(!memcmp(d.burn.bytes + 16, d.image + 16, d.burn.length - 16));
	d.request.rom_keep_named = true;
	CHECK(dress(&d));
	CHECK_STR(d.error.id, "rom-component");
	CHECK(strstr(d.error.next, "--method flash"));
	d.request.rom_keep_named = false;
	/* closed: nothing of the flash is known */
	memset(&d.burn.card.state, 0, sizeof(d.burn.card.state));
	d.burn.card.has_flash = false;
	REQUIRE(!dress(&d));
	CHECK_EQ(d.burn.identity.rom, BURN_ROM_IMAGE);
	dress_end(&d);
}

static void options_that_do_not_fit(void)
{
	struct synthetic image = an_image(SYNTHETIC_FS3, "16.36.1010", 0);
	struct dressing d;

	dress_start(&d, SYNTHETIC_FS3, 0, &image);
	d.request.has_guid = true;
	CHECK(dress(&d));
	CHECK_EQ(d.error.exit, CXCTL_REFUSED);
	CHECK_STR(d.error.id, "identity-beside");
	CHECK(strstr(d.error.text, "--guid") && strstr(d.error.next, "cxctl restore"));
	d.request.has_guid = false;
	d.request.vsd = "x";
	CHECK(dress(&d));
	CHECK(strstr(d.error.text, "--vsd"));
	d.request.vsd = NULL;
	CHECK(!dress(&d));
	dress_end(&d);
	/* FS4: the command that sets it, as it is typed */
	image.format = SYNTHETIC_FS4;
	dress_start(&d, SYNTHETIC_FS4, 0, &image);
	d.request.has_guid = d.request.has_mac = true;
	d.request.guid = 0x0002c903aabbcc00;
	d.request.mac = 0x0002c9aabbcc;
	CHECK(dress(&d));
	CHECK(strstr(d.error.next, "cxctl restore CARD --guid 0002c903aabbcc00 --mac 0002c9aabbcc"));
	dress_end(&d);
}

/* ---- another identity, without an image ---- */

static unsigned int valid_infos(const struct dressing *d)
{
	unsigned int valid = 0;
	uint32_t at;

	for (at = FLASH / 2; at < FLASH; at += 4096)
		valid += dev_info_valid(d->flash + at);
	return valid;
}

/* Sector by sector; at each instant one copy counts at least. */
static void write_plan(struct dressing *d, const struct image_plan *plan, const uint8_t *bytes)
{
	uint32_t i, at;

	for (i = 0; i < plan->segment_count; i++)
		for (at = 0; at < plan->segment_length[i]; at += 4096) {
			uint32_t offset = plan->segment_offset[i] + at;

			memcpy(d->flash + plan->target_address + offset, bytes + offset, 4096);
			CHECK(valid_infos(d) >= 1);
		}
}

static void new_identity(void)
{
	static const enum synthetic_format formats[] = { SYNTHETIC_FS4, SYNTHETIC_FS5 };
	struct image_edit edit = { .set_guids = true, .guid = { 0x0002c903aabbcc00 }, .set_macs = true,
				   .mac = { 0x0002c9aabbcc }, .vsd = "another owner's" };
	uint8_t *before = malloc(FLASH), *bytes;
	struct image_device_edit edited, again;
	struct image_reader reader;
	struct image_error why;
	struct image_plan plan;
	struct dressing d;
	char window[160];
	bool failsafe;
	unsigned int f;

	for (f = 0; f < 2; f++) {
		struct synthetic image = an_image(formats[f], "16.36.1010", 0);
		struct burn_card *card = &d.burn.card;
		const struct image_facts *facts = &card->state.old_facts;

		dress_start(&d, formats[f], 0, &image);
		memcpy(before, d.flash, FLASH);
		REQUIRE(!image_device_edit(&card->target, &card->state, &edit, &edited, &why));
		CHECK(!memcmp(before, d.flash, FLASH));
		reader = image_device_edit_reader(&edited);
		REQUIRE(!image_plan_device_data(&card->target, &card->state, &reader, &bytes, &plan, &failsafe,
						window, &why));
		CHECK(failsafe);
		CHECK_EQ(plan.bytes_to_program, 2 * 4096);
		write_plan(&d, &plan, bytes);
		free(bytes);
		CHECK_EQ(valid_infos(&d), 1);
		REQUIRE(!image_flash_state(&card->target, &card->state, NULL));
		CHECK(card->state.has_old && card->state.whole[card->state.old]);
		CHECK_EQ(facts->base_guid.base, edit.guid[0]);
		CHECK_EQ(facts->base_mac.base, edit.mac[0]);
		CHECK_EQ(facts->base_guid.count, 8);
		CHECK_STR(facts->device_vsd, edit.vsd);
		CHECK_EQ(facts->original_guid.base, GUID);	/* of manufacture: never changed */
		/* the old copy lost its first dword and nothing else */
		CHECK(!memcmp(d.flash + edited.address[1] + 4, before + edited.address[1] + 4, 0x1fc));
		CHECK_EQ(-image_plan_device_data(&card->target, &card->state, &reader, &bytes, &plan,
						 &failsafe, window, &why), ENOENT);
		CHECK_EQ(-image_device_edit(&card->target, &card->state, &edit, &again, &why), ENOENT);
		/* and back: the places change roles */
		edit.guid[0] = GUID;
		REQUIRE(!image_device_edit(&card->target, &card->state, &edit, &again, &why));
		CHECK_EQ(again.address[0], edited.address[1]);
		edit.guid[0] = 0x0002c903aabbcc00;
		dress_end(&d);
	}
	free(before);
}

static void impossible_identities(void)
{
	struct image_edit edit = { .set_macs = true, .mac = { 0x0102c9aabbcc } };
	struct image_edit vsd = { .vsd = "tab\there" }, psid = { .set_macs = true, .psid = "MT_0000000009" };
	struct synthetic image = an_image(SYNTHETIC_FS4, "16.36.1010", 0);
	struct image_device_edit edited;
	struct image_error why;
	struct dressing d;
	struct burn_card *card = &d.burn.card;

	dress_start(&d, SYNTHETIC_FS4, 0, &image);
	CHECK_EQ(-image_device_edit(&card->target, &card->state, &edit, &edited, &why), EINVAL);
	CHECK_EQ(-image_device_edit(&card->target, &card->state, &vsd, &edited, &why), EINVAL);
	CHECK_EQ(-image_device_edit(&card->target, &card->state, &psid, &edited, &why), EINVAL);
	edit.mac[0] = 0x0002c9aabbcc;
	REQUIRE(!image_device_edit(&card->target, &card->state, &edit, &edited, &why));
	/* both copies valid: which of them counts is not known */
	memcpy(d.flash + edited.address[0], d.flash + edited.address[1], 0x200);
	CHECK_EQ(-image_device_edit(&card->target, &card->state, &edit, &edited, &why), EBADMSG);
	dress_end(&d);
	image.format = SYNTHETIC_FS3;
	dress_start(&d, SYNTHETIC_FS3, 0, &image);
	CHECK_EQ(-image_device_edit(&card->target, &card->state, &edit, &edited, &why), EOPNOTSUPP);
	CHECK(strstr(why.text, "FS3") && strstr(why.text, "checksum"));
	dress_end(&d);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(new_identity),
	KTAP_TEST(impossible_identities),
	KTAP_TEST(roms),
	KTAP_TEST(signed_images),
	KTAP_TEST(components),
	KTAP_TEST(options_that_do_not_fit),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
