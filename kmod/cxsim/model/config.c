// SPDX-License-Identifier: GPL-2.0-only
/* Configuration space of the functions [10.2, 10.3]. */
#include "card.h"

#define CAP_POWER	0x01
#define CAP_VPD		0x03
#define CAP_VENDOR	0x09
#define CAP_PCIE	0x10
#define CAP_MSIX	0x11

#define EXT_SERIAL	0x03
#define EXT_SRIOV	0x10
#define SRIOV_OFFSET	0x2c0		/* behind the others of every layout */

#define VENDOR		0x15b3
#define LEGACY		0x58		/* address and data of the legacy gateway [2.2.1] */
#define VSC_LENGTH	0x18
#define CLASS_RECOVERY	0x058000
#define FLR_BIT		0x8000
#define FLR_TIME	100000000ULL	/* ns: what a function may take */

static void put16(u8 *p, u16 value)
{
	p[0] = (u8)value;
	p[1] = (u8)(value >> 8);
}

static void put32(u8 *p, u32 value)
{
	put16(p, (u16)value);
	put16(p + 2, (u16)(value >> 16));
}

static u32 get32(const u8 *p)
{
	return p[0] | (u32)p[1] << 8 | (u32)p[2] << 16 | (u32)p[3] << 24;
}

static u16 capability_at(const struct cxsim_layout *layout, u8 id)
{
	const struct cxsim_capability *capability;

	for (capability = layout->capabilities; capability->id; capability++)
		if (capability->id == id)
			return capability->offset;
	return 0;
}

static void build_capability(u8 *p, const struct cxsim_layout *layout, u8 id)
{
	switch (id) {
	case CAP_POWER:
		put16(p + 2, layout->power);
		p[4] = 0x08;			/* no soft reset */
		break;
	case CAP_VENDOR:
		put16(p + 2, VSC_LENGTH);	/* type 0 in the upper byte */
		break;
	case CAP_PCIE:
		put16(p + 2, 0x0002);
		put32(p + 4, layout->device_capabilities);
		put16(p + 8, layout->device_control);
		put32(p + 0xc, layout->link_capabilities);
		put16(p + 0x10, 0x0008);
		put16(p + 0x12, layout->link_status);
		break;
	case CAP_MSIX:
		put16(p + 2, layout->msix_count - 1);
		put32(p + 4, layout->msix_table);
		put32(p + 8, layout->msix_pba);
		break;
	}
}

static void build_capabilities(struct cxsim_function *function)
{
	const struct cxsim_capability *capability;
	u8 *link = &function->config[0x34];

	for (capability = function->layout->capabilities; capability->id; capability++) {
		u8 *p = &function->config[capability->offset];

		*link = capability->offset;
		p[0] = capability->id;
		link = &p[1];
		build_capability(p, function->layout, capability->id);
	}
	*link = 0;
}

/*
 * Virtual functions stand beside the physical ones by themselves, and all belong to
 * function 0; but its capability must exist, since kernels look there for what they share.
 */
static bool lists_sriov(const struct cxsim_card *card, const struct cxsim_function *function)
{
	return function == &card->functions[0] && card->parameters.virtual_functions && !card->boot.recovery;
}

static void build_sriov(const struct cxsim_card *card, u8 *p)
{
	u32 count = card->parameters.virtual_functions;

	put32(p, 1 << 16 | EXT_SRIOV);
	put32(p + 0xc, count << 16 | count);			/* total, initial */
	put32(p + 0x14, 1 << 16 | card->model->functions);	/* stride, offset of the first */
	put32(p + 0x18, (u32)card->model->virtual_id << 16);
	put32(p + 0x1c, 0x553);					/* page sizes */
	put32(p + 0x20, 1);
}

static void build_extended(struct cxsim_card *card, struct cxsim_function *function)
{
	const struct cxsim_extended *extended = function->layout->extended;
	u32 last = lists_sriov(card, function) ? SRIOV_OFFSET : 0;

	if (last)
		build_sriov(card, &function->config[last]);
	for (; extended && extended->id; extended++) {
		u8 *p = &function->config[extended->offset];
		u32 next = extended[1].id ? extended[1].offset : last;

		put32(p, next << 20 | (u32)extended->version << 16 | extended->id);
		if (extended->id == EXT_SERIAL) {
			put32(p + 4, (u32)card->parameters.guid);
			put32(p + 8, (u32)(card->parameters.guid >> 32));
		}
	}
}

static void build_header(struct cxsim_card *card, struct cxsim_function *function)
{
	const struct cxsim_model *model = card->model;
	bool recovery = card->boot.recovery;
	u16 id = recovery ? model->recovery_id : function->is_virtual ? model->virtual_id : model->pci_id;
	u32 class_code = recovery ? CLASS_RECOVERY : model->class_code;
	u8 *config = function->config;

	put16(config, VENDOR);
	put16(config + 2, id);
	put16(config + 6, 0x0010);		/* capability list */
	put32(config + 8, class_code << 8 | (recovery ? 0 : model->pci_revision));
	config[0xe] = card->function_count > 1 ? 0x80 : 0;
	put16(config + 0x2c, VENDOR);
	put16(config + 0x2e, recovery ? id : model->subsystem_id);
	config[0x3d] = !recovery && !function->is_virtual;	/* interrupt pin A */
}

void cxsim_config_reset(struct cxsim_card *card, struct cxsim_function *function)
{
	memset(function->config, 0, sizeof(function->config));
	build_header(card, function);
	build_capabilities(function);
	build_extended(card, function);
}

static void build_function(struct cxsim_card *card, struct cxsim_function *function, bool is_virtual)
{
	const struct cxsim_model *model = card->model;

	function->is_virtual = is_virtual;
	function->layout = card->boot.recovery ? model->recovery : is_virtual ? model->virtual : model->running;
	function->vsc_offset = capability_at(function->layout, CAP_VENDOR);
	function->vpd_offset = capability_at(function->layout, CAP_VPD);
	function->pcie_offset = capability_at(function->layout, CAP_PCIE);
	cxsim_vsc_reset(&function->vsc);
	cxsim_config_reset(card, function);
}

static void build_second(struct cxsim_card *card)
{
	unsigned int i;

	card->second_count = !card->second_host ? 0 : card->boot.recovery ? 1 : card->model->functions;
	for (i = 0; i < card->second_count; i++)
		build_function(card, &card->functions[CXSIM_SECOND_HOST + i], false);
}

void cxsim_second_host(struct cxsim_card *card, bool there)
{
	card->second_host = there;
	build_second(card);
}

void cxsim_config_build(struct cxsim_card *card)
{
	const struct cxsim_model *model = card->model;
	bool recovery = card->boot.recovery;
	unsigned int physical = recovery ? 1 : model->functions, i;

	card->function_count = physical + (recovery ? 0 : card->parameters.virtual_functions);
	memset(card->functions, 0, sizeof(card->functions));
	for (i = 0; i < card->function_count; i++)
		build_function(card, &card->functions[i], i >= physical);
	build_second(card);
	cxsim_vpd_build(card);
}

/* Bits of a dword that a plain write changes. */
static u32 writable(const struct cxsim_function *function, unsigned int where)
{
	unsigned int capability;

	if (where == 0x04)
		return 0x0547;
	if (where == 0x0c)
		return 0xff;
	if (where == 0x3c)
		return 0xff;
	capability = capability_at(function->layout, CAP_POWER);
	if (capability && where == capability + 4)
		return 0x0103;
	capability = capability_at(function->layout, CAP_MSIX);
	if (capability && where == capability)
		return 0xc0000000;
	capability = function->pcie_offset;
	if (where == capability + 8)
		return 0x7fff;
	if (where == capability + 0x10 || where == capability + 0x28 || where == capability + 0x30)
		return 0xffff;
	return 0;
}

static bool is_legacy(const struct cxsim_function *function, unsigned int where)
{
	return !function->is_virtual && (where & ~7U) == LEGACY;
}

static bool is_vsc(const struct cxsim_function *function, unsigned int where)
{
	return function->vsc_offset && where >= function->vsc_offset + 4U &&
	       where < (unsigned int)function->vsc_offset + VSC_LENGTH;
}

static bool is_vpd_data(const struct cxsim_function *function, unsigned int where)
{
	return function->vpd_offset && where == function->vpd_offset + 4U;
}

static u32 read_dword(struct cxsim_card *card, struct cxsim_function *function, unsigned int where)
{
	if (is_legacy(function, where))
		return cxsim_legacy_read(card, function, where);
	if (is_vsc(function, where))
		return cxsim_vsc_read(card, function, where - function->vsc_offset);
	return get32(&function->config[where]);
}

/* Address with F: 0 asks for a read, 1 for a write, and it turns when done. */
static void vpd_access(struct cxsim_card *card, struct cxsim_function *function, u32 value)
{
	u8 *p = &function->config[function->vpd_offset];
	u32 address = value >> 16 & 0x7ffc;

	if (!(value & 0x80000000)) {
		put32(p + 4, address + 4 <= sizeof(card->vpd) ? get32(&card->vpd[address]) : 0);
		put16(p + 2, (u16)(address | 0x8000));
	} else {
		/* The simulated VPD is read-only; the write ends as if it were done. */
		put16(p + 2, (u16)address);
	}
}

static void write_dword(struct cxsim_card *card, struct cxsim_function *function, unsigned int where,
			u32 value, u32 bytes_mask)
{
	u32 mask = writable(function, where) & bytes_mask;
	u8 *p = &function->config[where];

	if (function->vpd_offset && where == function->vpd_offset && (bytes_mask & 0xffff0000))
		vpd_access(card, function, value);
	else if (is_vpd_data(function, where))
		put32(p, (get32(p) & ~bytes_mask) | (value & bytes_mask));
	else
		put32(p, (get32(p) & ~mask) | (value & mask));

	if (where == function->pcie_offset + 8U && (value & bytes_mask & FLR_BIT) &&
	    (function->layout->device_capabilities & 0x10000000)) {
		u64 absence = card->settings[CXSIM_ABSENCE_TIME];

		cxsim_config_reset(card, function);
		function->absent_until = cxsim_time(card) + (absence < FLR_TIME ? absence : FLR_TIME);
	}
}

static bool counts_down(struct cxsim_card *card, enum cxsim_setting setting)
{
	if (!card->settings[setting])
		return false;
	return !--card->settings[setting];
}

static struct cxsim_function *function_at(struct cxsim_card *card, unsigned int number)
{
	unsigned int host = number >= CXSIM_SECOND_HOST, end = CXSIM_SECOND_HOST + card->second_count;
	struct cxsim_function *function;

	if (number >= (host ? end : card->function_count) || card->unplugged || !card->powered || card->hung)
		return NULL;
	if (!cxsim_port_link_is_up(card, &card->ports[host]))
		return NULL;
	function = &card->functions[number];
	card->accessor = number;
	if (cxsim_time(card) < card->absent_until || cxsim_time(card) < function->absent_until)
		return NULL;
	return function;
}

/* What every access brings with it, before it is looked at. */
static struct cxsim_function *begin_access(struct cxsim_card *card, unsigned int number, enum cxsim_counter counter)
{
	cxsim_add(card, counter, 1);
	cxsim_advance(card, card->settings[CXSIM_ACCESS_TIME]);
	if (counts_down(card, CXSIM_UNPLUG_AFTER))
		cxsim_unplug(card, true);
	if (counts_down(card, CXSIM_RESET_AFTER))
		cxsim_reset(card, CXSIM_RESET_CHIP);
	cxsim_actor_acts(card);
	return function_at(card, number);
}

static bool well_formed(unsigned int where, unsigned int bytes)
{
	return (bytes == 1 || bytes == 2 || bytes == 4) && !(where & (bytes - 1)) &&
	       where + bytes <= CXSIM_CONFIG_BYTES;
}

u32 cxsim_config_read(struct cxsim_card *card, unsigned int number, unsigned int where, unsigned int bytes)
{
	struct cxsim_function *function = begin_access(card, number, CXSIM_CONFIG_READS);
	u32 value;

	if (!well_formed(where, bytes))
		return CXSIM_ABSENT;
	value = function ? read_dword(card, function, where & ~3U) : CXSIM_ABSENT;
	value >>= 8 * (where & 3);
	return bytes == 4 ? value : value & ((1U << 8 * bytes) - 1);
}

void cxsim_config_write(struct cxsim_card *card, unsigned int number, unsigned int where,
			unsigned int bytes, u32 value)
{
	struct cxsim_function *function = begin_access(card, number, CXSIM_CONFIG_WRITES);
	u32 mask;

	if (!function || !well_formed(where, bytes))
		return;
	mask = (bytes == 4 ? CXSIM_ABSENT : (1U << 8 * bytes) - 1) << 8 * (where & 3);
	value <<= 8 * (where & 3);
	where &= ~3U;
	if (is_legacy(function, where))
		cxsim_legacy_write(card, function, where, value, mask);
	else if (is_vsc(function, where))
		cxsim_vsc_write(card, function, where - function->vsc_offset, value, mask);
	else
		write_dword(card, function, where, value, mask);
}
