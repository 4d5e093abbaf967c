// SPDX-License-Identifier: GPL-2.0-only
/* Component updates, component reads and resets on simulated cards: what a client may rely on. */
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <openssl/sha.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../lib/ktap.h"
#include "client.h"

#define MGIR		0x9020
#define OLD_VERSION	"16.35.4506"
#define NEW_VERSION	"16.35.4600"
#define CX5(version)	"model=connectx5 psid=MT_0000000012 flash_size=4M code_size=0x20000 version=" version

static int netlink;
static struct answer answer;
static const struct message *const message = &answer.messages[0];

/* ---- cards and plans ---- */

static int read_component(int fd, uint32_t flags, uint32_t offset, void *buffer, uint32_t *length, uint32_t *total)
{
	struct cxfw_component_read request = {
		.size = sizeof(request), .flags = flags, .component = CXFW_COMPONENT_BOOT_IMG, .offset = offset,
		.length = *length, .data = (uintptr_t)buffer,
	};

	if (ioctl(fd, CXFW_IOC_COMPONENT_READ, &request))
		return -errno;
	*length = request.length;
	*total = request.total;
	return 0;
}

static uint8_t *whole_component(int fd, uint32_t *total)
{
	uint32_t length = 4, done, ignored;
	uint8_t dword[4], *image;

	if (read_component(fd, 0, 0, dword, &length, total))
		return NULL;
	image = malloc(*total);
	for (done = 0; done < *total; done += length) {
		length = *total - done < 0x100000 ? *total - done : 0x100000;
		if (read_component(fd, 0, done, image + done, &length, &ignored) || !length) {
			free(image);
			return NULL;
		}
	}
	return image;
}

struct update {
	struct card card;
	uint8_t *image;
	struct cxfw_segment segment;
	struct cxfw_stage stage;
};

/* The new image is what another card runs, without its magic. */
static bool prepare(struct update *update, const char *old, const char *new)
{
	struct cxfw_card_info info = { .size = sizeof(info) };
	struct cxfw_stage *stage = &update->stage;
	struct card other;
	uint32_t length = 0;

	memset(update, 0, sizeof(*update));
	if (!plug(&other, new))
		return false;
	update->image = whole_component(other.fd, &length);
	unplug(&other);
	if (!CHECK(update->image != NULL) || !plug(&update->card, old))
		return false;
	CHECK_EQ(ioctl(update->card.fd, CXFW_IOC_CARD_INFO, &info), 0);
	memset(update->image, 0xff, 16);
	update->segment.length = length;
	stage->size = sizeof(*stage);
	stage->flags = CXFW_PLAN_COMPONENT;
	stage->image = (uintptr_t)update->image;
	stage->segments = (uintptr_t)&update->segment;
	stage->image_length = length;
	stage->segment_count = 1;
	stage->hw_id = info.hw_id;
	stage->hw_revision = info.hw_revision;
	stage->old_address = CXFW_NO_ADDRESS;
	stage->component = CXFW_COMPONENT_BOOT_IMG;
	SHA256(update->image, length, stage->segments_sha256);
	return !ktap_failed();
}

static void finish(struct update *update)
{
	unplug(&update->card);
	free(update->image);
}

static int stage_it(struct update *update)
{
	return ioctl(update->card.fd, CXFW_IOC_STAGE, &update->stage) ? -errno : 0;
}

static int start(struct update *update, uint64_t *id)
{
	int error = stage_it(update);

	if (!error)
		error = burn(netlink, update->card.address, update->card.fd, update->stage.stage_sha256, &answer);
	if (!error)
		*id = message_u64(message, CXFW_A_JOB_ID, 0);
	return error;
}

static uint32_t wait_end(uint64_t id)
{
	int tries;

	for (tries = 0; tries < 2400; tries++) {
		if (job_get(netlink, id, &answer))
			return 0;
		if (message_u32(message, CXFW_A_JOB_STATE, 0) != CXFW_JOB_RUNNING)
			return message_u32(message, CXFW_A_JOB_STATE, 0);
		usleep(25000);
	}
	return 0;
}

/* True while the job runs in that phase. */
static bool wait_phase(uint64_t id, uint32_t phase)
{
	int tries;

	for (tries = 0; tries < 12000; tries++) {
		if (job_get(netlink, id, &answer) || message_u32(message, CXFW_A_JOB_STATE, 0) != CXFW_JOB_RUNNING)
			return false;
		if (message_u32(message, CXFW_A_JOB_PHASE, 0) >= phase)
			return message_u32(message, CXFW_A_JOB_PHASE, 0) == phase;
		usleep(2000);
	}
	return false;
}

/* A line of cxsim's account of what the card booted. */
static const char *booted(const struct card *card, const char *what)
{
	static char text[1024];
	char path[80], *line;
	size_t got = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/kernel/debug/cxsim/%d/booted", card->number);
	file = fopen(path, "r");
	if (file) {
		got = fread(text, 1, sizeof(text) - 1, file);
		fclose(file);
	}
	text[got] = '\0';
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (!strncmp(line, what, strlen(what)) && line[strlen(what)] == '=')
			return line + strlen(what) + 1;
	return "";
}

static void check_boots(const struct card *card, const char *version)
{
	sim_write(card->number, "power", "1");
	CHECK_STR(booted(card, "version"), version);
	CHECK_STR(booted(card, "whole"), "1");
	CHECK_STR(booted(card, "recovery"), "0");
}

static int read_register(int fd, uint16_t id)
{
	uint8_t data[0xa0] = { 0 };
	struct cxfw_register request = {
		.size = sizeof(request), .id = id, .length = sizeof(data), .data = (uintptr_t)data,
	};

	return ioctl(fd, CXFW_IOC_REGISTER, &request) ? -errno : 0;
}

static int activate(const char *address, uint32_t level)
{
	struct request request;

	request_start(&request, CXFW_CMD_ACTIVATE, NLM_F_ACK);
	request_put_string(&request, CXFW_A_ADDRESS, address);
	request_put_u32(&request, CXFW_A_RESET_LEVEL, level);
	return request_do(netlink, &request, &answer);
}

/* ---- what is offered ---- */

static void test_capabilities(void)
{
	const uint64_t wanted = CXFW_CAP_BURN_PLAN | CXFW_CAP_COMPONENT | CXFW_CAP_COMPONENT_READ | CXFW_CAP_ACTIVATE;
	struct card card;

	REQUIRE(plug(&card, CX5(OLD_VERSION)));
	CHECK_EQ(card_get(netlink, card.address, &answer), 0);
	CHECK_EQ(message_u64(message, CXFW_A_CAPABILITIES, 0) & wanted, wanted);
	unplug(&card);
	REQUIRE(plug(&card, "model=connectx3pro flash_size=2M"));
	CHECK_EQ(card_get(netlink, card.address, &answer), 0);
	CHECK_EQ(message_u64(message, CXFW_A_CAPABILITIES, 0) & (CXFW_CAP_COMPONENT | CXFW_CAP_COMPONENT_READ), 0);
	unplug(&card);
}

static void test_component_read(void)
{
	uint32_t total = 0, length = 4096, ignored;
	static uint8_t flash[0x400000], part[4096];
	struct cxfw_component_read request = { .size = sizeof(request) };
	struct card card;
	uint8_t *image;

	REQUIRE(plug(&card, CX5(OLD_VERSION)));
	image = whole_component(card.fd, &total);
	REQUIRE(image != NULL);
	CHECK_EQ(sim_flash(card.number, flash, sizeof(flash)), 0);
	CHECK(!memcmp(image + 16, flash + 16, total - 16));
	CHECK_EQ(read_component(card.fd, 0, total - 8, part, &length, &ignored), 0);
	CHECK_EQ(length, 8);
	length = 16;
	CHECK_EQ(read_component(card.fd, 2, 0, part, &length, &ignored), -EINVAL);
	CHECK_EQ(read_component(card.fd, 0, 2, part, &length, &ignored), -EINVAL);
	CHECK_EQ(read_component(card.fd, 0, 0, NULL, &length, &ignored), -EFAULT);
	length = 0;
	CHECK_EQ(read_component(card.fd, 0, 0, part, &length, &ignored), -EINVAL);
	length = 0x100004;
	CHECK_EQ(read_component(card.fd, 0, 0, part, &length, &ignored), -EINVAL);
	length = 8;
	CHECK_EQ(read_component(card.fd, 0, 0xfffffffc, part, &length, &ignored), -EINVAL);
	request.size = 8;
	CHECK(ioctl(card.fd, CXFW_IOC_COMPONENT_READ, &request) && errno == EINVAL);
	/* Nothing pends. */
	CHECK(read_component(card.fd, CXFW_COMPONENT_PENDING, 0, part, &length, &ignored) < 0);
	free(image);
	unplug(&card);
}

/* ---- updates ---- */

static void test_update(void)
{
	static struct update update;
	uint64_t id = 0, second = 0;
	uint32_t length = 16, total;
	uint8_t bytes[16];

	REQUIRE(prepare(&update, CX5(OLD_VERSION), CX5(NEW_VERSION)));
	sim_set(update.card.number, "mcc_late", 12);
	CHECK_EQ(start(&update, &id), 0);
	CHECK(wait_phase(id, CXFW_PHASE_PREPARE));
	CHECK_EQ(message_u32(message, CXFW_A_JOB_KIND, 0), CXFW_JOB_KIND_COMPONENT);
	CHECK_EQ(start(&update, &second), -EBUSY);
	CHECK(pread(update.card.fd, bytes, 1, 0) < 0 && errno == EBUSY);
	CHECK_EQ(read_component(update.card.fd, 0, 0, bytes, &length, &total), -EBUSY);
	CHECK_EQ(activate(update.card.address, CXFW_RESET_LINK), -EBUSY);
	CHECK(strstr(answer.text, "job") != NULL);
	/* Questions go on meanwhile. */
	CHECK_EQ(read_register(update.card.fd, MGIR), 0);
	CHECK_EQ(card_get(netlink, update.card.address, &answer), 0);
	CHECK_EQ(wait_end(id), CXFW_JOB_DONE);
	CHECK_EQ(message_u32(message, CXFW_A_JOB_ERROR, 99), 0);
	CHECK(!message_get(message, CXFW_A_JOB_CARD_ERROR, NULL));
	ktap_note("end: %s", message_string(message, CXFW_A_JOB_MESSAGE));
	CHECK_EQ(card_get(netlink, update.card.address, &answer), 0);
	CHECK(message_get(message, CXFW_A_STORED, NULL) != NULL);
	/* One that waits for a reset stands in the way of another. */
	sim_set(update.card.number, "mcc_late", 0);
	CHECK_EQ(start(&update, &id), 0);
	CHECK_EQ(wait_end(id), CXFW_JOB_FAILED);
	CHECK_EQ(message_u32(message, CXFW_A_JOB_CARD_ERROR, 0), 9);
	ktap_note("again: %s", message_string(message, CXFW_A_JOB_MESSAGE));
	check_boots(&update.card, NEW_VERSION);
	finish(&update);
}

static void test_cancel(void)
{
	static const uint32_t phases[] = { CXFW_PHASE_PREPARE, CXFW_PHASE_VERIFY };
	static struct update update;
	uint64_t id = 0;
	size_t i;

	REQUIRE(prepare(&update, CX5(OLD_VERSION), CX5(NEW_VERSION)));
	sim_set(update.card.number, "mcc_late", 14);
	for (i = 0; i < 2; i++) {
		CHECK_EQ(start(&update, &id), 0);
		CHECK(wait_phase(id, phases[i]));
		CHECK_EQ(job_cancel(netlink, id, &answer), 0);
		CHECK_EQ(wait_end(id), CXFW_JOB_CANCELLED);
		ktap_note("%s", message_string(message, CXFW_A_JOB_MESSAGE));
	}
	/* While the firmware activates it is too late, and the refusal says so. */
	CHECK_EQ(start(&update, &id), 0);
	CHECK(wait_phase(id, CXFW_PHASE_COMMIT));
	CHECK_EQ(job_cancel(netlink, id, &answer), -EBUSY);
	CHECK(strstr(answer.text, "commit") != NULL);
	CHECK_EQ(wait_end(id), CXFW_JOB_DONE);
	check_boots(&update.card, NEW_VERSION);
	finish(&update);
}

static void test_refused_by_the_firmware(void)
{
	static const struct { unsigned int at, code, error; const char *words; } cases[] = {
		{ 4, 6, EKEYREVOKED, "REJECTED_UNSIGNED" }, { 3, 0x1e, EINVAL, "NO_PLACE" },
		{ 6, 0x28, EINVAL, "FLASH_WRITE_PROTECTED" }, { 4, 0x77, EINVAL, "does not know" },
	};
	static struct update update;
	uint64_t id = 0;
	size_t i;

	REQUIRE(prepare(&update, CX5(OLD_VERSION), CX5(NEW_VERSION)));
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		sim_set(update.card.number, "mcc_error_at", cases[i].at);
		sim_set(update.card.number, "mcc_error", cases[i].code);
		CHECK_EQ(start(&update, &id), 0);
		CHECK_EQ(wait_end(id), CXFW_JOB_FAILED);
		CHECK_EQ(message_u32(message, CXFW_A_JOB_CARD_ERROR, 0), cases[i].code);
		CHECK_EQ(message_u32(message, CXFW_A_JOB_ERROR, 0), cases[i].error);
		if (!strstr(message_string(message, CXFW_A_JOB_MESSAGE), cases[i].words))
			ktap_fail(__FILE__, __LINE__, "%s", message_string(message, CXFW_A_JOB_MESSAGE));
	}
	sim_set(update.card.number, "mcc_error_at", 0);
	check_boots(&update.card, OLD_VERSION);
	finish(&update);
}

static void test_handle_of_somebody_else(void)
{
	struct cxfw_card_info info = { .size = sizeof(info) };
	static struct update update;
	uint64_t id = 0;

	REQUIRE(prepare(&update, CX5(OLD_VERSION), CX5(NEW_VERSION)));
	sim_set(update.card.number, "mcc_owner", 3);
	CHECK_EQ(start(&update, &id), 0);
	CHECK_EQ(wait_end(id), CXFW_JOB_FAILED);
	CHECK_EQ(message_u32(message, CXFW_A_JOB_ERROR, 0), EBUSY);
	CHECK(strstr(message_string(message, CXFW_A_JOB_MESSAGE), "BMC") != NULL);
	ktap_note("%s", message_string(message, CXFW_A_JOB_MESSAGE));
	CHECK_EQ(ioctl(update.card.fd, CXFW_IOC_CARD_INFO, &info), 0);
	CHECK_EQ(info.semaphore, CXFW_SEMAPHORE_UPDATE_HANDLE);
	CHECK_EQ(semaphore_clear(netlink, update.card.address, CXFW_SEMAPHORE_UPDATE_HANDLE, info.semaphore_value + 1,
				 &answer), -ESTALE);
	CHECK_EQ(semaphore_clear(netlink, update.card.address, CXFW_SEMAPHORE_UPDATE_HANDLE, info.semaphore_value, &answer), 0);
	CHECK_EQ(start(&update, &id), 0);
	CHECK_EQ(wait_end(id), CXFW_JOB_DONE);
	finish(&update);
}

/* Another owner takes the handle in the middle. */
static void test_handle_is_taken(void)
{
	static struct update update;
	uint64_t id = 0;

	REQUIRE(prepare(&update, CX5(OLD_VERSION), CX5(NEW_VERSION)));
	sim_set(update.card.number, "mcc_late", 14);
	CHECK_EQ(start(&update, &id), 0);
	CHECK(wait_phase(id, CXFW_PHASE_VERIFY));
	sim_set(update.card.number, "mcc_owner", 3);
	CHECK_EQ(wait_end(id), CXFW_JOB_FAILED);
	ktap_note("%s", message_string(message, CXFW_A_JOB_MESSAGE));
	sim_set(update.card.number, "mcc_owner", 0);
	check_boots(&update.card, OLD_VERSION);
	finish(&update);
}

static void test_busy_firmware(void)
{
	static struct update update;
	uint64_t id = 0;

	REQUIRE(prepare(&update, CX5(OLD_VERSION), CX5(NEW_VERSION)));
	sim_set(update.card.number, "mcc_busy", 20);
	CHECK_EQ(start(&update, &id), 0);
	CHECK_EQ(wait_end(id), CXFW_JOB_DONE);
	check_boots(&update.card, NEW_VERSION);
	finish(&update);
}

static void test_unplug_during_update(void)
{
	static struct update update;
	uint64_t id = 0;

	REQUIRE(prepare(&update, CX5(OLD_VERSION), CX5(NEW_VERSION)));
	sim_set(update.card.number, "mcc_late", 14);
	CHECK_EQ(start(&update, &id), 0);
	CHECK(wait_phase(id, CXFW_PHASE_PREPARE));
	sim_write(update.card.number, "remove", "1");
	update.card.number = -1;
	CHECK_EQ(wait_end(id), CXFW_JOB_FAILED);
	CHECK_EQ(message_u32(message, CXFW_A_JOB_ERROR, 0), ENODEV);
	finish(&update);
}

static int remove_module(void)
{
	return syscall(SYS_delete_module, "cxfw", O_NONBLOCK) ? -errno : 0;
}

static void test_update_outlives_client(void)
{
	uint64_t *id = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	static struct update update;
	int status = 1;
	pid_t child;

	REQUIRE(prepare(&update, CX5(OLD_VERSION), CX5(NEW_VERSION)));
	sim_set(update.card.number, "mcc_late", 12);
	fflush(stdout);
	child = fork();
	if (!child) {
		close(update.card.fd);
		update.card.fd = device_open(update.card.address);
		if (start(&update, id))
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	waitpid(child, &status, 0);
	CHECK(WIFSIGNALED(status) && *id);
	close(update.card.fd);
	update.card.fd = -1;
	CHECK(remove_module() < 0);
	CHECK_EQ(wait_end(*id), CXFW_JOB_DONE);
	check_boots(&update.card, NEW_VERSION);
	finish(&update);
}

/* ---- resets ---- */

static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	int error = fd < 0 || write(fd, text, strlen(text)) < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return error;
}

static void test_link_reset_starts_the_update(void)
{
	static struct update update;
	uint64_t id = 0;

	REQUIRE(prepare(&update, CX5(OLD_VERSION), CX5(NEW_VERSION)));
	CHECK_EQ(activate(update.card.address, 0), -EINVAL);
	CHECK_EQ(activate(update.card.address, 77), -EINVAL);
	CHECK_EQ(activate(update.card.address, CXFW_RESET_CHIP), -EOPNOTSUPP);
	CHECK_EQ(activate(update.card.address, CXFW_RESET_LIVE_PATCH), -EOPNOTSUPP);
	ktap_note("%s", answer.text);
	CHECK_EQ(start(&update, &id), 0);
	CHECK_EQ(wait_end(id), CXFW_JOB_DONE);
	CHECK_EQ(activate(update.card.address, CXFW_RESET_LINK), 0);
	if (answer.text[0])
		ktap_note("%s", answer.text);
	CHECK_STR(booted(&update.card, "version"), NEW_VERSION);
	CHECK_EQ(card_get(netlink, update.card.address, &answer), 0);
	CHECK_EQ(message_u32(message, CXFW_A_STATE, 0), CXFW_STATE_RUNNING);
	CHECK(!message_get(message, CXFW_A_STORED, NULL));
	CHECK_EQ(read_register(update.card.fd, MGIR), 0);
	finish(&update);
}

static void test_chip_reset(void)
{
	struct card card;

	REQUIRE(plug(&card, "model=connectx3pro flash_size=2M"));
	CHECK_EQ(activate(card.address, CXFW_RESET_LINK), -EOPNOTSUPP);
	CHECK_EQ(activate(card.address, CXFW_RESET_CHIP), 0);
	if (answer.text[0])
		ktap_note("%s", answer.text);
	CHECK_EQ(card_get(netlink, card.address, &answer), 0);
	CHECK_EQ(message_u32(message, CXFW_A_STATE, 0), CXFW_STATE_RUNNING);
	CHECK_EQ(sim_get(card.number, "counters/foul"), 0);
	unplug(&card);
}

static void test_no_reset_under_a_driver(void)
{
	char path[120];
	struct card card;

	REQUIRE(plug(&card, CX5(OLD_VERSION)));
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/driver_override", card.address);
	write_text(path, "pci-stub");
	if (write_text("/sys/bus/pci/drivers/pci-stub/bind", card.address)) {
		ktap_skip("there is no driver to bind");
	} else {
		CHECK_EQ(activate(card.address, CXFW_RESET_LINK), -EBUSY);
		CHECK(strstr(answer.text, "pci-stub") && strstr(answer.text, card.address));
		write_text("/sys/bus/pci/drivers/pci-stub/unbind", card.address);
	}
	unplug(&card);
}

int main(int argc, char **argv)
{
	static const struct ktap_test tests[] = {
		KTAP_TEST(test_capabilities),
		KTAP_TEST(test_component_read),
		KTAP_TEST(test_update),
		KTAP_TEST(test_cancel),
		KTAP_TEST(test_refused_by_the_firmware),
		KTAP_TEST(test_handle_of_somebody_else),
		KTAP_TEST(test_handle_is_taken),
		KTAP_TEST(test_busy_firmware),
		KTAP_TEST(test_unplug_during_update),
		KTAP_TEST(test_update_outlives_client),
		KTAP_TEST(test_link_reset_starts_the_update),
		KTAP_TEST(test_chip_reset),
		KTAP_TEST(test_no_reset_under_a_driver),
	};

	netlink = client_open();
	if (netlink < 0) {
		printf("1..0 # SKIP cxfw is not loaded\n");
		return 4;
	}
	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
