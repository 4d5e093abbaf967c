// SPDX-License-Identifier: GPL-2.0-only
/* Answers of a real ConnectX-5 Ex: Documentation/reference/device-access.md 4.1, 4.2. */
#include <string.h>

#include "../../user/device/registers.h"
#include "../../user/image/image.h"
#include "../lib/ktap.h"

static void fill_real_mgir(uint8_t *bytes)
{
	memset(bytes, 0, MGIR_BYTES);
	be32_put(bytes, 0x00, 0x00001019);
	be32_put(bytes, 0x04, 0x00021000);
	be32_put(bytes, 0x08, 0x0000020d);
	be32_put(bytes, 0x10, 0x000002c9);
	be32_put(bytes, 0x14, 0x00a10d00);
	be32_put(bytes, 0x1c, 4711);
	be32_put(bytes, 0x28, 0x12222024);
	be32_put(bytes, 0x2c, 0x00000020);
	memcpy(bytes + 0x30, "MT_0000000013", 13);
	be32_put(bytes, 0x44, 0x10);
	be32_put(bytes, 0x48, 0x23);
	be32_put(bytes, 0x4c, 0x119a);
	be32_put(bytes, 0x64, 0x11320000);
	be32_put(bytes, 0x68, 0x03060386);
	be32_put(bytes, 0x6c, 0x0e1d000f);
}

static void mgir_of_a_real_card(void)
{
	uint8_t bytes[MGIR_BYTES];
	struct mgir mgir;
	char text[64];

	fill_real_mgir(bytes);
	mgir_decode(bytes, &mgir);
	CHECK_EQ(mgir.pci_device, 0x1019);
	CHECK_EQ(mgir.hw_id, 0x20d);
	CHECK_EQ(mgir.ports, 2);
	CHECK_EQ(mgir.version[0], 16);
	CHECK_EQ(mgir.version[1], 35);
	CHECK_EQ(mgir.version[2], 4506);
	CHECK(!mgir.version_legacy);
	CHECK_EQ(mgir.date, 0x20241222);
	CHECK_EQ(mgir.uptime, 4711);
	CHECK_EQ(mgir.base_mac, 0x02c900a10d00ULL);
	CHECK_STR(mgir.psid, "MT_0000000013");
	CHECK_EQ(mgir.roms[0].type, 1);
	CHECK_STR(mgir_rom_name(mgir.roms[0].type), "PXE");
	CHECK_STR(mgir_rom_cpu(mgir.roms[0].cpu), "AMD64");
	CHECK_EQ(mgir.roms[0].version[2], 902);
	CHECK_STR(mgir_rom_name(mgir.roms[1].type), "UEFI");
	CHECK_STR(mgir_rom_cpu(mgir.roms[1].cpu), "AMD64,AARCH64");
	CHECK_EQ(mgir.roms[1].version[0], 14);
	CHECK_EQ(mgir.roms[1].version[1], 29);
	CHECK_EQ(mgir.roms[1].version[2], 15);
	CHECK_EQ(mgir.roms[2].type, 0);
	mgir_security_text(&mgir, text, sizeof(text));
	CHECK_STR(text, "N/A");
	CHECK_STR(life_cycle_name(mgir.life_cycle), "production");
}

static void mgir_of_old_firmware(void)
{
	uint8_t bytes[MGIR_BYTES];
	struct mgir mgir;

	fill_real_mgir(bytes);
	be32_put(bytes, 0x44, 0);
	be32_put(bytes, 0x48, 0);
	be32_put(bytes, 0x4c, 0);
	be32_put(bytes, 0x20, 0x000c1702);
	mgir_decode(bytes, &mgir);
	CHECK(mgir.version_legacy);
	CHECK_EQ(mgir.version[0], 12);
	CHECK_EQ(mgir.version[1], 23);
	CHECK_EQ(mgir.version[2], 2);
}

static void mgir_with_no_end_of_text(void)
{
	uint8_t bytes[MGIR_BYTES];
	struct mgir mgir;

	memset(bytes, 'A', sizeof(bytes));
	mgir_decode(bytes, &mgir);
	CHECK_EQ(strlen(mgir.psid), 16);
	CHECK_EQ(strlen(mgir.branch), 28);
}

static void security_attributes(void)
{
	static const struct {
		uint32_t bits;
		const char *text;
	} cases[] = {
		{ 1U << 24, "secure-fw" },
		{ 1U << 25, "signed-fw" },
		{ 1U << 24 | 1U << 25, "secure-fw" },
		{ 1U << 24 | 1U << 25 | 1U << 26, "secure-fw, debug" },
		{ 1U << 25 | 1U << 27, "signed-fw, dev" },
		{ 1U << 26 | 1U << 27, "debug, dev" },
		{ 1U << 27, "dev" },
		{ 0, "N/A" },
	};
	uint8_t bytes[MGIR_BYTES];
	struct mgir mgir;
	char text[64];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fill_real_mgir(bytes);
		be32_put(bytes, 0x20, cases[i].bits);
		mgir_decode(bytes, &mgir);
		mgir_security_text(&mgir, text, sizeof(text));
		CHECK_STR(text, cases[i].text);
	}
}

static void mcqi_version_of_a_real_card(void)
{
	uint8_t bytes[MCQI_BYTES];
	struct mcqi_version version;

	mcqi_request(bytes, 0, MCQI_VERSION, true);
	CHECK_EQ(be32_at(bytes, 0), 0x80000000);
	be32_put(bytes, 0x0c, 0x34);
	be32_put(bytes, 0x14, 0x34);
	be32_put(bytes, 0x18, 0x20000010);
	be32_put(bytes, 0x1c, 0x1023119a);
	be32_put(bytes, 0x20, 0x55222000);
	be32_put(bytes, 0x24, 0x20241222);
	memcpy(bytes + 0x38, "16.35.4506", 10);
	REQUIRE(mcqi_version_decode(bytes, &version));
	CHECK_EQ(version.version[0], 16);
	CHECK_EQ(version.version[1], 35);
	CHECK_EQ(version.version[2], 4506);
	CHECK_EQ(version.date, 0x20241222);
	CHECK_EQ(version.time, 0x202255);
	CHECK_STR(version.text, "16.35.4506");

	mcqi_request(bytes, 0, MCQI_CAPABILITIES, false);
	CHECK(!mcqi_version_decode(bytes, &version));
}

static void mcqi_with_a_hostile_length(void)
{
	uint8_t bytes[MCQI_BYTES];
	struct mcqi_version version;

	memset(bytes, 'B', sizeof(bytes));
	be32_put(bytes, 0x08, MCQI_VERSION);
	be32_put(bytes, 0x14, 0xffff);
	be32_put(bytes, 0x18, 0x200000ff);
	REQUIRE(mcqi_version_decode(bytes, &version));
	CHECK_EQ(strlen(version.text), 92);
}

static void mcam_in_descending_order(void)
{
	uint8_t bytes[MCAM_BYTES] = { 0 };

	be32_put(bytes, 0x08, 0x8000001f);
	be32_put(bytes, 0x0c, 0x1e5f060f);
	be32_put(bytes, 0x10, 0x04f93f31);
	be32_put(bytes, 0x14, 0x80970600);
	CHECK(mcam_has(bytes, 0x9060));
	CHECK(mcam_has(bytes, 0x9064));
	CHECK(!mcam_has(bytes, 0x9065));
	CHECK(mcam_has(bytes, 0x907f));
	CHECK(mcam_has(bytes, 0x9020));
	CHECK(mcam_has(bytes, 0x9011));
	CHECK(mcam_has(bytes, 0x9059));
	CHECK(!mcam_has(bytes, 0x9013));
	CHECK(!mcam_has(bytes, 0x9110));
}

static void vendors_of_psids(void)
{
	static const struct {
		const char *psid, *vendor;
	} cases[] = {
		{ "MT_1200111023", "Mellanox" },
		{ "DEL09A0000009", "Dell" },
		{ "HP_2420110034", "HPE" },
		{ "IBM0030000009", "IBM" },
		{ "LNV2180110032", "Lenovo" },
		{ "NVD0000000079", "NVIDIA" },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK_STR(image_psid_vendor(cases[i].psid), cases[i].vendor);
	CHECK(!image_psid_vendor("7359059"));
	CHECK(!image_psid_vendor(""));
}

int main(int argc, char **argv)
{
	static const struct ktap_test tests[] = {
		KTAP_TEST(mgir_of_a_real_card),
		KTAP_TEST(mgir_of_old_firmware),
		KTAP_TEST(mgir_with_no_end_of_text),
		KTAP_TEST(security_attributes),
		KTAP_TEST(mcqi_version_of_a_real_card),
		KTAP_TEST(mcqi_with_a_hostile_length),
		KTAP_TEST(mcam_in_descending_order),
		KTAP_TEST(vendors_of_psids),
	};

	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
