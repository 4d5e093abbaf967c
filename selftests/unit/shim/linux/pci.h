/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_PCI_H
#define SHIM_PCI_H
#include <linux/printk.h>
#include <linux/types.h>

#define PCI_VENDOR_ID		0x00
#define PCI_DEVICE_ID		0x02
#define PCI_COMMAND		0x04
#define PCI_STATUS		0x06
#define PCI_STATUS_CAP_LIST	0x10
#define PCI_CLASS_REVISION	0x08
#define PCI_HEADER_TYPE		0x0e
#define PCI_HEADER_TYPE_NORMAL	0
#define PCI_CAPABILITY_LIST	0x34
#define PCI_CAP_ID_VNDR		0x09
#define PCI_BASE_CLASS_NETWORK	0x02
#define PCI_BASE_CLASS_SERIAL	0x0c
#define PCI_CLASS_MEMORY_OTHER	0x0580
#define PCI_FUNC(devfn)		((devfn) & 7)

struct cxsim_card;

struct pci_dev {
	u16 vendor, device;
	u32 class;
	u8 hdr_type;
	unsigned int devfn;
	unsigned int is_virtfn : 1;
	struct pci_dev *physfn;
	/* the shim's own */
	struct cxsim_card *card;
	bool config_locked;
	u64 locked_since;
	char name[16];
};

static inline const char *pci_name(const struct pci_dev *pdev)
{
	return pdev->name;
}

static inline struct pci_dev *pci_physfn(struct pci_dev *pdev)
{
	return pdev->is_virtfn ? pdev->physfn : pdev;
}

int pci_read_config_byte(struct pci_dev *pdev, int where, u8 *value);
int pci_read_config_word(struct pci_dev *pdev, int where, u16 *value);
int pci_read_config_dword(struct pci_dev *pdev, int where, u32 *value);
int pci_write_config_byte(struct pci_dev *pdev, int where, u8 value);
int pci_write_config_word(struct pci_dev *pdev, int where, u16 value);
int pci_write_config_dword(struct pci_dev *pdev, int where, u32 value);
u8 pci_find_capability(struct pci_dev *pdev, int id);
u8 pci_find_next_capability(struct pci_dev *pdev, u8 position, int id);
bool pci_cfg_access_trylock(struct pci_dev *pdev);
void pci_cfg_access_unlock(struct pci_dev *pdev);

#define pci_err(pdev, ...) ((void)(pdev), shim_quiet(__VA_ARGS__))
#define pci_warn(pdev, ...) ((void)(pdev), shim_quiet(__VA_ARGS__))
#define pci_info(pdev, ...) ((void)(pdev), shim_quiet(__VA_ARGS__))
#define pci_dbg(pdev, ...) ((void)(pdev), shim_quiet(__VA_ARGS__))
#endif
