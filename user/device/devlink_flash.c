// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel burns while it handles the request, in the sender's own context: so one thread sends
 * and waits, and the caller's thread listens to what the driver tells meanwhile.
 */
#include "devlink_flash.h"

#include <errno.h>
#include <linux/devlink.h>
#include <linux/genetlink.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "../base/message.h"
#include "genl.h"

#define RECEIVE_BUFFER	65536
/* A real update takes minutes; the driver's own steps have time-outs of their own. */
#define LONGEST_SECONDS	3600

struct flash {
	const char *bus, *device, *file;
	struct genl genl;		/* the request's */
	int result;			/* of the request */
	int ended;			/* eventfd: the request has its answer */
	struct genl listener;
	void (*status)(void *context, const struct devlink_flash_status *status);
	void *context;
};

static void *send_request(void *data)
{
	struct flash *flash = data;
	struct nlmsghdr *request = genl_request(&flash->genl, DEVLINK_CMD_FLASH_UPDATE, false);
	uint64_t one = 1;

	mnl_attr_put_strz(request, DEVLINK_ATTR_BUS_NAME, flash->bus);
	mnl_attr_put_strz(request, DEVLINK_ATTR_DEV_NAME, flash->device);
	mnl_attr_put_strz(request, DEVLINK_ATTR_FLASH_UPDATE_FILE_NAME, flash->file);
	flash->result = genl_run(&flash->genl, request, NULL, NULL);
	while (write(flash->ended, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	return NULL;
}

static bool is_ours(const struct flash *flash, const struct nlattr **table)
{
	char bus[32], device[64];

	genl_string(bus, sizeof(bus), table[DEVLINK_ATTR_BUS_NAME]);
	genl_string(device, sizeof(device), table[DEVLINK_ATTR_DEV_NAME]);
	return !strcmp(bus, flash->bus) && !strcmp(device, flash->device);
}

static int take_message(const struct nlmsghdr *message, void *data)
{
	const struct nlattr *table[DEVLINK_ATTR_FLASH_UPDATE_OVERWRITE_MASK + 1];
	const struct genlmsghdr *generic = mnl_nlmsg_get_payload(message);
	char component[64], text[128];
	struct flash *flash = data;
	struct devlink_flash_status status = { .component = component, .message = text };

	if (message->nlmsg_type != flash->listener.family ||
	    message->nlmsg_len < MNL_NLMSG_HDRLEN + sizeof(*generic) ||
	    generic->cmd != DEVLINK_CMD_FLASH_UPDATE_STATUS)
		return MNL_CB_OK;
	genl_attributes(message, table, DEVLINK_ATTR_FLASH_UPDATE_OVERWRITE_MASK);
	if (!is_ours(flash, table))
		return MNL_CB_OK;
	genl_string(component, sizeof(component), table[DEVLINK_ATTR_FLASH_UPDATE_COMPONENT]);
	genl_string(text, sizeof(text), table[DEVLINK_ATTR_FLASH_UPDATE_STATUS_MSG]);
	status.done = genl_number(table[DEVLINK_ATTR_FLASH_UPDATE_STATUS_DONE]);
	status.total = genl_number(table[DEVLINK_ATTR_FLASH_UPDATE_STATUS_TOTAL]);
	status.timeout = genl_number(table[DEVLINK_ATTR_FLASH_UPDATE_STATUS_TIMEOUT]);
	flash->status(flash->context, &status);
	return MNL_CB_OK;
}

/* What has come so far. Lost messages (ENOBUFS) cost nothing but a step of the progress. */
static void take_messages(struct flash *flash, uint8_t *buffer)
{
	ssize_t length;

	for (;;) {
		length = recv(mnl_socket_get_fd(flash->listener.socket), buffer, RECEIVE_BUFFER, MSG_DONTWAIT);
		if (length <= 0)
			return;
		mnl_cb_run(buffer, length, 0, 0, take_message, flash);
	}
}

static void listen_until_end(struct flash *flash)
{
	struct pollfd fds[2] = {
		{ .fd = flash->ended, .events = POLLIN },
		{ .fd = mnl_socket_get_fd(flash->listener.socket), .events = POLLIN },
	};
	uint8_t *buffer = malloc(RECEIVE_BUFFER);
	bool ended = false;

	while (!ended) {
		if (poll(fds, buffer ? 2 : 1, -1) < 0 && errno != EINTR)
			break;
		ended = fds[0].revents & POLLIN;
		if (buffer)
			take_messages(flash, buffer);
	}
	free(buffer);
}

static int no_devlink(int number, struct cxctl_error *error)
{
	error_set(error, CXCTL_NO_ACCESS, "no-devlink", _("this kernel offers no devlink for the card"));
	error_found(error, "%s", strerror(number));
	error_next(error, _("load the card's own driver (mlx5_core), or the driver cxfw"));
	return -1;
}

static int failed(const struct flash *flash, struct cxctl_error *error)
{
	int number = -flash->result;

	if (number == ENODEV || number == EOPNOTSUPP)
		return no_devlink(number, error);
	if (number == EPERM || number == EACCES) {
		error_set(error, CXCTL_NO_ACCESS, "not-permitted", _("devlink does not let you burn"));
		error_expected(error, _("root, or CAP_NET_ADMIN"));
		return -1;
	}
	error_set(error, CXCTL_CARD_ERROR, "devlink-flash", _("the driver did not burn the image"));
	error_found(error, "%s%s%s", flash->genl.message, *flash->genl.message ? ": " : "", strerror(number));
	error_next(error, _("the card boots what it booted before unless the driver had activated the image; dmesg has the driver's own lines"));
	return -1;
}

static int join_group(struct flash *flash)
{
	int group, result = genl_open(&flash->listener, DEVLINK_GENL_NAME, DEVLINK_GENL_VERSION,
				      DEVLINK_GENL_MCGRP_CONFIG_NAME);

	if (result)
		return result;
	group = flash->listener.group;
	if (mnl_socket_setsockopt(flash->listener.socket, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)) < 0)
		return -errno;
	return 0;
}

static int run_flash(struct flash *flash, struct cxctl_error *error)
{
	struct timeval wait = { .tv_sec = LONGEST_SECONDS };
	pthread_t sender;
	int result;

	setsockopt(mnl_socket_get_fd(flash->genl.socket), SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	result = pthread_create(&sender, NULL, send_request, flash);
	if (result)
		return error_set(error, CXCTL_FAILED, "thread", _("cannot start a thread: %s"), strerror(result));
	listen_until_end(flash);
	pthread_join(sender, NULL);
	return flash->result ? failed(flash, error) : 0;
}

int devlink_flash(const char *bus, const char *device, const char *file,
		  void (*status)(void *context, const struct devlink_flash_status *status), void *context,
		  struct cxctl_error *error)
{
	struct flash flash = {
		.bus = bus, .device = device, .file = file, .status = status, .context = context,
	};
	int result = genl_open(&flash.genl, DEVLINK_GENL_NAME, DEVLINK_GENL_VERSION, NULL);

	if (result)
		return no_devlink(-result, error);
	result = join_group(&flash);
	flash.ended = result ? -1 : eventfd(0, EFD_CLOEXEC);
	if (result || flash.ended < 0)
		result = no_devlink(result ? -result : errno, error);
	else
		result = run_flash(&flash, error);
	if (flash.ended >= 0)
		close(flash.ended);
	genl_close(&flash.listener);
	genl_close(&flash.genl);
	return result;
}
