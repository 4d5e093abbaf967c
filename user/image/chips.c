// SPDX-License-Identifier: GPL-2.0-only
/* Chips by hardware id and by PCI id: firmware-images.md 1.5. */
#include "private.h"

#define PCI_IDS 13

static const struct {
	uint16_t hw_id;
	enum image_format format;
	const char *name;
	uint16_t pci[PCI_IDS];		/* 0 ends */
} chips[] = {
	{ 0x190, IMAGE_FS2, "ConnectX-2",
	  { 0x6340, 0x634a, 0x6354, 0x6368, 0x6372, 0x6732, 0x673c, 0x6746, 0x6750, 0x675a, 0x6764, 0x676e,
	    0x6778 } },
	{ 0x1f5, IMAGE_FS2, "ConnectX-3", { 0x1003 } },
	{ 0x1f7, IMAGE_FS2, "ConnectX-3 Pro", { 0x1007 } },
	{ 0x1ff, IMAGE_FS3, "Connect-IB", { 0x1011 } },
	{ 0x209, IMAGE_FS3, "ConnectX-4", { 0x1013 } },
	{ 0x20b, IMAGE_FS3, "ConnectX-4 Lx", { 0x1015 } },
	{ 0x247, IMAGE_FS3, "Switch-IB", { 0 } },
	{ 0x249, IMAGE_FS3, "Spectrum", { 0 } },
	{ 0x24b, IMAGE_FS3, "Switch-IB 2", { 0 } },
	{ 0x20d, IMAGE_FS4, "ConnectX-5", { 0x1017, 0x1019 } },
	{ 0x20f, IMAGE_FS4, "ConnectX-6", { 0x101b } },
	{ 0x211, IMAGE_FS4, "BlueField", { 0xa2d0, 0xa2d1, 0xa2d2 } },
	{ 0x212, IMAGE_FS4, "ConnectX-6 Dx", { 0x101d } },
	{ 0x214, IMAGE_FS4, "BlueField-2", { 0xa2d4, 0xa2d5, 0xa2d6 } },
	{ 0x216, IMAGE_FS4, "ConnectX-6 Lx", { 0x101f } },
	{ 0x218, IMAGE_FS4, "ConnectX-7", { 0x1021 } },
	{ 0x21c, IMAGE_FS4, "BlueField-3", { 0xa2da, 0xa2db, 0xa2dc } },
	{ 0x24d, IMAGE_FS4, "Quantum", { 0 } },
	{ 0x24e, IMAGE_FS4, "Spectrum-2", { 0 } },
	{ 0x250, IMAGE_FS4, "Spectrum-3", { 0 } },
	{ 0x252, IMAGE_FS4, "gearbox", { 0 } },
	{ 0x253, IMAGE_FS4, "gearbox", { 0 } },
	{ 0x254, IMAGE_FS4, "Spectrum-4", { 0 } },
	{ 0x256, IMAGE_FS4, "gearbox", { 0 } },
	{ 0x257, IMAGE_FS4, "Quantum-2", { 0 } },
	{ 0x270, IMAGE_FS4, "Spectrum-5", { 0 } },
	{ 0x21e, IMAGE_FS5, "ConnectX-8", { 0x1023 } },
	{ 0x220, IMAGE_FS5, "BlueField-4", { 0xa2dd, 0xa2de, 0xa2df, 0xc2d6 } },
	{ 0x222, IMAGE_FS5, "ConnectX-8 PCIe switch", { 0x197d } },
	{ 0x224, IMAGE_FS5, "ConnectX-9", { 0x1025 } },
	{ 0x228, IMAGE_FS5, "ConnectX-9 PCIe switch", { 0x197e } },
	{ 0x25b, IMAGE_FS5, "Quantum-3", { 0 } },
	{ 0x278, IMAGE_FS5, "NVLink-6 switch", { 0 } },
};

#define CHIPS (sizeof(chips) / sizeof(chips[0]))

const char *image_chip_name(uint16_t hw_id)
{
	size_t i;

	for (i = 0; i < CHIPS; i++)
		if (chips[i].hw_id == hw_id)
			return chips[i].name;
	return NULL;
}

enum image_format image_chip_format(uint16_t hw_id)
{
	size_t i;

	for (i = 0; i < CHIPS; i++)
		if (chips[i].hw_id == hw_id)
			return chips[i].format;
	return IMAGE_NONE;
}

/* 0: no known chip of this format has the PCI id. */
static uint16_t hw_id_of_pci(enum image_format format, uint16_t pci_device)
{
	size_t i, n;

	for (i = 0; i < CHIPS; i++)
		for (n = 0; n < PCI_IDS && chips[i].pci[n]; n++)
			if (chips[i].format == format && chips[i].pci[n] == pci_device)
				return chips[i].hw_id;
	return 0;
}

uint32_t fs2_hw_id_of_pci(uint16_t pci_device)
{
	return hw_id_of_pci(IMAGE_FS2, pci_device);
}
