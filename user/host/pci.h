/* SPDX-License-Identifier: GPL-2.0-only */
/* PCI functions of ConnectX cards as sysfs shows them. Reads only, and no configuration space. */
#ifndef CXCTL_PCI_H
#define CXCTL_PCI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PCI_VENDOR_MELLANOX	0x15b3
#define PCI_NAMES		4

struct pci_function {
	char address[16];		/* "0000:03:00.0" */
	uint32_t domain, bus, slot, function;
	uint16_t vendor, device, subsystem_vendor, subsystem_device;
	uint32_t class_code;		/* 24 bits */
	uint8_t revision;
	int numa_node;			/* -1: none */
	bool is_virtual;		/* has a physfn link, or an id of a virtual function */
	char physical[16];		/* address of its physical function, empty when unknown */
	unsigned int virtual_count;	/* virtual functions that are switched on */
	char driver[32];		/* empty: none bound */
	char netdev[PCI_NAMES][32];
	unsigned int netdev_count;
	char rdma[PCI_NAMES][32];
	unsigned int rdma_count;
	char board_id[32];		/* of the RDMA device: the PSID */
	char fw_version[32];		/* of the RDMA device */
	char link_speed[32], link_width[8];		/* now */
	char link_speed_max[32], link_width_max[8];	/* of the function */
	char power[16];			/* runtime power management: "active", "suspended" ... */
};

struct pci_list {
	struct pci_function *functions;	/* in order of address */
	size_t count;
};

/* Directory of sysfs: "/sys", or the environment's CXCTL_SYSFS (for tests). */
const char *sysfs_root(void);

/* Functions of vendor 15b3 that are no switches and no bridges. 0, or -errno of the directory. */
int pci_scan(struct pci_list *list);
void pci_list_free(struct pci_list *list);

/* One function of any vendor: 0, or -ENOENT. */
int pci_read(const char *address, struct pci_function *function);

/* "ConnectX-5 Ex"; NULL when the id is not in the table. *recovery: id of a card without firmware. */
const char *pci_model(uint16_t device, bool *recovery);
/* "ConnectX-5" by the hardware id of CR 0xf0014 (and revision: 0x190 is ConnectX or ConnectX-2). */
const char *pci_model_by_hw_id(uint32_t hw_id, uint32_t revision);
/* Image format of its firmware, "FS4"; NULL when unknown. */
const char *pci_format_by_hw_id(uint32_t hw_id);
bool pci_is_virtual_id(uint16_t device);
/* Of a ConnectX or ConnectX-2, 3, 3 Pro, running or in recovery. */
bool pci_is_mlx4(uint16_t device);

#endif /* CXCTL_PCI_H */
