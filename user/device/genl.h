/* SPDX-License-Identifier: GPL-2.0-only */
/* Generic netlink over libmnl: resolve a family, ask, dump, and the kernel's own words when it refuses. */
#ifndef CXCTL_GENL_H
#define CXCTL_GENL_H

#include <libmnl/libmnl.h>
#include <stdbool.h>
#include <stdint.h>

#define GENL_BUFFER	8192	/* bytes of a request */

struct genl {
	struct mnl_socket *socket;
	uint16_t family;
	uint8_t version;
	uint32_t group;			/* multicast group that was asked for, 0: none */
	uint32_t sequence;
	char message[256];		/* extended acknowledgement of the last refusal, or empty */
	uint8_t request[GENL_BUFFER];
};

/* 0, or -errno: -ENOENT when the kernel does not have the family (here: -ENOENT also in another net namespace). */
int genl_open(struct genl *genl, const char *family, uint8_t version, const char *group);
void genl_close(struct genl *genl);

/* Starts a request in genl->request; attributes follow with mnl_attr_put_...(). */
struct nlmsghdr *genl_request(struct genl *genl, uint8_t command, bool dump);

/* Sends it and hands every answer to the callback (0 stops with success, see mnl_cb_run). 0, or -errno. */
int genl_run(struct genl *genl, struct nlmsghdr *request, mnl_cb_t callback, void *data);

/* The attributes of a generic netlink message, by their number, up to most. */
void genl_attributes(const struct nlmsghdr *message, const struct nlattr **table, uint16_t most);
void genl_nested(const struct nlattr *nest, const struct nlattr **table, uint16_t most);

/* Copies a string attribute, cut to size. */
void genl_string(char *text, size_t size, const struct nlattr *attribute);
/* Integers of the length that the attribute really has; 0 when it is absent. */
uint64_t genl_number(const struct nlattr *attribute);

#endif /* CXCTL_GENL_H */
