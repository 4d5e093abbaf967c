// SPDX-License-Identifier: GPL-2.0-only
/* Events on the multicast group. A client that lost some asks again: a gap in the numbers tells. */
#include <linux/mutex.h>

#include "netlink.h"

/* Guards the sequence number, and that events leave in its order. */
static DEFINE_MUTEX(events_lock);
static u64 sequence;

static struct sk_buff *begin(enum cxfw_event_kind kind, void **header)
{
	struct sk_buff *skb = genlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);

	if (!skb)
		return NULL;
	*header = genlmsg_put(skb, 0, 0, &cxfw_family, 0, CXFW_CMD_EVENT);
	if (!*header || nla_put_u32(skb, CXFW_A_EVENT_KIND, kind) ||
	    nla_put_u64_64bit(skb, CXFW_A_EVENT_SEQ, sequence, CXFW_A_PAD)) {
		nlmsg_free(skb);
		return NULL;
	}
	return skb;
}

/* Nobody listening is no error, and neither is a listener whose buffer is full: its problem. */
static void send(struct sk_buff *skb, void *header)
{
	genlmsg_end(skb, header);
	genlmsg_multicast(&cxfw_family, skb, 0, 0, GFP_KERNEL);
}

void cxfw_event_card(enum cxfw_event_kind kind, const struct cxfw_card *card)
{
	struct sk_buff *skb;
	void *header;

	mutex_lock(&events_lock);
	sequence++;
	skb = begin(kind, &header);
	if (skb) {
		if (nla_put_string(skb, CXFW_A_ADDRESS, card->address) ||
		    nla_put_u32(skb, CXFW_A_CARD_INDEX, card->index))
			nlmsg_free(skb);
		else
			send(skb, header);
	}
	mutex_unlock(&events_lock);
}

void cxfw_event_job(enum cxfw_event_kind kind, const struct cxfw_job_facts *facts)
{
	struct sk_buff *skb;
	void *header;

	mutex_lock(&events_lock);
	sequence++;
	skb = begin(kind, &header);
	if (skb) {
		if (cxfw_put_job(skb, facts))
			nlmsg_free(skb);
		else
			send(skb, header);
	}
	mutex_unlock(&events_lock);
}
