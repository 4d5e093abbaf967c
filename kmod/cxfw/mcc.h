/* SPDX-License-Identifier: GPL-2.0-only */
/* The firmware's component registers MCQS, MCQI, MCC and MCDA: device-access.md 4.2. */
#ifndef CXFW_MCC_H
#define CXFW_MCC_H

#include <linux/types.h>

struct cxfw_device;

enum cxfw_mcc_instruction {
	CXFW_MCC_LOCK = 1,
	CXFW_MCC_RELEASE = 2,
	CXFW_MCC_UPDATE = 3,
	CXFW_MCC_VERIFY = 4,
	CXFW_MCC_ACTIVATE = 6,
	CXFW_MCC_READ = 7,
	CXFW_MCC_CANCEL = 8,
	CXFW_MCC_FORCE_RELEASE = 0xa,
	CXFW_MCC_READ_PENDING = 0xb,
};

enum cxfw_mcc_state {
	CXFW_MCC_IDLE,
	CXFW_MCC_LOCKED,
	CXFW_MCC_INITIALIZE,
	CXFW_MCC_DOWNLOAD,
	CXFW_MCC_UPLOAD = 7,
};

/* One answer. */
struct cxfw_mcc {
	u32 state, error, progress;	/* progress in percent, as the firmware says */
	u32 owner_host, owner_type;
	u32 handle;
	u32 size;			/* bytes of the component */
};

struct cxfw_component_facts {
	u32 index;
	u32 size, most;			/* bytes: as it stands, and at most */
	u32 block;			/* bytes of one MCDA */
	bool may_read, signed_only;
};

/* How long a step may take. pause (may be NULL) runs between two looks; nonzero ends the wait with it. */
struct cxfw_mcc_patience {
	unsigned int timeout_ms;
	int (*pause)(void *context, const struct cxfw_mcc *mcc);
	void *context;
};

struct cxfw_mcc_order {
	enum cxfw_mcc_instruction instruction;
	u32 handle;
	u32 index, size;		/* of UPDATE, READ and READ_PENDING; else 0 */
	const char *doing;		/* "locking the update handle" */
};

#define CXFW_MCC_ANY	(~0U)		/* whatever state it is then */

/* -ENOENT: no such component. */
int cxfw_component_find(struct cxfw_device *device, u32 identifier, struct cxfw_component_facts *facts);

/* With handle 0 the answer offers one. -ESTALE: the handle that was named is not valid any more. */
int cxfw_mcc_query(struct cxfw_device *device, u32 handle, struct cxfw_mcc *mcc);

/*
 * Gives the order, again while the firmware is busy, and looks until the state is the
 * wanted one, early or late. An error code ends it, with device->mcc_error and words.
 */
int cxfw_mcc_order(struct cxfw_device *device, const struct cxfw_mcc_order *order, u32 wanted,
		   const struct cxfw_mcc_patience *patience, struct cxfw_mcc *mcc);

/*
 * Blocks of the component, from *offset on, until all is there or others should have their
 * turn; *offset becomes how far it got.
 */
int cxfw_mcda_write(struct cxfw_device *device, u32 handle, const u8 *image, u32 length, u32 block,
		    u32 *offset);
int cxfw_mcda_read(struct cxfw_device *device, u32 handle, u32 offset, u8 *buffer, u32 length);

/* An error code in words, never NULL. */
const char *cxfw_mcc_error_text(u32 code);

#endif /* CXFW_MCC_H */
