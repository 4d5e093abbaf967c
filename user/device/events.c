// SPDX-License-Identifier: GPL-2.0-only
/* The driver's events. A socket that overflowed and a gap in the numbers both mean lost events. */
#include <errno.h>
#include <linux/genetlink.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "../base/message.h"
#include "private.h"

#define EVENT_BUFFER	65536

struct cxctl_events {
	struct genl genl;
	uint64_t last;			/* sequence number; 0: none yet */
	size_t length, position;	/* of what was received and not yet taken */
	uint8_t buffer[EVENT_BUFFER] __attribute__((aligned(8)));
};

struct cxctl_events *events_open(struct cxctl_error *error)
{
	struct cxctl_events *events = calloc(1, sizeof(*events));
	int group;

	if (!events) {
		error_set(error, CXCTL_FAILED, "memory", _("out of memory"));
		return NULL;
	}
	if (cxfw_open(&events->genl, CXFW_GENL_MCGRP_EVENTS, error)) {
		free(events);
		return NULL;
	}
	group = events->genl.group;
	if (mnl_socket_setsockopt(events->genl.socket, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)) < 0) {
		cxfw_error(&events->genl, errno, _("the driver's events"), error);
		events_close(events);
		return NULL;
	}
	return events;
}

void events_close(struct cxctl_events *events)
{
	if (!events)
		return;
	genl_close(&events->genl);
	free(events);
}

/* The next message of what was received; NULL when all is taken. */
static const struct nlmsghdr *next_message(struct cxctl_events *events)
{
	const struct nlmsghdr *message = (const void *)(events->buffer + events->position);
	int left = events->length - events->position;

	if (left <= 0 || !mnl_nlmsg_ok(message, left))
		return NULL;
	events->position += MNL_ALIGN(message->nlmsg_len);
	return message;
}

static bool take_event(struct cxctl_events *events, const struct nlmsghdr *message, struct cxctl_event *event)
{
	const struct genlmsghdr *generic = mnl_nlmsg_get_payload(message);
	const struct nlattr *table[CXFW_A_MAX + 1];

	if (message->nlmsg_type != events->genl.family ||
	    message->nlmsg_len < MNL_NLMSG_HDRLEN + sizeof(*generic) || generic->cmd != CXFW_CMD_EVENT)
		return false;
	memset(event, 0, sizeof(*event));
	genl_attributes(message, table, CXFW_A_MAX);
	event->seq = genl_number(table[CXFW_A_EVENT_SEQ]);
	event->kind = genl_number(table[CXFW_A_EVENT_KIND]);
	event->card_index = genl_number(table[CXFW_A_CARD_INDEX]);
	genl_string(event->address, sizeof(event->address), table[CXFW_A_ADDRESS]);
	cxfw_take_job(table, &event->job);
	event->lost = events->last && event->seq != events->last + 1;
	events->last = event->seq;
	return true;
}

int events_next(struct cxctl_events *events, int timeout_ms, struct cxctl_event *event,
		struct cxctl_error *error)
{
	struct pollfd poll_socket = { .fd = mnl_socket_get_fd(events->genl.socket), .events = POLLIN };

	for (;;) {
		const struct nlmsghdr *message;
		ssize_t length;
		int ready;

		while ((message = next_message(events)))
			if (take_event(events, message, event))
				return 1;
		ready = poll(&poll_socket, 1, timeout_ms);
		if (ready == 0 || (ready < 0 && errno == EINTR))
			return 0;
		if (ready < 0)
			return cxfw_error(&events->genl, errno, _("the driver's events"), error);
		length = recv(poll_socket.fd, events->buffer, sizeof(events->buffer), MSG_DONTWAIT);
		events->position = 0;
		events->length = length > 0 ? length : 0;
		if (length < 0 && errno == ENOBUFS) {
			/* Told at once: the event that somebody waits for may have been among the lost. */
			memset(event, 0, sizeof(*event));
			event->lost = true;
			events->last = 0;
			return 1;
		}
		if (length < 0 && errno != EAGAIN && errno != EINTR)
			return cxfw_error(&events->genl, errno, _("the driver's events"), error);
	}
}
