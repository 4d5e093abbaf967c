// SPDX-License-Identifier: GPL-2.0-only
/* What a test may turn: the table of settings and what turning one does at once. */
#include "card.h"
#include "mcc.h"

#define ANY 0xffffffffffffffffULL

const struct cxsim_setting_info cxsim_settings[CXSIM_SETTINGS] = {
	[CXSIM_BOOT_POLICY] = { "boot_policy", 0, CXSIM_BOOT_POLICIES - 1 },
	[CXSIM_ACCESS_TIME] = { "access_time", 0, 1000000000 },
	[CXSIM_FLAG_POLLS] = { "flag_polls", 0, 1000 },
	[CXSIM_FLASH_TIME] = { "flash_time", 0, 2 },
	[CXSIM_FIRMWARE_DELAY] = { "firmware_delay", 0, 1000000 },
	[CXSIM_ABSENCE_TIME] = { "absence_time", 0, 60000000000ULL },
	[CXSIM_TICKET_OVERWRITE] = { "ticket_overwrite", 0, 1 },
	[CXSIM_RECOVERY_SPACE] = { "recovery_space", 0, 1 },
	[CXSIM_HIGH_BIN] = { "high_bin", 0, 1 },
	[CXSIM_WRITE_PROTECT] = { "write_protect", 0, 0xff },
	[CXSIM_GUARD_HANGS] = { "guard_hangs", 0, 1 },
	[CXSIM_WRITE_ONLY_ADDRESS] = { "write_only_address", 0, 1 },
	[CXSIM_GUARD_OFF] = { "guard_off", 0, 1 },
	[CXSIM_CUT_AFTER] = { "cut_after", 0, ANY },
	[CXSIM_CUT_TORN] = { "cut_torn", 0, 1 },
	[CXSIM_STUCK_SEMAPHORE] = { "stuck_semaphore", 0, 5 },
	[CXSIM_ICMD_TIMEOUT] = { "icmd_timeout", 0, 1 },
	[CXSIM_ICMD_STATUS] = { "icmd_status", 0, 0xff },
	[CXSIM_REGISTER_STATUS] = { "register_status", 0, 0x7f },
	[CXSIM_BAD_BIT] = { "bad_bit", 0, ANY },
	[CXSIM_SECOND_ACTOR] = { "second_actor", 0, 1 },
	[CXSIM_RESET_AFTER] = { "reset_after", 0, ANY },
	[CXSIM_UNPLUG_AFTER] = { "unplug_after", 0, ANY },
	[CXSIM_ACCESS_DENIED] = { "access_denied", 0, 2 },
	[CXSIM_MCC_LATE] = { "mcc_late", 0, 1000 },
	[CXSIM_MCC_IMMEDIATE] = { "mcc_immediate", 0, 1 },
	[CXSIM_MCC_BUSY] = { "mcc_busy", 0, 1000000 },
	[CXSIM_MCC_BUSY_STATUS] = { "mcc_busy_status", 1, 0x7f },
	[CXSIM_MCC_ERROR] = { "mcc_error", 0, 0xff },
	[CXSIM_MCC_ERROR_AT] = { "mcc_error_at", 0, 0xff },
	[CXSIM_MCC_OWNER] = { "mcc_owner", 0, 15 },
	[CXSIM_MCDA_FAIL] = { "mcda_fail", 0, ANY },
	[CXSIM_MFRL_LEVELS] = { "mfrl_levels", 0, 0xff },
	[CXSIM_INVALIDATE_TIMEOUT] = { "invalidate_timeout", 0, 1000000 },
};

void cxsim_settings_default(struct cxsim_card *card)
{
	card->settings[CXSIM_FLASH_TIME] = 0;
	card->settings[CXSIM_ABSENCE_TIME] = 200000000;
	card->settings[CXSIM_GUARD_HANGS] = 1;
	card->settings[CXSIM_MCC_BUSY_STATUS] = 8;
	card->settings[CXSIM_MFRL_LEVELS] = CXSIM_TRIGGER_LINK | CXSIM_TRIGGER_PERST;
}

/* The owner that a dead tool left behind; every chip reset and every write of 0 ends it. */
static void stick(struct cxsim_card *card, u64 number)
{
	unsigned int i;

	switch (number) {
	case 1:
		for (i = 0; i < card->function_count; i++)
			card->functions[i].vsc.semaphore = 0x5eed;
		break;
	case 2:
		card->semaphore_icmd = 0x5eed;
		break;
	case 3:
		card->semaphore_program = 0x5eed;
		break;
	case 4:
		if (card->model->family == CXSIM_MLX4)
			card->semaphore_gateway = 1;
		else
			card->gateway.command |= 0x80000000;
		break;
	case 5:
		card->semaphore_flash = 1;
		break;
	}
}

bool cxsim_set(struct cxsim_card *card, enum cxsim_setting setting, u64 value)
{
	if (setting >= CXSIM_SETTINGS || value < cxsim_settings[setting].minimum ||
	    value > cxsim_settings[setting].maximum)
		return false;
	card->settings[setting] = value;
	if (setting == CXSIM_STUCK_SEMAPHORE)
		stick(card, value);
	if (setting == CXSIM_MCC_OWNER)
		cxsim_mcc_owner_changes(card);
	return true;
}

u64 cxsim_get(const struct cxsim_card *card, enum cxsim_setting setting)
{
	return setting < CXSIM_SETTINGS ? card->settings[setting] : 0;
}
