// SPDX-License-Identifier: GPL-2.0-only
#include "genl.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "device.h"

#ifndef SOL_NETLINK
#define SOL_NETLINK 270
#endif

struct family_answer {
	struct genl *genl;
	const char *group;
};

void genl_nested(const struct nlattr *nest, const struct nlattr **table, uint16_t most)
{
	const struct nlattr *attribute;

	memset(table, 0, ((size_t)most + 1) * sizeof(*table));
	mnl_attr_for_each_nested(attribute, nest) {
		uint16_t type = mnl_attr_get_type(attribute);

		if (type <= most)
			table[type] = attribute;
	}
}

void genl_attributes(const struct nlmsghdr *message, const struct nlattr **table, uint16_t most)
{
	const struct nlattr *attribute;

	memset(table, 0, ((size_t)most + 1) * sizeof(*table));
	mnl_attr_for_each(attribute, message, sizeof(struct genlmsghdr)) {
		uint16_t type = mnl_attr_get_type(attribute);

		if (type <= most)
			table[type] = attribute;
	}
}

void genl_string(char *text, size_t size, const struct nlattr *attribute)
{
	size_t length = 0;

	if (attribute) {
		length = mnl_attr_get_payload_len(attribute);
		if (length >= size)
			length = size - 1;
		memcpy(text, mnl_attr_get_payload(attribute), length);
	}
	text[length] = '\0';
}

uint64_t genl_number(const struct nlattr *attribute)
{
	uint64_t wide;
	uint32_t word;

	if (!attribute)
		return 0;
	switch (mnl_attr_get_payload_len(attribute)) {
	case 8:
		memcpy(&wide, mnl_attr_get_payload(attribute), sizeof(wide));
		return wide;
	case 4:
		memcpy(&word, mnl_attr_get_payload(attribute), sizeof(word));
		return word;
	case 2:
		return mnl_attr_get_u16(attribute);
	case 1:
		return mnl_attr_get_u8(attribute);
	}
	return 0;
}

static void find_group(struct genl *genl, const struct nlattr *groups, const char *name)
{
	const struct nlattr *group;

	mnl_attr_for_each_nested(group, groups) {
		const struct nlattr *table[CTRL_ATTR_MCAST_GRP_MAX + 1];
		char text[GENL_NAMSIZ];

		genl_nested(group, table, CTRL_ATTR_MCAST_GRP_MAX);
		genl_string(text, sizeof(text), table[CTRL_ATTR_MCAST_GRP_NAME]);
		if (!strcmp(text, name))
			genl->group = genl_number(table[CTRL_ATTR_MCAST_GRP_ID]);
	}
}

static int take_family(const struct nlmsghdr *message, void *data)
{
	const struct nlattr *table[CTRL_ATTR_MAX + 1];
	struct family_answer *answer = data;

	genl_attributes(message, table, CTRL_ATTR_MAX);
	answer->genl->family = genl_number(table[CTRL_ATTR_FAMILY_ID]);
	if (answer->group && table[CTRL_ATTR_MCAST_GROUPS])
		find_group(answer->genl, table[CTRL_ATTR_MCAST_GROUPS], answer->group);
	return MNL_CB_OK;
}

static void set_timeout(struct mnl_socket *socket)
{
	struct timeval wait = { .tv_sec = device_timeout() };

	setsockopt(mnl_socket_get_fd(socket), SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
}

int genl_open(struct genl *genl, const char *family, uint8_t version, const char *group)
{
	struct family_answer answer = { genl, group };
	struct nlmsghdr *request;
	int on = 1, result;

	memset(genl, 0, sizeof(*genl));
	genl->socket = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
	if (!genl->socket)
		return -errno;
	if (mnl_socket_bind(genl->socket, 0, MNL_SOCKET_AUTOPID) < 0) {
		result = -errno;
		genl_close(genl);
		return result;
	}
	/* Old kernels know neither; then refusals have a number and no words. */
	mnl_socket_setsockopt(genl->socket, NETLINK_EXT_ACK, &on, sizeof(on));
	mnl_socket_setsockopt(genl->socket, NETLINK_CAP_ACK, &on, sizeof(on));
	set_timeout(genl->socket);

	genl->family = GENL_ID_CTRL;
	genl->version = 1;
	request = genl_request(genl, CTRL_CMD_GETFAMILY, false);
	mnl_attr_put_strz(request, CTRL_ATTR_FAMILY_NAME, family);
	result = genl_run(genl, request, take_family, &answer);
	if (!result && genl->family == GENL_ID_CTRL)
		result = -ENOENT;
	if (result) {
		genl_close(genl);
		return result;
	}
	genl->version = version;
	return 0;
}

void genl_close(struct genl *genl)
{
	if (genl->socket)
		mnl_socket_close(genl->socket);
	genl->socket = NULL;
}

struct nlmsghdr *genl_request(struct genl *genl, uint8_t command, bool dump)
{
	struct nlmsghdr *request = mnl_nlmsg_put_header(genl->request);
	struct genlmsghdr *generic;

	request->nlmsg_type = genl->family;
	request->nlmsg_flags = NLM_F_REQUEST | (dump ? NLM_F_DUMP : NLM_F_ACK);
	request->nlmsg_seq = ++genl->sequence;
	generic = mnl_nlmsg_put_extra_header(request, sizeof(*generic));
	generic->cmd = command;
	generic->version = genl->version;
	return request;
}

/* The kernel's words, behind the error number and the header (and the request, unless it was cut). */
static void take_words(struct genl *genl, const struct nlmsghdr *message, size_t offset)
{
	const struct nlattr *attribute;

	if (!(message->nlmsg_flags & NLM_F_ACK_TLVS) || message->nlmsg_len < MNL_NLMSG_HDRLEN + offset)
		return;
	mnl_attr_for_each(attribute, message, offset)
		if (mnl_attr_get_type(attribute) == NLMSGERR_ATTR_MSG)
			genl_string(genl->message, sizeof(genl->message), attribute);
}

static int take_error(const struct nlmsghdr *message, void *data)
{
	const struct nlmsgerr *error = mnl_nlmsg_get_payload(message);
	struct genl *genl = data;
	size_t offset = sizeof(*error);

	if (message->nlmsg_len < MNL_NLMSG_HDRLEN + sizeof(*error)) {
		errno = EBADMSG;
		return MNL_CB_ERROR;
	}
	if (!(message->nlmsg_flags & NLM_F_CAPPED) && error->msg.nlmsg_len > sizeof(error->msg))
		offset += error->msg.nlmsg_len - sizeof(error->msg);
	take_words(genl, message, MNL_ALIGN(offset));
	errno = error->error < 0 ? -error->error : error->error;
	return error->error ? MNL_CB_ERROR : MNL_CB_STOP;
}

/* The end of a dump carries an error number too, and words since 6.x. */
static int take_done(const struct nlmsghdr *message, void *data)
{
	int error = 0;

	if (message->nlmsg_len >= MNL_NLMSG_HDRLEN + sizeof(error))
		memcpy(&error, mnl_nlmsg_get_payload(message), sizeof(error));
	take_words(data, message, MNL_ALIGN(sizeof(error)));
	errno = error < 0 ? -error : 0;
	return error < 0 ? MNL_CB_ERROR : MNL_CB_STOP;
}

struct run {
	struct genl *genl;
	mnl_cb_t callback;
	void *data;
};

static int take_answer(const struct nlmsghdr *message, void *data)
{
	struct run *run = data;

	return run->callback ? run->callback(message, run->data) : MNL_CB_OK;
}

static int run_error(const struct nlmsghdr *message, void *data)
{
	return take_error(message, ((struct run *)data)->genl);
}

static int run_done(const struct nlmsghdr *message, void *data)
{
	return take_done(message, ((struct run *)data)->genl);
}

int genl_run(struct genl *genl, struct nlmsghdr *request, mnl_cb_t callback, void *data)
{
	/* not const: libmnl before 1.0.5 wants it so */
	static mnl_cb_t control[NLMSG_MIN_TYPE] = {
		[NLMSG_ERROR] = run_error,
		[NLMSG_DONE] = run_done,
	};
	struct run run = { genl, callback, data };
	unsigned int port = mnl_socket_get_portid(genl->socket);
	/* Whole pages of any architecture: a dump fills up to 32 KiB at a time. */
	size_t room = 65536;
	uint8_t *buffer;
	int result;

	genl->message[0] = '\0';
	if (mnl_socket_sendto(genl->socket, request, request->nlmsg_len) < 0)
		return -errno;
	buffer = malloc(room);
	if (!buffer)
		return -ENOMEM;
	do {
		ssize_t length = mnl_socket_recvfrom(genl->socket, buffer, room);

		if (length < 0) {
			result = errno == EAGAIN ? -ETIMEDOUT : -errno;
			break;
		}
		errno = 0;
		result = mnl_cb_run2(buffer, length, request->nlmsg_seq, port, take_answer, &run, control,
				     NLMSG_MIN_TYPE);
		if (result < 0)
			result = errno ? -errno : -EBADMSG;
	} while (result > 0);
	free(buffer);
	return result;
}
