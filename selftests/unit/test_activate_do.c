// SPDX-License-Identifier: GPL-2.0-only
/*
 * The restart itself, with a card of our own and sysfs files that remember what was written to them: the
 * driver comes back whatever the reset did, and a reset that changed nothing is never taken for a success.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "../../user/cxctl/activate_do.c"
#include "../../user/cxctl/activate_driver.c"
#include "../../user/cxctl/activate_levels.c"
#define cannot cannot_write
#include "../../user/cxctl/driver_off.c"
#undef cannot
#include "../lib/ktap.h"

static char root[64];
static char story[512];		/* what happened, in order */
static int reset_result;	/* of the card */
static const char *runs_after;	/* NULL: it does not answer */
static struct pending written;
static bool forgotten;
static bool killed;		/* by the reset's own hand */

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
	if (killed)
		kill(getpid(), SIGKILL);
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

int state_name(const char *below, const char *name, char *path, size_t room)
{
	return snprintf(path, room, "%s/%s/%s", root, below, name) >= (int)room;
}

int state_path(const char *below, const char *name, char *path, size_t room, struct cxctl_error *error)
{
	snprintf(path, room, "%s/%s", root, below);
	mkdir(path, 0700);
	return state_name(below, name, path, room);
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
	forgotten = killed = false;
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

/* ---- killed between off and back ---- */

/* The card of our own without its driver, as the next program finds it. */
static void killed_in_the_reset(struct activate *activate)
{
	struct cxctl_error error;
	pid_t child;
	int status;

	start(activate);
	killed = true;
	child = fork();
	if (!child)
		_exit(activate_do(activate, &error) ? 2 : 3);
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK(WIFSIGNALED(status));
	CHECK_STR(content("bus/pci/drivers/mlx4_core/unbind"), "0000:03:00.0");
	CHECK_STR(content("bus/pci/drivers/mlx4_core/bind"), "");
	killed = false;
	activate->functions[0].driver[0] = '\0';
}

static void the_next_one_puts_the_driver_back(void)
{
	struct driver_off left[DRIVER_OFF_MOST];
	struct cxctl_error error = { 0 };
	struct activate activate;

	killed_in_the_reset(&activate);
	REQUIRE(driver_off_left("0000:03:00.0", left) == 1);
	CHECK_STR(left[0].address, "0000:03:00.0");
	CHECK_STR(left[0].driver, "mlx4_core");
	CHECK_EQ(activate_driver_mend(&activate, &error), 0);
	CHECK_STR(content("bus/pci/drivers/mlx4_core/bind"), "0000:03:00.0");
	CHECK(strstr(story, "bind-begin bind-end done"));
	CHECK_EQ(driver_off_left("0000:03:00.0", left), 0);	/* forgotten */
	end(&activate);
}

static void a_look_puts_nothing_back(void)
{
	static const struct activate_request looks[] = {
		{ .dry_run = true }, { .status = true }, { .resume = true },
	};
	struct driver_off left[DRIVER_OFF_MOST];
	struct cxctl_error error = { 0 };
	struct activate activate;
	size_t i;

	killed_in_the_reset(&activate);
	for (i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
		activate.request = &looks[i];
		CHECK_EQ(activate_driver_mend(&activate, &error), 0);
		CHECK_STR(content("bus/pci/drivers/mlx4_core/bind"), "");
		CHECK_EQ(driver_off_left("0000:03:00.0", left), 1);
	}
	end(&activate);
}

static void a_driver_that_refuses_is_told(void)
{
	struct driver_off left[DRIVER_OFF_MOST];
	struct cxctl_error error = { 0 };
	struct activate activate;
	char path[128];

	killed_in_the_reset(&activate);
	snprintf(path, sizeof(path), "%s/bus/pci/drivers/mlx4_core/bind", root);
	CHECK(!remove(path));
	CHECK_EQ(activate_driver_mend(&activate, &error), -1);
	CHECK_STR(error.id, "driver-not-back");
	CHECK(strstr(story, "bind-end failed"));
	CHECK_EQ(driver_off_left("0000:03:00.0", left), 1);	/* and stays remembered */
	end(&activate);
}

/* What is there to mend? Nothing while a program lives, after its good end, after a reboot, or of a bound card. */
static void nothing_is_mended_that_is_whole(void)
{
	struct driver_off left[DRIVER_OFF_MOST];
	struct cxctl_error error = { 0 };
	struct activate activate;
	char path[128];
	int lock;

	start(&activate);
	CHECK_EQ(activate_do(&activate, &error), 0);
	CHECK_EQ(driver_off_left("0000:03:00.0", left), 0);
	lock = driver_off_begin("0000:03:00.0", activate.functions, 1, &error);
	REQUIRE(lock >= 0);
	CHECK_EQ(driver_off_left("0000:03:00.0", left), 0);
	CHECK_EQ(driver_off_begin("0000:03:00.0", activate.functions, 1, &error), -1);
	CHECK_STR(error.id, "restarting");
	driver_off_end("0000:03:00.0", lock, false);
	CHECK_EQ(driver_off_left("0000:03:00.0", left), 1);
	CHECK_EQ(driver_off_left("0000:04:00.0", left), 0);
	/* bound again by somebody */
	snprintf(path, sizeof(path), "%s/bus/pci/devices/0000:03:00.0/driver", root);
	CHECK(!symlink("../../drivers/mlx4_core", path));
	CHECK_EQ(driver_off_left("0000:03:00.0", left), 0);
	CHECK(!remove(path));
	/* another boot; what no cxctl wrote */
	put("restart/0000:03:00.0.json", "{\"boot_id\":\"x\",\"drivers\":{\"0000:03:00.0\":\"mlx4_core\"}}");
	CHECK_EQ(driver_off_left("0000:03:00.0", left), 0);
	put("restart/0000:03:00.0.json", "[");
	CHECK_EQ(driver_off_left("0000:03:00.0", left), 0);
	end(&activate);
}

static void no_foreign_driver_is_bound(void)
{
	char text[256], boot[40];
	struct driver_off left[DRIVER_OFF_MOST];
	struct activate activate;

	start(&activate);
	boot_id(boot, sizeof(boot));
	snprintf(text, sizeof(text), "{\"boot_id\":\"%s\",\"drivers\":{\"0000:03:00.0\":\"vfio-pci\",\"0000:04:00.0\":\"mlx4_core\"}}",
		 boot);
	put("restart/0000:03:00.0.json", text);
	put("bus/pci/devices/0000:04:00.0/vendor", "0x15b3\n");
	CHECK_EQ(driver_off_left("0000:03:00.0", left), 0);
	end(&activate);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(driver_off_reset_driver_back),
	KTAP_TEST(driver_back_after_a_failed_reset),
	KTAP_TEST(refused_after_all_goes_on),
	KTAP_TEST(no_reset_when_the_driver_stays),
	KTAP_TEST(reset_that_changes_nothing),
	KTAP_TEST(driver_that_does_not_come_back),
	KTAP_TEST(the_next_one_puts_the_driver_back),
	KTAP_TEST(a_look_puts_nothing_back),
	KTAP_TEST(a_driver_that_refuses_is_told),
	KTAP_TEST(nothing_is_mended_that_is_whole),
	KTAP_TEST(no_foreign_driver_is_bound),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
