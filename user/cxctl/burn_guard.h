/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What stands between an image and a card: one rule a function, firmware-images.md 5.5. A guard is
 * told facts and reads nothing; burn_facts.c gathers them. 0: it lets the burn pass; -1: *error says
 * what was found, what was expected, whose rule it is, and what to do next, with the name of the option
 * that lifts it where one may. What is not known never makes a guard refuse, but where that is said.
 */
#ifndef CXCTL_BURN_GUARD_H
#define CXCTL_BURN_GUARD_H

#include "../device/device.h"
#include "../device/registers.h"
#include "../image/compare.h"
#include "../image/plan.h"

enum burn_method {
	BURN_METHOD_AUTO,
	BURN_METHOD_FLASH,		/* a plan of flash writes, run by the driver */
	BURN_METHOD_COMPONENT,		/* the firmware's own update */
	BURN_METHOD_DEVLINK,		/* the same, asked for by the card's bound driver: burn_devlink.h */
};

/* Guards that the user lifts, each by its name. */
struct burn_permits {
	bool reburn;			/* --reburn */
	bool downgrade;			/* --downgrade */
	const char *psid_change;	/* --psid-change PSID: the new one; NULL */
	bool board_change;		/* --accept-board-change */
	bool over_pending;		/* --over-pending */
	bool unknown_flash;		/* --accept-unknown-flash */
	bool rom_change;		/* --allow-rom-change */
	bool clear_protection;		/* --clear-protection */
};

/* ---- functions and driver ---- */

struct burn_function {
	char address[16];
	char driver[32];		/* empty: none bound */
};
#define BURN_FUNCTIONS 32

/* "vfio". Never lifted. */
int burn_guard_functions(const struct burn_function *functions, size_t count, struct cxctl_error *error);

/*
 * The driver and the card offer this way for an image of this format ("burn-not-offered", "method",
 * "flash-closed"); method is not AUTO.
 */
int burn_guard_method(enum burn_method method, const struct image_facts *image,
		      const struct cxfw_card_info *info, struct cxctl_error *error);
/* Which way AUTO means: the firmware's own where it offers it and the image allows it. why: for a person. */
enum burn_method burn_method_choose(const struct image_facts *image, const struct cxfw_card_info *info,
				    const char **why);

/* ---- the flash ---- */

/* The driver knows the chip ("flash-unknown"), and it answers ("flash-unreadable"). Flash plans only. */
int burn_guard_flash(const struct cxfw_card_info *info, struct cxctl_error *error);

/*
 * The flash chip is one that the target firmware drives ("flash-not-supported"), as far as its IMAGE_INFO
 * and that of the card's own image (device; NULL: unknown) say. *doubt (may be NULL): text for a note when
 * neither says anything; else NULL. --accept-unknown-flash.
 */
int burn_guard_flash_support(const struct image_facts *image, const struct image_facts *device,
			     const struct cxfw_card_info *info, const struct burn_permits *permits,
			     const char **doubt, struct cxctl_error *error);

/* Write protection, as the chip's status registers say it: device-access.md 5.6. */
struct burn_protection {
	bool known;
	bool any;			/* something is protected */
	uint64_t from, to;		/* what is, physical */
	bool locked;			/* the status register itself (SRP with the WP pin) */
	char bits[160];			/* "BP2..0 = 0 1 1, TB = 1 (from the bottom), SRP = 0" */
};
void burn_protection_of(const struct cxfw_card_info *info, struct burn_protection *protection);
/* Is one of these bytes protected? */
bool burn_protection_meets(const struct burn_protection *protection, uint64_t from, uint64_t to);
/* The writes of a plan meet no protected byte ("write-protected"). can_clear: the driver clears it when asked. */
int burn_guard_protection(const struct burn_protection *protection, uint64_t from, uint64_t to,
			  bool can_clear, const struct burn_permits *permits, struct cxctl_error *error);

/* ---- image and chip ---- */

/* What a verification found: burn_image_read() fills it. "image-damaged", exit 6. Never lifted. */
struct burn_verdict {
	unsigned int damaged;		/* findings */
	char first[256];
};
int burn_guard_image(const char *path, const struct burn_verdict *verdict, struct cxctl_error *error);

int burn_guard_format(const struct image_facts *image, const struct cxfw_card_info *info,
		      struct cxctl_error *error);
int burn_guard_hardware(const struct image_facts *image, uint32_t hw_id, uint32_t hw_revision,
			struct cxctl_error *error);

/* ---- the board ---- */

/* What is known of the lock of minor PSIDs: firmware-images.md 5.5. */
struct burn_psid_lock {
	bool supported;			/* the card has the feature */
	bool locked;
	char psid[17];			/* the only one allowed when locked */
};

struct burn_psids {
	const char *image, *card;	/* "": unknown */
	const char *original;		/* of manufacture; NULL or "": unknown */
	struct burn_psid_lock lock;
	bool secure;			/* the card runs secure firmware: life cycle or MGIR says so */
	enum burn_method method;
	bool retag;			/* --retag: the image gets the card's PSID */
};
/*
 * "psid" (--psid-change NEW lifts it), "psid-not-this" (another one was named); never lifted: "psid-locked",
 * "psid-reserved", "psid-secure" (secure firmware allows no change), "psid-component" (an update by the
 * firmware does not; a flash that is open would).
 */
int burn_guard_psid(const struct burn_psids *psids, const struct burn_permits *permits,
		    struct cxctl_error *error);
/* What a change from one PSID to the other means, for the plan: "IBM-branded ...". */
void burn_psid_explain(const char *card, const char *image, char *text, size_t room);
/* The reference board that an OEM's PSID is a brand of: "MT_1080110023"; NULL: unknown. */
const char *burn_psid_twin(const char *psid, const char **board);

/* The image's board against the card's, gathered by burn_board_compare() or burn_board_of_registers(). */
struct burn_board {
	bool known;			/* there was something of the card to compare with */
	bool same_version;		/* then compiled sections must be equal */
	bool compiled_known, compiled_differs;
	unsigned int image_ports, card_ports;	/* 0: not said */
	char image_name[128], card_name[128];	/* part number with revision; "": not said */
	bool name_differs, revision_differs;
	char image_from[17], card_from[17];	/* retagged from this PSID; "": not retagged */
	char image_psid[17], ini_psid[17];	/* ini_psid: of its INI; "": not said */
	char card_psid[17];
};
/* "other-board", "other-board-revision", "other-ports", "compiled-board", "retagged". --accept-board-change. */
int burn_guard_board(const struct burn_board *board, const struct burn_permits *permits,
		     struct cxctl_error *error);

/* ---- version ---- */

/* "older-version" (--downgrade), "same-version" (--reburn). */
int burn_guard_version(const struct image_facts *image, const struct image_facts *device,
		       const struct burn_permits *permits, struct cxctl_error *error);

/*
 * Another image waits for its activation ("pending"): by flash it would be lost, and by component the
 * firmware refuses (MCC error 9). --over-pending lifts the first.
 */
struct burn_pending {
	bool known;
	bool waiting;
	bool same;			/* the one that waits is the one to be burned */
	bool recorded;			/* by cxctl's own record only: the card itself does not tell */
	uint32_t version[3];
};
int burn_guard_pending(const struct burn_pending *pending, enum burn_method method,
		       const struct burn_permits *permits, struct cxctl_error *error);

/*
 * Steps between versions: firmware of a chip that is older than below cannot take an image of at least from
 * in one step, via is the version between; via zero: it can, and note says what was seen.
 */
struct burn_flow_rule {
	uint32_t hw_id;
	uint32_t below[3], from[3], via[3];
	const char *note;		/* translatable */
	const char *source;
};
/* The running firmware can take the image in one step ("update-flow"): next names the step between. */
int burn_guard_update_flow(const struct image_facts *image, uint32_t hw_id, const uint32_t running[3],
			   struct cxctl_error *error);
/* The same by other rules than the built-in ones. */
int burn_guard_update_flow_by(const struct burn_flow_rule *rules, size_t count,
			      const struct image_facts *image, uint32_t hw_id, const uint32_t running[3],
			      struct cxctl_error *error);
/* What was seen with this pair of versions, translated, for the plan; NULL: nothing is known. */
const char *burn_update_flow_note(const struct image_facts *image, uint32_t hw_id, const uint32_t running[3]);

/* The driver of the host and the new firmware: never a refusal. */
enum burn_driver_advice {
	BURN_DRIVER_FINE,
	BURN_DRIVER_UNKNOWN,		/* the table has nothing on this pair */
	BURN_DRIVER_OLD,
};
/*
 * driver: "mlx5_core"; version: of the module when it is not the kernel's ("24.10-0.7.0"), else NULL;
 * kernel: "5.10.0-28-amd64". text: what the table says and its source, translated.
 */
enum burn_driver_advice burn_driver_advice(const char *driver, const char *version, const char *kernel,
					   const struct image_facts *image, char *text, size_t room);

/* ---- security ---- */

/* What the card says of its life cycle: MGIR, CR space, MFSV (device-access.md 4.1, 4.2). */
struct burn_security {
	bool known;
	bool secure_firmware, signed_firmware, debug;
	uint32_t life_cycle;		/* of struct mgir */
	bool life_cycle_known;
	bool secure_boot;		/* the chip boots nothing unsigned */
	bool encrypted;			/* it boots encrypted images only */
	bool version_known;
	uint32_t version;		/* lowest security version that it accepts */
};
void burn_security_of_mgir(const struct mgir *mgir, struct burn_security *security);
/*
 * "encrypted-image", "plain-image", "unsigned-image", "not-secure-image", "debug-image": what the card could
 * not boot or its firmware would refuse. Never lifted.
 */
int burn_guard_security(const struct image_facts *image, const struct burn_security *security,
			enum burn_method method, struct cxctl_error *error);
/* "security-version": fuses go up only. Never lifted. */
int burn_guard_security_version(const struct image_facts *image, const struct burn_security *security,
				struct cxctl_error *error);

/* ---- room, ROM ---- */

/*
 * "slot-size": image and card differ in the size of slots; "image-too-large". device NULL: unknown;
 * component_most: of MCQI, 0: unknown; method says which of them counts.
 */
int burn_guard_room(const struct image_facts *image, const struct image_facts *device, uint64_t flash_size,
		    uint32_t component_most, enum burn_method method, struct cxctl_error *error);

/*
 * A ROM that its vendor did not test with the code ("rom-merge"): the image has a product version, and
 * keep was asked for by name although its own ROM is another. --allow-rom-change.
 */
int burn_guard_rom(const struct image_facts *image, bool keep_named, bool roms_differ,
		   const struct burn_permits *permits, struct cxctl_error *error);

/* ---- facts: these do read, burn_facts.c ---- */

/* All functions of the card that the driver names; *count at most BURN_FUNCTIONS. */
void burn_functions_of(const struct cxctl_card *card, struct burn_function functions[BURN_FUNCTIONS],
		       size_t *count);
/* MNVDA 0x210; not supported when the card does not answer. */
void burn_psid_lock_of(struct cxctl_card *card, struct burn_psid_lock *lock);
/* MGIR, and MFSV where the firmware has it. */
void burn_security_of(struct cxctl_card *card, const struct cxfw_card_info *info,
		      struct burn_security *security);
/* The image against what the card runs: of its flash, or a backup of it. */
int burn_board_compare(const struct image_subject *image, const struct image_subject *card,
		       struct burn_board *board, struct image_error *error);
/* The same where only registers and VPD tell: ports of MGIR, part number ("": unknown). */
void burn_board_of_registers(const struct image_subject *image, const char *card_psid, const char *part,
			     unsigned int ports, struct burn_board *board);

#endif /* CXCTL_BURN_GUARD_H */
