// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "../lib/ktap.h"
#include "client.h"

#ifndef NLM_F_CAPPED
#define NLM_F_CAPPED	0x100
#endif
#ifndef NLM_F_ACK_TLVS
#define NLM_F_ACK_TLVS	0x200
#endif

#define ALIGN4(n)	(((n) + 3) & ~3u)

static uint16_t family;
static uint32_t events_group;
static uint32_t sequence;

/* ---- messages ---- */

static const void *find(const uint8_t *bytes, size_t length, uint16_t type, size_t *payload)
{
	const struct nlattr *attribute;
	size_t at;

	for (at = 0; at + sizeof(*attribute) <= length; at += ALIGN4(attribute->nla_len)) {
		attribute = (const struct nlattr *)(bytes + at);
		if (attribute->nla_len < sizeof(*attribute) || at + attribute->nla_len > length)
			return NULL;
		if ((attribute->nla_type & NLA_TYPE_MASK) != type)
			continue;
		if (payload)
			*payload = attribute->nla_len - sizeof(*attribute);
		return attribute + 1;
	}
	return NULL;
}

const void *message_get(const struct message *message, uint16_t type, size_t *length)
{
	return find(message->bytes, message->length, type, length);
}

unsigned int message_count(const struct message *message, uint16_t type)
{
	const struct nlattr *attribute;
	unsigned int count = 0;
	size_t at;

	for (at = 0; at + sizeof(*attribute) <= message->length; at += ALIGN4(attribute->nla_len)) {
		attribute = (const struct nlattr *)(message->bytes + at);
		if (attribute->nla_len < sizeof(*attribute))
			break;
		count += (attribute->nla_type & NLA_TYPE_MASK) == type;
	}
	return count;
}

uint32_t message_u32(const struct message *message, uint16_t type, uint32_t otherwise)
{
	size_t length;
	const void *data = message_get(message, type, &length);

	if (data && length == sizeof(otherwise))
		memcpy(&otherwise, data, sizeof(otherwise));
	return otherwise;
}

uint64_t message_u64(const struct message *message, uint16_t type, uint64_t otherwise)
{
	size_t length;
	const void *data = message_get(message, type, &length);

	if (data && length == sizeof(otherwise))
		memcpy(&otherwise, data, sizeof(otherwise));
	return otherwise;
}

const char *message_string(const struct message *message, uint16_t type)
{
	const char *text = message_get(message, type, NULL);

	return text ? text : "";
}

void request_start(struct request *request, uint8_t command, uint16_t flags)
{
	memset(request, 0, sizeof(*request));
	request->command = command;
	request->flags = flags;
}

void request_put(struct request *request, uint16_t type, const void *data, size_t length)
{
	struct nlattr attribute = { .nla_len = sizeof(attribute) + length, .nla_type = type };

	if (request->length + ALIGN4(attribute.nla_len) > sizeof(request->bytes))
		abort();
	memcpy(request->bytes + request->length, &attribute, sizeof(attribute));
	memcpy(request->bytes + request->length + sizeof(attribute), data, length);
	request->length += ALIGN4(attribute.nla_len);
}

void request_put_u32(struct request *request, uint16_t type, uint32_t value)
{
	request_put(request, type, &value, sizeof(value));
}

void request_put_u64(struct request *request, uint16_t type, uint64_t value)
{
	request_put(request, type, &value, sizeof(value));
}

void request_put_string(struct request *request, uint16_t type, const char *text)
{
	request_put(request, type, text, strlen(text) + 1);
}

/* ---- sockets ---- */

static int send_message(int fd, uint16_t type, const struct request *request)
{
	struct {
		struct nlmsghdr header;
		struct genlmsghdr generic;
		uint8_t bytes[sizeof(request->bytes)];
	} message = {
		.header = {
			.nlmsg_len = NLMSG_LENGTH(sizeof(struct genlmsghdr)) + request->length,
			.nlmsg_type = type,
			.nlmsg_flags = NLM_F_REQUEST | request->flags,
			.nlmsg_seq = ++sequence,
		},
		.generic = { .cmd = request->command, .version = CXFW_GENL_VERSION },
	};
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };

	memcpy(message.bytes, request->bytes, request->length);
	if (sendto(fd, &message, message.header.nlmsg_len, 0, (struct sockaddr *)&kernel, sizeof(kernel)) < 0)
		return -errno;
	return 0;
}

static void take_error(const struct nlmsghdr *header, struct answer *answer)
{
	const struct nlmsgerr *error = NLMSG_DATA(header);
	size_t skip = sizeof(*error), length;
	const char *text;

	answer->error = error->error;
	if (!(header->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!(header->nlmsg_flags & NLM_F_CAPPED))
		skip += ALIGN4(error->msg.nlmsg_len) - sizeof(error->msg);
	if (NLMSG_LENGTH(skip) > header->nlmsg_len)
		return;
	text = find((const uint8_t *)error + skip, header->nlmsg_len - NLMSG_LENGTH(skip), NLMSGERR_ATTR_MSG, &length);
	if (text)
		snprintf(answer->text, sizeof(answer->text), "%s", text);
}

/* The end of a dump carries the error of its start on new kernels. */
static void take_done(const struct nlmsghdr *header, struct answer *answer)
{
	size_t length;
	const char *text;

	if (header->nlmsg_len < NLMSG_LENGTH(sizeof(int)))
		return;
	memcpy(&answer->error, NLMSG_DATA(header), sizeof(int));
	if (answer->error > 0)
		answer->error = 0;
	text = find((const uint8_t *)NLMSG_DATA(header) + sizeof(int), header->nlmsg_len - NLMSG_LENGTH(sizeof(int)),
		    NLMSGERR_ATTR_MSG, &length);
	if (text && header->nlmsg_flags & NLM_F_ACK_TLVS)
		snprintf(answer->text, sizeof(answer->text), "%s", text);
}

static void take_message(const struct nlmsghdr *header, struct answer *answer)
{
	const struct genlmsghdr *generic = NLMSG_DATA(header);
	struct message *message;
	size_t length = header->nlmsg_len - NLMSG_LENGTH(sizeof(*generic));

	if (answer->count == MESSAGES_MAX || length > sizeof(message->bytes))
		return;
	message = &answer->messages[answer->count++];
	message->command = generic->cmd;
	message->length = length;
	memcpy(message->bytes, generic + 1, length);
}

/* One datagram; true when it ended the answer. */
static bool receive(int fd, struct answer *answer)
{
	/* Small: the kernel makes the pieces of a dump as large as what was received with before. */
	static uint8_t buffer[4096];
	struct nlmsghdr *header = (struct nlmsghdr *)buffer;
	int got = recv(fd, buffer, sizeof(buffer), 0);

	if (got < 0) {
		answer->error = -errno;
		return true;
	}
	answer->datagrams += header->nlmsg_type != NLMSG_DONE && header->nlmsg_type != NLMSG_ERROR;
	for (; NLMSG_OK(header, got); header = NLMSG_NEXT(header, got)) {
		if (header->nlmsg_type == NLMSG_ERROR) {
			take_error(header, answer);
			return true;
		}
		if (header->nlmsg_type == NLMSG_DONE) {
			take_done(header, answer);
			return true;
		}
		take_message(header, answer);
	}
	return false;
}

static int exchange(int fd, uint16_t type, const struct request *request, struct answer *answer)
{
	memset(answer, 0, offsetof(struct answer, messages));
	answer->error = send_message(fd, type, request);
	if (answer->error)
		return answer->error;
	while (!receive(fd, answer))
		;
	return answer->error;
}

static void find_group(const struct message *message)
{
	size_t length, at, size;
	const uint8_t *groups = message_get(message, CTRL_ATTR_MCAST_GROUPS, &length);
	const struct nlattr *group;
	const char *name;

	for (at = 0; groups && at + sizeof(*group) <= length; at += ALIGN4(group->nla_len)) {
		group = (const struct nlattr *)(groups + at);
		size = group->nla_len - sizeof(*group);
		name = find((const uint8_t *)(group + 1), size, CTRL_ATTR_MCAST_GRP_NAME, NULL);
		if (name && !strcmp(name, CXFW_GENL_MCGRP_EVENTS))
			memcpy(&events_group, find((const uint8_t *)(group + 1), size, CTRL_ATTR_MCAST_GRP_ID, NULL), 4);
	}
}

static int find_family(int fd)
{
	static struct answer answer;
	struct request request;
	const void *id;

	request_start(&request, CTRL_CMD_GETFAMILY, NLM_F_ACK);
	request_put_string(&request, CTRL_ATTR_FAMILY_NAME, CXFW_GENL_NAME);
	if (exchange(fd, GENL_ID_CTRL, &request, &answer) || !answer.count)
		return answer.error ? answer.error : -ENOENT;
	id = message_get(&answer.messages[0], CTRL_ATTR_FAMILY_ID, NULL);
	if (id)
		memcpy(&family, id, sizeof(family));
	find_group(&answer.messages[0]);
	return 0;
}

int client_open(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	struct timeval patience = { .tv_sec = 60 };
	int one = 1, found;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	family = 0;
	found = find_family(fd);
	if (found) {
		close(fd);
		errno = -found;
		return -1;
	}
	return fd;
}

void client_close(int fd)
{
	close(fd);
}

int client_family(void)
{
	return family;
}

int client_join_events(int fd)
{
	if (setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &events_group, sizeof(events_group)))
		return -errno;
	return 0;
}

bool client_event(int fd, int milliseconds, struct answer *answer)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };

	memset(answer, 0, offsetof(struct answer, messages));
	if (poll(&ready, 1, milliseconds) != 1)
		return false;
	receive(fd, answer);
	return answer->count && answer->messages[0].command == CXFW_CMD_EVENT;
}

int request_do(int fd, const struct request *request, struct answer *answer)
{
	return exchange(fd, family, request, answer);
}

/* ---- commands ---- */

int card_get(int fd, const char *address, struct answer *answer)
{
	struct request request;

	request_start(&request, CXFW_CMD_CARD_GET, NLM_F_ACK);
	request_put_string(&request, CXFW_A_ADDRESS, address);
	return request_do(fd, &request, answer);
}

int card_dump(int fd, struct answer *answer)
{
	struct request request;

	request_start(&request, CXFW_CMD_CARD_GET, NLM_F_DUMP);
	return request_do(fd, &request, answer);
}

int job_get(int fd, uint64_t id, struct answer *answer)
{
	struct request request;

	request_start(&request, CXFW_CMD_JOB_GET, NLM_F_ACK);
	request_put_u64(&request, CXFW_A_JOB_ID, id);
	return request_do(fd, &request, answer);
}

int burn(int fd, const char *address, uint32_t stage_fd, const uint8_t digest[32], struct answer *answer)
{
	struct request request;

	request_start(&request, CXFW_CMD_BURN, NLM_F_ACK);
	request_put_string(&request, CXFW_A_ADDRESS, address);
	request_put_u32(&request, CXFW_A_STAGE_FD, stage_fd);
	request_put(&request, CXFW_A_STAGE_SHA256, digest, 32);
	return request_do(fd, &request, answer);
}

int job_cancel(int fd, uint64_t id, struct answer *answer)
{
	struct request request;

	request_start(&request, CXFW_CMD_JOB_CANCEL, NLM_F_ACK);
	request_put_u64(&request, CXFW_A_JOB_ID, id);
	return request_do(fd, &request, answer);
}

int semaphore_clear(int fd, const char *address, uint32_t semaphore, uint32_t value, struct answer *answer)
{
	struct request request;

	request_start(&request, CXFW_CMD_SEMAPHORE_CLEAR, NLM_F_ACK);
	request_put_string(&request, CXFW_A_ADDRESS, address);
	request_put_u32(&request, CXFW_A_SEMAPHORE, semaphore);
	request_put_u32(&request, CXFW_A_SEMAPHORE_VALUE, value);
	return request_do(fd, &request, answer);
}

/* ---- cxsim ---- */

#define CXSIM "/sys/kernel/debug/cxsim"

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	int bad;

	if (fd < 0)
		return -1;
	bad = write(fd, text, strlen(text)) < 0;
	close(fd);
	return bad ? -1 : 0;
}

static void read_file(const char *path, char *text, size_t room)
{
	int fd = open(path, O_RDONLY);
	ssize_t got = fd < 0 ? -1 : read(fd, text, room - 1);

	text[got < 0 ? 0 : got] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (fd >= 0)
		close(fd);
}

int sim_create(const char *parameters, char *address)
{
	char text[200], path[80];
	int card;

	if (write_file(CXSIM "/create", parameters)) {
		read_file(CXSIM "/error", text, sizeof(text));
		printf("# cxsim: %s: %s\n", parameters, text);
		return -1;
	}
	read_file(CXSIM "/create", text, sizeof(text));
	card = atoi(text);
	snprintf(path, sizeof(path), CXSIM "/%d/address", card);
	read_file(path, address, 16);
	return card;
}

void sim_write(int card, const char *file, const char *text)
{
	char path[120];

	snprintf(path, sizeof(path), CXSIM "/%d/%s", card, file);
	if (write_file(path, text))
		printf("# cxsim: writing %s to %s: %s\n", text, path, strerror(errno));
}

void sim_set(int card, const char *setting, unsigned long long value)
{
	char file[80], text[32];

	snprintf(file, sizeof(file), "settings/%s", setting);
	snprintf(text, sizeof(text), "%llu", value);
	sim_write(card, file, text);
}

unsigned long long sim_get(int card, const char *file)
{
	char path[120], text[64];

	snprintf(path, sizeof(path), CXSIM "/%d/%s", card, file);
	read_file(path, text, sizeof(text));
	return strtoull(text, NULL, 0);
}

int sim_flash(int card, uint8_t *buffer, size_t length)
{
	char path[80];
	size_t done = 0;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), CXSIM "/%d/flash", card);
	fd = open(path, O_RDONLY);
	while (fd >= 0 && done < length) {
		got = read(fd, buffer + done, length - done);
		if (got <= 0)
			break;
		done += got;
	}
	if (fd >= 0)
		close(fd);
	return done == length ? 0 : -1;
}

/* devtmpfs is a moment behind netlink. */
int device_open(const char *address)
{
	const struct timespec moment = { .tv_nsec = 20000000 };
	char path[80];
	int fd, tries;

	snprintf(path, sizeof(path), "/dev/cxfw/%s", address);
	for (tries = 0; tries < 100; tries++) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0 || errno != ENOENT)
			break;
		nanosleep(&moment, NULL);
	}
	return fd;
}

bool plug(struct card *card, const char *parameters)
{
	card->fd = -1;
	card->number = sim_create(parameters, card->address);
	if (!CHECK(card->number >= 0))
		return false;
	card->fd = device_open(card->address);
	return CHECK(card->fd >= 0);
}

void unplug(struct card *card)
{
	if (card->fd >= 0)
		close(card->fd);
	if (card->number >= 0)
		sim_write(card->number, "remove", "1");
}
