/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of user/device/ only. */
#ifndef CXCTL_DEVICE_PRIVATE_H
#define CXCTL_DEVICE_PRIVATE_H

#include "device.h"
#include "genl.h"

struct cxctl_card {
	struct pci_function pci;
	struct cxctl_card_facts facts;
	struct cxctl_devlink_facts devlink;
	bool devlink_asked;
	int fd;				/* character device, -1 when it could not be opened */
	struct cxctl_error access;	/* why fd is -1 */
};

/* Reads one CXFW_CMD_CARD_GET or card event message. */
void cxfw_take_card(const struct nlattr **table, struct cxctl_card_facts *facts);
void cxfw_take_job(const struct nlattr **table, struct cxctl_job *job);

/* One card by the address of one of its functions. 0, or -1 with *error. */
int cxfw_card_get(const char *address, struct cxctl_card_facts *facts, struct cxctl_error *error);

/* Opens the family; *error says why not: no module, another kernel's, no rights ... */
int cxfw_open(struct genl *genl, const char *group, struct cxctl_error *error);

/* Whether a job runs on the card that has this function; its id in *id. */
bool cxfw_job_on(const char *address, uint64_t *id);

/* An errno of a netlink answer in words; the kernel's own words come first. */
int cxfw_error(const struct genl *genl, int error_number, const char *what, struct cxctl_error *error);

/* devlink of one function, or of all when address is NULL. */
int devlink_get(const char *address, struct cxctl_devlink_facts *facts);

/* The function that a name of cxctl(8) means: 0, or -1 with *error. */
int name_resolve(const char *name, struct pci_function *function, struct cxctl_error *error);

#endif /* CXCTL_DEVICE_PRIVATE_H */
