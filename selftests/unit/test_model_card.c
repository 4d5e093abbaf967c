// SPDX-License-Identifier: GPL-2.0-only
/*
 * The simulated card as tools and drivers see it. What is asserted stands in
 * Documentation/reference/device-access.md; its sections are named in brackets.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/ktap.h"
#include "../../kmod/cxsim/model/model.h"

#define ABSENT 0xffffffffU

enum { LEGACY = 0x58, VSC = 0xc0, CONTROL = 4, COUNTER = 8, SEMAPHORE = 0xc, ADDRESS = 0x10, DATA = 0x14 };
enum { SPACE_CR = 2, SPACE_ICMD = 3, SPACE_SEMAPHORE = 0xa };

static void *zeroed(size_t bytes)
{
	return calloc(1, bytes);
}

static struct cxsim_card *card_of(const struct cxsim_parameters *parameters)
{
	const struct cxsim_host host = { .alloc = zeroed, .free = free };
	char why[160] = "";
	struct cxsim_card *card = cxsim_card_create(parameters, &host, why);

	if (!card) {
		printf("# %s\n", why);
		exit(1);
	}
	return card;
}

static struct cxsim_card *model_card(const char *model)
{
	const struct cxsim_parameters parameters = { .model = model, .seed = 7 };

	return card_of(&parameters);
}

static struct cxsim_card *empty_card(const char *model)
{
	const struct cxsim_parameters parameters = { .model = model, .seed = 7, .empty = true };

	return card_of(&parameters);
}

static u32 rd(struct cxsim_card *card, unsigned int where)
{
	return cxsim_config_read(card, 0, where, 4);
}

static void wr(struct cxsim_card *card, unsigned int where, u32 value)
{
	cxsim_config_write(card, 0, where, 4, value);
}

static u32 vsc_transfer(struct cxsim_card *card, u32 address, u32 flag)
{
	int polls;

	wr(card, VSC + ADDRESS, address | flag);
	for (polls = 0; polls < 2000; polls++)
		if ((rd(card, VSC + ADDRESS) & 0x80000000) != flag)
			return rd(card, VSC + DATA);
	ktap_fail(__FILE__, __LINE__, "the flag never turned");
	return 0;
}

static bool vsc_take(struct cxsim_card *card)
{
	u32 ticket;
	int tries;

	for (tries = 0; tries < 10000; tries++) {
		if (rd(card, VSC + SEMAPHORE))
			continue;
		ticket = rd(card, VSC + COUNTER);
		wr(card, VSC + SEMAPHORE, ticket);
		if (rd(card, VSC + SEMAPHORE) == ticket)
			return true;
	}
	return false;
}

static u32 vsc_read(struct cxsim_card *card, u32 space, u32 address)
{
	u32 value;

	CHECK(vsc_take(card));
	wr(card, VSC + CONTROL, space);
	value = vsc_transfer(card, address, 0);
	wr(card, VSC + SEMAPHORE, 0);
	return value;
}

static void vsc_write(struct cxsim_card *card, u32 space, u32 address, u32 value)
{
	CHECK(vsc_take(card));
	wr(card, VSC + CONTROL, space);
	wr(card, VSC + DATA, value);
	vsc_transfer(card, address, 0x80000000);
	wr(card, VSC + SEMAPHORE, 0);
}

/* One ICMD command with its semaphore; the control dword, 0 when it never ends. */
static u32 icmd(struct cxsim_card *card, u32 opcode, u32 *mailbox, unsigned int dwords)
{
	u32 control = 0;
	unsigned int i;

	vsc_write(card, SPACE_SEMAPHORE, 0, 0x4711);
	CHECK_EQ(vsc_read(card, SPACE_SEMAPHORE, 0), 0x4711);
	for (i = 0; i < dwords; i++)
		vsc_write(card, SPACE_ICMD, 0x100000 + 4 * i, mailbox[i]);
	vsc_write(card, SPACE_ICMD, 0, opcode << 16 | 1);
	for (i = 0; i < 5000; i++) {
		control = vsc_read(card, SPACE_ICMD, 0);
		if (!(control & 1))
			break;
		cxsim_advance(card, 1000000);
	}
	if (control & 1)
		control = 0;
	for (i = 0; control && i < dwords; i++)
		mailbox[i] = vsc_read(card, SPACE_ICMD, 0x100000 + 4 * i);
	vsc_write(card, SPACE_SEMAPHORE, 0, 0);
	return control;
}

static u32 packet[64];

/* One access register; its status, or 0x100 + the ICMD status. reg stays in packet[5 ...]. */
static u32 reg_access(struct cxsim_card *card, u32 id, u32 method, const u32 *reg, unsigned int dwords)
{
	u32 control;

	memset(packet, 0, sizeof(packet));
	packet[0] = 0x08040000;
	packet[1] = id << 16 | method << 8 | 1;
	packet[4] = 0x18000000 | (dwords + 1) << 16;
	memcpy(&packet[5], reg, 4 * dwords);
	control = icmd(card, 0x9001, packet, dwords + 5);
	if (control >> 8 & 0xff || !control)
		return 0x100 | (control >> 8 & 0xff);
	CHECK_EQ(packet[1], id << 16 | method << 8 | 1);	/* the response bit stays 0 */
	return packet[0] >> 8 & 0x7f;
}

static void identities(void)
{
	static const struct {
		const char *model;
		u32 id, class_revision, recovery_id;
		unsigned int functions;
		u8 chain[6];
	} expected[] = {
		{ "connectx2", 0x673c15b3, 0x0c0600b0, 0x019115b3, 1, { 0x40, 0x48, 0x9c, 0x60 } },
		{ "connectx3", 0x100315b3, 0x02800000, 0x01f615b3, 1, { 0x40, 0x48, 0x9c, 0x60 } },
		{ "connectx3-vsc", 0x100315b3, 0x02800000, 0x01f615b3, 1, { 0x40, 0x48, 0x9c, 0x60, 0xc0 } },
		{ "connectx3pro-vsc", 0x100715b3, 0x02000000, 0x01f815b3, 1, { 0x40, 0x48, 0x9c, 0x60, 0xc0 } },
		{ "connectx5", 0x101715b3, 0x02000000, 0x020d15b3, 2, { 0x60, 0x48, 0x9c, 0xc0, 0x40 } },
		{ "unknown-vsc", 0x10f915b3, 0x02000000, 0x02f915b3, 1, { 0x60, 0x48, 0x9c, 0xc0, 0x40 } },
		{ "unknown", 0x10fb15b3, 0x02000000, 0x02fb15b3, 1, { 0x60, 0x48, 0x9c, 0x40 } },
	};
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(expected); i++) {
		struct cxsim_card *card = model_card(expected[i].model);
		u32 at = cxsim_config_read(card, 0, 0x34, 1);

		ktap_note("%s", expected[i].model);
		CHECK_EQ(rd(card, 0), expected[i].id);
		CHECK_EQ(rd(card, 8), expected[i].class_revision);
		CHECK_EQ(cxsim_functions(card), expected[i].functions);
		for (j = 0; j < 6 && expected[i].chain[j]; j++) {
			CHECK_EQ(at, expected[i].chain[j]);
			at = cxsim_config_read(card, 0, at + 1, 1);
		}
		CHECK_EQ(at, 0);
		CHECK_EQ(cxsim_config_read(card, cxsim_functions(card), 0, 4), ABSENT);
		cxsim_card_destroy(card);

		card = empty_card(expected[i].model);
		CHECK(cxsim_booted(card)->recovery);
		CHECK_EQ(rd(card, 0), expected[i].recovery_id);
		CHECK_EQ(rd(card, 8), 0x05800000);
		CHECK_EQ(rd(card, 0x2c), expected[i].recovery_id);
		CHECK_EQ(cxsim_functions(card), 1);
		CHECK_EQ(rd(card, 0xc0), 0);
		cxsim_card_destroy(card);
	}
}

static void real_bytes(void)
{
	struct cxsim_card *card = model_card("connectx5");

	/* [10.2], the dump of a real card, where this model has the same */
	CHECK_EQ(rd(card, 0x40), 0x81c30001);
	CHECK_EQ(rd(card, 0x60), 0x00024810);
	CHECK_EQ(rd(card, 0x64), 0x11e08fe2);
	CHECK_EQ(rd(card, 0x9c), 0x003fc011);
	CHECK_EQ(rd(card, 0xa0), 0x00002000);
	CHECK_EQ(rd(card, 0xa4), 0x00003000);
	CHECK_EQ(rd(card, 0xc0), 0x00184009);
	CHECK_EQ(rd(card, 0x58), 0);
	CHECK_EQ(rd(card, 0x5c), 0x01002000);
	CHECK_EQ(rd(card, 0x10), 0);
	wr(card, 0x10, ABSENT);
	CHECK_EQ(rd(card, 0x10), 0);
	CHECK_EQ(cxsim_config_read(card, 0, 0x0e, 1), 0x80);
	cxsim_card_destroy(card);
	card = model_card("connectx3-vsc");
	CHECK_EQ(rd(card, 0xc0), 0x00180009);
	CHECK_EQ(cxsim_config_read(card, 0, 0x0e, 1), 0);
	cxsim_card_destroy(card);
}

static void sizes(void)
{
	struct cxsim_card *card = model_card("connectx5");

	CHECK_EQ(cxsim_config_read(card, 0, 2, 2), 0x1017);
	CHECK_EQ(cxsim_config_read(card, 0, 3, 1), 0x10);
	CHECK_EQ(cxsim_config_read(card, 0, 1, 4), ABSENT);	/* not aligned */
	CHECK_EQ(cxsim_config_read(card, 0, 4096, 4), ABSENT);
	CHECK_EQ(cxsim_config_read(card, 8, 0, 4), ABSENT);
	cxsim_config_write(card, 0, 4, 2, 0xffff);
	CHECK_EQ(rd(card, 4), 0x00100547);
	cxsim_config_write(card, 0, 5, 1, 0);
	CHECK_EQ(rd(card, 4), 0x00100047);
	cxsim_config_write(card, 1, 5, 1, 5);
	CHECK_EQ(cxsim_config_read(card, 1, 4, 4), 0x00100500);	/* functions have their own */
	CHECK_EQ(rd(card, 0x100) & 0xffff, 1);			/* AER comes first */
	cxsim_card_destroy(card);
}

static u8 vpd_byte(struct cxsim_card *card, unsigned int address)
{
	cxsim_config_write(card, 0, 0x4a, 2, address & ~3U);
	CHECK(cxsim_config_read(card, 0, 0x4a, 2) & 0x8000);
	return (u8)(rd(card, 0x4c) >> 8 * (address & 3));
}

/* Walks the resources; the address of the end tag. The read-only one must sum to zero. */
static unsigned int vpd_walk(struct cxsim_card *card, char *name, size_t room)
{
	unsigned int at = 0, length, i;
	u8 tag, sum = 0;

	while ((tag = vpd_byte(card, at)) != 0x78 && at < 4096) {
		length = vpd_byte(card, at + 1) | vpd_byte(card, at + 2) << 8;
		for (i = 0; tag == 0x82 && i < length && i < room - 1; i++)
			name[i] = (char)vpd_byte(card, at + 3 + i);
		if (tag == 0x90) {
			for (i = 0; vpd_byte(card, i + at + 3) != 'R' || vpd_byte(card, i + at + 4) != 'V';)
				i += 3U + vpd_byte(card, i + at + 5);
			for (i += at + 7; i; i--)
				sum += vpd_byte(card, i - 1);
			CHECK_EQ(sum, 0);
		}
		at += 3 + length;
	}
	return at;
}

static void vital_product_data(void)
{
	struct cxsim_card *card = model_card("connectx3");
	char name[64] = "";

	CHECK_EQ(vpd_walk(card, name, sizeof(name)), 4095);
	CHECK_STR(name, "CX354A - ConnectX-3 QSFP");
	cxsim_card_destroy(card);
	card = model_card("connectx2");
	CHECK_EQ(vpd_walk(card, name, sizeof(name)), 255);
	cxsim_card_destroy(card);
	card = model_card("connectx5");
	CHECK(vpd_walk(card, name, sizeof(name)) < 512);
	cxsim_card_destroy(card);
}

static void vsc_semaphore(void)
{
	struct cxsim_card *card = model_card("connectx5");
	u32 ticket = rd(card, VSC + COUNTER);

	CHECK_EQ(rd(card, VSC + COUNTER), ticket + 1);
	wr(card, VSC + SEMAPHORE, ticket);
	CHECK_EQ(rd(card, VSC + SEMAPHORE), ticket);
	wr(card, VSC + SEMAPHORE, ticket + 1);
	CHECK_EQ(rd(card, VSC + SEMAPHORE), ticket);
	CHECK_EQ(cxsim_config_read(card, 1, VSC + SEMAPHORE, 4), 0);	/* each function has its own */
	CHECK_EQ(cxsim_count(card, CXSIM_SEMAPHORE_HOLDS), 1);
	cxsim_advance(card, 5000000);
	wr(card, VSC + SEMAPHORE, 0);
	CHECK_EQ(rd(card, VSC + SEMAPHORE), 0);
	CHECK_EQ(cxsim_count(card, CXSIM_LONGEST_HOLD), 5000000);
	CHECK_EQ(cxsim_count(card, CXSIM_FOUL), 0);
	wr(card, VSC + CONTROL, 2);		/* nobody holds it */
	CHECK_EQ(cxsim_count(card, CXSIM_FOUL), 1);

	CHECK(cxsim_set(card, CXSIM_TICKET_OVERWRITE, 1));
	wr(card, VSC + SEMAPHORE, 100);
	wr(card, VSC + SEMAPHORE, 101);
	CHECK_EQ(rd(card, VSC + SEMAPHORE), 101);
	cxsim_card_destroy(card);
}

static void vsc_spaces(void)
{
	static const u32 spaces[][2] = {	/* [2.2.5]: written, read back on a real card */
		{ 1, 0x20000001 }, { 2, 0x20000002 }, { 3, 0x20000003 }, { 4, 0x20000004 }, { 5, 0x20000005 },
		{ 0xa, 0x2000000a }, { 0xf, 0x2000000f }, { 6, 0x30000006 }, { 7, 0x30000007 },
		{ 0xc, 0x0000000c }, { 0x101, 0x20000001 }, { 0x102, 0x20000002 }, { 0x107, 0x30000007 },
		{ 0x10a, 0x2000000a }, { 0xffff0002, 0x20000002 },
	};
	struct cxsim_card *card = model_card("connectx5");
	unsigned int i;

	CHECK(vsc_take(card));
	for (i = 0; i < ARRAY_SIZE(spaces); i++) {
		wr(card, VSC + CONTROL, spaces[i][0]);
		CHECK_EQ(rd(card, VSC + CONTROL), spaces[i][1]);
	}
	/* 16 bits written, byte +7 tested */
	cxsim_config_write(card, 0, VSC + CONTROL, 2, 2);
	CHECK_EQ(cxsim_config_read(card, 0, VSC + CONTROL + 3, 1), 0x20);
	CHECK_EQ(cxsim_config_read(card, 0, VSC + CONTROL, 2), 2);
	CHECK(cxsim_set(card, CXSIM_RECOVERY_SPACE, 1));
	wr(card, VSC + CONTROL, 0xc);
	CHECK_EQ(rd(card, VSC + CONTROL), 0x2000000c);
	cxsim_card_destroy(card);

	card = model_card("connectx3-vsc");
	CHECK(vsc_take(card));
	wr(card, VSC + CONTROL, 2);
	CHECK_EQ(rd(card, VSC + CONTROL), 2);
	wr(card, VSC + CONTROL, 3);
	CHECK_EQ(rd(card, VSC + CONTROL), 3);
	cxsim_card_destroy(card);
}

static void vsc_flag(void)
{
	struct cxsim_card *card = model_card("connectx5");
	unsigned int i, late = 0;

	CHECK(vsc_take(card));
	wr(card, VSC + CONTROL, SPACE_CR);
	wr(card, VSC + ADDRESS, 0xf0014);
	CHECK_EQ(rd(card, VSC + ADDRESS), 0x800f0014);
	CHECK_EQ(rd(card, VSC + DATA), 0x20d);
	wr(card, VSC + SEMAPHORE, 0);

	CHECK(cxsim_set(card, CXSIM_FLAG_POLLS, 5));
	for (i = 0; i < 100; i++) {
		CHECK_EQ(vsc_read(card, SPACE_CR, 0xf0014), 0x20d);
		vsc_write(card, SPACE_CR, 0x100, i);
		CHECK_EQ(vsc_read(card, SPACE_CR, 0x100), i);
		CHECK(vsc_take(card));
		wr(card, VSC + CONTROL, SPACE_CR);
		wr(card, VSC + ADDRESS, 0xf0014);
		if (rd(card, VSC + DATA) != 0x20d)
			late++;			/* who does not wait reads something else */
		wr(card, VSC + SEMAPHORE, 0);
	}
	CHECK(late > 30);
	cxsim_card_destroy(card);
}

static void legacy_gateway(void)
{
	struct cxsim_parameters with_vf = { .model = "connectx5", .virtual_functions = 1 };
	struct cxsim_card *card = model_card("connectx3");

	wr(card, LEGACY, 0xf0014);
	CHECK_EQ(rd(card, LEGACY), 0xf0014);
	CHECK_EQ(rd(card, LEGACY + 4), 0x000101f5);
	wr(card, LEGACY + 4, 0);				/* read-only */
	CHECK_EQ(rd(card, LEGACY + 4), 0x000101f5);
	wr(card, LEGACY, 0x1000);
	wr(card, LEGACY + 4, 0x12345678);
	CHECK_EQ(cxsim_cr_read(card, 0x1000), 0x12345678);
	/* any read of the data is a read of CR-space, with its effects */
	wr(card, LEGACY, 0xf03fc);
	CHECK_EQ(cxsim_config_read(card, 0, LEGACY + 4, 1), 0);
	CHECK_EQ(rd(card, LEGACY + 4), 1);

	CHECK(cxsim_set(card, CXSIM_WRITE_ONLY_ADDRESS, 1));
	wr(card, LEGACY, 0xf0014);
	CHECK_EQ(rd(card, LEGACY), 0xbadacce5);
	wr(card, LEGACY, 0xf0014 | 1);
	CHECK_EQ(rd(card, LEGACY + 4), 0x000101f5);
	wr(card, LEGACY + 4, 0xcafe);
	wr(card, LEGACY, 0x2000);
	CHECK_EQ(cxsim_cr_read(card, 0x2000), 0xcafe);
	cxsim_card_destroy(card);

	card = card_of(&with_vf);
	wr(card, LEGACY, 0xf0014);
	CHECK_EQ(rd(card, LEGACY + 4), 0x20d);			/* alive behind the VSC */
	CHECK(cxsim_is_virtual(card, 2));
	CHECK_EQ(cxsim_config_read(card, 2, 2, 2), 0x1018);
	cxsim_config_write(card, 2, LEGACY, 4, 0xf0014);
	CHECK_EQ(cxsim_config_read(card, 2, LEGACY + 4, 4), 0);
	cxsim_card_destroy(card);
}

static void cr_space(void)
{
	struct cxsim_card *card = model_card("connectx5");

	cxsim_cr_write(card, 0xf0014, 0);
	CHECK_EQ(cxsim_cr_read(card, 0xf0014), 0x20d);
	CHECK_EQ(cxsim_cr_read(card, 0xb5e04), 0x3fffffff);
	CHECK(cxsim_cr_read(card, 0xf0408) & 0x3ffffff);
	CHECK(cxsim_cr_read(card, 0xf040c) & 0xff0000);
	CHECK_EQ(cxsim_cr_read(card, 0xf0c0c), 0);
	CHECK(cxsim_set(card, CXSIM_HIGH_BIN, 1));
	CHECK_EQ(cxsim_cr_read(card, 0xf0c0c) >> 30, 1);
	cxsim_cr_write(card, 0xf0204, 2);
	CHECK_EQ(cxsim_cr_read(card, 0xf0204), 2);
	CHECK(cxsim_set(card, CXSIM_ACCESS_DENIED, 1));
	CHECK_EQ(cxsim_cr_read(card, 0xf0014), 0xbadacce5);
	CHECK(cxsim_set(card, CXSIM_ACCESS_DENIED, 2));
	CHECK_EQ(cxsim_cr_read(card, 0xf0014), 0xbad0cafe);
	cxsim_card_destroy(card);

	card = empty_card("connectx5");
	CHECK_EQ(cxsim_cr_read(card, 0xf0408), 0);
	CHECK_EQ(cxsim_cr_read(card, 0xf040c), 0);
	CHECK(cxsim_cr_read(card, 0xb5e04) & 0x80000000);
	CHECK_EQ(cxsim_cr_read(card, 0xf0014), 0x20d);
	cxsim_card_destroy(card);

	card = empty_card("connectx3");
	CHECK(cxsim_cr_read(card, 0x41270) > 0xfff00000);
	cxsim_card_destroy(card);
}

static void read_to_lock(void)
{
	static const u32 semaphores[] = { 0xf03fc, 0xf03a0, 0xf03bc };
	struct cxsim_card *card = model_card("connectx3pro");
	unsigned int i;

	for (i = 0; i < 3; i++) {
		CHECK_EQ(cxsim_cr_read(card, semaphores[i]), 0);
		CHECK_EQ(cxsim_cr_read(card, semaphores[i]), 1);
		cxsim_cr_write(card, semaphores[i], 0);
		CHECK_EQ(cxsim_cr_read(card, semaphores[i]), 0);
	}
	cxsim_cr_write(card, 0xf0010, 1);	/* the chip's reset frees them */
	for (i = 0; i < 3; i++)
		CHECK_EQ(cxsim_cr_read(card, semaphores[i]), 0);
	cxsim_card_destroy(card);
}

static void running_version(void)
{
	struct cxsim_parameters parameters = { .model = "connectx2", .version = "2.9.1000", .seed = 3 };
	struct cxsim_card *card = card_of(&parameters);

	CHECK_EQ(cxsim_cr_read(card, 0xf0014), 0x00b00190);
	CHECK_EQ(cxsim_cr_read(card, 0x1f064), 2 << 16);
	CHECK_EQ(cxsim_cr_read(card, 0x1f068), 9 << 16 | 1000);
	CHECK_EQ(cxsim_cr_read(card, 0x1f070) >> 24, 0x20);	/* a year */
	CHECK_EQ(cxsim_booted(card)->version[2], 1000);
	cxsim_card_destroy(card);
}

static void resets(void)
{
	struct cxsim_card *card = model_card("connectx3");
	u32 generation = cxsim_generation(card), size;
	u8 *cells = cxsim_flash(card, &size);

	cxsim_cr_write(card, 0x1000, 5);
	cxsim_cr_write(card, 0xf0000, 0x8000000);
	wr(card, LEGACY, 0xf0010);
	wr(card, LEGACY + 4, 1);
	CHECK_EQ(rd(card, 0), ABSENT);
	cxsim_advance(card, 60000000000ULL);
	CHECK_EQ(rd(card, 0), 0x100315b3);
	CHECK_EQ(cxsim_cr_read(card, 0x1000), 0);
	CHECK_EQ(cxsim_cr_read(card, 0xf0000), 0x8000000);	/* the boot register holds */
	cxsim_reset(card, CXSIM_RESET_POWER);
	CHECK_EQ(cxsim_cr_read(card, 0xf0000), 0);
	CHECK_EQ(cxsim_generation(card), generation);

	memset(cells, 0xff, size);
	CHECK(!cxsim_booted(card)->recovery);
	cxsim_reset(card, CXSIM_RESET_CHIP);
	CHECK(cxsim_booted(card)->recovery);
	CHECK(cxsim_generation(card) != generation);
	cxsim_card_destroy(card);

	/* FLR: firmware keeps running, only this function goes and loses its settings */
	card = model_card("connectx5");
	cxsim_config_write(card, 0, 4, 2, 0x546);
	cxsim_config_write(card, 1, 4, 2, 0x546);
	cxsim_config_write(card, 0, 0x68, 2, 0xa910);
	CHECK_EQ(rd(card, 0), ABSENT);
	CHECK_EQ(cxsim_config_read(card, 1, 4, 2), 0x546);
	cxsim_advance(card, 100000000);
	CHECK_EQ(cxsim_config_read(card, 0, 4, 2), 0);
	CHECK_EQ(rd(card, 0x68) & 0x8000, 0);
	cxsim_card_destroy(card);
}

static void unplugging(void)
{
	struct cxsim_card *card = model_card("connectx5");

	cxsim_unplug(card, true);
	CHECK_EQ(rd(card, 0), ABSENT);
	wr(card, 0x04, 0x546);
	cxsim_unplug(card, false);
	cxsim_advance(card, 60000000000ULL);
	CHECK_EQ(rd(card, 4), 0x00100000);

	CHECK(cxsim_set(card, CXSIM_UNPLUG_AFTER, 3));
	CHECK_EQ(rd(card, 0), 0x101715b3);
	CHECK_EQ(rd(card, 0), 0x101715b3);
	CHECK_EQ(rd(card, 0), ABSENT);
	CHECK(cxsim_is_unplugged(card));
	cxsim_unplug(card, false);
	cxsim_advance(card, 60000000000ULL);

	CHECK(cxsim_set(card, CXSIM_RESET_AFTER, 2));
	vsc_take(card);
	CHECK_EQ(rd(card, 0), ABSENT);
	cxsim_advance(card, 60000000000ULL);
	CHECK_EQ(rd(card, 0), 0x101715b3);
	cxsim_card_destroy(card);
}

static void icmd_mailbox(void)
{
	struct cxsim_card *card = model_card("connectx5");
	u32 mailbox[4] = { 1, 2, 3, 4 };

	CHECK_EQ(vsc_read(card, SPACE_ICMD, 0x1000), 0x340);
	CHECK_EQ(vsc_read(card, SPACE_ICMD, 0x100000), 0xdeadbeef);
	CHECK_EQ(icmd(card, 0x1234, mailbox, 4), 0x12340100);
	CHECK_EQ(vsc_read(card, SPACE_ICMD, 0), 0x12340100);		/* opcode and status stay */
	CHECK_EQ(vsc_read(card, SPACE_ICMD, 0x100000), 0xdeadbeef);	/* the answer is gone */
	mailbox[0] = 0;							/* no operation TLV */
	CHECK_EQ(icmd(card, 0x9001, mailbox, 4), 0x90010400);
	CHECK_EQ(cxsim_count(card, CXSIM_ICMD_COMMANDS), 2);
	CHECK_EQ(cxsim_count(card, CXSIM_FOUL), 0);

	CHECK(cxsim_set(card, CXSIM_FIRMWARE_DELAY, 6));
	vsc_write(card, SPACE_SEMAPHORE, 0, 1);
	vsc_write(card, SPACE_ICMD, 0x100000, 0x08040000);
	vsc_write(card, SPACE_ICMD, 0, 0x90010001);
	CHECK_EQ(vsc_read(card, SPACE_ICMD, 0), 0x90010001);
	CHECK_EQ(vsc_read(card, SPACE_ICMD, 0x100000), 0xdeadbeef);	/* busy */
	CHECK_EQ(cxsim_count(card, CXSIM_FOUL), 0);
	vsc_write(card, SPACE_ICMD, 0x100000, 5);
	CHECK(cxsim_count(card, CXSIM_FOUL) > 0);
	cxsim_card_destroy(card);
}

static void icmd_semaphores(void)
{
	struct cxsim_card *card = model_card("connectx5");
	u32 address;

	for (address = 0; address <= 0x20; address += 0x10) {
		vsc_write(card, SPACE_SEMAPHORE, address, 100);
		vsc_write(card, SPACE_SEMAPHORE, address, 101);
		CHECK_EQ(vsc_read(card, SPACE_SEMAPHORE, address), 100);
		vsc_write(card, SPACE_SEMAPHORE, address, 0);
		CHECK_EQ(vsc_read(card, SPACE_SEMAPHORE, address), 0);
	}
	cxsim_card_destroy(card);
}

static void icmd_faults(void)
{
	struct cxsim_card *card = model_card("connectx5");
	u32 reg[0x48 / 4] = { 0 };

	CHECK(cxsim_set(card, CXSIM_ICMD_STATUS, 4));
	CHECK_EQ(reg_access(card, 0x907f, 1, reg, 18), 0x104);
	CHECK(cxsim_set(card, CXSIM_ICMD_STATUS, 0));
	CHECK(cxsim_set(card, CXSIM_REGISTER_STATUS, 0x70));
	CHECK_EQ(reg_access(card, 0x907f, 1, reg, 18), 0x70);
	CHECK(cxsim_set(card, CXSIM_REGISTER_STATUS, 0));
	CHECK_EQ(reg_access(card, 0x907f, 1, reg, 18), 0);
	CHECK(cxsim_set(card, CXSIM_ICMD_TIMEOUT, 1));
	CHECK_EQ(reg_access(card, 0x907f, 1, reg, 18), 0x100);
	cxsim_card_destroy(card);
}

static void identity_registers(void)
{
	struct cxsim_parameters parameters = {
		.model = "connectx5", .psid = "MT_0000000013", .version = "16.35.4506",
		.guid = 0x0c42a10300123450ULL, .mac = 0x0c42a1123450ULL, .seed = 1,
	};
	struct cxsim_card *card = card_of(&parameters);
	u32 reg[0xa0 / 4] = { 0 };

	CHECK_EQ(reg_access(card, 0x907f, 1, reg, 18), 0);
	CHECK_EQ(packet[5 + 2], 0x8000001f);
	CHECK_EQ(packet[5 + 4], 0x04f93f31);
	CHECK_EQ(packet[5 + 0x34 / 4], 0x402a00f7);
	reg[0] = 9;						/* no such group: back as it was sent */
	reg[7] = 0x1234;
	CHECK_EQ(reg_access(card, 0x907f, 1, reg, 18), 7);
	CHECK_EQ(packet[5 + 7], 0x1234);
	cxsim_advance(card, 90 * 1000000000ULL);
	CHECK_EQ(reg_access(card, 0x9020, 1, reg, 40), 0);
	CHECK_EQ(packet[5], 0x1017);
	CHECK_EQ(packet[5 + 1], 0x00021000);
	CHECK_EQ(packet[5 + 2], 0x20d);
	CHECK_EQ(packet[5 + 4], 0x0c42);
	CHECK_EQ(packet[5 + 5], 0xa1123450);
	CHECK_EQ(packet[5 + 7], 90);				/* seconds up */
	CHECK_EQ(packet[5 + 8], 0);				/* the legacy version bytes are zero */
	CHECK_EQ(packet[5 + 0x30 / 4], 0x4d545f30);		/* MT_0 */
	CHECK_EQ(packet[5 + 0x44 / 4], 16);
	CHECK_EQ(packet[5 + 0x48 / 4], 35);
	CHECK_EQ(packet[5 + 0x4c / 4], 4506);
	CHECK_EQ(reg_access(card, 0x402d, 1, reg, 4), 0);
	CHECK_EQ(reg_access(card, 0x9059, 1, reg, 4), 0);
	CHECK_EQ(packet[5 + 2], 0x00090000);
	CHECK_EQ(reg_access(card, 0x902c, 1, reg, 5), 7);	/* MVTS */
	CHECK_EQ(reg_access(card, 0x9110, 1, reg, 12), 4);	/* a register it does not have */
	CHECK_EQ(reg_access(card, 0x9020, 2, reg, 40), 6);	/* a method it does not have */
	cxsim_card_destroy(card);
}

static void information_strings(void)
{
	struct cxsim_card *card = model_card("connectx5");
	char text[0x41] = "";
	u32 offset;
	int i;

	for (offset = 0; offset < 0x40; offset += 8) {
		u32 reg[6] = { 1, 0, offset << 16 | 8 };

		CHECK_EQ(reg_access(card, 0x9064, 1, reg, 6), 0);
		CHECK_EQ(packet[5 + 1], 0x40);
		CHECK_EQ(packet[5 + 2], offset << 16 | 8);
		for (i = 0; i < 8; i++)
			text[offset + i] = (char)(packet[5 + 4 + i / 4] >> (24 - 8 * (i & 3)));
	}
	CHECK_STR(text, "MCX516A-CCAT");
	cxsim_card_destroy(card);
}

static void nv_data(void)
{
	struct cxsim_parameters parameters = { .model = "connectx5", .guid = 0x1022330300445566ULL,
					       .mac = 0x102233445566ULL };
	struct cxsim_card *card = card_of(&parameters);
	u32 reg[19] = { 0x40, 2 };
	unsigned int i;

	for (i = 3; i < 19; i++)
		reg[i] = 0x5a5a5a5a;
	CHECK_EQ(reg_access(card, 0x9024, 1, reg, 19), 0);
	CHECK_EQ(packet[4] >> 16 & 0x7ff, 8);		/* the true size, not the request's 0x14 */
	CHECK_EQ(packet[5], 0x03000010);
	CHECK_EQ(packet[8], 0x1022);
	CHECK_EQ(packet[9], 0x33445566);
	CHECK_EQ(packet[10], 0x10223303);
	CHECK_EQ(packet[11], 0x00445566);
	CHECK_EQ(packet[12], 0x5a5a5a5a);		/* what was there stays */
	reg[0] = 0x00800040;
	reg[1] = 3;
	CHECK_EQ(reg_access(card, 0x9024, 1, reg, 19), 0);
	CHECK_EQ(packet[4] >> 16 & 0x7ff, 6);
	CHECK_EQ(packet[5], 0x01800008);
	CHECK_EQ(packet[8], 0xc0000000);
	reg[1] = 0x210;
	CHECK_EQ(reg_access(card, 0x9024, 1, reg, 19), 7);
	CHECK_EQ(packet[5], 0x00800040);		/* refused: as it was sent */
	cxsim_card_destroy(card);
}

static void component_information(void)
{
	static const u32 ids[] = { 1, 7, 6, 3, 5, 4, 2, 8, 9, 0xb };
	struct cxsim_card *card = model_card("connectx5");
	u32 i;

	for (i = 0; i < 10; i++) {
		u32 status[4] = { i }, info[0x94 / 4] = { i, 0, 0, 0, 0, 0x80 };

		CHECK_EQ(reg_access(card, 0x9060, 1, status, 4), 0);
		CHECK_EQ(packet[5], i | (i == 9 ? 0x80000000 : 0));
		CHECK_EQ(packet[6], ids[i]);
		CHECK_EQ(packet[7], i ? 0 : 0x10);
		CHECK_EQ(reg_access(card, 0x9061, 1, info, 37), 0);
		CHECK_EQ(packet[5 + 3], 0x14);
		CHECK_EQ(packet[5 + 5], 0x14);
		CHECK_EQ(packet[5 + 9], 0x20000100);
		info[0] |= 0x80000000;			/* nothing pends */
		CHECK_EQ(reg_access(card, 0x9061, 1, info, 37), 7);
		CHECK_EQ(packet[5 + 5], 0x80);
	}
	cxsim_card_destroy(card);
}

static u32 mfba_dword(const u8 *bytes)
{
	return bytes[0] | (u32)bytes[1] << 8 | (u32)bytes[2] << 16 | (u32)bytes[3] << 24;
}

static void flash_registers(void)
{
	struct cxsim_card *card = model_card("connectx5");
	u32 size, reg[3 + 33] = { 0, 128, 0 }, at = 0xc00000;
	u8 *cells = cxsim_flash(card, &size);
	unsigned int i;

	CHECK_EQ(reg_access(card, 0x9010, 1, reg, 8), 0);
	CHECK_EQ(packet[5 + 5], 0x1840ef);
	CHECK_EQ(packet[5 + 4], 0x20000001);
	reg[1] = 128;
	CHECK_EQ(reg_access(card, 0x9011, 1, reg, 35), 0);
	for (i = 0; i < 32; i++)
		CHECK_EQ(packet[8 + i], mfba_dword(cells + 4 * i));
	reg[2] = size;
	CHECK_EQ(reg_access(card, 0x9011, 1, reg, 35), 7);
	reg[1] = 132;
	reg[2] = 0;
	CHECK_EQ(reg_access(card, 0x9011, 1, reg, 36), 7);

	/* erase 4 KiB, program, read back */
	memset(cells + at, 0, 0x20000);
	vsc_write(card, SPACE_SEMAPHORE, 0x10, 1);
	reg[1] = 0;
	reg[2] = at;
	CHECK_EQ(reg_access(card, 0x9012, 2, reg, 3), 0);
	CHECK_EQ(cells[at + 4095], 0xff);
	CHECK_EQ(cells[at + 4096], 0);
	reg[1] = 128;
	for (i = 0; i < 32; i++)
		reg[3 + i] = 0x44332211 + i;
	CHECK_EQ(reg_access(card, 0x9011, 2, reg, 35), 0);
	CHECK_EQ(cells[at], 0x11);
	CHECK_EQ(cells[at + 3], 0x44);
	CHECK_EQ(cells[at + 127], 0x44);
	reg[0] = 0x20000000;
	reg[1] = 0;
	CHECK_EQ(reg_access(card, 0x9012, 2, reg, 3), 0);
	CHECK_EQ(cells[at], 0xff);
	CHECK_EQ(cells[at + 0xffff], 0xff);
	CHECK_EQ(cells[at + 0x10000], 0);
	CHECK_EQ(cxsim_count(card, CXSIM_FOUL), 0);
	vsc_write(card, SPACE_SEMAPHORE, 0x10, 0);
	CHECK_EQ(reg_access(card, 0x9012, 2, reg, 3), 0);
	CHECK(cxsim_count(card, CXSIM_FOUL) > 0);	/* without the programming semaphore */
	cxsim_card_destroy(card);
}

static u32 mcc_state, mcc_error, mcc_handle;

static u32 mcc(struct cxsim_card *card, u32 method, u32 instruction, u32 size)
{
	u32 reg[8] = { instruction, 0, mcc_handle, 0, size }, status;

	status = reg_access(card, 0x9062, method, reg, 8);
	mcc_handle = packet[7] & 0xffffff;
	mcc_state = packet[8] & 0xf;
	mcc_error = packet[8] >> 8 & 0xff;
	return status;
}

static void mcda(struct cxsim_card *card, const u8 *image, u32 length)
{
	u32 at, i;

	for (at = 0; at < length; at += 128) {
		u32 reg[0x90 / 4] = { mcc_handle, at, length - at < 128 ? length - at : 128 };

		for (i = 0; i < reg[2] / 4; i++)
			reg[4 + i] = mfba_dword(image + at + 4 * i);
		REQUIRE(reg_access(card, 0x9063, 2, reg, 36) == 0);
	}
}

/* The image as tools send it: without its magic and without device data. */
static u8 *component(const char *version, u32 *length)
{
	struct cxsim_parameters parameters = { .model = "connectx5", .version = version, .seed = 9,
					       .code_size = 4096 };
	struct cxsim_card *card = card_of(&parameters);
	u32 info[0x94 / 4] = { 0, 0, 0, 0, 0, 0x80 }, size;
	u8 *image;

	CHECK_EQ(reg_access(card, 0x9061, 1, info, 37), 0);
	*length = packet[5 + 7];
	image = calloc(1, *length);
	memcpy(image, cxsim_flash(card, &size), *length);
	memset(image, 0xff, 16);
	cxsim_card_destroy(card);
	return image;
}

static void begin_update(struct cxsim_card *card, u32 length)
{
	mcc_handle = 0;
	CHECK_EQ(mcc(card, 1, 0, 0), 0);
	CHECK_EQ(mcc_state, 0);
	CHECK_EQ(mcc(card, 2, 1, 0), 0);
	CHECK_EQ(mcc_state, 1);
	CHECK_EQ(mcc(card, 2, 3, length), 0);
	while (mcc_state == 2)
		mcc(card, 1, 0, 0);
}

static void component_update(void)
{
	struct cxsim_parameters parameters = { .model = "connectx5", .version = "16.32.1010", .seed = 9,
					       .code_size = 4096 };
	struct cxsim_card *card = card_of(&parameters);
	u32 info[0x94 / 4] = { 0x80000000, 0, 1, 0, 0, 0x80 }, reg[4] = { 0 };
	u32 length;
	u8 *image = component("16.33.1048", &length);

	CHECK(cxsim_set(card, CXSIM_FLASH_TIME, 2));
	begin_update(card, length);
	CHECK_EQ(mcc_state, 3);
	mcda(card, image, length);
	CHECK_EQ(mcc(card, 2, 4, 0), 0);
	CHECK_EQ(mcc_state, 1);
	CHECK_EQ(mcc_error, 0);
	CHECK_EQ(mcc(card, 2, 6, 0), 0);
	CHECK_EQ(mcc(card, 2, 2, 0), 0);
	CHECK_EQ(mcc_state, 0);

	/* pending until the reset */
	CHECK_EQ(reg_access(card, 0x9061, 1, info, 37), 0);
	CHECK_EQ(packet[5 + 7], 0x10210418);			/* 16.33.1048 */
	CHECK_EQ(reg_access(card, 0x9060, 1, reg, 4), 0);
	CHECK_EQ(packet[7], 0x14);
	CHECK_EQ(cxsim_booted(card)->version[1], 32);
	begin_update(card, length);
	CHECK_EQ(mcc_error, 9);					/* a second one waits for the reset */
	CHECK_EQ(mcc_state, 1);

	cxsim_reset(card, CXSIM_RESET_POWER);
	cxsim_advance(card, 60000000000ULL);
	CHECK_EQ(cxsim_booted(card)->version[1], 33);
	CHECK(cxsim_booted(card)->whole);
	CHECK_EQ(reg_access(card, 0x9061, 1, info, 37), 7);
	free(image);
	cxsim_card_destroy(card);
}

static void bad_component(void)
{
	struct cxsim_parameters parameters = { .model = "connectx5", .seed = 9, .code_size = 4096 };
	struct cxsim_card *card = card_of(&parameters);
	u32 length;
	u8 *image = component("16.33.1048", &length);

	CHECK(cxsim_set(card, CXSIM_FLASH_TIME, 2));
	image[0x1200] ^= 1;
	begin_update(card, length);
	mcda(card, image, length);
	CHECK_EQ(mcc(card, 2, 4, 0), 0);
	CHECK_EQ(mcc_error, 2);
	CHECK_EQ(mcc(card, 2, 6, 0), 7);			/* not verified, not activated */
	CHECK_EQ(mcc(card, 1, 0, 0), 0);
	CHECK_EQ(mcc_error, 2);
	CHECK_EQ(mcc(card, 2, 1, 0), 8);			/* locked already */
	CHECK_EQ(mcc(card, 2, 2, 0), 0);
	mcc_handle = 0x777777;
	CHECK_EQ(mcc(card, 2, 1, 0), 7);			/* not the handle that was given */
	cxsim_reset(card, CXSIM_RESET_POWER);
	CHECK_EQ(cxsim_booted(card)->version[1], 32);
	free(image);
	cxsim_card_destroy(card);
}

static void component_read(void)
{
	struct cxsim_card *card = model_card("connectx5");
	u32 reg[0x90 / 4] = { 0, 0x1000, 0x80 }, size, i;
	u8 *cells = cxsim_flash(card, &size);

	mcc_handle = 0;
	CHECK_EQ(mcc(card, 1, 0, 0), 0);
	reg[0] = mcc_handle;
	CHECK_EQ(reg_access(card, 0x9063, 1, reg, 36), 7);	/* not before it was asked for */
	CHECK_EQ(mcc(card, 2, 1, 0), 0);
	CHECK_EQ(mcc(card, 2, 7, 0), 0);
	CHECK_EQ(mcc_state, 7);
	CHECK_EQ(reg_access(card, 0x9063, 1, reg, 36), 0);
	for (i = 0; i < 32; i++)
		CHECK_EQ(packet[5 + 4 + i], mfba_dword(cells + 0x1000 + 4 * i));
	CHECK_EQ(mcc(card, 2, 2, 0), 0);
	CHECK_EQ(mcc_state, 0);
	cxsim_card_destroy(card);
}

/* Another image in the other slot, chosen by the firmware's own activation. */
static void activation_registers(void)
{
	struct cxsim_parameters other = { .model = "connectx5", .version = "16.35.4506", .seed = 7 };
	struct cxsim_card *card = model_card("connectx5"), *donor = card_of(&other);
	u32 reset[2] = { 0 }, image[4] = { 0x40800000 }, reg[4] = { 0 }, size;
	u8 *cells = cxsim_flash(card, &size);

	memcpy(cells + 0x800000, cxsim_flash(donor, &size), 0x700000);
	CHECK(cxsim_set(card, CXSIM_BOOT_POLICY, CXSIM_BOOT_REGISTER));
	CHECK_EQ(reg_access(card, 0x9028, 1, reset, 2), 0);
	CHECK_EQ(packet[6] & 0xff, 0x48);
	CHECK_EQ(reg_access(card, 0x9029, 1, image, 4), 6);
	CHECK_EQ(reg_access(card, 0x9029, 2, image, 4), 0);
	reset[1] = 0x40;
	CHECK_EQ(reg_access(card, 0x9028, 2, reset, 2), 0);
	reset[1] = 0x02;
	CHECK_EQ(reg_access(card, 0x9028, 2, reset, 2), 7);
	CHECK_EQ(reg_access(card, 0x9060, 1, reg, 4), 0);
	CHECK_EQ(packet[7] & 0xf, 4);			/* active, waits for the reset */
	CHECK_EQ(cxsim_cr_read(card, 0xf00c0), 0x800000);
	CHECK_EQ(cxsim_booted(card)->version[1], 32);
	cxsim_reset(card, CXSIM_RESET_CHIP);
	CHECK_EQ(cxsim_booted(card)->version[1], 35);
	CHECK_EQ(cxsim_booted(card)->address, 0x800000);
	cxsim_reset(card, CXSIM_RESET_POWER);
	CHECK_EQ(cxsim_booted(card)->version[1], 32);	/* without power the register is lost */
	cxsim_card_destroy(donor);
	cxsim_card_destroy(card);
}

static u32 hcr(struct cxsim_card *card, u32 opcode, u32 modifier)
{
	int polls;

	cxsim_cr_write(card, 0x80788, modifier);
	cxsim_cr_write(card, 0x80798, 0x00800000 | opcode);
	for (polls = 0; polls < 100 && cxsim_cr_read(card, 0x80798) & 0x00800000; polls++)
		;
	return cxsim_cr_read(card, 0x80798) >> 24;
}

static void tools_hcr(void)
{
	struct cxsim_card *card = model_card("connectx3");
	u32 size;
	u8 *cells = cxsim_flash(card, &size);

	cxsim_cr_write(card, 0xe0000, 0x0badb00f);
	CHECK_EQ(cxsim_cr_read(card, 0xe0000), 0x0badb00f);
	CHECK_EQ(cxsim_cr_read(card, 0xf03bc), 0);
	CHECK(cxsim_set(card, CXSIM_FIRMWARE_DELAY, 4));
	cxsim_cr_write(card, 0x80780, 0x11111111);
	cxsim_cr_write(card, 0x80784, 0x22222222);
	CHECK_EQ(hcr(card, 0x70, 2), 0);
	CHECK_EQ(hcr(card, 0x71, 2), 0);
	CHECK_EQ(cxsim_cr_read(card, 0x8078c), 0x11111111);
	CHECK_EQ(cxsim_cr_read(card, 0x80790), 0x22222222);
	CHECK_EQ(hcr(card, 0x70, 71), 3);
	CHECK_EQ(hcr(card, 0x55, 0), 2);

	cxsim_cr_write(card, 0xe0000, 0x08040000);
	cxsim_cr_write(card, 0xe0004, 0x90110101);
	cxsim_cr_write(card, 0xe0010, 0x30140000);	/* Linux's type field, which is not checked */
	cxsim_cr_write(card, 0xe0014, 0);
	cxsim_cr_write(card, 0xe0018, 64);
	cxsim_cr_write(card, 0xe001c, 0);
	CHECK_EQ(hcr(card, 0x3b, 1), 0);
	CHECK_EQ(cxsim_cr_read(card, 0xe0000), 0x08040000);
	CHECK_EQ(cxsim_cr_read(card, 0xe0020), mfba_dword(cells));
	CHECK_EQ(cxsim_count(card, CXSIM_FOUL), 0);
	cxsim_card_destroy(card);
}

static void setting_ranges(void)
{
	struct cxsim_card *card = model_card("connectx5");
	unsigned int i, j;

	for (i = 0; i < CXSIM_SETTINGS; i++) {
		REQUIRE(cxsim_settings[i].name);
		for (j = 0; j < i; j++)
			CHECK(strcmp(cxsim_settings[i].name, cxsim_settings[j].name));
		if (cxsim_settings[i].maximum + 1)
			CHECK(!cxsim_set(card, i, cxsim_settings[i].maximum + 1));
	}
	CHECK(!cxsim_set(card, CXSIM_SETTINGS, 0));
	for (i = 0; i < CXSIM_COUNTERS; i++)
		CHECK(cxsim_counters[i]);
	CHECK(cxsim_set(card, CXSIM_ACCESS_TIME, 1000));
	for (i = 0; i < 10; i++)
		rd(card, 0);
	CHECK_EQ(cxsim_time(card), 10000);
	CHECK_EQ(cxsim_count(card, CXSIM_CONFIG_READS), 10);
	cxsim_counters_clear(card);
	CHECK_EQ(cxsim_count(card, CXSIM_CONFIG_READS), 0);
	cxsim_card_destroy(card);
}

static void stuck_semaphores(void)
{
	struct cxsim_card *card = model_card("connectx5");

	CHECK(cxsim_set(card, CXSIM_STUCK_SEMAPHORE, 1));
	CHECK(!vsc_take(card));
	CHECK(rd(card, VSC + SEMAPHORE));
	wr(card, VSC + SEMAPHORE, 0);
	CHECK(vsc_take(card));
	wr(card, VSC + SEMAPHORE, 0);
	CHECK(cxsim_set(card, CXSIM_STUCK_SEMAPHORE, 2));
	CHECK(vsc_read(card, SPACE_SEMAPHORE, 0));
	CHECK(cxsim_set(card, CXSIM_STUCK_SEMAPHORE, 3));
	CHECK(vsc_read(card, SPACE_SEMAPHORE, 0x10));
	CHECK(cxsim_set(card, CXSIM_STUCK_SEMAPHORE, 4));
	CHECK(cxsim_cr_read(card, 0xf0400) & 0x80000000);
	cxsim_card_destroy(card);
	card = model_card("connectx3");
	CHECK(cxsim_set(card, CXSIM_STUCK_SEMAPHORE, 4));
	CHECK_EQ(cxsim_cr_read(card, 0xf03fc), 1);
	CHECK(cxsim_set(card, CXSIM_STUCK_SEMAPHORE, 5));
	CHECK_EQ(cxsim_cr_read(card, 0xf03a0), 1);
	cxsim_card_destroy(card);
}

/* The other actor keeps the rules: who keeps them too is never disturbed, and is not foul. */
static void second_actor(void)
{
	struct cxsim_parameters parameters = { .model = "connectx5", .seed = ktap_seed() };
	struct cxsim_card *card = card_of(&parameters);
	unsigned int i, busy = 0;

	CHECK(cxsim_set(card, CXSIM_SECOND_ACTOR, 1));
	CHECK(cxsim_set(card, CXSIM_FLAG_POLLS, 3));
	for (i = 0; i < 2000; i++) {
		if (rd(card, VSC + SEMAPHORE))
			busy++;
		CHECK_EQ(vsc_read(card, SPACE_CR, 0xf0014), 0x20d);
	}
	CHECK(busy > 10);
	CHECK_EQ(cxsim_count(card, CXSIM_FOUL), 0);
	cxsim_card_destroy(card);
}

static u32 legacy_read(struct cxsim_card *card, u32 address)
{
	wr(card, LEGACY, address);
	return rd(card, LEGACY + 4);
}

static void legacy_write(struct cxsim_card *card, u32 address, u32 value)
{
	wr(card, LEGACY, address);
	wr(card, LEGACY + 4, value);
}

static void second_actor_mlx4(void)
{
	struct cxsim_parameters parameters = { .model = "connectx3", .seed = ktap_seed() };
	struct cxsim_card *card = card_of(&parameters);
	unsigned int i, busy = 0, outside = 0;

	CHECK(cxsim_set(card, CXSIM_SECOND_ACTOR, 1));
	for (i = 0; i < 1000; i++) {
		while (legacy_read(card, 0xf03fc))
			busy++;
		legacy_write(card, 0xf0404, i);
		CHECK_EQ(legacy_read(card, 0xf0404), i);
		cxsim_advance(card, 1000);
		legacy_write(card, 0xf03fc, 0);
		if (legacy_read(card, 0xf0404) != i)
			outside++;
	}
	CHECK(busy > 10);
	CHECK(outside > 10);		/* without the semaphore the register is anybody's */
	CHECK_EQ(cxsim_count(card, CXSIM_FOUL), 0);
	CHECK_EQ(cxsim_count(card, CXSIM_LONGEST_HOLD), 1000);
	cxsim_card_destroy(card);
}

static void second_actor_icmd(void)
{
	struct cxsim_parameters parameters = { .model = "connectx5", .seed = ktap_seed() };
	struct cxsim_card *card = card_of(&parameters);
	unsigned int i, busy = 0;

	CHECK(cxsim_set(card, CXSIM_SECOND_ACTOR, 1));
	for (i = 0; i < 300; i++) {
		for (;;) {
			vsc_write(card, SPACE_SEMAPHORE, 0, 5);
			if (vsc_read(card, SPACE_SEMAPHORE, 0) == 5)
				break;
			busy++;
		}
		vsc_write(card, SPACE_ICMD, 0x100000, i);
		CHECK_EQ(vsc_read(card, SPACE_ICMD, 0x100000), i);
		vsc_write(card, SPACE_SEMAPHORE, 0, 0);
	}
	CHECK(busy > 3);
	CHECK_EQ(cxsim_count(card, CXSIM_FOUL), 0);
	cxsim_card_destroy(card);
}

static void bad_parameters(void)
{
	const struct cxsim_host host = { .alloc = zeroed, .free = free };
	struct cxsim_parameters parameters = { .model = "connectx99" };
	char why[160] = "";

	CHECK(!cxsim_card_create(&parameters, &host, why));
	CHECK(strstr(why, "connectx99"));
	parameters.model = "connectx5";
	parameters.virtual_functions = 7;
	CHECK(!cxsim_card_create(&parameters, &host, why));
	CHECK(strstr(why, "virtual"));
	parameters.virtual_functions = 0;
	parameters.chip = "NoSuchChip";
	CHECK(!cxsim_card_create(&parameters, &host, why));
	CHECK(strstr(why, "NoSuchChip"));
}

static const struct ktap_test tests[] = {
	KTAP_TEST(identities), KTAP_TEST(real_bytes), KTAP_TEST(sizes), KTAP_TEST(vital_product_data),
	KTAP_TEST(vsc_semaphore), KTAP_TEST(vsc_spaces), KTAP_TEST(vsc_flag), KTAP_TEST(legacy_gateway),
	KTAP_TEST(cr_space), KTAP_TEST(read_to_lock), KTAP_TEST(running_version), KTAP_TEST(resets),
	KTAP_TEST(unplugging), KTAP_TEST(icmd_mailbox), KTAP_TEST(icmd_semaphores), KTAP_TEST(icmd_faults),
	KTAP_TEST(identity_registers), KTAP_TEST(information_strings), KTAP_TEST(nv_data),
	KTAP_TEST(component_information), KTAP_TEST(flash_registers), KTAP_TEST(component_update),
	KTAP_TEST(bad_component), KTAP_TEST(tools_hcr), KTAP_TEST(setting_ranges), KTAP_TEST(stuck_semaphores),
	KTAP_TEST(second_actor), KTAP_TEST(second_actor_mlx4), KTAP_TEST(second_actor_icmd),
	KTAP_TEST(bad_parameters), KTAP_TEST(component_read), KTAP_TEST(activation_registers),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, ARRAY_SIZE(tests));
}
