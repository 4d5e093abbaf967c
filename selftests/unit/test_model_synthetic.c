// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two readings of the formats, made apart from each other: what selftests/lib/synthetic.c
 * makes for the tests of the image library must boot on the simulated cards, in either
 * slot, under a boot ROM that checks everything.
 */
#include <stdlib.h>
#include <string.h>

#include "../../kmod/cxsim/model/boot.h"
#include "../../kmod/cxsim/model/card.h"
#include "../lib/ktap.h"
#include "../lib/synthetic.h"

#define FLASH 0x200000u
#define GUID  0x248a070300112230ULL
#define MAC   0x248a07112230ULL

static void *host_alloc(size_t bytes)
{
	return calloc(1, bytes);
}

static const struct cxsim_host host = {.alloc = host_alloc, .free = free};

static const struct synthetic variants[] = {
	{.format = SYNTHETIC_FS3},
	{.format = SYNTHETIC_FS3, .rom_size = 0x4014},
	{.format = SYNTHETIC_FS3, .digest = true, .keys = true},
	{.format = SYNTHETIC_FS3, .signature_2048 = true},
	{.format = SYNTHETIC_FS4},
	{.format = SYNTHETIC_FS4, .rom_size = 0x4014},
	{.format = SYNTHETIC_FS4, .digest = true, .keys = true},
	{.format = SYNTHETIC_FS4, .second_itoc = true},
	{.format = SYNTHETIC_FS4, .hashes = true},
	{.format = SYNTHETIC_FS4, .hashes = true, .signature_2048 = true, .signature_4096 = true},
};

static const char *model_of(const struct synthetic *what)
{
	return what->format == SYNTHETIC_FS3 ? "connectx4lx" : "connectx5";
}

static struct synthetic completed(const struct synthetic *variant)
{
	const struct cxsim_model *model = cxsim_model_find(model_of(variant));
	struct synthetic what = *variant;

	what.size = FLASH;
	what.log2 = 20;
	what.hw_id = model->hw_id;
	what.pci_device = model->pci_id;
	what.psid = "SYN_0000000001";
	what.version = "14.32.1010";
	what.guid = GUID;
	what.mac = MAC;
	what.uid_count = 8;
	what.code_size = 0x4000;
	return what;
}

static struct cxsim_card *empty_card(const char *model)
{
	struct cxsim_parameters parameters = {.model = model, .flash_size = FLASH, .empty = true};
	char why[CXSIM_WHY] = "";
	struct cxsim_card *card = cxsim_card_create(&parameters, &host, why);

	if (!card)
		ktap_fail(__FILE__, __LINE__, "%s: %s", model, why);
	return card;
}

static void boots(struct cxsim_card *card, const struct synthetic *what, const uint8_t *file, size_t length,
		  unsigned int slot)
{
	const struct cxsim_boot *boot = cxsim_booted(card);
	u32 address = slot ? 1u << what->log2 : 0;
	struct cxsim_boot again;
	struct cxsim_facts facts;
	char why[CXSIM_WHY] = "";

	memset(card->chip.cells, 0xff, card->chip.size);
	REQUIRE(cxsim_image_place(model_of(what), file, length, card->chip.cells, card->chip.size, slot));
	if (!cxsim_image_check(card, address, false, &again, &facts, why))
		ktap_fail(__FILE__, __LINE__, "slot %u: %s", slot, why);
	cxsim_set(card, CXSIM_BOOT_POLICY, CXSIM_BOOT_CHECKED_FIRST);
	cxsim_reset(card, CXSIM_RESET_POWER);
	CHECK(!boot->recovery && boot->whole);
	CHECK_EQ(boot->address, address);
	CHECK_STR(boot->psid, what->psid);
	CHECK_EQ(boot->version[1], 32);
	CHECK_EQ(boot->guid[0], GUID);
	CHECK_EQ(boot->mac[0], MAC);
	CHECK_EQ(card->facts.rom_count != 0, what->rom_size != 0);
}

static void synthetic_images_boot(void)
{
	struct synthetic what;
	struct cxsim_card *card;
	size_t i, length;
	uint8_t *file;

	for (i = 0; i < sizeof(variants) / sizeof(variants[0]) && !ktap_failed(); i++) {
		what = completed(&variants[i]);
		file = synthetic_image(&what, &length);
		card = empty_card(model_of(&what));
		if (CHECK(file && card)) {
			boots(card, &what, file, length, 0);
			boots(card, &what, file, length, 1);
			/* And the check is one: a section that is damaged is seen. */
			card->chip.cells[(1u << what.log2) + 0x8004] ^= 1;
			cxsim_reset(card, CXSIM_RESET_POWER);
			CHECK(cxsim_booted(card)->recovery);
		}
		if (ktap_failed())
			ktap_note("variant %zu, FS%d", i, what.format);
		if (card)
			cxsim_card_destroy(card);
		free(file);
	}
}

static const struct ktap_test tests[] = {
	KTAP_TEST(synthetic_images_boot),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
