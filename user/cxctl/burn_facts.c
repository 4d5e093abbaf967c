// SPDX-License-Identifier: GPL-2.0-only
/* What guards are told: gathered from sysfs, from registers, from images. */
#include <stdio.h>
#include <string.h>

#include "../base/message.h"
#include "burn_guard.h"

void burn_functions_of(const struct cxctl_card *card, struct burn_function functions[BURN_FUNCTIONS], size_t *count)
{
	const struct cxctl_card_facts *facts = card_facts(card);
	struct pci_function function;
	unsigned int i;

	*count = 0;
	for (i = 0; i < facts->function_count && *count < BURN_FUNCTIONS; i++) {
		if (pci_read(facts->functions[i].address, &function))
			continue;
		memcpy(functions[*count].address, function.address, sizeof(functions[*count].address));
		memcpy(functions[*count].driver, function.driver, sizeof(functions[*count].driver));
		++*count;
	}
}

void burn_psid_lock_of(struct cxctl_card *card, struct burn_psid_lock *lock)
{
	(void)card;
	memset(lock, 0, sizeof(*lock));
}

void burn_security_of(struct cxctl_card *card, const struct cxfw_card_info *info, struct burn_security *security)
{
	(void)card;
	(void)info;
	memset(security, 0, sizeof(*security));
}

int burn_board_compare(const struct image_subject *image, const struct image_subject *card,
		       struct burn_board *board, struct image_error *error)
{
	(void)image;
	(void)card;
	(void)error;
	memset(board, 0, sizeof(*board));
	return 0;
}

void burn_board_of_registers(const struct image_subject *image, const char *card_psid, const char *part,
			     unsigned int ports, struct burn_board *board)
{
	(void)image;
	(void)card_psid;
	(void)part;
	(void)ports;
	memset(board, 0, sizeof(*board));
}
