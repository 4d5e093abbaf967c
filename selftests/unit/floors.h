/* SPDX-License-Identifier: GPL-2.0-only */
/* A simulated card and the driver's view of it, for tests of the hardware floors. */
#ifndef FLOORS_H
#define FLOORS_H

#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>
#include <linux/ktime.h>

#include "../../kmod/cxfw/device.h"
#include "../lib/ktap.h"
#include "shim.h"

#define FLOORS_FLASH 0x200000

struct floors {
	struct cxsim_card *card;
	struct pci_dev *pdev;
	struct cxfw_device device;
	u8 *cells;			/* of the flash chip, as a programmer sees them */
	u32 size;
};

static inline struct cxsim_parameters floors_parameters(const char *model)
{
	struct cxsim_parameters parameters = {
		.model = model,
		.flash_size = FLOORS_FLASH,
		.code_size = 0x3000,
		.seed = ktap_seed(),
	};

	return parameters;
}

/* The card only; nobody has looked at it. */
static inline bool floors_make(struct floors *floors, const struct cxsim_parameters *parameters)
{
	char why[160] = "";

	memset(floors, 0, sizeof(*floors));
	shim_reset(parameters->seed);
	floors->card = shim_card(parameters, why);
	if (!floors->card) {
		ktap_fail(__FILE__, __LINE__, "no card %s: %s", parameters->model, why);
		return false;
	}
	floors->cells = cxsim_flash(floors->card, &floors->size);
	floors->pdev = shim_pci_dev(floors->card, 0);
	cxsim_counters_clear(floors->card);
	return true;
}

static inline void floors_end(struct floors *floors)
{
	if (floors->device.pdev)
		cxfw_device_close(&floors->device);
	shim_pci_dev_free(floors->pdev);
	if (floors->card)
		shim_card_free(floors->card);
	memset(floors, 0, sizeof(*floors));
}

static inline bool floors_open_with(struct floors *floors, const struct cxsim_parameters *parameters)
{
	int error;

	if (!floors_make(floors, parameters))
		return false;
	error = cxfw_device_open(&floors->device, floors->pdev);
	if (!error)
		return true;
	ktap_fail(__FILE__, __LINE__, "%s does not open: %d, %s", parameters->model, error, floors->device.why);
	floors_end(floors);
	return false;
}

static inline bool floors_open(struct floors *floors, const char *model)
{
	struct cxsim_parameters parameters = floors_parameters(model);

	return floors_open_with(floors, &parameters);
}

static inline bool floors_open_empty(struct floors *floors, const char *model)
{
	struct cxsim_parameters parameters = floors_parameters(model);

	parameters.empty = true;
	return floors_open_with(floors, &parameters);
}

/* Probed and locked. */
static inline bool floors_open_flash(struct floors *floors, const char *model, bool empty)
{
	struct cxsim_parameters parameters = floors_parameters(model);
	int error;

	parameters.empty = empty;
	if (!floors_open_with(floors, &parameters))
		return false;
	error = cxfw_flash_probe(&floors->device);
	if (!error)
		error = cxfw_flash_lock(&floors->device);
	if (!error)
		return true;
	ktap_fail(__FILE__, __LINE__, "%s: %d, %s", model, error, floors->device.why);
	floors_end(floors);
	return false;
}

#define CHECK_ERROR(device, call, expected) do { \
	int floors_error = (call); \
	if (floors_error != (expected)) \
		ktap_fail(__FILE__, __LINE__, "%s is %d (%s), expected %d", #call, floors_error, \
			  floors_error ? (device)->why : "", (expected)); \
} while (0)
#define CHECK_WHY(device, part) do { \
	if (!strstr((device)->why, part)) \
		ktap_fail(__FILE__, __LINE__, "why is \"%s\", expected \"%s\" in it", (device)->why, part); \
} while (0)
#define CHECK_CLEAN(floors) do { \
	CHECK_EQ(cxsim_count((floors)->card, CXSIM_FOUL), 0); \
	CHECK(!(floors)->pdev->config_locked); \
	CHECK(!(floors)->device.gateway.inside); \
} while (0)

#endif /* FLOORS_H */
