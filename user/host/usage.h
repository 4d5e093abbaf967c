/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who on this machine uses a card, so that a reset does not come as a surprise: interfaces with addresses
 * and what lies above them, bonds, RDMA programs, virtual functions, storage, the caller's own session.
 * Read from sysfs, procfs and netlink; nothing is changed. What other network namespaces hold is not
 * seen, and that is told.
 */
#ifndef CXCTL_USAGE_H
#define CXCTL_USAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pci.h"

enum usage_kind {
	USAGE_NETWORK,		/* an interface that is up and has addresses, a route or a bridge above it */
	USAGE_BOND,		/* a bond loses its last working leg */
	USAGE_RDMA,		/* programs and kernel modules with RDMA resources */
	USAGE_VIRTUAL,		/* virtual functions are switched on */
	USAGE_STORAGE,		/* file systems and disks that come over the card */
	USAGE_SESSION,		/* the connection of whoever calls */
	USAGE_KINDS,
};

#define USAGE_MOST	128
#define USAGE_INTERFACES 96

struct usage_item {
	enum usage_kind kind;
	bool harmless;		/* worth knowing, nobody is cut off */
	uint32_t pid;		/* of a process; 0: none */
	char what[64];		/* "enp3s0np0", "bond0", a program, "nvme1", a mount point */
	char text[320];		/* for a person, translated */
};

struct card_usage {
	size_t count;
	unsigned int left_out;	/* more than there is room for */
	uint32_t hit;		/* bit n: somebody of kind n is cut off */
	unsigned int guests;	/* virtual functions that virtual machines have */
	struct usage_item items[USAGE_MOST];
	size_t interface_count;
	char interfaces[USAGE_INTERFACES][32];	/* that go down, the card's own first */
};

/* What only netlink tells. Tests put their own answers here. */
struct usage_kernel {
	/* Each address of each interface of this network namespace: "10.0.0.5/24". */
	void (*addresses)(void (*take)(const char *interface, const char *address, void *data), void *data);
	/* The interface on which packets to an address leave; false: no route. */
	bool (*route)(const char *address, char *interface, size_t room);
	/* Users of an RDMA device: pid 0 and a name is a kernel module. */
	void (*rdma)(const char *device,
		     void (*take)(uint32_t pid, const char *name, unsigned int resources, void *data), void *data);
};

extern const struct usage_kernel usage_kernel;	/* asks the kernel */

/* functions: all physical functions of one card. */
void usage_query(const struct pci_function *functions, size_t count, const struct usage_kernel *kernel,
		 struct card_usage *usage);

bool usage_has(const struct card_usage *usage, enum usage_kind kind);	/* one that is not harmless */
const char *usage_kind_name(enum usage_kind kind);	/* "virtual-functions": stable, English */

#endif /* CXCTL_USAGE_H */
