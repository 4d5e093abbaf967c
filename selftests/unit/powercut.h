/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A burn on a simulated card whose power fails at a chosen flash operation, and what the
 * card boots afterwards under every policy that a boot ROM might have.
 */
#ifndef POWERCUT_H
#define POWERCUT_H

#include "burning.h"

#include "../../kmod/cxsim/model/card.h"

/* A card and the way to its flash. */
struct powercut_way {
	const char *name; /* "FS4 over MFBA" */
	const struct burning_kind *kind;
	bool spi; /* firmware does not guard the flash */
};

/* What stands on the flash before the burn, beside the image that runs. */
enum powercut_target {
	POWERCUT_BLANK,
	POWERCUT_DEAD,	/* an image whose magic was cleared */
	POWERCUT_ALIVE, /* a whole one: an earlier burn was cut before its end */
	POWERCUT_HALF,	/* a magic above an image that is damaged */
	POWERCUT_STALE, /* a whole one, and magics at every search offset without image */
	POWERCUT_SAME,	/* the very image that is burned, its magic cleared */
};

enum powercut_change { POWERCUT_UP, POWERCUT_DOWN, POWERCUT_SAME_VERSION, POWERCUT_PSID, POWERCUT_ROM };

struct powercut_scenario {
	const char *name;
	enum powercut_change change;
	enum powercut_target target;
	unsigned int slot; /* that is written */
};

#define POWERCUT_SCENARIOS 7
extern const struct powercut_scenario powercut_scenarios[POWERCUT_SCENARIOS];

#define POWERCUT_WAYS 5
extern const struct powercut_way powercut_ways[POWERCUT_WAYS];
extern const struct powercut_way powercut_large;	/* with erase blocks of 64 KiB */

/* Cells of the flash with what is unsteady among them. */
struct powercut_cells {
	u8 *bytes;
	struct cxsim_unstable unstable[CXSIM_UNSTABLE];
	unsigned int unstable_count;
};

struct powercut_image {
	u8 *bytes; /* what belongs into a slot */
	size_t length;
	const char *version, *psid;
	bool rom;
};

struct powercut {
	const struct powercut_way *way;
	const struct powercut_scenario *scenario;
	struct burning burning;
	u8 *flash; /* the card's cells */
	struct powercut_cells before;
	struct powercut_image old, new;
	u32 device_data; /* lowest address of it; the flash's size when there is none */
	u32 policies;	 /* bit n: this policy booted the old image before the burn */
	u64 operations, cuts, bricks;
};

/* False when it could not be set up; powercut_end() either way. */
bool powercut_begin(struct powercut *cut, const struct powercut_way *way,
		    const struct powercut_scenario *scenario);
void powercut_end(struct powercut *cut);

void powercut_save(struct powercut *cut, struct powercut_cells *cells);
void powercut_load(struct powercut *cut, const struct powercut_cells *cells, unsigned int policy);
void powercut_free(struct powercut_cells *cells);

/* The burn, into the slot that the scenario names. */
int powercut_burn(struct powercut *cut);
/* As an operator would: look again, plan again, burn again. Keeps a slot that is steady and whole. */
int powercut_burn_again(struct powercut *cut);
/*
 * Power comes back under each policy in turn, several times: a whole image of the two must
 * boot, with identity and device data untouched. only_new: it must be the new one. *seen
 * (may be NULL) gets, by slot, a policy that booted from there, or -1.
 */
bool powercut_boots(struct powercut *cut, const char *when, u64 operation, bool only_new, int seen[2]);

/*
 * Every operation of the scenario, clean or torn; the result is told as a note. With sanitizers
 * that takes long: unless POWERCUT is in the environment (make check-powercut), only one
 * operation in sample, which the seed chooses, and those at the start and around the commit.
 */
void powercut_everywhere(struct powercut *cut, bool torn, unsigned int sample);
/* Every pair: cut, burned again, cut again. sample: of the first cuts. */
void powercut_pairs(struct powercut *cut, bool torn, unsigned int sample);

#endif /* POWERCUT_H */
