// SPDX-License-Identifier: GPL-2.0-only
/*
 * Access registers [3.2, 4]: the answers of real firmware where they are known. A
 * register is an array of dwords as numbers; dword k is be32 of the bytes 4k ... 4k + 3.
 */
#include "card.h"
#include "boot.h"
#include "mcc.h"

#define GET		1
#define SET		2

#define ID_MFPA		0x9010
#define ID_MFBA		0x9011
#define ID_MFBE		0x9012
#define ID_MFMC		0x9013
#define ID_MGIR		0x9020
#define ID_MNVDA	0x9024
#define ID_MFRL		0x9028
#define ID_MFAI		0x9029
#define ID_MVTS		0x902c
#define ID_MROQ		0x902f
#define ID_MPIR		0x9059
#define ID_MQIS		0x9064
#define ID_MCAM		0x907f
#define ID_MLOCK	0x402d

#define OPERATION_DWORDS	4
#define HEADER_DWORDS		5	/* operation TLV and the register TLV's own dword */
#define OPERATION_TYPE		1

#define LOST_IN_THOUGHT		12000000000ULL	/* ns */
#define MFMC_PROTECTED		0x80000000U
#define MROQ_SYNC_TOOL		5U	/* legacy and tool */
#define MROQ_BY_LINK_OR_HOT_RESET 3U
#define MGIR_SECURED		0x01000000U
#define MGIR_SIGNED		0x02000000U

/* Largest block of MFBA: over ICMD, over the tools HCR [4.3] */
#define BLOCK_MLX5	128
#define BLOCK_MLX4	256

/* One access to one register. */
struct access {
	struct cxsim_card *card;
	u32 *reg;
	u32 room;		/* dwords behind reg */
	bool set;
	u32 *tlv;		/* the register TLV's dword, for registers of variable size */
};

static u32 bytes_as_number(const u8 *p)
{
	return (u32)p[0] << 24 | (u32)p[1] << 16 | (u32)p[2] << 8 | p[3];
}

/* Text at a byte offset of the register, zero padded. */
static void put_text(u32 *reg, const char *text, u32 width)
{
	u8 padded[16] = { 0 };
	u32 length = (u32)strlen(text), i;

	memcpy(padded, text, length < width ? length : width);
	for (i = 0; i < width / 4; i++)
		reg[i] = bytes_as_number(&padded[4 * i]);
}

static u32 seconds(u64 nanoseconds)
{
	u64 quotient = 0, units = nanoseconds >> 9;	/* 512 ns * 1953125 = 1 s */
	u32 rest = 0;
	int shift;

	for (shift = 56; shift >= 0; shift -= 8) {
		rest = rest << 8 | (u32)(units >> shift & 0xff);
		quotient = quotient << 8 | rest / 1953125;
		rest %= 1953125;
	}
	return (u32)quotient;
}

static void put_roms(u32 *reg, const struct cxsim_facts *facts)
{
	static const u8 type_shift[4] = { 24, 16, 8, 0 };
	u32 i;

	for (i = 0; i < facts->rom_count && i < 4; i++) {
		const struct cxsim_rom *rom = &facts->roms[i];

		reg[0x64 / 4] |= (u32)rom->type << type_shift[i] | (u32)rom->arch << (type_shift[i] + 4);
		reg[0x68 / 4 + i] = (u32)rom->major << 24 | (u32)rom->minor << 16 | rom->build;
	}
}

/* The legacy version bytes and all security bits are zero on real cards, the extended triple is not. */
static u32 get_mgir(struct access *a)
{
	const struct cxsim_boot *boot = &a->card->boot;
	const struct cxsim_facts *facts = &a->card->facts;
	u32 *reg = a->reg;

	memset(reg, 0, 0xa0);
	reg[0x00 / 4] = (u32)a->card->model->hw_revision << 16 | a->card->model->pci_id;
	reg[0x04 / 4] = (u32)a->card->model->functions << 16 | 0x1000;
	reg[0x08 / 4] = a->card->model->hw_id;
	reg[0x10 / 4] = (u32)(boot->mac[0] >> 32);
	reg[0x14 / 4] = (u32)boot->mac[0];
	reg[0x1c / 4] = seconds(cxsim_time(a->card) - a->card->booted_at);
	reg[0x54 / 4] = a->card->model->life_cycle;
	if (a->card->model->secure)
		reg[0x20 / 4] = MGIR_SECURED | MGIR_SIGNED;
	reg[0x28 / 4] = (facts->date & 0xffff) << 16 | facts->date >> 16;
	reg[0x2c / 4] = facts->time >> 16;
	put_text(&reg[0x30 / 4], boot->psid, 16);
	reg[0x44 / 4] = boot->version[0];
	reg[0x48 / 4] = boot->version[1];
	reg[0x4c / 4] = boot->version[2];
	put_roms(reg, facts);
	return 0;
}

/* The id rises with the generation, but for test models. */
static bool is_newer(const struct cxsim_card *card)
{
	return card->model->hw_id >= 0x20f && card->model->hw_id < 0x2f0;
}

static u32 get_mcam(struct access *a)
{
	u32 group = a->reg[0] & 0xff, *reg = a->reg;

	memset(&reg[1], 0, 0x44);
	if (group == 0) {
		reg[0x08 / 4] = 0x8000001f;
		reg[0x0c / 4] = 0x1e5f060f;
		reg[0x10 / 4] = 0x04f93f31;
		reg[0x14 / 4] = 0x80970600;
		if (is_newer(a->card)) {
			reg[0x10 / 4] |= 1U << 15;	/* MROQ */
			reg[0x14 / 4] |= 1U << 19;	/* MFMC */
		}
		if (a->card->model->secure)
			reg[0x14 / 4] &= ~0x000f0000U;	/* MFPA, MFBA, MFBE, MFMC */
	} else if (group == 2) {
		reg[0x08 / 4] = 0x00000004;
		reg[0x14 / 4] = 0x04c10000;
	} else if (group > 3) {
		return CXSIM_REG_BAD_PARAMETER;
	}
	reg[0x30 / 4] = 0x00006003;
	reg[0x34 / 4] = 0x402a00f7;
	return 0;
}

static const char *information_text(const struct cxsim_facts *facts, u32 type)
{
	switch (type) {
	case 1:
		return facts->name;
	case 2:
		return facts->description;
	case 3:
		return facts->vsd;
	}
	return facts->device_vsd;
}

/* The length is the field's, not the text's. */
static u32 get_mqis(struct access *a)
{
	static const u32 lengths[] = { 0, 0x40, 0x100, 0xd0, 0xd0 };
	u32 type = a->reg[0] & 0xff, offset = a->reg[2] >> 16, length = a->reg[2] & 0xffff;
	u32 total, i, text_length;
	char part[9] = { 0 };
	const char *text;

	if (!type || type >= ARRAY_SIZE(lengths) || offset >= lengths[type])
		return CXSIM_REG_BAD_PARAMETER;
	total = lengths[type];
	if (length > 8)
		length = 8;
	if (length > total - offset)
		length = total - offset;
	text = information_text(&a->card->facts, type);
	text_length = (u32)strlen(text);
	for (i = 0; i < length && offset + i < text_length; i++)
		part[i] = text[offset + i];
	a->reg[1] = total;
	a->reg[2] = offset << 16 | length;
	a->reg[3] = 0;
	a->reg[4] = bytes_as_number((u8 *)part);
	a->reg[5] = bytes_as_number((u8 *)part + 4);
	return 0;
}

static u32 get_mlock(struct access *a)
{
	memset(a->reg, 0, 0x10);
	return 0;
}

/* The physical bus, not the one that a guest or this simulated bridge gives; and which host it is. */
static u32 get_mpir(struct access *a)
{
	u32 host = a->card->accessor >= CXSIM_SECOND_HOST;

	memset(a->reg, 0, 0x10);
	a->reg[0] = host << 16 | (a->card->second_host ? 2 : 0);
	a->reg[2] = 0x00090000;
	a->reg[3] = host << 24;
	return 0;
}

static u32 get_mnvda(struct access *a)
{
	const struct cxsim_boot *boot = &a->card->boot;
	u32 mode = a->reg[0] & 0x00c00000, length;

	switch (a->reg[1]) {
	case 2:
		length = 16;
		a->reg[0] = 0x03000000 | mode | length;
		a->reg[3] = (u32)(boot->mac[0] >> 32);
		a->reg[4] = (u32)boot->mac[0];
		a->reg[5] = (u32)(boot->guid[0] >> 32);
		a->reg[6] = (u32)boot->guid[0];
		break;
	case 3:
		length = 8;
		a->reg[0] = 0x01000000 | mode | length;
		a->reg[3] = 0xc0000000;
		a->reg[4] = a->card->facts.guids << 16 | a->card->facts.macs;
		break;
	default:
		return CXSIM_REG_BAD_PARAMETER;
	}
	/* The TLV tells the true size; what stood behind it stays. */
	*a->tlv = (*a->tlv & ~0x07ff0000U) | (12 + length + 4) / 4 << 16;
	return 0;
}

static u32 get_mfpa(struct access *a)
{
	u32 jedec = cxsim_chip_jedec(a->card);

	if (a->reg[0] >> 4 & 3)
		return CXSIM_REG_BAD_PARAMETER;		/* there is one bank */
	memset(&a->reg[1], 0, 0x1c);
	a->reg[1] = a->card->boot.address;
	a->reg[4] = 0x20000001;
	/* Bytes are reversed against the order in which the chip tells them. */
	a->reg[5] = (jedec & 0xff) << 16 | (jedec & 0xff00) | jedec >> 16;
	return 0;
}

/* Data dwords are little-endian loads of flash bytes [0]. */
static u32 get_mfba(struct access *a, u32 address, u32 size)
{
	u8 block[BLOCK_MLX4];
	u32 i;

	if (!cxsim_flash_firmware_read(a->card, address, block, size))
		return CXSIM_REG_BAD_PARAMETER;
	for (i = 0; i < size / 4; i++)
		a->reg[3 + i] = block[4 * i] | (u32)block[4 * i + 1] << 8 | (u32)block[4 * i + 2] << 16 |
				(u32)block[4 * i + 3] << 24;
	return 0;
}

/* The first dword of what runs goes to zero. Old firmware was seen to lose itself there. */
static bool invalidates(const struct access *a, u32 address)
{
	return address == a->card->boot.address && !a->reg[3];
}

static u32 set_mfba(struct access *a, u32 address, u32 size)
{
	u8 block[BLOCK_MLX4];
	u32 i;

	for (i = 0; i < size; i++)
		block[i] = (u8)(a->reg[3 + i / 4] >> 8 * (i & 3));
	if (invalidates(a, address) && a->card->settings[CXSIM_INVALIDATE_TIMEOUT]) {
		a->card->settings[CXSIM_INVALIDATE_TIMEOUT]--;
		a->card->firmware_busy_until = cxsim_time(a->card) + LOST_IN_THOUGHT;
		return 0;
	}
	return cxsim_flash_firmware_program(a->card, address, block, size) ? 0 : CXSIM_REG_BAD_PARAMETER;
}

/* Writing belongs to whoever holds the flash programming semaphore. */
static void needs_program_semaphore(struct cxsim_card *card)
{
	u32 *semaphore = card->model->family == CXSIM_MLX4 ? &card->semaphore_flash : &card->semaphore_program;

	if (!*semaphore || cxsim_actor_holds(card, semaphore))
		cxsim_foul(card);
}

static u32 access_mfba(struct access *a)
{
	u32 largest = a->card->model->family == CXSIM_MLX4 ? BLOCK_MLX4 : BLOCK_MLX5;
	u32 size = a->reg[1] & 0x1ff;

	if (a->reg[0] >> 4 & 3 || !size || size & 3 || size > largest || 3 + size / 4 > a->room)
		return CXSIM_REG_BAD_PARAMETER;
	if (!a->set)
		return get_mfba(a, a->reg[2], size);
	needs_program_semaphore(a->card);
	return set_mfba(a, a->reg[2], size);
}

static u32 set_mfbe(struct access *a)
{
	u32 length = a->reg[0] & 0x20000000 ? 0x10000 : a->reg[0] & 0x40000000 ? 0x8000 : 0x1000;

	if (a->reg[0] >> 4 & 3 || a->reg[2] & (length - 1))
		return CXSIM_REG_BAD_PARAMETER;
	needs_program_semaphore(a->card);
	return cxsim_flash_firmware_erase(a->card, a->reg[2], length) ? 0 : CXSIM_REG_BAD_PARAMETER;
}

/* Block protection and quad mode [4.3]; sectors of 64 KiB from the top. */
static u32 get_mfmc(struct access *a)
{
	u32 protect = cxsim_flash_firmware_status(a->card, 0) >> 2 & 7;

	memset(&a->reg[1], 0, 0x18);
	if (protect)
		a->reg[1] = MFMC_PROTECTED | 1U << (protect - 1);
	a->reg[2] = 0x0101;
	a->reg[4] = (cxsim_flash_firmware_status(a->card, 1) & 2U) << 23;
	return 0;
}

static u32 set_mfmc(struct access *a)
{
	u32 count = a->reg[1] & 0xff, protect = 0;

	if (a->reg[0] >> 4 & 3)
		return CXSIM_REG_BAD_PARAMETER;
	if (a->reg[1] & MFMC_PROTECTED)
		for (protect = 1; protect < 7 && count >> protect; protect++)
			;
	a->card->settings[CXSIM_WRITE_PROTECT] = protect << 2;
	return 0;
}

/* The image at an address becomes the one that the next reset starts. */
static u32 set_mfai(struct access *a)
{
	if (!(a->reg[0] & 0x40000000))
		return CXSIM_REG_BAD_PARAMETER;
	a->card->boot_register = (a->reg[0] & 0xffffff) << a->card->model->boot_shift;
	cxsim_mcc_pends(a->card, a->reg[0] & 0xffffff);
	return 0;
}

#define STATE_WAITING	8U	/* for the host's reset, after all have agreed */
#define SYNC_TOOL	0U
#define SYNC_DRIVER	1U
#define SYNC_FIRMWARE	2U

static u32 levels(const struct access *a)
{
	return (u32)a->card->settings[CXSIM_MFRL_LEVELS];
}

static u32 get_mfrl(struct access *a)
{
	bool waits = a->card->reset_trigger && a->card->reset_sync == SYNC_FIRMWARE;

	a->reg[0] = 0;
	a->reg[1] = (waits ? STATE_WAITING << 16 : a->card->reset_state << 16) | 0x0100 | levels(a);
	return 0;
}

/* The firmware waits for the link to go, which the host does. */
static u32 set_mfrl(struct access *a)
{
	u32 trigger = a->reg[1] & 0xff, sync = a->reg[1] >> 29 & 3, type = a->reg[1] >> 24 & 7;

	if (!trigger || trigger & ~levels(a) || type || sync > SYNC_FIRMWARE)
		return CXSIM_REG_BAD_PARAMETER;
	if (sync == SYNC_DRIVER) {
		a->card->reset_state = CXSIM_RESET_NO_DRIVER;	/* nobody answers the request */
		return CXSIM_REG_BAD_PARAMETER;
	}
	a->card->reset_state = 0;
	a->card->reset_sync = sync;
	a->card->reset_trigger |= trigger;
	return 0;
}

/* Which ways to reset there are for a level and a type [4.4]. */
static u32 get_mroq(struct access *a)
{
	u32 trigger = a->reg[0] & 0xff, type = a->reg[0] >> 8 & 0xff;

	memset(a->reg, 0, 0x20);
	a->reg[0] = type << 8 | trigger;
	if (!type && trigger & levels(a))
		a->reg[0] |= 1U << 16 | MROQ_SYNC_TOOL << 17 | MROQ_BY_LINK_OR_HOT_RESET << 24;
	return 0;
}

static u32 refused(struct access *a)
{
	(void)a;
	return CXSIM_REG_BAD_PARAMETER;
}

static u32 access_mcqs(struct access *a)
{
	return cxsim_mcqs(a->card, a->reg);
}

static u32 access_mcqi(struct access *a)
{
	return cxsim_mcqi(a->card, a->reg);
}

static u32 access_mcc(struct access *a)
{
	return cxsim_mcc(a->card, a->reg, a->set);
}

static u32 access_mcda(struct access *a)
{
	return cxsim_mcda(a->card, a->reg, a->room, a->set);
}

#define ON_MLX4		1
#define ON_MLX5		2
#define ON_NEWER	4	/* mlx5 from ConnectX-6 on */

static const struct cxsim_register {
	u16 id;
	u8 families;
	u8 dwords;		/* least room that the answer needs */
	u32 (*get)(struct access *access);
	u32 (*set)(struct access *access);
	bool flash;		/* reaches the flash: not with firmware that keeps it to itself */
} registers[] = {
	{ ID_MFPA, ON_MLX4 | ON_MLX5, 0x20 / 4, get_mfpa, NULL, true },
	{ ID_MFBA, ON_MLX4 | ON_MLX5, 0x0c / 4, access_mfba, access_mfba, true },
	{ ID_MFBE, ON_MLX4 | ON_MLX5, 0x0c / 4, NULL, set_mfbe, true },
	{ ID_MFMC, ON_NEWER, 0x1c / 4, get_mfmc, set_mfmc, true },
	{ ID_MGIR, ON_MLX5, 0xa0 / 4, get_mgir, NULL, false },
	{ ID_MNVDA, ON_MLX5, 0x1c / 4, get_mnvda, refused, false },
	{ ID_MFRL, ON_MLX5, 0x08 / 4, get_mfrl, set_mfrl, false },
	{ ID_MFAI, ON_MLX5, 0x10 / 4, NULL, set_mfai, false },
	{ ID_MVTS, ON_MLX5, 0x14 / 4, refused, refused, false },
	{ ID_MROQ, ON_NEWER, 0x20 / 4, get_mroq, NULL, false },
	{ ID_MPIR, ON_MLX5, 0x10 / 4, get_mpir, NULL, false },
	{ 0x9060, ON_MLX5, 0x10 / 4, access_mcqs, NULL, false },
	{ 0x9061, ON_MLX5, 0x94 / 4, access_mcqi, NULL, false },
	{ 0x9062, ON_MLX5, 0x20 / 4, access_mcc, access_mcc, false },
	{ 0x9063, ON_MLX5, 0x14 / 4, access_mcda, access_mcda, false },
	{ ID_MQIS, ON_MLX5, 0x18 / 4, get_mqis, NULL, false },
	{ ID_MCAM, ON_MLX5, 0x48 / 4, get_mcam, NULL, false },
	{ ID_MLOCK, ON_MLX5, 0x10 / 4, get_mlock, NULL, false },
};

static const struct cxsim_register *find(const struct cxsim_card *card, u32 id)
{
	u8 family = card->model->family == CXSIM_MLX4 ? ON_MLX4 : is_newer(card) ? ON_MLX5 | ON_NEWER : ON_MLX5;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(registers); i++)
		if (registers[i].id == id && registers[i].families & family)
			return &registers[i];
	return NULL;
}

static u32 run(struct access *a, u32 head)
{
	const struct cxsim_register *reg = find(a->card, head >> 16);
	u32 method = head >> 8 & 0x7f, status, *body = a->card->icmd.request;
	u32 (*handler)(struct access *access);

	if (a->card->settings[CXSIM_REGISTER_STATUS])
		return (u32)a->card->settings[CXSIM_REGISTER_STATUS];
	if ((head & 0xff) != 1)
		return CXSIM_REG_CLASS;
	if (!reg || (reg->flash && a->card->model->secure))
		return CXSIM_REG_UNSUPPORTED;
	a->set = method == SET;
	handler = method == GET ? reg->get : method == SET ? reg->set : NULL;
	if (!handler)
		return CXSIM_REG_METHOD;
	if (a->room < reg->dwords)
		return CXSIM_REG_TOO_SMALL;
	/* A refused register comes back as it was sent [3.2]. */
	memcpy(body, a->reg, 4 * a->room);
	status = handler(a);
	if (status)
		memcpy(a->reg, body, 4 * a->room);
	return status;
}

bool cxsim_register_packet(struct cxsim_card *card, u32 *packet, unsigned int room, u32 *icmd_status)
{
	struct access a = { .card = card };
	u32 length = packet[OPERATION_DWORDS] >> 16 & 0x7ff;

	*icmd_status = 0;
	if (packet[0] >> 27 != OPERATION_TYPE || (packet[0] >> 16 & 0x7ff) != OPERATION_DWORDS ||
	    !length || length - 1 > room - HEADER_DWORDS) {
		*icmd_status = 4;
		return false;
	}
	a.reg = &packet[HEADER_DWORDS];
	a.room = room - HEADER_DWORDS;
	a.tlv = &packet[OPERATION_DWORDS];
	packet[0] = (packet[0] & ~0x7f00U) | run(&a, packet[1]) << 8;
	return true;
}
