// SPDX-License-Identifier: GPL-2.0-only
/*
 * The newer simulated cards: firmware that keeps its flash to itself, component updates
 * in every mood, the SPI gateway of generation 6, the root port, and a second host.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/ktap.h"
#include "../../kmod/cxsim/model/card.h"

#define MFPA	0x9010
#define MFBA	0x9011
#define MGIR	0x9020
#define MFRL	0x9028
#define MROQ	0x902f
#define MPIR	0x9059
#define MCQI	0x9061
#define MCC	0x9062
#define MCDA	0x9063
#define GET	1
#define SET	2

enum { LOCK = 1, RELEASE, UPDATE, VERIFY, ACTIVATE = 6, CANCEL = 8, FORCE_RELEASE = 0xa };
enum { IDLE, LOCKED, INITIALIZE, DOWNLOAD, VERIFYING, ACTIVATING = 6 };

static void *zeroed(size_t bytes)
{
	return calloc(1, bytes);
}

static const struct cxsim_host host = { .alloc = zeroed, .free = free };

static struct cxsim_card *card_of(const struct cxsim_parameters *parameters)
{
	struct cxsim_card *card;
	char why[160] = "";

	card = cxsim_card_create(parameters, &host, why);
	if (!card)
		printf("# %s\n", why);
	if (!card)
		exit(1);
	cxsim_set(card, CXSIM_FLASH_TIME, 2);
	return card;
}

static u32 packet[128];

/* Straight into the firmware: how the mailbox is reached is another test's business. */
static u32 access_register(struct cxsim_card *card, u32 id, u32 method, const u32 *reg, unsigned int dwords)
{
	u32 ignored;

	memset(packet, 0, sizeof(packet));
	packet[0] = 0x08040000;
	packet[1] = id << 16 | method << 8 | 1;
	packet[4] = 0x18000000 | (dwords + 1) << 16;
	memcpy(&packet[5], reg, 4 * dwords);
	CHECK(cxsim_register_packet(card, packet, ARRAY_SIZE(packet), &ignored));
	return packet[0] >> 8 & 0x7f;
}

static u32 state, error, handle, owner;

static u32 mcc(struct cxsim_card *card, u32 method, u32 instruction, u32 size)
{
	u32 reg[8] = { instruction, 0, handle, 0, size };
	u32 status = access_register(card, MCC, method, reg, 8);

	if (status)
		return status;
	handle = packet[7] & 0xffffff;
	state = packet[8] & 0xf;
	error = packet[8] >> 8 & 0xff;
	owner = packet[8] >> 28;
	return 0;
}

static u32 send_block(struct cxsim_card *card, const u8 *image, u32 at, u32 length)
{
	u32 reg[4 + 64] = { handle, at, length }, i;

	for (i = 0; i < length; i++)
		reg[4 + i / 4] |= (u32)image[at + i] << 8 * (i & 3);
	return access_register(card, MCDA, SET, reg, ARRAY_SIZE(reg));
}

static void send_image(struct cxsim_card *card, const u8 *image, u32 length)
{
	u32 at;

	for (at = 0; at < length; at += 256)
		REQUIRE(send_block(card, image, at, length - at < 256 ? length - at : 256) == 0);
}

static u32 look(struct cxsim_card *card)
{
	return mcc(card, GET, 0, 0);
}

/* How many looks it takes until the state is there. */
static unsigned int looks_until(struct cxsim_card *card, u32 wanted)
{
	unsigned int looks;

	for (looks = 0; state != wanted && looks < 100; looks++)
		CHECK_EQ(look(card), 0);
	return looks;
}

/* The image of another version as tools send it: no magic, no device data. */
static u8 *component(const char *model, u32 signature, u32 *length)
{
	struct cxsim_parameters parameters = {
		.model = model, .version = "20.40.1000", .seed = 9, .code_size = 4096, .flash_size = 0x400000,
		.signature = signature,
	};
	struct cxsim_card *card = card_of(&parameters);
	u32 size;
	u8 *image;

	*length = card->facts.length;
	image = malloc(*length);
	memcpy(image, cxsim_flash(card, &size), *length);
	memset(image, 0xff, 16);
	cxsim_card_destroy(card);
	return image;
}

static struct cxsim_card *small_card(const char *model)
{
	struct cxsim_parameters parameters = {
		.model = model, .seed = 5, .code_size = 4096, .flash_size = 0x400000,
	};

	handle = 0;
	state = IDLE;
	return card_of(&parameters);
}

static void begin(struct cxsim_card *card, u32 length)
{
	handle = 0;
	CHECK_EQ(look(card), 0);
	CHECK_EQ(mcc(card, SET, LOCK, 0), 0);
	looks_until(card, LOCKED);
	CHECK_EQ(mcc(card, SET, UPDATE, length), 0);
	looks_until(card, DOWNLOAD);
}

/* The error code of VERIFY for an image. */
static u32 verdict(struct cxsim_card *card, const u8 *image, u32 length)
{
	begin(card, length);
	send_image(card, image, length);
	CHECK_EQ(mcc(card, SET, VERIFY, 0), 0);
	looks_until(card, LOCKED);
	return error;
}

static void secure_flash_is_closed(void)
{
	struct cxsim_card *card = small_card("connectx6");
	u32 reg[40] = { 0, 128 };

	CHECK_EQ(access_register(card, MFPA, GET, reg, 8), 4);
	CHECK_EQ(access_register(card, MFBA, GET, reg, 35), 4);
	CHECK_EQ(access_register(card, MFBA, SET, reg, 35), 4);
	CHECK_EQ(cxsim_cr_read(card, 0xf0400), 0xbadacce5);
	cxsim_cr_write(card, 0xf0400, 0xc09f0215);
	CHECK_EQ(cxsim_count(card, CXSIM_SPI_READS), 0);
	CHECK_EQ(cxsim_cr_read(card, 0xf0060) & 3, CXSIM_GA_SECURED);
	CHECK_EQ(access_register(card, MGIR, GET, reg, 40), 0);
	CHECK_EQ(packet[5 + 0x20 / 4] >> 24, 3);
	CHECK_EQ(packet[5 + 0x54 / 4], CXSIM_GA_SECURED);
	cxsim_card_destroy(card);
}

/* Without firmware the gateway is open: that is how such a card is brought back. */
static void secure_recovery_is_open(void)
{
	struct cxsim_parameters parameters = { .model = "connectx6", .flash_size = 0x400000, .empty = true };
	struct cxsim_card *card = card_of(&parameters);

	CHECK(cxsim_booted(card)->recovery);
	CHECK_EQ(cxsim_config_read(card, 0, 0, 4), 0x020f15b3);
	CHECK_EQ(cxsim_cr_read(card, 0xf0400) & 0x80000000, 0);
	CHECK_EQ(cxsim_cr_read(card, 0xf0400) & 0x80000000, 0x80000000);
	cxsim_card_destroy(card);
}

static void secure_judges_signatures(void)
{
	struct cxsim_card *card = small_card("connectx6");
	struct cxsim_parameters other = { .model = "connectx6", .psid = "MT_0000000224", .seed = 3,
					  .code_size = 4096, .flash_size = 0x400000 };
	struct cxsim_card *donor = card_of(&other);
	u32 length, size;
	u8 *image = component("connectx6", 1, &length);

	CHECK_EQ(verdict(card, image, length), 6);		/* unsigned */
	CHECK_EQ(mcc(card, SET, ACTIVATE, 0), 7);
	CHECK_EQ(mcc(card, SET, RELEASE, 0), 0);
	free(image);

	image = component("connectx6", 2, &length);
	image[0x100] ^= 1;					/* the boot record: no CRC covers it, the digest does */
	CHECK_EQ(verdict(card, image, length), 2);
	CHECK_EQ(mcc(card, SET, RELEASE, 0), 0);
	image[0x100] ^= 1;
	CHECK_EQ(verdict(card, image, length), 0);
	CHECK_EQ(mcc(card, SET, ACTIVATE, 0), 0);
	CHECK_EQ(mcc(card, SET, RELEASE, 0), 0);
	cxsim_reset(card, CXSIM_RESET_POWER);
	CHECK_EQ(cxsim_booted(card)->version[1], 40);
	CHECK(cxsim_booted(card)->whole);
	free(image);

	image = malloc(donor->facts.length);
	memcpy(image, cxsim_flash(donor, &size), donor->facts.length);
	memset(image, 0xff, 16);
	CHECK_EQ(verdict(card, image, donor->facts.length), 3);	/* another board's */
	free(image);
	cxsim_card_destroy(donor);
	cxsim_card_destroy(card);
}

static void late_and_immediate(void)
{
	struct cxsim_card *card = small_card("connectx6-open");
	u32 length;
	u8 *image = component("connectx6-open", 2, &length);

	CHECK(cxsim_set(card, CXSIM_MCC_IMMEDIATE, 1));
	CHECK_EQ(look(card), 0);
	CHECK_EQ(mcc(card, SET, LOCK, 0), 0);
	CHECK_EQ(owner, 5);
	CHECK_EQ(mcc(card, SET, UPDATE, length), 0);
	CHECK_EQ(state, DOWNLOAD);
	CHECK_EQ(mcc(card, SET, CANCEL, 0), 0);
	CHECK_EQ(state, LOCKED);
	CHECK_EQ(mcc(card, SET, RELEASE, 0), 0);

	CHECK(cxsim_set(card, CXSIM_MCC_IMMEDIATE, 0));
	CHECK(cxsim_set(card, CXSIM_MCC_LATE, 3));
	handle = 0;
	CHECK_EQ(look(card), 0);
	CHECK_EQ(mcc(card, SET, LOCK, 0), 0);
	CHECK_EQ(state, IDLE);
	CHECK_EQ(mcc(card, SET, UPDATE, length), 7);		/* too early */
	CHECK_EQ(looks_until(card, LOCKED), 3);
	CHECK_EQ(mcc(card, SET, UPDATE, length), 0);
	CHECK_EQ(state, INITIALIZE);
	CHECK_EQ(looks_until(card, DOWNLOAD), 4);
	send_image(card, image, length);
	CHECK_EQ(mcc(card, SET, VERIFY, 0), 0);
	CHECK_EQ(state, VERIFYING);
	CHECK_EQ(looks_until(card, LOCKED), 3);
	CHECK_EQ(error, 0);
	CHECK_EQ(mcc(card, SET, ACTIVATE, 0), 0);
	CHECK_EQ(state, ACTIVATING);
	CHECK_EQ(looks_until(card, LOCKED), 3);
	free(image);
	cxsim_card_destroy(card);
}

static void busy_and_broken(void)
{
	struct cxsim_card *card = small_card("connectx7");
	u32 length;
	u8 *image = component("connectx7", 2, &length);

	CHECK(cxsim_set(card, CXSIM_MCC_BUSY, 2));
	CHECK_EQ(look(card), 0);
	CHECK_EQ(mcc(card, SET, LOCK, 0), 8);
	CHECK(cxsim_set(card, CXSIM_MCC_BUSY_STATUS, 1));
	CHECK_EQ(mcc(card, SET, LOCK, 0), 1);
	CHECK_EQ(mcc(card, SET, LOCK, 0), 0);
	CHECK_EQ(mcc(card, SET, RELEASE, 0), 0);

	CHECK(cxsim_set(card, CXSIM_MCC_ERROR, 0x10));
	CHECK(cxsim_set(card, CXSIM_MCC_ERROR_AT, VERIFY));
	CHECK_EQ(verdict(card, image, length), 0x10);
	CHECK_EQ(mcc(card, SET, RELEASE, 0), 0);
	CHECK(cxsim_set(card, CXSIM_MCC_ERROR_AT, ACTIVATE));
	CHECK_EQ(verdict(card, image, length), 0);
	CHECK_EQ(mcc(card, SET, ACTIVATE, 0), 0);
	CHECK_EQ(error, 0x10);
	CHECK_EQ(mcc(card, SET, RELEASE, 0), 0);
	cxsim_reset(card, CXSIM_RESET_POWER);
	CHECK_EQ(cxsim_booted(card)->version[0], 28);		/* nothing was activated */
	CHECK_EQ(cxsim_booted(card)->version[1], 39);

	CHECK(cxsim_set(card, CXSIM_MCC_ERROR_AT, 0));
	CHECK(cxsim_set(card, CXSIM_MCDA_FAIL, 3));
	begin(card, length);
	CHECK_EQ(send_block(card, image, 0, 128), 0);
	CHECK_EQ(send_block(card, image, 128, 128), 0);
	CHECK_EQ(send_block(card, image, 256, 128), 7);
	free(image);
	cxsim_card_destroy(card);
}

static void taken_away(void)
{
	struct cxsim_card *card = small_card("connectx6");
	u32 length;
	u8 *image = component("connectx6", 2, &length);

	begin(card, length);
	CHECK(cxsim_set(card, CXSIM_MCC_OWNER, 3));
	CHECK_EQ(send_block(card, image, 0, 128), 7);
	CHECK(mcc(card, SET, VERIFY, 0) != 0);
	handle = 0;
	CHECK_EQ(look(card), 0);
	CHECK_EQ(state, LOCKED);
	CHECK_EQ(owner, 3);
	CHECK_EQ(mcc(card, SET, LOCK, 0), 8);
	CHECK_EQ(mcc(card, SET, RELEASE, 0), 8);
	CHECK(cxsim_set(card, CXSIM_MCC_OWNER, 0));
	handle = 0;
	CHECK_EQ(look(card), 0);
	CHECK_EQ(state, IDLE);
	free(image);
	cxsim_card_destroy(card);
}

/* JEDEC id by the registers of generation 6: size in bytes, lock by a read, two enables off. */
static void spi_generation_6(void)
{
	struct cxsim_card *card = small_card("connectx7");

	CHECK(cxsim_set(card, CXSIM_GUARD_OFF, 1));
	cxsim_reset(card, CXSIM_RESET_POWER);
	CHECK_EQ(cxsim_cr_read(card, 0xf0484), 0);
	CHECK_EQ(cxsim_cr_read(card, 0xf0400) >> 31, 0);
	cxsim_cr_write(card, 0xf0440, 0);
	cxsim_cr_write(card, 0xf0480, 0);
	cxsim_cr_write(card, 0xf0400, 0xc09f0415);
	while (cxsim_cr_read(card, 0xf0400) & 0x40000000)
		;
	CHECK_EQ(cxsim_cr_read(card, 0xf0410) >> 8, cxsim_chip_jedec(card));
	CHECK_EQ(cxsim_count(card, CXSIM_FOUL), 0);
	CHECK_EQ(cxsim_cr_read(card, 0xf0000) >> 4 & 3, CXSIM_GA_NON_SECURED);
	cxsim_card_destroy(card);
}

static u32 link_control(struct cxsim_card *card)
{
	return cxsim_port_read(card, 0, 0x50, 4);
}

static bool answers(struct cxsim_card *card, unsigned int function)
{
	return cxsim_config_read(card, function, 0, 4) != 0xffffffff;
}

static void toggle_link(struct cxsim_card *card)
{
	cxsim_port_write(card, 0, 0x50, 2, 0x10);
	CHECK(!answers(card, 0));
	CHECK_EQ(link_control(card) & 0x20000000, 0);
	cxsim_advance(card, 500000000);
	cxsim_port_write(card, 0, 0x50, 2, 0);
	cxsim_advance(card, 1000000000);
	CHECK_EQ(link_control(card) & 0x20000000, 0x20000000);
	CHECK(answers(card, 0));
}

static void root_port(void)
{
	struct cxsim_card *card = small_card("connectx5");
	u32 arm[2] = { 0, 0x08 }, roq[8] = { 0x08 };
	u64 booted = card->booted_at;

	CHECK_EQ(cxsim_port_read(card, 0, 0x08, 4) >> 16, 0x0604);
	CHECK_EQ(cxsim_port_read(card, 0, 0x18, 4), 0x00010100);
	CHECK_EQ(cxsim_port_read(card, 0, 0x42, 2), 0x0042);	/* a root port, without a slot */
	cxsim_advance(card, 1000000);
	toggle_link(card);
	CHECK_EQ(card->booted_at, booted);			/* the firmware went on */
	CHECK_EQ(access_register(card, MFRL, SET, arm, 2), 0);
	toggle_link(card);
	CHECK(card->booted_at != booted);
	CHECK_EQ(card->reset_trigger, 0);

	booted = card->booted_at;
	CHECK_EQ(access_register(card, MFRL, SET, arm, 2), 0);
	cxsim_port_write(card, 0, 0x3e, 2, 0x40);		/* secondary bus reset */
	cxsim_port_write(card, 0, 0x3e, 2, 0);
	CHECK(card->booted_at != booted);
	CHECK(cxsim_set(card, CXSIM_MFRL_LEVELS, 0x40));
	CHECK_EQ(access_register(card, MFRL, SET, arm, 2), 7);
	CHECK_EQ(access_register(card, MROQ, GET, roq, 8), 4);	/* not on a ConnectX-5 */
	cxsim_card_destroy(card);
	card = small_card("connectx7");
	CHECK_EQ(access_register(card, MROQ, GET, roq, 8), 0);
	CHECK_EQ(packet[5], 0x030b0008);
	cxsim_card_destroy(card);
}

static void second_host(void)
{
	struct cxsim_card *card = small_card("connectx6-open");
	u32 zero[4] = { 0 };

	CHECK(!answers(card, CXSIM_SECOND_HOST));
	cxsim_second_host(card, true);
	CHECK_EQ(cxsim_second_functions(card), 2);
	CHECK(answers(card, CXSIM_SECOND_HOST + 1));
	CHECK_EQ(access_register(card, MPIR, GET, zero, 4), 0);
	CHECK_EQ(packet[5] & 0xf, 2);			/* host buses */
	CHECK_EQ(packet[8], 1 << 24);
	CHECK(answers(card, 0));
	CHECK_EQ(access_register(card, MPIR, GET, zero, 4), 0);
	CHECK_EQ(packet[8], 0);
	/* One host's link does not touch the other. */
	cxsim_port_write(card, 0, 0x50, 2, 0x10);
	CHECK(!answers(card, 0));
	CHECK(answers(card, CXSIM_SECOND_HOST));
	cxsim_second_host(card, false);
	CHECK(!answers(card, CXSIM_SECOND_HOST));
	cxsim_card_destroy(card);
}

static void stuck_invalidation(void)
{
	struct cxsim_card *card = small_card("connectx5");
	u32 reg[3 + 32] = { 0, 128, 0 }, size, i;
	u8 *cells = cxsim_flash(card, &size);

	for (i = 1; i < 32; i++)
		reg[3 + i] = 0xffffffff;
	card->semaphore_program = 1;
	CHECK(cxsim_set(card, CXSIM_INVALIDATE_TIMEOUT, 1));
	CHECK_EQ(access_register(card, MFBA, SET, reg, 35), 0);
	CHECK_EQ(cells[0], 0x4d);
	CHECK(card->firmware_busy_until > cxsim_time(card));
	CHECK_EQ(access_register(card, MFBA, SET, reg, 35), 0);
	CHECK_EQ(cells[0], 0);
	cxsim_card_destroy(card);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(secure_flash_is_closed), KTAP_TEST(secure_recovery_is_open), KTAP_TEST(secure_judges_signatures),
	KTAP_TEST(late_and_immediate), KTAP_TEST(busy_and_broken), KTAP_TEST(taken_away),
	KTAP_TEST(spi_generation_6), KTAP_TEST(root_port), KTAP_TEST(second_host),
	KTAP_TEST(stuck_invalidation),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, ARRAY_SIZE(tests));
}
