// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PCIe root port above the card: a type 1 header, bus numbers that are set, and a link
 * that goes down by link disable or by a secondary bus reset. What the card makes of
 * that is up to what its firmware was told before (MFRL) [4.4, 7.2].
 */
#include "card.h"

#define VENDOR_DEVICE	0x000c1b36	/* the root port of QEMU, which no quirk of a kernel names */
#define PORT_CLASS	0x06040000
#define BUSES		0x18
#define CONTROL		0x3c		/* bridge control in its upper half */
#define BUS_RESET	0x00400000
#define PCIE		0x40
#define LINK		(PCIE + 0x10)	/* link control, status in the upper half */
#define LINK_DISABLE	0x10
#define LINK_ACTIVE	0x20000000
#define TRAINING_TIME	30000000ULL	/* ns */

/* x16 of the fifth generation, no ASPM, tells whether the link is active */
#define LINK_CAPABILITIES 0x00100105

static void put(struct cxsim_port *port, unsigned int where, u32 value)
{
	port->config[where / 4] = value;
}

void cxsim_port_reset(struct cxsim_port *port)
{
	memset(port, 0, sizeof(*port));
	put(port, 0x00, VENDOR_DEVICE);
	put(port, 0x04, 0x00100000);		/* capability list */
	put(port, 0x08, PORT_CLASS);
	put(port, 0x0c, 0x00010000);
	put(port, BUSES, 0x00010100);		/* primary 0, secondary and subordinate 1 */
	/* All windows are shut: their base is above their limit. */
	put(port, 0x1c, 0x000000f0);
	put(port, 0x20, 0x0000fff0);
	put(port, 0x24, 0x0000fff0);
	put(port, 0x34, PCIE);
	put(port, PCIE, 0x00420010);
	put(port, PCIE + 0x04, 0x00008002);
	put(port, PCIE + 0x0c, LINK_CAPABILITIES);
	put(port, PCIE + 0x2c, 0x0000003e);
}

static u32 writable(unsigned int where)
{
	switch (where) {
	case 0x04:
		return 0x0547;
	case 0x0c:
		return 0xff;
	case BUSES:
		return 0x00ffffff;
	case 0x20:
	case 0x24:
		return 0xfff0fff0;
	case CONTROL:
		return 0x00ff00ff;
	case PCIE + 0x08:
		return 0x7fff;
	case LINK:
		return 0x03ff;
	case PCIE + 0x28:
	case PCIE + 0x30:
		return 0xffff;
	}
	return 0;
}

static bool is_held_down(const struct cxsim_port *port)
{
	return port->config[LINK / 4] & LINK_DISABLE || port->config[CONTROL / 4] & BUS_RESET;
}

bool cxsim_port_link_is_up(const struct cxsim_card *card, const struct cxsim_port *port)
{
	return !is_held_down(port) && cxsim_time(card) >= port->up_at && !card->unplugged && card->powered;
}

static u32 link_status(const struct cxsim_card *card, const struct cxsim_port *port)
{
	if (!cxsim_port_link_is_up(card, port))
		return 0;
	return LINK_ACTIVE | (u32)card->functions[0].layout->link_status << 16;
}

static u32 read_dword(const struct cxsim_card *card, const struct cxsim_port *port, unsigned int where)
{
	if (where / 4 >= ARRAY_SIZE(port->config))
		return 0;
	return port->config[where / 4] | (where == LINK ? link_status(card, port) : 0);
}

/* The link is gone for the card: a reset, of the chip when the firmware waits for one. */
static void link_goes(struct cxsim_card *card, unsigned int host)
{
	if (card->reset_trigger & CXSIM_TRIGGER_LINK)
		cxsim_reset(card, CXSIM_RESET_CHIP);
	else
		cxsim_hot_reset(card, host);
}

static struct cxsim_port *port_at(struct cxsim_card *card, unsigned int host)
{
	return host < ARRAY_SIZE(card->ports) ? &card->ports[host] : NULL;
}

u32 cxsim_port_read(struct cxsim_card *card, unsigned int host, unsigned int where, unsigned int bytes)
{
	const struct cxsim_port *port = port_at(card, host);
	u32 value;

	if (!port || where + bytes > CXSIM_CONFIG_BYTES)
		return CXSIM_ABSENT;
	value = read_dword(card, port, where & ~3U) >> 8 * (where & 3);
	return bytes == 4 ? value : value & ((1U << 8 * bytes) - 1);
}

void cxsim_port_write(struct cxsim_card *card, unsigned int host, unsigned int where, unsigned int bytes, u32 value)
{
	u32 mask = (bytes == 4 ? CXSIM_ABSENT : (1U << 8 * bytes) - 1) << 8 * (where & 3);
	struct cxsim_port *port = port_at(card, host);
	bool was_down;

	if (!port || where / 4 >= ARRAY_SIZE(port->config))
		return;
	value <<= 8 * (where & 3);
	where &= ~3U;
	mask &= writable(where);
	was_down = is_held_down(port);
	port->config[where / 4] = (port->config[where / 4] & ~mask) | (value & mask);
	if (is_held_down(port) && !was_down)
		link_goes(card, host);
	if (!is_held_down(port) && was_down)
		port->up_at = cxsim_time(card) + TRAINING_TIME;
}
