/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An image reader over a card's flash that never reads a byte twice: on a live card every
 * 16 bytes cost tens of configuration space accesses.
 */
#ifndef CXCTL_FLASH_READER_H
#define CXCTL_FLASH_READER_H

#include "../device/device.h"
#include "../image/image.h"

struct flash_reader {
	struct image_reader reader;	/* hand this to user/image/ */
	struct cxctl_card *card;
	uint8_t *bytes;			/* sparse: as long as the flash, filled where read */
	uint8_t *known;			/* one bit for each 16 bytes */
	uint64_t bytes_read;		/* from the card */
	unsigned int reads;		/* pread()s that took */
	struct cxctl_error error;	/* of the card, when a read failed */
};

/* 0, or -1: no memory. size: bytes of the flash. */
int flash_reader_open(struct flash_reader *flash, struct cxctl_card *card, uint64_t size);
/* Reads a range that will be asked for in pieces; what goes wrong shows when it is asked for. */
void flash_reader_expect(struct flash_reader *flash, uint64_t offset, uint64_t length);
void flash_reader_close(struct flash_reader *flash);

#endif /* CXCTL_FLASH_READER_H */
