/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of usage_*.c only. */
#ifndef CXCTL_USAGE_PARTS_H
#define CXCTL_USAGE_PARTS_H

#include "usage.h"

struct usage_search {
	const struct pci_function *functions;
	size_t count;
	const struct usage_kernel *kernel;
	struct card_usage *usage;
};

__attribute__((format(printf, 5, 6)))
struct usage_item *usage_add(struct card_usage *usage, enum usage_kind kind, bool harmless, const char *what,
			     const char *format, ...);
/* Does it go down with the card? */
bool usage_goes_down(const struct card_usage *usage, const char *interface);
/* Packets to this address leave by an interface that goes down; its name in interface[32]. */
bool usage_leads_through(const struct usage_search *search, const char *address, char interface[32]);

/* "driver=vfio-pci" of a function in sysfs, or the like; false: nothing bound. */
bool usage_driver_of(const char *address, char *driver, size_t room);
/* Calls for each entry of a directory below sysfs_root(), in order of name; nothing when there is none. */
__attribute__((format(printf, 3, 4)))
void usage_each_entry(void (*take)(const char *name, void *data), void *data, const char *format, ...);

void usage_network(struct usage_search *search);	/* fills usage->interfaces, too: called first */
void usage_rdma(struct usage_search *search);
void usage_virtual(struct usage_search *search);
void usage_storage(struct usage_search *search);
void usage_session(struct usage_search *search);

#endif /* CXCTL_USAGE_PARTS_H */
