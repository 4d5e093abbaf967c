// SPDX-License-Identifier: GPL-2.0-only
/* What cxctl burn refuses, and how it says so: every guard with its id, texts and the option that lifts it. */
#include <string.h>

#include "../../user/cxctl/burn_guard.h"
#include "../lib/ktap.h"

static struct image_facts image_for(uint16_t hw_id, uint8_t revision)
{
	struct image_facts facts = { .hw_id_count = 1, .hw_ids = { { hw_id, revision } } };

	facts.place.format = IMAGE_FS2;
	return facts;
}

static void guard_hardware(void)
{
	struct image_facts facts = image_for(0x1f5, 1);
	struct cxctl_error error;

	CHECK(!burn_guard_hardware(&facts, 0x1f5, 1, &error));
	CHECK(burn_guard_hardware(&facts, 0x1f5, 0, &error));		/* the revision counts too */
	CHECK_EQ(error.exit, CXCTL_REFUSED);
	CHECK_STR(error.id, "wrong-hardware");
	CHECK(burn_guard_hardware(&facts, 0x1f7, 1, &error));
	CHECK(strstr(error.found, "0x1f5") && strstr(error.expected, "0x1f7"));
	facts.hw_ids[1].id = 0x1f5;
	facts.hw_id_count = 2;
	CHECK(!burn_guard_hardware(&facts, 0x1f5, 0, &error));
	/* without a list the PCI id tells the chip */
	facts.hw_id_count = 0;
	facts.pci_device = 0x673c;
	CHECK(!burn_guard_hardware(&facts, 0x190, 0xb0, &error));
	CHECK(burn_guard_hardware(&facts, 0x1f5, 0, &error));
	facts.pci_device = 0x1234;
	CHECK(burn_guard_hardware(&facts, 0x190, 0xb0, &error));
	CHECK_STR(error.id, "hardware-unknown");
}

static void guard_psid(void)
{
	struct burn_psids psids = { .image = "MT_1200111023", .card = "DEL0A40000019" };
	struct burn_permits permits = { 0 };
	struct cxctl_error error;

	CHECK(burn_guard_psid(&psids, &permits, &error));
	CHECK_EQ(error.exit, CXCTL_REFUSED);
	/* both PSIDs, and whose they are */
	CHECK(strstr(error.found, "MT_1200111023") && strstr(error.found, "Mellanox"));
	CHECK(strstr(error.expected, "DEL0A40000019") && strstr(error.expected, "Dell"));
	psids.card = psids.image;
	CHECK(!burn_guard_psid(&psids, &permits, &error));
}

static void guard_version(void)
{
	struct image_facts image = { .version = { 2, 10, 720 } }, device = { .version = { 2, 9, 1000 } };
	struct burn_permits permits = { 0 };
	struct cxctl_error error;

	CHECK(!burn_guard_version(&image, &device, &permits, &error));
	CHECK(burn_guard_version(&device, &image, &permits, &error));
	CHECK_STR(error.id, "older-version");
	CHECK(strstr(error.next, "--downgrade"));
	permits.reburn = true;
	CHECK(burn_guard_version(&device, &image, &permits, &error));	/* one guard does not lift another */
	permits.downgrade = true;
	CHECK(!burn_guard_version(&device, &image, &permits, &error));
	permits.reburn = false;
	CHECK(burn_guard_version(&image, &image, &permits, &error));
	CHECK_STR(error.id, "same-version");
	permits.reburn = true;
	CHECK(!burn_guard_version(&image, &image, &permits, &error));
}

static void guard_format_and_flash(void)
{
	struct image_facts image = image_for(0x1f7, 0);
	struct cxfw_card_info info = { .hw_id = 0x1f7, .family = CXFW_FAMILY_MLX4, .flash_size = 0x200000 };
	struct cxctl_error error;

	CHECK(!burn_guard_format(&image, &info, &error));
	info.hw_id = 0x20d;
	CHECK(burn_guard_format(&image, &info, &error));
	info.hw_id = 0x1f7;
	image.place.format = IMAGE_FS4;
	CHECK(burn_guard_format(&image, &info, &error));
	CHECK_STR(error.id, "wrong-format");
	CHECK(burn_guard_flash(&info, &error));
	CHECK_STR(error.id, "flash-unknown");
	strcpy(info.flash_name, "W25QxxBV");
	CHECK(!burn_guard_flash(&info, &error));
	info.flash_size = 0;
	CHECK(burn_guard_flash(&info, &error));
	CHECK_EQ(error.exit, CXCTL_CARD_ERROR);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(guard_hardware),
	KTAP_TEST(guard_psid),
	KTAP_TEST(guard_version),
	KTAP_TEST(guard_format_and_flash),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
