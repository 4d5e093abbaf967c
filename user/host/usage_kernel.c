// SPDX-License-Identifier: GPL-2.0-only
/* What only netlink tells: addresses, routes, RDMA resources. */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <rdma/rdma_netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "usage.h"

#define ROOM	65536

static unsigned int prefix_of(const struct sockaddr *mask)
{
	const uint8_t *bytes;
	unsigned int length, bits = 0, i;

	if (!mask)
		return 0;
	if (mask->sa_family == AF_INET) {
		bytes = (const uint8_t *)&((const struct sockaddr_in *)mask)->sin_addr;
		length = 4;
	} else {
		bytes = (const uint8_t *)&((const struct sockaddr_in6 *)mask)->sin6_addr;
		length = 16;
	}
	for (i = 0; i < length; i++)
		bits += __builtin_popcount(bytes[i]);
	return bits;
}

static void each_address(void (*take)(const char *interface, const char *address, void *data), void *data)
{
	struct ifaddrs *list, *at;
	char address[INET6_ADDRSTRLEN], text[INET6_ADDRSTRLEN + 8];

	if (getifaddrs(&list))
		return;
	for (at = list; at; at = at->ifa_next) {
		const void *bytes;

		if (!at->ifa_addr)
			continue;
		if (at->ifa_addr->sa_family == AF_INET)
			bytes = &((struct sockaddr_in *)at->ifa_addr)->sin_addr;
		else if (at->ifa_addr->sa_family == AF_INET6)
			bytes = &((struct sockaddr_in6 *)at->ifa_addr)->sin6_addr;
		else
			continue;
		if (!inet_ntop(at->ifa_addr->sa_family, bytes, address, sizeof(address)))
			continue;
		snprintf(text, sizeof(text), "%s/%u", address, prefix_of(at->ifa_netmask));
		take(at->ifa_name, text, data);
	}
	freeifaddrs(list);
}

/* One question, all its answers. 0, or -1. */
static int ask(int bus, struct nlmsghdr *request, mnl_cb_t callback, void *data)
{
	struct mnl_socket *socket = mnl_socket_open2(bus, SOCK_CLOEXEC);
	struct timeval wait = { .tv_sec = 5 };
	char *buffer = malloc(ROOM);
	ssize_t length;
	int result = -1;

	if (!socket || !buffer || mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID) < 0)
		goto out;
	setsockopt(mnl_socket_get_fd(socket), SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	request->nlmsg_seq = 1;
	if (mnl_socket_sendto(socket, request, request->nlmsg_len) < 0)
		goto out;
	do {
		length = mnl_socket_recvfrom(socket, buffer, ROOM);
		result = length < 0 ? -1 :
			 mnl_cb_run(buffer, length, 1, mnl_socket_get_portid(socket), callback, data);
	} while (result > 0);
out:
	free(buffer);
	if (socket)
		mnl_socket_close(socket);
	return result < 0 ? -1 : 0;
}

/* ---- routes ---- */

static int take_route(const struct nlmsghdr *message, void *data)
{
	const struct nlattr *attribute;

	mnl_attr_for_each(attribute, message, sizeof(struct rtmsg))
		if (mnl_attr_get_type(attribute) == RTA_OIF && mnl_attr_get_payload_len(attribute) >= 4)
			*(uint32_t *)data = mnl_attr_get_u32(attribute);
	/* A question for one route has one answer and no end. */
	return MNL_CB_STOP;
}

static bool route_to(const char *address, char *interface, size_t room)
{
	char buffer[MNL_NLMSG_HDRLEN + 256], name[IF_NAMESIZE], plain[64];
	struct nlmsghdr *request = mnl_nlmsg_put_header(buffer);
	struct rtmsg *route;
	uint8_t bytes[16];
	uint32_t index = 0;
	int family = strchr(address, ':') ? AF_INET6 : AF_INET;

	/* A scope ("fe80::1%eth0") names its interface itself. */
	if (strchr(address, '%')) {
		snprintf(interface, room, "%s", strchr(address, '%') + 1);
		return true;
	}
	snprintf(plain, sizeof(plain), "%s", address);
	if (inet_pton(family, plain, bytes) != 1)
		return false;
	request->nlmsg_type = RTM_GETROUTE;
	request->nlmsg_flags = NLM_F_REQUEST;
	route = mnl_nlmsg_put_extra_header(request, sizeof(*route));
	memset(route, 0, sizeof(*route));
	route->rtm_family = family;
	route->rtm_dst_len = family == AF_INET ? 32 : 128;
	mnl_attr_put(request, RTA_DST, family == AF_INET ? 4 : 16, bytes);
	if (ask(NETLINK_ROUTE, request, take_route, &index) || !index || !if_indextoname(index, name))
		return false;
	snprintf(interface, room, "%s", name);
	return true;
}

/* ---- RDMA: Documentation/reference, tuning: NETLINK_RDMA, nldev ---- */

struct device_search {
	const char *name;
	uint32_t index;
	bool found;
};

static int take_device(const struct nlmsghdr *message, void *data)
{
	struct device_search *search = data;
	const struct nlattr *attribute;
	uint32_t index = 0;
	bool same = false;

	mnl_attr_for_each(attribute, message, 0) {
		switch (mnl_attr_get_type(attribute)) {
		case RDMA_NLDEV_ATTR_DEV_INDEX:
			if (mnl_attr_get_payload_len(attribute) >= 4)
				index = mnl_attr_get_u32(attribute);
			break;
		case RDMA_NLDEV_ATTR_DEV_NAME:
			same = !mnl_attr_validate(attribute, MNL_TYPE_NUL_STRING) &&
			       !strcmp(mnl_attr_get_str(attribute), search->name);
			break;
		}
	}
	if (same) {
		search->index = index;
		search->found = true;
	}
	return MNL_CB_OK;
}

struct resources {
	void (*take)(uint32_t pid, const char *name, unsigned int resources, void *data);
	void *data;
};

static void take_object(const struct nlattr *entry, const struct resources *resources)
{
	const struct nlattr *attribute;
	const char *name = NULL;
	uint32_t pid = 0;

	mnl_attr_for_each_nested(attribute, entry) {
		if (mnl_attr_get_type(attribute) == RDMA_NLDEV_ATTR_RES_PID &&
		    mnl_attr_get_payload_len(attribute) >= 4)
			pid = mnl_attr_get_u32(attribute);
		if (mnl_attr_get_type(attribute) == RDMA_NLDEV_ATTR_RES_KERN_NAME &&
		    !mnl_attr_validate(attribute, MNL_TYPE_NUL_STRING))
			name = mnl_attr_get_str(attribute);
	}
	if (pid || name)
		resources->take(pid, name ? name : "", 1, resources->data);
}

/* The objects stand in a table of entries; the table's own number depends on what was asked. */
static int take_objects(const struct nlmsghdr *message, void *data)
{
	const struct nlattr *table, *entry;

	mnl_attr_for_each(table, message, 0) {
		switch (mnl_attr_get_type(table)) {
		case RDMA_NLDEV_ATTR_RES_QP:
		case RDMA_NLDEV_ATTR_RES_CM_ID:
		case RDMA_NLDEV_ATTR_RES_CQ:
		case RDMA_NLDEV_ATTR_RES_MR:
		case RDMA_NLDEV_ATTR_RES_PD:
			mnl_attr_for_each_nested(entry, table)
				take_object(entry, data);
			break;
		}
	}
	return MNL_CB_OK;
}

static struct nlmsghdr *rdma_request(char *buffer, uint16_t command)
{
	struct nlmsghdr *request = mnl_nlmsg_put_header(buffer);

	request->nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command);
	request->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP | NLM_F_ACK;
	return request;
}

static void each_rdma(const char *device,
		      void (*take)(uint32_t pid, const char *name, unsigned int resources, void *data), void *data)
{
	static const uint16_t commands[] = {
		RDMA_NLDEV_CMD_RES_QP_GET, RDMA_NLDEV_CMD_RES_CM_ID_GET, RDMA_NLDEV_CMD_RES_CQ_GET,
		RDMA_NLDEV_CMD_RES_MR_GET, RDMA_NLDEV_CMD_RES_PD_GET,
	};
	struct device_search search = { .name = device };
	struct resources resources = { take, data };
	char buffer[MNL_NLMSG_HDRLEN + 64];
	struct nlmsghdr *request;
	size_t i;

	if (ask(NETLINK_RDMA, rdma_request(buffer, RDMA_NLDEV_CMD_GET), take_device, &search) || !search.found)
		return;
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		request = rdma_request(buffer, commands[i]);
		mnl_attr_put_u32(request, RDMA_NLDEV_ATTR_DEV_INDEX, search.index);
		ask(NETLINK_RDMA, request, take_objects, &resources);
	}
}

const struct usage_kernel usage_kernel = {
	.addresses = each_address,
	.route = route_to,
	.rdma = each_rdma,
};
