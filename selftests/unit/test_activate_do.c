// SPDX-License-Identifier: GPL-2.0-only
/*
 * The restart itself, with a card of our own and sysfs files that remember what was written to them: the
 * driver comes back whatever the reset did, and a reset that changed nothing is never taken for a success.
 */
#include <stdlib.h>
#include <sys/stat.h>

#include "../../user/cxctl/activate_do.c"
#include "../../user/cxctl/activate_levels.c"
#include "../lib/ktap.h"

static char root[64];
static char story[512];		/* what happened, in order */
static int reset_result;	/* of the card */
static const char *runs_after;	/* NULL: it does not answer */
static struct pending written;
static bool forgotten;

static void tell(const char *what)
{
	strncat(story, what, sizeof(story) - strlen(story) - 1);
	strncat(story, " ", sizeof(story) - strlen(story) - 1);
}

/* ---- the other floors ---- */

int card_activate(struct cxctl_card *card, enum cxfw_reset_level level, struct cxctl_error *error)
{
	char path[128], text[32];

	/* What stands in the file now was written before. */
	snprintf(path, sizeof(path), "%s/bus/pci/drivers/mlx4_core/unbind", root);
	if (file_read(text, sizeof(text), path) > 0)
		tell("unbound");
	tell(level == CXFW_RESET_CHIP ? "chip" : level == CXFW_RESET_LINK ? "link" : "other");
	return reset_result ? error_set(error, CXCTL_CARD_ERROR, "reset-failed", "no") : 0;
}

int devlink_reload(const char *address, struct cxctl_error *error)
{
	tell("devlink");
	return reset_result ? error_set(error, CXCTL_REFUSED, "not-offered", "no") : 0;
}

struct cxctl_card *card_open(const char *name, struct cxctl_error *error)
{
	return (struct cxctl_card *)root;
}

void card_close(struct cxctl_card *card)
{
}

bool activate_running(struct cxctl_card *card, char *version, size_t room)
{
	snprintf(version, room, "%s", runs_after ? runs_after : "");
	return runs_after;
}

struct journal_entry *journal_begin(const char *event)
{
	tell(event);
	return NULL;
}

void journal_string(struct journal_entry *entry, const char *key, const char *value)
{
	if (!strcmp(key, "result"))
		tell(value);
}

int journal_write(struct journal_entry *entry, struct cxctl_error *error)
{
	return 0;
}

int pending_write(struct pending *pending, struct cxctl_error *error)
{
	written = *pending;
	tell("record");
	return 0;
}

void pending_forget(const char *card)
{
	forgotten = true;
}

const char *pending_action(const struct pending *pending)
{
	return "activate";
}

bool version_same(const char *a, const char *b)
{
	return !strcmp(a, b);
}

const char *activate_level_name(enum activate_level level)
{
	return "level";
}

/* ---- a card ---- */

static void put(const char *name, const char *text)
{
	char path[256], *slash;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	file = fopen(path, "w");
	if (CHECK(file)) {
		fputs(text, file);
		fclose(file);
	}
}

static const char *content(const char *name)
{
	static char text[64];
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	if (file_read(text, sizeof(text), path) < 0)
		text[0] = '\0';
	return text;
}

static const struct activate_request request;
static const struct options options = { .quiet = true };

/* A ConnectX-3 that mlx4_core has: 2.36.5000 runs, 2.42.5000 waits. */
static void start(struct activate *activate)
{
	memset(activate, 0, sizeof(*activate));
	story[0] = '\0';
	reset_result = 0;
	runs_after = "2.42.5000";
	forgotten = false;
	memset(&written, 0, sizeof(written));
	snprintf(root, sizeof(root), "/tmp/cxctl-activate-XXXXXX");
	CHECK(mkdtemp(root));
	setenv("CXCTL_SYSFS", root, 1);
	put("bus/pci/drivers/mlx4_core/unbind", "");
	put("bus/pci/drivers/mlx4_core/bind", "");
	put("bus/pci/devices/0000:03:00.0/vendor", "0x15b3\n");
	activate->request = &request;
	activate->options = &options;
	activate->output = output_open(stderr, &options);
	snprintf(activate->address, sizeof(activate->address), "0000:03:00.0");
	activate->function_count = 1;
	snprintf(activate->functions[0].address, 16, "0000:03:00.0");
	snprintf(activate->functions[0].driver, 32, "mlx4_core");
	snprintf(activate->running, 24, "2.36.5000");
	snprintf(activate->stored, 24, "2.42.5000");
	activate->waits = true;
	activate->facts.mlx4 = activate->facts.driver = activate->facts.can_reset = true;
	activate->facts.bound = 1;
	activate_find_ways(&activate->facts, LEVEL_NONE, &activate->ways);
	CHECK(activate->ways.chosen && activate->ways.chosen->rebind);
}

static void end(struct activate *activate)
{
	char command[96];

	output_discard(activate->output);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	CHECK(!system(command));
}

/* ---- the tests ---- */

static void driver_off_reset_driver_back(void)
{
	struct cxctl_error error = { 0 };
	struct activate activate;

	start(&activate);
	CHECK_EQ(activate_do(&activate, &error), 0);
	CHECK_STR(story, "activate-begin record unbound chip activate-end done ");
	CHECK_STR(content("bus/pci/drivers/mlx4_core/unbind"), "0000:03:00.0");
	CHECK_STR(content("bus/pci/drivers/mlx4_core/bind"), "0000:03:00.0");
	CHECK(forgotten);
	end(&activate);
}

static void driver_back_after_a_failed_reset(void)
{
	struct cxctl_error error = { 0 };
	struct activate activate;

	start(&activate);
	reset_result = -1;
	CHECK_EQ(activate_do(&activate, &error), -1);
	CHECK_STR(error.id, "reset-failed");
	CHECK_STR(content("bus/pci/drivers/mlx4_core/bind"), "0000:03:00.0");
	CHECK(strstr(story, "activate-end failed"));
	CHECK(!forgotten);
	end(&activate);
}

static void refused_after_all_goes_on(void)
{
	struct cxctl_error error = { 0 };
	struct activate activate;

	start(&activate);
	reset_result = -1;
	activate.facts.mlx4 = false;
	activate.facts.devlink = true;
	activate_find_ways(&activate.facts, LEVEL_NONE, &activate.ways);
	CHECK_EQ(activate_do(&activate, &error), -1);
	CHECK_STR(error.id, "not-offered");
	CHECK_EQ(written.tried, 1U << LEVEL_DEVLINK);
	CHECK(strstr(error.next, "next level"));
	CHECK(activate.ways.chosen && activate.ways.chosen->level == LEVEL_REBOOT);
	end(&activate);
}

static void no_reset_when_the_driver_stays(void)
{
	struct cxctl_error error = { 0 };
	struct activate activate;
	char path[128];

	start(&activate);
	snprintf(path, sizeof(path), "%s/bus/pci/drivers/mlx4_core/unbind", root);
	CHECK(!remove(path));
	CHECK_EQ(activate_do(&activate, &error), -1);
	CHECK_STR(error.id, "unbind");
	CHECK(!strstr(story, "chip"));
	end(&activate);
}

static void reset_that_changes_nothing(void)
{
	struct cxctl_error error = { 0 };
	struct activate activate;

	start(&activate);
	runs_after = "2.36.5000";
	CHECK_EQ(activate_do(&activate, &error), -1);
	CHECK_STR(error.id, "reset-changed-nothing");
	CHECK_EQ(written.tried, 1U << LEVEL_CHIP);
	CHECK(activate.ways.chosen && activate.ways.chosen->level == LEVEL_REBOOT);
	CHECK(!forgotten);
	CHECK(strstr(story, "activate-end unchanged"));
	end(&activate);
}

static void driver_that_does_not_come_back(void)
{
	struct cxctl_error error = { 0 };
	struct activate activate;
	char path[128];

	start(&activate);
	snprintf(path, sizeof(path), "%s/bus/pci/drivers/mlx4_core/bind", root);
	CHECK(!remove(path));
	CHECK_EQ(activate_do(&activate, &error), -1);
	CHECK_STR(error.id, "driver-not-back");
	CHECK(strstr(error.next, "bind"));
	end(&activate);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(driver_off_reset_driver_back),
	KTAP_TEST(driver_back_after_a_failed_reset),
	KTAP_TEST(refused_after_all_goes_on),
	KTAP_TEST(no_reset_when_the_driver_stays),
	KTAP_TEST(reset_that_changes_nothing),
	KTAP_TEST(driver_that_does_not_come_back),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
