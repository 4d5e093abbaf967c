/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * While cxctl activate has taken a card's driver off, the file restart/ADDRESS.json in the state directory
 * tells which function had which. The program holds a lock on it as long as it lives: a file that nobody
 * holds is of one that was killed, and its card may still be without its driver.
 */
#ifndef CXCTL_DRIVER_OFF_H
#define CXCTL_DRIVER_OFF_H

#include <stdbool.h>
#include <stddef.h>

#include "../base/error.h"
#include "../host/pci.h"

#define DRIVER_OFF_MOST	16

struct driver_off {
	char address[16];
	char driver[32];
};

/* mlx4_core or mlx5_core: those that activate takes off. */
bool driver_off_ours(const char *driver);

/*
 * On the disk before the first driver goes. Gives the lock, or -1 with *error: it cannot be written, or
 * another program restarts this card right now (id "restarting").
 */
int driver_off_begin(const char *card, const struct pci_function *functions, size_t count,
		     struct cxctl_error *error);
/* every: all drivers are back, and nothing is to be remembered. */
void driver_off_end(const char *card, int lock, bool every);

/* Nobody holds it, and what it told of is mended. */
void driver_off_forget(const char *card);
/* Functions of the card that a killed activate left without their driver; how many. */
size_t driver_off_left(const char *card, struct driver_off left[DRIVER_OFF_MOST]);

#endif /* CXCTL_DRIVER_OFF_H */
