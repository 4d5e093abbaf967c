// SPDX-License-Identifier: GPL-2.0-only
/* When a burn is told that there is nothing to do: only what the card itself says counts, no record of ours. */
#include <string.h>

#include "../../user/cxctl/burn_judge.c"
#include "../lib/ktap.h"

/* ---- the other floors: not reached ---- */

int burn_shelf_take(struct burn_shelf *shelf, const struct options *options, const char *path, const char *wanted,
		    const char *retag, struct burn_image *image, struct cxctl_error *error) { return -1; }

/* A ConnectX-6 with closed flash: 20.39.1002 runs, 20.39.2048 is to be burned by component update. */
static struct burn closed_card(void)
{
	struct burn burn = { .component = true };

	snprintf(burn.facts.psid, sizeof(burn.facts.psid), "MT_0000000223");
	burn.facts.version[0] = 20;
	burn.facts.version[1] = 39;
	burn.facts.version[2] = 2048;
	burn.card.device = burn.facts;
	burn.card.device.version[2] = 1002;
	burn.card.has_device = true;
	return burn;
}

static void wait_for(struct burn *burn, uint32_t subminor)
{
	burn->card.pending.known = burn->card.pending.waiting = true;
	memcpy(burn->card.pending.version, burn->facts.version, sizeof(burn->facts.version));
	burn->card.pending.version[2] = subminor;
}

static void what_the_card_tells_counts(void)
{
	struct burn burn = closed_card();

	CHECK(!is_there(&burn));
	wait_for(&burn, 2048);			/* stored on the card, as its registers say */
	CHECK(is_there(&burn));
	wait_for(&burn, 1234);
	burn.card.device.version[2] = 2048;	/* runs, but another will start */
	CHECK(!is_there(&burn));
	burn.card.pending.waiting = false;
	CHECK(is_there(&burn));
	snprintf(burn.card.device.psid, sizeof(burn.card.device.psid), "MT_0000000224");
	CHECK(!is_there(&burn));
}

static void a_record_proves_nothing(void)
{
	struct burn burn = closed_card();

	wait_for(&burn, 2048);
	burn.card.pending.recorded = true;
	CHECK(!is_there(&burn));		/* written down once; what runs is another version */
	wait_for(&burn, 1234);
	burn.card.device.version[2] = 2048;
	CHECK(is_there(&burn));			/* and against the card's own word it says nothing, either */
}

/* Where the flash can be read its bytes tell, whatever versions say. */
static void an_open_flash_is_compared(void)
{
	struct burn burn = closed_card();

	burn.card.has_flash = true;
	wait_for(&burn, 2048);
	CHECK(!is_there(&burn));		/* no image on it */
	burn.card.pending.recorded = true;
	CHECK(!is_there(&burn));
}

int main(int argc, char **argv)
{
	static const struct ktap_test tests[] = {
		KTAP_TEST(what_the_card_tells_counts),
		KTAP_TEST(a_record_proves_nothing),
		KTAP_TEST(an_open_flash_is_compared),
	};

	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
