// SPDX-License-Identifier: GPL-2.0-only
/*
 * The generic netlink family. Written for kernels from 4.18 on: what the kernel checks of
 * a message differs between them, so everything is checked here as well
 * (Documentation/reference/kernels.md 3.5).
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <net/genetlink.h>

#include "../compat/compat.h"
#include "activate.h"
#include "netlink.h"

/* ---- refusals ---- */

/*
 * The kernel reads the text of an extended acknowledgement after the command returned, so
 * it cannot stand on the stack. A text is overwritten when so many more refusals were made
 * before the kernel sent it.
 */
#define TEXTS	64

static char texts[TEXTS][CXFW_WHY_LENGTH];
static atomic_t next_text = ATOMIC_INIT(0);

static int refuse(struct netlink_ext_ack *extack, int error, const char *why)
{
	char *text = texts[(unsigned int)atomic_inc_return(&next_text) % TEXTS];

	if (!extack || !why[0])
		return error;
	strscpy(text, why, CXFW_WHY_LENGTH);
	extack->_msg = text;
	return error;
}

static struct netlink_ext_ack *dump_extack(struct netlink_callback *cb)
{
#ifdef CXFW_HAVE_NETLINK_CALLBACK_EXTACK
	return cb->extack;
#else
	return NULL;
#endif
}

/* ---- requests ---- */

static const struct nla_policy policy[CXFW_A_MAX + 1] = {
	[CXFW_A_ADDRESS] = { .type = NLA_NUL_STRING, .len = CXFW_ADDRESS_LENGTH - 1 },
	[CXFW_A_STAGE_FD] = { .type = NLA_U32 },
	[CXFW_A_STAGE_SHA256] = { .type = NLA_BINARY, .len = 32 },
	[CXFW_A_JOB_ID] = { .type = NLA_U64 },
	[CXFW_A_SEMAPHORE] = { .type = NLA_U32 },
	[CXFW_A_SEMAPHORE_VALUE] = { .type = NLA_U32 },
	[CXFW_A_RESET_LEVEL] = { .type = NLA_U32 },
};

/* Exact payload lengths; 0: checked by whoever reads it. */
static const u8 lengths[CXFW_A_MAX + 1] = {
	[CXFW_A_STAGE_FD] = sizeof(u32),
	[CXFW_A_STAGE_SHA256] = 32,
	[CXFW_A_JOB_ID] = sizeof(u64),
	[CXFW_A_SEMAPHORE] = sizeof(u32),
	[CXFW_A_SEMAPHORE_VALUE] = sizeof(u32),
	[CXFW_A_RESET_LEVEL] = sizeof(u32),
};

#define MASK(attribute)	BIT_ULL(attribute)

/*
 * Rights first; then exactly the attributes that a command takes, once each and with their
 * lengths. Old kernels let anything pass; a request that asks for more than is done is refused.
 */
static int check_request(struct sk_buff *skb, const struct nlmsghdr *nlh, u64 wanted,
			 struct netlink_ext_ack *extack)
{
	const struct nlattr *attr;
	u64 seen = 0;
	int rest, type;

	if (!netlink_capable(skb, CAP_SYS_ADMIN))
		return refuse(extack, -EPERM, "CAP_SYS_ADMIN is needed (run as root)");
	if (nlmsg_len(nlh) < GENL_HDRLEN)
		return -EINVAL;
	nla_for_each_attr(attr, nlmsg_attrdata(nlh, GENL_HDRLEN), nlmsg_attrlen(nlh, GENL_HDRLEN), rest) {
		type = nla_type(attr);
		if (type > CXFW_A_MAX || !(wanted & MASK(type)))
			return refuse(extack, -EINVAL, "an attribute that this command does not take");
		if (seen & MASK(type))
			return refuse(extack, -EINVAL, "an attribute is there twice");
		if (lengths[type] && nla_len(attr) != lengths[type])
			return refuse(extack, -EINVAL, "an attribute has a wrong length");
		seen |= MASK(type);
	}
	if (seen != wanted)
		return refuse(extack, -EINVAL, "an attribute that this command needs is missing");
	return 0;
}

static int check_do(struct sk_buff *skb, struct genl_info *info, u64 wanted)
{
	return check_request(skb, info->nlhdr, wanted, info->extack);
}

/* Terminated within its length, whatever the kernel checked. */
static int read_address(struct genl_info *info, char *address)
{
	const struct nlattr *attr = info->attrs[CXFW_A_ADDRESS];
	size_t length = strnlen(nla_data(attr), nla_len(attr));

	if (!length || length >= CXFW_ADDRESS_LENGTH)
		return refuse(info->extack, -EINVAL, "ADDRESS is not a PCI address like 0000:03:00.0");
	memcpy(address, nla_data(attr), length);
	address[length] = '\0';
	return 0;
}

static struct cxfw_card *find_card(struct genl_info *info)
{
	char address[CXFW_ADDRESS_LENGTH], why[CXFW_WHY_LENGTH] = "";
	struct cxfw_card *card;
	int error;

	error = read_address(info, address);
	if (error)
		return ERR_PTR(error);
	card = cxfw_card_find(address, why);
	if (IS_ERR(card))
		refuse(info->extack, PTR_ERR(card), why);
	return card;
}

/* ---- answers ---- */

static int put_u64(struct sk_buff *skb, int attribute, u64 value)
{
	return nla_put_u64_64bit(skb, attribute, value, CXFW_A_PAD);
}

static int put_version(struct sk_buff *skb, int attribute, const u32 *version)
{
	struct nlattr *nest = nla_nest_start(skb, attribute | NLA_F_NESTED);

	if (!nest || nla_put_u32(skb, CXFW_A_VERSION_MAJOR, version[0]) ||
	    nla_put_u32(skb, CXFW_A_VERSION_MINOR, version[1]) ||
	    nla_put_u32(skb, CXFW_A_VERSION_SUBMINOR, version[2]))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_functions(struct sk_buff *skb, const struct cxfw_card_facts *facts)
{
	struct nlattr *nest;
	unsigned int i;

	for (i = 0; i < facts->function_count; i++) {
		nest = nla_nest_start(skb, CXFW_A_FUNCTION | NLA_F_NESTED);
		if (!nest || nla_put_string(skb, CXFW_A_ADDRESS, facts->functions[i].address) ||
		    nla_put_u32(skb, CXFW_A_PCI_DEVICE, facts->functions[i].pci_device))
			return -EMSGSIZE;
		nla_nest_end(skb, nest);
	}
	return 0;
}

static int put_identity(struct sk_buff *skb, const struct cxfw_card_facts *facts)
{
	if (put_u64(skb, CXFW_A_CAPABILITIES, facts->capabilities) ||
	    nla_put_u32(skb, CXFW_A_CARD_INDEX, facts->index) ||
	    nla_put_u32(skb, CXFW_A_FAMILY, facts->family) ||
	    nla_put_u32(skb, CXFW_A_GATEWAY, facts->gateway) ||
	    nla_put_u32(skb, CXFW_A_STATE, facts->state))
		return -EMSGSIZE;
	if (facts->identified &&
	    (nla_put_u32(skb, CXFW_A_HW_ID, facts->hw_id) ||
	     nla_put_u32(skb, CXFW_A_HW_REVISION, facts->hw_revision)))
		return -EMSGSIZE;
	return facts->generic ? nla_put_flag(skb, CXFW_A_GENERIC) : 0;
}

static int put_firmware(struct sk_buff *skb, const struct cxfw_card_facts *facts)
{
	if (facts->psid[0] && nla_put_string(skb, CXFW_A_PSID, facts->psid))
		return -EMSGSIZE;
	if (facts->running_valid && put_version(skb, CXFW_A_RUNNING, facts->running))
		return -EMSGSIZE;
	if (facts->stored_valid && put_version(skb, CXFW_A_STORED, facts->stored))
		return -EMSGSIZE;
	return facts->trouble[0] ? nla_put_string(skb, CXFW_A_TROUBLE, facts->trouble) : 0;
}

/* The most that put_card() writes. */
static unsigned int card_room(unsigned int functions)
{
	return 512 + CXFW_WHY_LENGTH + functions * 64;
}

static int put_card(struct sk_buff *skb, u32 portid, u32 seq, int flags, const char *address,
		    const struct cxfw_card_facts *facts)
{
	void *header = genlmsg_put(skb, portid, seq, &cxfw_family, flags, CXFW_CMD_CARD_GET);

	if (!header)
		return -EMSGSIZE;
	if (nla_put_string(skb, CXFW_A_ADDRESS, address) || put_identity(skb, facts) ||
	    put_firmware(skb, facts) || put_functions(skb, facts)) {
		genlmsg_cancel(skb, header);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, header);
	return 0;
}

int cxfw_put_job(struct sk_buff *skb, const struct cxfw_job_facts *facts)
{
	if (put_u64(skb, CXFW_A_JOB_ID, facts->id) ||
	    nla_put_string(skb, CXFW_A_ADDRESS, facts->address) ||
	    nla_put_u32(skb, CXFW_A_CARD_INDEX, facts->card_index) ||
	    nla_put_u32(skb, CXFW_A_JOB_KIND, facts->kind) ||
	    nla_put_u32(skb, CXFW_A_JOB_STATE, facts->state) ||
	    nla_put_u32(skb, CXFW_A_JOB_PHASE, facts->phase) ||
	    put_u64(skb, CXFW_A_JOB_DONE, facts->done) ||
	    put_u64(skb, CXFW_A_JOB_TOTAL, facts->total) ||
	    nla_put_u32(skb, CXFW_A_JOB_OWNER, facts->owner) ||
	    put_u64(skb, CXFW_A_JOB_ERASED, facts->erased) ||
	    put_u64(skb, CXFW_A_JOB_PROGRAMMED, facts->programmed) ||
	    put_u64(skb, CXFW_A_JOB_SKIPPED, facts->skipped))
		return -EMSGSIZE;
	if (facts->state == CXFW_JOB_RUNNING)
		return 0;
	if (facts->card_error && nla_put_u32(skb, CXFW_A_JOB_CARD_ERROR, facts->card_error))
		return -EMSGSIZE;
	return nla_put_u32(skb, CXFW_A_JOB_ERROR, facts->error) ||
	       nla_put_string(skb, CXFW_A_JOB_MESSAGE, facts->message) ? -EMSGSIZE : 0;
}

static int put_job_message(struct sk_buff *skb, u32 portid, u32 seq, int flags,
			   const struct cxfw_job_facts *facts)
{
	void *header = genlmsg_put(skb, portid, seq, &cxfw_family, flags, CXFW_CMD_JOB_GET);

	if (!header)
		return -EMSGSIZE;
	if (cxfw_put_job(skb, facts)) {
		genlmsg_cancel(skb, header);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, header);
	return 0;
}

/* ---- commands ---- */

static int card_get(struct sk_buff *skb, struct genl_info *info)
{
	char address[CXFW_ADDRESS_LENGTH];
	struct cxfw_card_facts *facts;
	struct cxfw_card *card;
	struct sk_buff *reply = NULL;
	int error;

	error = check_do(skb, info, MASK(CXFW_A_ADDRESS));
	if (!error)
		error = read_address(info, address);
	if (error)
		return error;
	card = find_card(info);
	if (IS_ERR(card))
		return PTR_ERR(card);
	facts = kmalloc(sizeof(*facts), GFP_KERNEL);
	error = facts ? cxfw_card_facts(card, facts) : -ENOMEM;
	cxfw_card_put(card);
	if (!error)
		reply = genlmsg_new(card_room(CXFW_FUNCTIONS_MAX), GFP_KERNEL);
	if (!error && !reply)
		error = -ENOMEM;
	if (!error)
		error = put_card(reply, info->snd_portid, info->snd_seq, 0, address, facts);
	kfree(facts);
	if (error) {
		nlmsg_free(reply);
		return error;
	}
	return genlmsg_reply(reply, info);
}

static int dump_start(struct netlink_callback *cb)
{
	return check_request(cb->skb, cb->nlh, 0, dump_extack(cb));
}

/*
 * The position is the index of the next card: cards that come and go in between disturb
 * nothing. A card is asked only when there is room for its answer.
 */
static int card_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct cxfw_card_facts *facts;
	struct cxfw_card *card;
	int error = 0;

	facts = kmalloc(sizeof(*facts), GFP_KERNEL);
	if (!facts)
		return -ENOMEM;
	while (!error) {
		card = cxfw_card_from(cb->args[0]);
		if (!card)
			break;
		if (skb->len && skb_tailroom(skb) < card_room(cxfw_card_function_count(card))) {
			cxfw_card_put(card);
			break;
		}
		error = cxfw_card_facts(card, facts);
		if (!error)
			error = put_card(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, NLM_F_MULTI,
					 card->address, facts);
		if (!error)
			cb->args[0] = (long)card->index + 1;
		cxfw_card_put(card);
	}
	kfree(facts);
	return skb->len ? skb->len : error;
}

static int job_get(struct sk_buff *skb, struct genl_info *info)
{
	struct cxfw_job_facts facts;
	struct sk_buff *reply;
	int error;

	error = check_do(skb, info, MASK(CXFW_A_JOB_ID));
	if (error)
		return error;
	if (!cxfw_job_find(nla_get_u64(info->attrs[CXFW_A_JOB_ID]), &facts))
		return refuse(info->extack, -ENOENT,
			      "there is no such job, or it ended so long ago that it was forgotten");
	reply = genlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!reply)
		return -ENOMEM;
	error = put_job_message(reply, info->snd_portid, info->snd_seq, 0, &facts);
	if (error) {
		nlmsg_free(reply);
		return error;
	}
	return genlmsg_reply(reply, info);
}

/* The position is the next job's id, in two halves for 32-bit machines. */
static int job_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	u64 id = (u64)(u32)cb->args[1] << 32 | (u32)cb->args[0];
	struct cxfw_job_facts facts;

	while (cxfw_job_from(id, &facts)) {
		if (put_job_message(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, NLM_F_MULTI, &facts))
			break;
		id = facts.id + 1;
		cb->args[0] = (u32)id;
		cb->args[1] = (u32)(id >> 32);
	}
	return skb->len;
}

static int job_cancel(struct sk_buff *skb, struct genl_info *info)
{
	char why[CXFW_WHY_LENGTH] = "";
	int error;

	error = check_do(skb, info, MASK(CXFW_A_JOB_ID));
	if (error)
		return error;
	error = cxfw_job_cancel(nla_get_u64(info->attrs[CXFW_A_JOB_ID]), why);
	return error ? refuse(info->extack, error, why) : 0;
}

static int reply_job_id(struct genl_info *info, u64 id)
{
	struct sk_buff *reply = genlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);
	void *header;

	if (!reply)
		return -ENOMEM;
	header = genlmsg_put_reply(reply, info, &cxfw_family, 0, CXFW_CMD_BURN);
	if (!header || put_u64(reply, CXFW_A_JOB_ID, id)) {
		nlmsg_free(reply);
		return -EMSGSIZE;
	}
	genlmsg_end(reply, header);
	return genlmsg_reply(reply, info);
}

static int burn(struct sk_buff *skb, struct genl_info *info)
{
	char why[CXFW_WHY_LENGTH] = "";
	struct cxfw_card *card;
	u64 id;
	int error;

	error = check_do(skb, info, MASK(CXFW_A_ADDRESS) | MASK(CXFW_A_STAGE_FD) | MASK(CXFW_A_STAGE_SHA256));
	if (error)
		return error;
	card = find_card(info);
	if (IS_ERR(card))
		return PTR_ERR(card);
	error = cxfw_chardev_burn(nla_get_u32(info->attrs[CXFW_A_STAGE_FD]), card,
				  nla_data(info->attrs[CXFW_A_STAGE_SHA256]), &id, why);
	cxfw_card_put(card);
	if (error)
		return refuse(info->extack, error, why);
	return reply_job_id(info, id);
}

static int semaphore_clear(struct sk_buff *skb, struct genl_info *info)
{
	char why[CXFW_WHY_LENGTH] = "";
	struct cxfw_card *card;
	u32 semaphore;
	int error;

	error = check_do(skb, info,
			 MASK(CXFW_A_ADDRESS) | MASK(CXFW_A_SEMAPHORE) | MASK(CXFW_A_SEMAPHORE_VALUE));
	if (error)
		return error;
	semaphore = nla_get_u32(info->attrs[CXFW_A_SEMAPHORE]);
	if (semaphore == CXFW_SEMAPHORE_NONE || semaphore > CXFW_SEMAPHORE_UPDATE_HANDLE)
		return refuse(info->extack, -EINVAL, "there is no such semaphore");
	card = find_card(info);
	if (IS_ERR(card))
		return PTR_ERR(card);
	error = cxfw_card_semaphore_clear(card, semaphore, nla_get_u32(info->attrs[CXFW_A_SEMAPHORE_VALUE]),
					  why);
	cxfw_card_put(card);
	return error ? refuse(info->extack, error, why) : 0;
}

static int activate(struct sk_buff *skb, struct genl_info *info)
{
	char why[CXFW_WHY_LENGTH] = "";
	struct cxfw_card *card;
	int error;

	error = check_do(skb, info, MASK(CXFW_A_ADDRESS) | MASK(CXFW_A_RESET_LEVEL));
	if (error)
		return error;
	card = find_card(info);
	if (IS_ERR(card))
		return PTR_ERR(card);
	error = cxfw_card_activate(card, nla_get_u32(info->attrs[CXFW_A_RESET_LEVEL]), why);
	cxfw_card_put(card);
	return error ? refuse(info->extack, error, why) : 0;
}

/* ---- the family ---- */

#ifdef CXFW_HAVE_GENL_FAMILY_POLICY
#define OP_POLICY
#else
#define OP_POLICY .policy = policy,
#endif

static const struct genl_ops operations[] = {
	{ .cmd = CXFW_CMD_CARD_GET, OP_POLICY .doit = card_get, .start = dump_start, .dumpit = card_dump },
	{ .cmd = CXFW_CMD_BURN, OP_POLICY .doit = burn },
	{ .cmd = CXFW_CMD_JOB_GET, OP_POLICY .doit = job_get, .start = dump_start, .dumpit = job_dump },
	{ .cmd = CXFW_CMD_JOB_CANCEL, OP_POLICY .doit = job_cancel },
	{ .cmd = CXFW_CMD_SEMAPHORE_CLEAR, OP_POLICY .doit = semaphore_clear },
	{ .cmd = CXFW_CMD_ACTIVATE, OP_POLICY .doit = activate },
};

static const struct genl_multicast_group groups[] = {
	{
		.name = CXFW_GENL_MCGRP_EVENTS,
#ifdef GENL_MCAST_CAP_SYS_ADMIN
		.flags = GENL_MCAST_CAP_SYS_ADMIN,
#elif defined(CXFW_HAVE_GENL_MCGRP_CAP_SYS_ADMIN)
		.cap_sys_admin = 1,
#endif
	},
};

/* parallel_ops: a card that lets us wait must not stop every other family. */
struct genl_family cxfw_family = {
	.name = CXFW_GENL_NAME,
	.version = CXFW_GENL_VERSION,
	.maxattr = CXFW_A_MAX,
#ifdef CXFW_HAVE_GENL_FAMILY_POLICY
	.policy = policy,
#endif
	.netnsok = false,
	.parallel_ops = true,
	.module = THIS_MODULE,
	.ops = operations,
	.n_ops = ARRAY_SIZE(operations),
	.mcgrps = groups,
	.n_mcgrps = ARRAY_SIZE(groups),
};

int cxfw_netlink_start(void)
{
	BUILD_BUG_ON(CXFW_A_MAX >= 64);
	return genl_register_family(&cxfw_family);
}

void cxfw_netlink_stop(void)
{
	genl_unregister_family(&cxfw_family);
}
