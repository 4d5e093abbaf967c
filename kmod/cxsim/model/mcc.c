// SPDX-License-Identifier: GPL-2.0-only
/*
 * The firmware's own update of itself [4.2]. The boot image goes
 * straight into the slot that does not run, its magic left out until it is activated.
 */
#include "card.h"
#include "boot.h"
#include "mcc.h"
#include "signature.h"

#define OWNER_ICMD	5U
#define MCDA_MOST	0x100U		/* bytes of a block */

enum { UPDATE_IDLE, UPDATE_IN_PROGRESS, UPDATE_ACTIVE_PENDING_RESET = 4, UPDATE_FAILED, UPDATE_CANCELED };
enum {
	STATE_IDLE, STATE_LOCKED, STATE_INITIALIZE, STATE_DOWNLOAD, STATE_VERIFY, STATE_ACTIVATE = 6, STATE_UPLOAD,
};
enum {
	LOCK = 1, RELEASE, UPDATE, VERIFY, ACTIVATE_COMPONENT, ACTIVATE, READ_BACK, CANCEL, CHECK, FORCE_RELEASE,
	READ_PENDING,
};
enum {
	ERROR = 1, DIGEST_ERROR, NOT_APPLICABLE, UNKNOWN_KEY, UNSIGNED = 6, BAD_FORMAT = 8, BLOCKED_PENDING_RESET,
	NO_PLACE = 0x1e,
};

void cxsim_mcc_pends(struct cxsim_card *card, u32 address)
{
	struct cxsim_mcc *mcc = &card->mcc;

	mcc->pending = cxsim_image_look(card, address, false, &mcc->pending_boot, &mcc->pending_facts);
	mcc->update_state = mcc->pending ? UPDATE_ACTIVE_PENDING_RESET : UPDATE_FAILED;
}

/* The handle that the next owner gets; 24 bits, never 0. */
static u32 offered_handle(const struct cxsim_card *card)
{
	return (card->mcc.handles & 0xffff) + 0x100;
}

static void fails(struct cxsim_mcc *mcc, u32 error)
{
	mcc->error = error;
}

/*
 * A step whose outcome is known: at once, or when so many queries have seen the state in
 * between. mcc->error is that outcome's.
 */
static void leads_to(struct cxsim_mcc *mcc, u32 between, u32 state, u64 queries)
{
	mcc->next_state = state;
	mcc->next_error = mcc->error;
	mcc->settle = (u32)queries;
	mcc->state = queries ? between : state;
	if (queries)
		mcc->error = 0;
}

static void settles(struct cxsim_mcc *mcc)
{
	if (!mcc->settle || --mcc->settle)
		return;
	mcc->state = mcc->next_state;
	mcc->error = mcc->next_error;
}

static void lock(struct cxsim_card *card)
{
	card->mcc.error = 0;
	card->mcc.verified = false;
	leads_to(&card->mcc, STATE_IDLE, STATE_LOCKED, card->settings[CXSIM_MCC_LATE]);
}

static void release(struct cxsim_mcc *mcc)
{
	mcc->state = STATE_IDLE;
	mcc->settle = 0;
	mcc->error = 0;
	mcc->handles++;
}

void cxsim_mcc_owner_changes(struct cxsim_card *card)
{
	release(&card->mcc);
	if (card->settings[CXSIM_MCC_OWNER])
		card->mcc.state = STATE_LOCKED;
}

/* A fault that a test asked for: the instruction ends with that code. */
static bool is_to_fail(struct cxsim_card *card, u32 instruction)
{
	if (!card->settings[CXSIM_MCC_ERROR] || card->settings[CXSIM_MCC_ERROR_AT] != instruction)
		return false;
	fails(&card->mcc, (u32)card->settings[CXSIM_MCC_ERROR]);
	return true;
}

static void begin_update(struct cxsim_card *card, u32 index, u32 size)
{
	struct cxsim_mcc *mcc = &card->mcc;
	u32 first = cxsim_image_slot(card, 0), second = cxsim_image_slot(card, 1);

	if (is_to_fail(card, UPDATE))
		return;
	if (mcc->pending)
		fails(mcc, BLOCKED_PENDING_RESET);
	else if (index != CXSIM_BOOT_IMAGE)
		fails(mcc, NOT_APPLICABLE);
	else if (size > cxsim_component_most(card))
		fails(mcc, NO_PLACE);
	else if (!size || size & 3)
		fails(mcc, BAD_FORMAT);
	if (mcc->error)
		return;
	mcc->target = card->boot.address == first ? second : first;
	mcc->component_size = size;
	mcc->received = 0;
	mcc->update_state = UPDATE_IN_PROGRESS;
	if (card->settings[CXSIM_MCC_IMMEDIATE])
		mcc->state = STATE_DOWNLOAD;
	else
		leads_to(mcc, STATE_INITIALIZE, STATE_DOWNLOAD, 1 + card->settings[CXSIM_MCC_LATE]);
}

/*
 * Of signatures only the digest is known here: it stands for what a vendor's key would
 * have signed. A signature by a key is one by a key that this chip was not given.
 */
static void verify_signature(struct cxsim_card *card)
{
	switch (cxsim_signature(card, card->mcc.target, card->mcc.pending_facts.length)) {
	case CXSIM_SIGNATURE_NONE:
		fails(&card->mcc, UNSIGNED);
		break;
	case CXSIM_SIGNATURE_BY_KEY:
		fails(&card->mcc, UNKNOWN_KEY);
		break;
	case CXSIM_SIGNATURE_WRONG:
		fails(&card->mcc, DIGEST_ERROR);
		break;
	case CXSIM_SIGNATURE_RIGHT:
		break;
	}
}

static void judge(struct cxsim_card *card)
{
	struct cxsim_mcc *mcc = &card->mcc;

	if (is_to_fail(card, VERIFY))
		return;
	if (mcc->received != mcc->component_size)
		fails(mcc, ERROR);
	else if (!cxsim_image_adopt(card, mcc->target))
		fails(mcc, ERROR);
	else if (!cxsim_image_look(card, mcc->target, true, &mcc->pending_boot, &mcc->pending_facts))
		fails(mcc, DIGEST_ERROR);
	else if (strcmp(mcc->pending_boot.psid, card->boot.psid))
		fails(mcc, NOT_APPLICABLE);
	else if (card->model->secure)
		verify_signature(card);
}

static void verify(struct cxsim_card *card)
{
	struct cxsim_mcc *mcc = &card->mcc;

	mcc->error = 0;
	judge(card);
	mcc->verified = !mcc->error;
	leads_to(mcc, STATE_VERIFY, STATE_LOCKED, card->settings[CXSIM_MCC_LATE]);
}

static void commit(struct cxsim_card *card)
{
	struct cxsim_mcc *mcc = &card->mcc;

	if (is_to_fail(card, ACTIVATE))
		return;
	if (!cxsim_image_activate(card, mcc->target)) {
		fails(mcc, ERROR);
		return;
	}
	card->boot_register = mcc->target << card->model->boot_shift;
	cxsim_mcc_pends(card, mcc->target);
}

/* What was not verified is refused: a tool that does not look at error codes learns it here. */
static u32 activate(struct cxsim_card *card)
{
	struct cxsim_mcc *mcc = &card->mcc;

	if (!mcc->verified)
		return CXSIM_REG_BAD_PARAMETER;
	mcc->verified = false;
	mcc->error = 0;
	commit(card);
	leads_to(mcc, STATE_ACTIVATE, STATE_LOCKED, card->settings[CXSIM_MCC_LATE]);
	return 0;
}

static void begin_read(struct cxsim_card *card, bool pending)
{
	struct cxsim_mcc *mcc = &card->mcc;

	if (pending && !mcc->pending) {
		fails(mcc, NOT_APPLICABLE);
		return;
	}
	mcc->source = pending ? mcc->pending_boot.address : card->boot.address;
	mcc->component_size = pending ? mcc->pending_facts.length : card->facts.length;
	mcc->state = STATE_UPLOAD;
}

/* The step when the state allows it; else a bad parameter. */
static u32 instruct(struct cxsim_card *card, u32 instruction, u32 index, u32 size)
{
	struct cxsim_mcc *mcc = &card->mcc;
	bool locked = mcc->state == STATE_LOCKED;

	switch (instruction) {
	case LOCK:
		if (mcc->state != STATE_IDLE || mcc->settle)
			return CXSIM_REG_NOT_AVAILABLE;
		lock(card);
		return 0;
	case RELEASE:
		if (mcc->state != STATE_IDLE || mcc->settle)
			release(mcc);
		return 0;
	case FORCE_RELEASE:
		card->settings[CXSIM_MCC_OWNER] = 0;
		release(mcc);
		return 0;
	case CANCEL:
		if (mcc->state == STATE_DOWNLOAD || mcc->state == STATE_INITIALIZE)
			mcc->update_state = UPDATE_CANCELED;
		if (mcc->state != STATE_IDLE || mcc->settle)
			lock(card);
		return 0;
	case CHECK:
		return 0;
	case UPDATE:
		if (!locked)
			return CXSIM_REG_BAD_PARAMETER;
		mcc->error = 0;
		begin_update(card, index, size);
		return 0;
	case VERIFY:
		if (mcc->state != STATE_DOWNLOAD)
			return CXSIM_REG_BAD_PARAMETER;
		verify(card);
		return 0;
	case ACTIVATE:
		if (!locked)
			return CXSIM_REG_BAD_PARAMETER;
		return activate(card);
	case READ_BACK:
	case READ_PENDING:
		if (!locked)
			return CXSIM_REG_BAD_PARAMETER;
		begin_read(card, instruction == READ_PENDING);
		return 0;
	}
	return CXSIM_REG_BAD_PARAMETER;
}

/* Type of who has the handle. */
static u32 owner(const struct cxsim_card *card)
{
	if (card->settings[CXSIM_MCC_OWNER])
		return (u32)card->settings[CXSIM_MCC_OWNER];
	return card->mcc.state == STATE_IDLE ? 0 : OWNER_ICMD;
}

static void answer(const struct cxsim_card *card, u32 *reg)
{
	const struct cxsim_mcc *mcc = &card->mcc;

	reg[0] &= 0xff;
	reg[2] = offered_handle(card);
	reg[3] = owner(card) << 28 | mcc->error << 8 | mcc->state;
	reg[4] = mcc->component_size;
	reg[5] = 0;
	reg[6] = 0;
	reg[7] = 0;
}

/* Firmware that has other things to do first. */
static u32 busy(struct cxsim_card *card)
{
	if (!card->settings[CXSIM_MCC_BUSY])
		return 0;
	card->settings[CXSIM_MCC_BUSY]--;
	return (u32)card->settings[CXSIM_MCC_BUSY_STATUS];
}

u32 cxsim_mcc(struct cxsim_card *card, u32 *reg, bool set)
{
	u32 handle = reg[2] & 0xffffff, instruction = reg[0] & 0xff, status;

	status = set ? busy(card) : 0;
	if (status)
		return status;
	if (handle != offered_handle(card) && (set ? instruction != FORCE_RELEASE : handle != 0))
		return CXSIM_REG_BAD_PARAMETER;
	/* The other owner's handle is no secret, but it is not ours to use. */
	if (set && card->settings[CXSIM_MCC_OWNER] && instruction != FORCE_RELEASE)
		return CXSIM_REG_NOT_AVAILABLE;
	if (set) {
		status = instruct(card, instruction, reg[1] & 0xffff, reg[4]);
		if (status)
			return status;
	} else {
		settles(&card->mcc);
	}
	answer(card, reg);
	return 0;
}

/* Erases what the block enters first, as it comes. */
static bool store(struct cxsim_card *card, u32 offset, const u8 *block, u32 size)
{
	struct cxsim_mcc *mcc = &card->mcc;

	if (!(offset & 0xffff) && !cxsim_flash_firmware_erase(card, mcc->target + offset, 0x10000))
		return false;
	return cxsim_flash_firmware_program(card, mcc->target + offset, block, size);
}

static bool is_to_break(struct cxsim_card *card)
{
	return card->settings[CXSIM_MCDA_FAIL] && !--card->settings[CXSIM_MCDA_FAIL];
}

/* Data dwords are little-endian loads of image bytes [0]. */
static u32 download(struct cxsim_card *card, u32 *reg, u32 offset, u32 size)
{
	struct cxsim_mcc *mcc = &card->mcc;
	u8 block[MCDA_MOST];
	u32 i;

	if (mcc->state != STATE_DOWNLOAD || offset != mcc->received || size > mcc->component_size - offset)
		return CXSIM_REG_BAD_PARAMETER;
	/* A block never crosses an erase block: both are powers of two. */
	if ((offset & 0xffff) + size > 0x10000)
		return CXSIM_REG_BAD_PARAMETER;
	for (i = 0; i < size; i++)
		block[i] = (u8)(reg[4 + i / 4] >> 8 * (i & 3));
	if (is_to_break(card) || !store(card, offset, block, size)) {
		fails(mcc, ERROR);
		mcc->update_state = UPDATE_FAILED;
		return CXSIM_REG_BAD_PARAMETER;
	}
	mcc->received += size;
	return 0;
}

static u32 upload(struct cxsim_card *card, u32 *reg, u32 offset, u32 size)
{
	struct cxsim_mcc *mcc = &card->mcc;
	u8 block[MCDA_MOST];
	u32 i;

	if (mcc->state != STATE_UPLOAD || offset >= mcc->component_size || size > mcc->component_size - offset)
		return CXSIM_REG_BAD_PARAMETER;
	if (!cxsim_flash_firmware_read(card, mcc->source + offset, block, size))
		return CXSIM_REG_BAD_PARAMETER;
	for (i = 0; i < size / 4; i++)
		reg[4 + i] = block[4 * i] | (u32)block[4 * i + 1] << 8 | (u32)block[4 * i + 2] << 16 |
			     (u32)block[4 * i + 3] << 24;
	return 0;
}

u32 cxsim_mcda(struct cxsim_card *card, u32 *reg, u32 room, bool set)
{
	u32 offset = reg[1], size = reg[2] & 0xffff, status = set ? busy(card) : 0;

	if (status)
		return status;
	if (card->settings[CXSIM_MCC_OWNER])
		return CXSIM_REG_BAD_PARAMETER;
	if (4 + size / 4 > room)
		return CXSIM_REG_TOO_SMALL;
	if ((reg[0] & 0xffffff) != offered_handle(card) || !size || size > MCDA_MOST || size & 3 || offset & 3)
		return CXSIM_REG_BAD_PARAMETER;
	return set ? download(card, reg, offset, size) : upload(card, reg, offset, size);
}
