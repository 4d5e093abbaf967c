/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dword access to the card's address spaces through configuration space: the vendor
 * specific capability (device-access.md 2.2.2 - 2.2.5) or 0x58/0x5c (2.2.1).
 *
 * Accesses stand between begin and end. begin takes the configuration access lock, and
 * with a VSC its semaphore; both waits are bounded. Callers do not stay inside for more
 * than about 100 ms: cxfw_gateway_pause() leaves and enters again when it is time.
 */
#ifndef CXFW_GATEWAY_H
#define CXFW_GATEWAY_H

#include <linux/types.h>

struct cxfw_device;

/* VSC spaces: device-access.md 2.2.5. The legacy gateway has CR-space only. */
#define CXFW_SPACE_CR		0x2
#define CXFW_SPACE_ICMD		0x3
#define CXFW_SPACE_SEMAPHORE	0xa

#define CXFW_CR_DENIED		0xbadacce5U	/* what CR-space reads that may not be read */

struct cxfw_gateway_ops;

struct cxfw_gateway {
	const struct cxfw_gateway_ops *ops;	/* NULL: no way in */
	int vsc;			/* offset of the capability, 0 without */
	bool inside;			/* between begin and end */
	bool write_only_address;	/* 0x58 cannot be read back */
	u32 space;			/* VSC: selected space while inside, else 0 */
	u32 address;			/* legacy: what 0x58 holds while inside */
	u32 saved_address;		/* legacy: what 0x58 held before */
	u32 ticket;			/* VSC: our owner value */
	u64 since;			/* when begin returned, ns */
	u64 reads, writes;		/* configuration accesses, for struct cxfw_card_info */
};

struct cxfw_gateway_ops {
	enum cxfw_gateway_kind kind;
	int (*begin)(struct cxfw_device *device);
	void (*end)(struct cxfw_device *device);
	int (*read)(struct cxfw_device *device, u32 space, u32 address, u32 *value);
	int (*write)(struct cxfw_device *device, u32 space, u32 address, u32 value);
	/* Whether the card still answers and the gateway still is ours: tells data from absence. */
	int (*check)(struct cxfw_device *device);
};

extern const struct cxfw_gateway_ops cxfw_gateway_vsc;
extern const struct cxfw_gateway_ops cxfw_gateway_conf;

/* How long callers stay inside before they let others in, and how long the break then is. */
#define CXFW_HOLD_NS		40000000ULL
#define CXFW_BREAK_US		1500

/* begin waits no longer than this, for both locks together. */
#define CXFW_BEGIN_TIMEOUT_MS	5000

/* -EOPNOTSUPP: this capability is not a way to the card. Called before the first begin. */
int cxfw_gateway_vsc_probe(struct cxfw_device *device, int capability);
/* Only on functions whose id is listed: what it writes belongs to somebody elsewhere. */
int cxfw_gateway_conf_probe(struct cxfw_device *device);

/* After a failed begin or pause nobody is inside; end is harmless then. */
int cxfw_gateway_begin(struct cxfw_device *device);
void cxfw_gateway_end(struct cxfw_device *device);
int cxfw_gateway_pause(struct cxfw_device *device);
bool cxfw_gateway_due(const struct cxfw_device *device);	/* time for a break */
int cxfw_gateway_check(struct cxfw_device *device);
int cxfw_gateway_read(struct cxfw_device *device, u32 space, u32 address, u32 *value);
/* count dwords in a row. */
int cxfw_gateway_read_block(struct cxfw_device *device, u32 space, u32 address, u32 *values,
			    unsigned int count);
/* All-ones may be absence: for callers that check later, once for many. */
int cxfw_gateway_read_unchecked(struct cxfw_device *device, u32 space, u32 address, u32 *value);
int cxfw_gateway_write(struct cxfw_device *device, u32 space, u32 address, u32 value);

/* Configuration space, counted. */
int cxfw_config_read(struct cxfw_device *device, int where, u32 *value);
int cxfw_config_write(struct cxfw_device *device, int where, u32 value);

/* One CR dword, begin and end included unless the caller is inside. */
int cxfw_cr_read(struct cxfw_device *device, u32 address, u32 *value);
int cxfw_cr_write(struct cxfw_device *device, u32 address, u32 value);

#endif /* CXFW_GATEWAY_H */
