// SPDX-License-Identifier: GPL-2.0-only
/* user/image/: what numbers and names mean. firmware-images.md 1.5, 5.5, 8. */
#include <string.h>

#include "../lib/ktap.h"
#include "../../user/image/image.h"
#include "../../user/image/ini.h"

static struct image_facts facts_of(enum image_format format, uint32_t major, uint32_t minor, uint32_t sub,
				   uint16_t hw_id)
{
	struct image_facts facts = { .place.format = format, .has = IMAGE_HAS_VERSION };

	facts.version[0] = major;
	facts.version[1] = minor;
	facts.version[2] = sub;
	if (hw_id) {
		facts.hw_ids[0].id = hw_id;
		facts.hw_id_count = 1;
	}
	return facts;
}

static void versions_of_one_family(void)
{
	struct image_facts old = facts_of(IMAGE_FS4, 16, 27, 2008, 0x20d);
	struct image_facts new = facts_of(IMAGE_FS4, 16, 35, 2000, 0x20d);

	CHECK_EQ(image_compare_versions(&old, &new), IMAGE_OLDER);
	CHECK_EQ(image_compare_versions(&new, &old), IMAGE_NEWER);
	CHECK_EQ(image_compare_versions(&new, &new), IMAGE_SAME);
	new.version[1] = 27;
	new.version[2] = 10000;		/* a number, not a text */
	CHECK_EQ(image_compare_versions(&old, &new), IMAGE_OLDER);
	/* a container's directory names no hardware ids */
	new.hw_id_count = 0;
	CHECK_EQ(image_compare_versions(&old, &new), IMAGE_OLDER);
	new.has = 0;
	CHECK_EQ(image_compare_versions(&old, &new), IMAGE_NOT_COMPARABLE);
	CHECK_EQ(image_compare_versions(&new, &old), IMAGE_NOT_COMPARABLE);
}

static void versions_of_two_families(void)
{
	struct image_facts five = facts_of(IMAGE_FS4, 16, 35, 2000, 0x20d);
	struct image_facts four_lx = facts_of(IMAGE_FS3, 14, 32, 1010, 0x20b);
	struct image_facts odd = facts_of(IMAGE_FS4, 16, 35, 2000, 0x20f);

	CHECK_EQ(image_compare_versions(&five, &four_lx), IMAGE_NOT_COMPARABLE);
	/* one major number, but chips that both know and do not share */
	CHECK_EQ(image_compare_versions(&five, &odd), IMAGE_NOT_COMPARABLE);
}

/* The three chips of FS2 share major version 2. */
static void versions_of_fs2(void)
{
	struct image_facts two = facts_of(IMAGE_FS2, 2, 9, 1000, 0x190);
	struct image_facts three = facts_of(IMAGE_FS2, 2, 42, 5000, 0x1f5);
	struct image_facts old_three = facts_of(IMAGE_FS2, 2, 10, 720, 0);
	struct image_facts of_fs4 = facts_of(IMAGE_FS4, 2, 42, 5000, 0x1f5);

	CHECK_EQ(image_compare_versions(&two, &three), IMAGE_NOT_COMPARABLE);
	CHECK_EQ(image_compare_versions(&three, &of_fs4), IMAGE_NOT_COMPARABLE);
	CHECK_EQ(image_compare_versions(&of_fs4, &three), IMAGE_NOT_COMPARABLE);
	/* an old image names the PCI id only */
	CHECK_EQ(image_compare_versions(&old_three, &three), IMAGE_NOT_COMPARABLE);
	old_three.pci_device = 0x1003;
	CHECK_EQ(image_compare_versions(&old_three, &three), IMAGE_OLDER);
	CHECK_EQ(image_compare_versions(&three, &old_three), IMAGE_NEWER);
	CHECK_EQ(image_compare_versions(&old_three, &old_three), IMAGE_SAME);
	old_three.pci_device = 0x1007;
	CHECK_EQ(image_compare_versions(&old_three, &three), IMAGE_NOT_COMPARABLE);
	/* a list of several: one in common is enough */
	three.hw_ids[1].id = 0x1f7;
	three.hw_id_count = 2;
	CHECK_EQ(image_compare_versions(&old_three, &three), IMAGE_OLDER);
	old_three.pci_device = 0x9999;
	CHECK_EQ(image_compare_versions(&old_three, &old_three), IMAGE_NOT_COMPARABLE);
}

static void distances(void)
{
	const char *wanted = "MT_1200111023";

	CHECK_EQ(image_psid_distance(wanted, wanted), 0);
	CHECK_EQ(image_psid_distance(wanted, "MT_1200111024"), 1);
	CHECK_EQ(image_psid_distance(wanted, "MT_120011102"), 1);
	CHECK_EQ(image_psid_distance(wanted, "MT_12001111023"), 1);
	CHECK_EQ(image_psid_distance("MT_1200111024", wanted), 1);
	CHECK_EQ(image_psid_distance("MT_0D90110009", "MT_0d90110009"), 1);
	/* the farthest of one vendor is nearer than the nearest of another */
	CHECK(image_psid_distance(wanted, "MT_9999999999999") < image_psid_distance(wanted, "HP_1200111023"));
	/* One company with two symbols; MT_ may be spelled nearer and is farther. */
	CHECK(image_psid_distance("HP_2420110034", "HPE0000000057") <
	      image_psid_distance("HP_2420110034", "MT_2420110034"));
	/* texts that people type */
	CHECK_EQ(image_psid_distance("", ""), 0);
	CHECK(image_psid_distance("", wanted) > 0);
	CHECK(image_psid_distance("MT_1200111023 and much more than a PSID can hold", wanted) > 0);
	CHECK(image_psid_distance("MT_12001110231234a", "MT_12001110231234b") > 0);
	CHECK_EQ(image_psid_distance("MT_12001110231234a", "MT_12001110231234a"), 0);
}

static void vendors(void)
{
	static const char *const of[][2] = {
		{ "MT_1200111023", "Mellanox" }, { "NVD0000000079", "NVIDIA" }, { "DEL09A0000009", "Dell" },
		{ "HPE0000000009", "HPE" },	 { "HP_2420110034", "HPE" },	{ "IBM0030000009", "IBM" },
		{ "LNV0000000025", "Lenovo" },	 { "MSF0000000047", "Microsoft" },
	};
	size_t i;

	for (i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		CHECK_STR(image_psid_vendor(of[i][0]), of[i][1]);
	CHECK(!image_psid_vendor("MTX0000000001"));
	CHECK(!image_psid_vendor("HP"));
}

static void chips(void)
{
	CHECK_STR(image_chip_name(0x190), "ConnectX-2");
	CHECK_STR(image_chip_name(0x1f7), "ConnectX-3 Pro");
	CHECK_STR(image_chip_name(0x1ff), "Connect-IB");
	CHECK_STR(image_chip_name(0x20b), "ConnectX-4 Lx");
	CHECK_STR(image_chip_name(0x218), "ConnectX-7");
	CHECK_STR(image_chip_name(0x21e), "ConnectX-8");
	CHECK_STR(image_chip_name(0x249), "Spectrum");
	CHECK_STR(image_chip_name(0x24e), "Spectrum-2");
	CHECK(!image_chip_name(0));
	CHECK(!image_chip_name(0x1003));
	CHECK_EQ(fs2_hw_id_of_pci(0x1003), 0x1f5);
	CHECK_EQ(fs2_hw_id_of_pci(0x1007), 0x1f7);
	CHECK_EQ(fs2_hw_id_of_pci(0x6778), 0x190);
	CHECK_EQ(fs2_hw_id_of_pci(0x1017), 0);	/* not of FS2 */
	CHECK_EQ(fs2_hw_id_of_pci(0), 0);
}

static void retagged_marks(void)
{
	static const char mark[] = "[ADAPTER]\nPSID = DEL09A0000009\n" INI_RETAGGED "MT_0D90110009\n";
	static const char last[] = INI_RETAGGED "MT_0D90110009";
	static const char inside[] = "[ADAPTER]\nName = x " INI_RETAGGED "MT_0D90110009\n";
	static const char two[] = INI_RETAGGED "MT_0D90110009\r\n" INI_RETAGGED "DEL09A0000009\n";
	static const char endless[] = INI_RETAGGED "MT_0D90110009MT_0D90110009MT_0D90110009";
	char from[17] = "untouched";

	CHECK(image_ini_retagged(mark, from));
	CHECK_STR(from, "MT_0D90110009");
	CHECK(image_ini_retagged(last, from));
	CHECK_STR(from, "MT_0D90110009");
	CHECK(image_ini_retagged(two, from));
	CHECK_STR(from, "MT_0D90110009");
	CHECK(image_ini_retagged(endless, from));
	CHECK_STR(from, "MT_0D90110009MT_");
	CHECK(!image_ini_retagged(inside, from));
	CHECK_STR(from, "");
	CHECK(!image_ini_retagged("", from));
	CHECK(!image_ini_retagged(";; cxctl\n", from));
}

static const struct ktap_test tests[] = {
	KTAP_TEST(versions_of_one_family),
	KTAP_TEST(versions_of_two_families),
	KTAP_TEST(versions_of_fs2),
	KTAP_TEST(distances),
	KTAP_TEST(vendors),
	KTAP_TEST(chips),
	KTAP_TEST(retagged_marks),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
