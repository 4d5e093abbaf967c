// SPDX-License-Identifier: GPL-2.0-only
/*
 * The legacy gateway at configuration space 0x58 and 0x5c [2.2.1]: of mlx4, of
 * recovery, and alive behind the VSC of a running mlx5 function.
 */
#include "card.h"

#define ADDRESS		0x58
#define READ_BIT	1U	/* write-only variant: this address is to be read */

static u32 gateway_read(struct cxsim_card *card, u32 address)
{
	cxsim_add(card, CXSIM_GATEWAY_READS, 1);
	return cxsim_cr_read(card, address & ~3U);
}

static void gateway_write(struct cxsim_card *card, u32 address, u32 value)
{
	cxsim_add(card, CXSIM_GATEWAY_WRITES, 1);
	cxsim_cr_write(card, address & ~3U, value);
}

u32 cxsim_legacy_read(struct cxsim_card *card, struct cxsim_function *function, unsigned int where)
{
	bool write_only = card->settings[CXSIM_WRITE_ONLY_ADDRESS];

	if (where == ADDRESS)
		return write_only ? CXSIM_DENIED : function->legacy_address;
	if (write_only)
		return function->legacy_data;
	/* Any read of the data, whoever does it, reads CR-space. */
	return gateway_read(card, function->legacy_address);
}

/* Write-only variant: the address starts the transfer, and the data is there before or after. */
static void write_only_address(struct cxsim_card *card, struct cxsim_function *function, u32 address)
{
	function->legacy_address = address;
	if (address & READ_BIT)
		function->legacy_data = gateway_read(card, address);
	else
		gateway_write(card, address, function->legacy_data);
}

void cxsim_legacy_write(struct cxsim_card *card, struct cxsim_function *function, unsigned int where,
			u32 value, u32 mask)
{
	bool write_only = card->settings[CXSIM_WRITE_ONLY_ADDRESS];

	if (where == ADDRESS) {
		value = (function->legacy_address & ~mask) | (value & mask);
		if (write_only)
			write_only_address(card, function, value);
		else
			function->legacy_address = value;
		return;
	}
	function->legacy_data = (function->legacy_data & ~mask) | (value & mask);
	if (!write_only)
		gateway_write(card, function->legacy_address, function->legacy_data);
}
