// SPDX-License-Identifier: GPL-2.0-only
/* The driver's front, cards and jobs, on simulated cards: what a client may rely on. */
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <openssl/sha.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../kmod/cxsim/model/model.h"
#include "../lib/ktap.h"
#include "client.h"

#define FLASH		0x200000
#define OLD_VERSION	"2.36.5000"
#define NEW_VERSION	"2.42.5000"
#define BURNABLE	"model=connectx3pro psid=MT_1200111023 version=" OLD_VERSION \
			" flash_size=2M chip=W25QxxBV guid=0x0002c90300112230 mac=0x0002c9112230 code_size=0x20000"
#define HW_ID		0x1f7
#define CX5		"model=connectx5 flash_size=4M"

static int netlink;
static struct answer answer;

static void pause_ms(unsigned int milliseconds)
{
	const struct timespec time = { milliseconds / 1000, milliseconds % 1000 * 1000000L };

	nanosleep(&time, NULL);
}

/* ---- a card for a test ---- */

/* ---- plans ---- */

struct plan {
	uint8_t *image;
	struct cxfw_segment segment;
	struct cxfw_stage stage;
};

static uint8_t *make_image(const char *version, size_t *length)
{
	struct cxsim_parameters parameters = {
		.model = "connectx3pro",
		.psid = "MT_1200111023",
		.version = version,
		.chip = "W25QxxBV",
		.guid = 0x0002c90300112230ULL,
		.mac = 0x0002c9112230ULL,
		.flash_size = FLASH,
		.code_size = 0x20000,
	};
	char why[160] = "";
	uint8_t *image;

	*length = cxsim_image_make(&parameters, NULL, 0, why);
	image = *length ? malloc(*length) : NULL;
	if (!image || cxsim_image_make(&parameters, image, *length, why) != *length) {
		ktap_fail(__FILE__, __LINE__, "no image: %s", why);
		exit(1);
	}
	return image;
}

/* Why the last thing through this descriptor failed, as the driver tells. */
static void note_why(int fd)
{
	struct cxfw_card_info info = { .size = sizeof(info) };

	if (!ioctl(fd, CXFW_IOC_CARD_INFO, &info) && info.why[0])
		ktap_note("why: %s", info.why);
}

/* The plan for slot 1 of a fresh card, whose slot 0 holds the old image. */
static bool make_plan(const struct card *card, struct plan *plan)
{
	struct cxfw_stage *stage = &plan->stage;
	uint8_t old[4096];
	size_t length;

	memset(plan, 0, sizeof(*plan));
	plan->image = make_image(NEW_VERSION, &length);
	plan->segment.offset = 16;
	plan->segment.length = length - 16;
	stage->size = sizeof(*stage);
	stage->image = (uintptr_t)plan->image;
	stage->segments = (uintptr_t)&plan->segment;
	stage->image_length = length;
	stage->segment_count = 1;
	stage->format = CXFW_FORMAT_FS2;
	stage->hw_id = HW_ID;
	stage->flash_size = FLASH;
	stage->log2_chunk = 16 + (plan->image[0x2b] & 7);
	stage->target_slot = 1;
	stage->window_length = FLASH / 2 - 0x10000;
	stage->old_address = 0;
	SHA256(plan->image + 16, length - 16, stage->segments_sha256);
	if (!CHECK(pread(card->fd, old, sizeof(old), 0) == sizeof(old))) {
		ktap_note("%s", strerror(errno));
		note_why(card->fd);
		return false;
	}
	SHA256(old, sizeof(old), stage->old_sha256);
	return true;
}

static int stage_plan(int fd, struct plan *plan)
{
	return ioctl(fd, CXFW_IOC_STAGE, &plan->stage) ? -errno : 0;
}

static bool plug_and_stage(struct card *card, struct plan *plan, unsigned int flash_time)
{
	if (!plug(card, BURNABLE))
		return false;
	sim_set(card->number, "flash_time", flash_time);
	if (!make_plan(card, plan))
		return false;
	CHECK_EQ(stage_plan(card->fd, plan), 0);
	return !ktap_failed();
}

static int start(const struct card *card, const struct plan *plan, uint64_t *id)
{
	int error = burn(netlink, card->address, card->fd, plan->stage.stage_sha256, &answer);

	if (!error)
		*id = message_u64(&answer.messages[0], CXFW_A_JOB_ID, 0);
	return error;
}

/* The state that a job ends in; 0 when it does not end in time. */
static uint32_t wait_end(uint64_t id)
{
	int tries;
	uint32_t state;

	for (tries = 0; tries < 1200; tries++) {
		if (job_get(netlink, id, &answer))
			return 0;
		state = message_u32(&answer.messages[0], CXFW_A_JOB_STATE, 0);
		if (state != CXFW_JOB_RUNNING)
			return state;
		pause_ms(50);
	}
	return 0;
}

static bool wait_phase(uint64_t id, uint32_t phase)
{
	int tries;

	for (tries = 0; tries < 6000; tries++) {
		if (job_get(netlink, id, &answer))
			return false;
		if (message_u32(&answer.messages[0], CXFW_A_JOB_PHASE, 0) >= phase)
			return message_u32(&answer.messages[0], CXFW_A_JOB_STATE, 0) == CXFW_JOB_RUNNING;
		pause_ms(5);
	}
	return false;
}

/* ---- cards over netlink ---- */

static void test_get(void)
{
	struct card card;
	const struct message *message = &answer.messages[0];

	REQUIRE(plug(&card, BURNABLE));
	CHECK_EQ(card_get(netlink, card.address, &answer), 0);
	CHECK_STR(message_string(message, CXFW_A_ADDRESS), card.address);
	CHECK_EQ(message_u32(message, CXFW_A_HW_ID, 0), HW_ID);
	CHECK_EQ(message_u32(message, CXFW_A_FAMILY, 0), CXFW_FAMILY_MLX4);
	CHECK_EQ(message_u32(message, CXFW_A_GATEWAY, 0), CXFW_GATEWAY_CONF);
	CHECK_EQ(message_u32(message, CXFW_A_STATE, 0), CXFW_STATE_RUNNING);
	CHECK_EQ(message_u64(message, CXFW_A_CAPABILITIES, 0) & ~CXFW_CAP_DEVICE_DATA,
		 CXFW_CAP_FLASH_READ | CXFW_CAP_BURN_PLAN | CXFW_CAP_BURN_FS2 | CXFW_CAP_SEMAPHORE_CLEAR |
		 CXFW_CAP_ACTIVATE);
	CHECK(message_get(message, CXFW_A_RUNNING, NULL));
	CHECK_STR(message_string(message, CXFW_A_TROUBLE), "");
	unplug(&card);
	CHECK_EQ(card_get(netlink, card.address, &answer), -ENODEV);
	CHECK(strstr(answer.text, "no PCI function"));
}

/* Functions are identified one by one; asking for one waits for it. */
static void wait_for_second_function(const struct card *card)
{
	char second[16];

	strcpy(second, card->address);
	second[strlen(second) - 1] = '1';
	CHECK_EQ(card_get(netlink, second, &answer), 0);
}

static void test_functions_of_one_card(void)
{
	char second[16];
	uint32_t index;
	struct card card;
	const struct message *message = &answer.messages[0];

	REQUIRE(plug(&card, CX5 " psid=MT_0000000012"));
	wait_for_second_function(&card);
	CHECK_EQ(card_get(netlink, card.address, &answer), 0);
	index = message_u32(message, CXFW_A_CARD_INDEX, 0);
	CHECK_EQ(message_count(message, CXFW_A_FUNCTION), 2);
	CHECK_STR(message_string(message, CXFW_A_TROUBLE), "");
	CHECK_STR(message_string(message, CXFW_A_PSID), "MT_0000000012");
	CHECK_EQ(message_u32(message, CXFW_A_GATEWAY, 0), CXFW_GATEWAY_VSC);
	CHECK(message_u64(message, CXFW_A_CAPABILITIES, 0) & CXFW_CAP_REGISTERS);
	CHECK(!(message_u64(message, CXFW_A_CAPABILITIES, 0) & CXFW_CAP_BURN_FS2));
	strcpy(second, card.address);
	second[strlen(second) - 1] = '1';
	CHECK_EQ(card_get(netlink, second, &answer), 0);
	CHECK_EQ(message_u32(message, CXFW_A_CARD_INDEX, 0), index);
	unplug(&card);
}

/* Two cards made from one backup have the same MACs, and are two all the same. */
static void test_clones_are_two_cards(void)
{
	uint32_t index;
	struct card a, b;

	REQUIRE(plug(&a, CX5 " mac=0x0002c9aabbcc"));
	REQUIRE(plug(&b, CX5 " mac=0x0002c9aabbcc"));
	wait_for_second_function(&a);
	CHECK_EQ(card_get(netlink, a.address, &answer), 0);
	index = message_u32(&answer.messages[0], CXFW_A_CARD_INDEX, 0);
	CHECK_EQ(message_count(&answer.messages[0], CXFW_A_FUNCTION), 2);
	CHECK_EQ(card_get(netlink, b.address, &answer), 0);
	CHECK(message_u32(&answer.messages[0], CXFW_A_CARD_INDEX, 0) != index);
	unplug(&b);
	unplug(&a);
}

static void test_refusals_say_why(void)
{
	struct card card;
	char address[16];
	int number;

	REQUIRE(plug(&card, "model=connectx3pro flash_size=2M virtual_functions=1"));
	strcpy(address, card.address);
	address[strlen(address) - 1] = '1';
	CHECK_EQ(card_get(netlink, address, &answer), -EOPNOTSUPP);
	CHECK(strstr(answer.text, "virtual function") && strstr(answer.text, card.address));
	unplug(&card);

	number = sim_create("model=unknown", address);
	REQUIRE(number >= 0);
	CHECK_EQ(card_get(netlink, address, &answer), -EOPNOTSUPP);
	CHECK(answer.text[0]);
	ktap_note("%s", answer.text);
	sim_write(number, "remove", "1");

	CHECK_EQ(card_get(netlink, "nonsense", &answer), -EINVAL);
	CHECK(strstr(answer.text, "not a PCI address"));
	CHECK_EQ(card_get(netlink, "0000:00:00.9", &answer), -EINVAL);
	CHECK_EQ(card_get(netlink, "ffff:ff:1f.7", &answer), -ENODEV);
}

/* An id that nobody knows, with a proper VSC, is a card. */
static void test_generic(void)
{
	struct card card;

	REQUIRE(plug(&card, "model=unknown-vsc"));
	CHECK_EQ(card_get(netlink, card.address, &answer), 0);
	CHECK(message_get(&answer.messages[0], CXFW_A_GENERIC, NULL));
	CHECK_EQ(message_u32(&answer.messages[0], CXFW_A_FAMILY, 9), CXFW_FAMILY_UNKNOWN);
	unplug(&card);
}

#define MANY 40

static void test_dump_of_many(void)
{
	struct card cards[MANY];
	uint32_t last = 0, index;
	unsigned int i;

	for (i = 0; i < MANY; i++)
		if (!plug(&cards[i], "model=connectx3 flash_size=2M"))
			break;
	CHECK_EQ(i, MANY);
	CHECK_EQ(card_dump(netlink, &answer), 0);
	CHECK_EQ(answer.count, MANY);
	CHECK(answer.datagrams > 1);
	for (i = 0; i < answer.count; i++) {
		index = message_u32(&answer.messages[i], CXFW_A_CARD_INDEX, 0);
		CHECK(index > last);
		last = index;
		CHECK_STR(message_string(&answer.messages[i], CXFW_A_ADDRESS), cards[i].address);
	}
	CHECK_EQ(sim_get(cards[0].number, "counters/spi_reads"), 0);
	for (i = MANY; i--;)
		unplug(&cards[i]);
}

/* ---- what is refused ---- */

static int get_with(const struct card *card, uint16_t type, const void *data, size_t length)
{
	struct request request;

	request_start(&request, CXFW_CMD_CARD_GET, NLM_F_ACK);
	request_put_string(&request, CXFW_A_ADDRESS, card->address);
	request_put(&request, type, data, length);
	return request_do(netlink, &request, &answer);
}

static void test_sloppy_requests(void)
{
	static const uint8_t zero[64];
	struct request request;
	struct card card;

	REQUIRE(plug(&card, BURNABLE));
	CHECK(get_with(&card, CXFW_A_MAX + 1, zero, 4) < 0);
	CHECK(get_with(&card, 200, zero, 4) < 0);
	CHECK(get_with(&card, CXFW_A_PSID, zero, 4) < 0);
	CHECK(get_with(&card, CXFW_A_JOB_ID, zero, 8) < 0);
	CHECK(get_with(&card, CXFW_A_UNSPEC, zero, 4) < 0);
	CHECK(get_with(&card, CXFW_A_ADDRESS, "0000:00:00.0", 13) < 0);

	request_start(&request, CXFW_CMD_CARD_GET, NLM_F_ACK);
	CHECK(request_do(netlink, &request, &answer) < 0);
	request_put(&request, CXFW_A_ADDRESS, zero, 0);
	CHECK(request_do(netlink, &request, &answer) < 0);
	request_start(&request, CXFW_CMD_CARD_GET, NLM_F_ACK);
	request_put(&request, CXFW_A_ADDRESS, "0000:00:00.0000000000000000000000000000000", 42);
	CHECK(request_do(netlink, &request, &answer) < 0);
	request_start(&request, CXFW_CMD_CARD_GET, NLM_F_ACK);
	request_put_u32(&request, CXFW_A_CARD_INDEX, 1);
	CHECK(request_do(netlink, &request, &answer) < 0);

	request_start(&request, CXFW_CMD_CARD_GET, NLM_F_DUMP);
	request_put_string(&request, CXFW_A_ADDRESS, card.address);
	CHECK(request_do(netlink, &request, &answer) < 0);

	request_start(&request, CXFW_CMD_JOB_GET, NLM_F_ACK);
	request_put(&request, CXFW_A_JOB_ID, zero, 4);
	CHECK(request_do(netlink, &request, &answer) < 0);
	request_start(&request, CXFW_CMD_JOB_GET, NLM_F_ACK);
	request_put(&request, CXFW_A_JOB_ID, zero, 16);
	CHECK(request_do(netlink, &request, &answer) < 0);

	request_start(&request, CXFW_CMD_BURN, NLM_F_ACK);
	request_put_string(&request, CXFW_A_ADDRESS, card.address);
	request_put_u32(&request, CXFW_A_STAGE_FD, card.fd);
	request_put(&request, CXFW_A_STAGE_SHA256, zero, 31);
	CHECK(request_do(netlink, &request, &answer) < 0);

	request_start(&request, CXFW_CMD_EVENT, NLM_F_ACK);
	CHECK_EQ(request_do(netlink, &request, &answer), -EOPNOTSUPP);
	request_start(&request, 99, NLM_F_ACK);
	CHECK_EQ(request_do(netlink, &request, &answer), -EOPNOTSUPP);

	CHECK_EQ(job_get(netlink, 123456789, &answer), -ENOENT);
	CHECK_EQ(job_cancel(netlink, 123456789, &answer), -ENOENT);
	CHECK_EQ(semaphore_clear(netlink, card.address, CXFW_SEMAPHORE_NONE, 1, &answer), -EINVAL);
	CHECK_EQ(semaphore_clear(netlink, card.address, 77, 1, &answer), -EINVAL);
	unplug(&card);
}

/* Runs a check in a child; its failures count. */
static void in_child(void (*run)(const struct card *card), const struct card *card)
{
	pid_t child;
	int status = 1;

	fflush(stdout);
	child = fork();
	if (!child) {
		run(card);
		fflush(stdout);
		_exit(ktap_failed());
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	CHECK_EQ(status, 0);
}

static void as_nobody(const struct card *card)
{
	int inherited = netlink, own;

	CHECK(!setgid(65534) && !setuid(65534));
	own = client_open();
	REQUIRE(own >= 0);
	CHECK_EQ(card_dump(own, &answer), -EPERM);
	CHECK_EQ(card_get(own, card->address, &answer), -EPERM);
	CHECK_EQ(job_get(own, 1, &answer), -EPERM);
	CHECK_EQ(job_cancel(own, 1, &answer), -EPERM);
	CHECK_EQ(semaphore_clear(own, card->address, CXFW_SEMAPHORE_VSC, 1, &answer), -EPERM);
	/* Root's socket does not help. */
	CHECK_EQ(card_dump(inherited, &answer), -EPERM);
	CHECK(device_open(card->address) < 0);
	if (client_join_events(own) != -EPERM)
		ktap_note("this kernel lets anybody listen to events");
}

static void test_unprivileged(void)
{
	struct card card;

	REQUIRE(plug(&card, BURNABLE));
	in_child(as_nobody, &card);
	unplug(&card);
}

static void in_other_namespace(const struct card *card)
{
	(void)card;
	REQUIRE(!unshare(CLONE_NEWNET));
	CHECK(client_open() < 0);
	CHECK_EQ(errno, ENOENT);
}

static void test_other_namespace(void)
{
	struct card card = { 0 };

	in_child(in_other_namespace, &card);
}

/* ---- the character device ---- */

static void test_flash_content(void)
{
	static uint8_t truth[FLASH], got[FLASH + 16];
	static const struct { off_t at; size_t length; } pieces[] = {
		{ 0, FLASH + 16 }, { 1, 4096 }, { 4095, 2 }, { 0x12345, 0x6789 }, { FLASH - 3, 16 }, { 5, 1 },
	};
	struct card card;
	unsigned int i;
	ssize_t expected;

	REQUIRE(plug(&card, BURNABLE));
	CHECK_EQ(sim_flash(card.number, truth, FLASH), 0);
	for (i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		expected = pieces[i].at + pieces[i].length > FLASH ? FLASH - pieces[i].at : (off_t)pieces[i].length;
		CHECK_EQ(pread(card.fd, got, pieces[i].length, pieces[i].at), expected);
		CHECK(!memcmp(got, truth + pieces[i].at, expected));
	}
	CHECK_EQ(lseek(card.fd, 0, SEEK_END), FLASH);
	CHECK_EQ(read(card.fd, got, 16), 0);
	CHECK_EQ(lseek(card.fd, -4, SEEK_CUR), FLASH - 4);
	CHECK_EQ(read(card.fd, got, 16), 4);
	CHECK(lseek(card.fd, FLASH + 1, SEEK_SET) < 0);
	CHECK(pread(card.fd, got, 16, FLASH + 4096) == 0);
	CHECK(write(card.fd, got, 16) < 0);
	unplug(&card);
}

static void test_growing_structs(void)
{
	union {
		struct cxfw_card_info info;
		uint8_t bytes[8192];
	} big;
	struct card card;

	REQUIRE(plug(&card, BURNABLE));
	memset(&big, 0, sizeof(big));
	big.info.size = sizeof(big.info);
	CHECK_EQ(ioctl(card.fd, CXFW_IOC_CARD_INFO, &big), 0);
	CHECK_EQ(big.info.hw_id, HW_ID);
	CHECK_EQ(big.info.flash_size, FLASH);
	CHECK_EQ(big.info.flash_access, CXFW_FLASH_ACCESS_SPI);
	CHECK(big.info.running_valid && big.info.running[0] == 2 && big.info.running[1] == 36);
	CHECK(big.info.config_reads > 0);
	CHECK_STR(big.info.why, "");

	memset(&big, 0, sizeof(big));
	big.info.size = 4096;
	CHECK_EQ(ioctl(card.fd, CXFW_IOC_CARD_INFO, &big), 0);
	CHECK_EQ(big.info.size, sizeof(big.info));
	memset(&big, 0, sizeof(big));
	big.info.size = sizeof(big.info) + 8;
	big.bytes[sizeof(big.info) + 7] = 1;
	CHECK(ioctl(card.fd, CXFW_IOC_CARD_INFO, &big) < 0 && errno == E2BIG);
	big.info.size = 8192;
	CHECK(ioctl(card.fd, CXFW_IOC_CARD_INFO, &big) < 0 && errno == E2BIG);
	big.info.size = 2;
	CHECK(ioctl(card.fd, CXFW_IOC_CARD_INFO, &big) < 0 && errno == EINVAL);
	memset(&big, 0, sizeof(big));
	big.info.size = 16;
	CHECK_EQ(ioctl(card.fd, CXFW_IOC_CARD_INFO, &big), 0);
	CHECK(big.info.capabilities && !big.info.hw_id);
	big.info.size = sizeof(big.info);
	big.info.flags = 1;
	CHECK(ioctl(card.fd, CXFW_IOC_CARD_INFO, &big) < 0 && errno == EINVAL);
	CHECK(ioctl(card.fd, CXFW_IOC_CARD_INFO, NULL) < 0 && errno == EFAULT);
	CHECK(ioctl(card.fd, _IO(CXFW_IOC_MAGIC, 0x7f), &big) < 0 && errno == ENOTTY);
	/* A caller of another age has another size in the command. */
	memset(&big, 0, sizeof(big));
	big.info.size = sizeof(big.info);
	CHECK_EQ(ioctl(card.fd, _IOC(_IOC_READ | _IOC_WRITE, CXFW_IOC_MAGIC, 1, 64), &big), 0);
	unplug(&card);
}

static void test_registers(void)
{
	uint8_t data[0xa0] = { 0 };
	struct cxfw_register request = { .size = sizeof(request), .id = 0x9020, .length = sizeof(data),
					 .data = (uintptr_t)data };
	struct card card;

	REQUIRE(plug(&card, CX5 " psid=MT_0000000012"));
	CHECK_EQ(ioctl(card.fd, CXFW_IOC_REGISTER, &request), 0);
	if (ktap_failed())
		note_why(card.fd);
	CHECK(!memcmp(data + 0x30, "MT_0000000012", 13));
	request.length = 3;
	CHECK(ioctl(card.fd, CXFW_IOC_REGISTER, &request) < 0 && errno == EINVAL);
	request.length = 260;
	CHECK(ioctl(card.fd, CXFW_IOC_REGISTER, &request) < 0 && errno == EINVAL);
	request.length = 8;
	request.id = 0x9029;	/* MFAI: activates an image */
	CHECK(ioctl(card.fd, CXFW_IOC_REGISTER, &request) < 0 && errno == EACCES);
	request.id = 0x9011;	/* MFBA: flash content has its own door */
	CHECK(ioctl(card.fd, CXFW_IOC_REGISTER, &request) < 0 && errno == EACCES);
	request.id = 0x9020;
	request.length = sizeof(data);
	sim_set(card.number, "register_status", 7);
	CHECK(ioctl(card.fd, CXFW_IOC_REGISTER, &request) < 0 && errno == EIO);
	CHECK_EQ(request.status, 7);
	sim_set(card.number, "register_status", 0);
	unplug(&card);
}

static void test_semaphore(void)
{
	struct cxfw_card_info info = { .size = sizeof(info) };
	struct card card;
	uint32_t value;

	REQUIRE(plug(&card, CX5));
	sim_set(card.number, "stuck_semaphore", CXFW_SEMAPHORE_FLASH_ICMD);
	CHECK_EQ(ioctl(card.fd, CXFW_IOC_CARD_INFO, &info), 0);
	/* The first look at the flash takes that lock. */
	CHECK_EQ(info.semaphore, CXFW_SEMAPHORE_FLASH_ICMD);
	CHECK(info.semaphore_value);
	CHECK(strstr(info.why, "semaphore"));
	value = info.semaphore_value;
	CHECK_EQ(semaphore_clear(netlink, card.address, CXFW_SEMAPHORE_FLASH_ICMD, value + 1, &answer), -ESTALE);
	CHECK(answer.text[0]);
	CHECK_EQ(semaphore_clear(netlink, card.address, CXFW_SEMAPHORE_FLASH_ICMD, value, &answer), 0);
	memset(&info, 0, sizeof(info));
	info.size = sizeof(info);
	CHECK_EQ(ioctl(card.fd, CXFW_IOC_CARD_INFO, &info), 0);
	CHECK(info.flash_size);
	CHECK_STR(info.why, "");
	unplug(&card);
}

/* ---- staging ---- */

static uint8_t staged[32];

/* Inherited from the parent, who staged: the descriptor is here, the stage is not ours. */
static void stage_of_other(const struct card *card)
{
	CHECK_EQ(burn(netlink, card->address, card->fd, staged, &answer), -EPERM);
	CHECK(strstr(answer.text, "another process"));
}

static void test_stages(void)
{
	const uint8_t *digest = staged;
	struct plan plan;
	struct card card, other;
	uint64_t id;
	int fd;

	REQUIRE(plug(&other, BURNABLE));
	REQUIRE(plug_and_stage(&card, &plan, 2));
	memcpy(staged, plan.stage.stage_sha256, 32);

	plan.stage.stage_sha256[7] ^= 1;
	CHECK_EQ(start(&card, &plan, &id), -EBADMSG);
	plan.stage.stage_sha256[7] ^= 1;

	fd = open("/dev/null", O_RDONLY);
	CHECK_EQ(burn(netlink, card.address, fd, digest, &answer), -EBADF);
	close(fd);
	CHECK_EQ(burn(netlink, card.address, 9999, digest, &answer), -EBADF);
	CHECK_EQ(burn(netlink, card.address, -1, digest, &answer), -EBADF);
	CHECK_EQ(burn(netlink, card.address, other.fd, digest, &answer), -EXDEV);
	CHECK_EQ(burn(netlink, other.address, card.fd, digest, &answer), -EXDEV);
	fd = device_open(card.address);
	CHECK_EQ(burn(netlink, card.address, fd, digest, &answer), -ENOENT);
	close(fd);

	in_child(stage_of_other, &card);

	/* A bad plan takes the place of the good one: nothing is staged any more. */
	plan.stage.target_slot = 0;
	CHECK_EQ(stage_plan(card.fd, &plan), -EINVAL);
	CHECK_EQ(burn(netlink, card.address, card.fd, digest, &answer), -ENOENT);
	free(plan.image);
	unplug(&card);
	unplug(&other);
}

static void test_bad_plans(void)
{
	struct plan plan, bad;
	struct card card;

	REQUIRE(plug_and_stage(&card, &plan, 2));
	bad = plan;
	bad.stage.size = sizeof(bad.stage) - 32;
	CHECK_EQ(stage_plan(card.fd, &bad), -EINVAL);
	bad = plan;
	bad.stage.image = 8;
	CHECK_EQ(stage_plan(card.fd, &bad), -EFAULT);
	bad = plan;
	bad.stage.segments = 8;
	CHECK_EQ(stage_plan(card.fd, &bad), -EFAULT);
	bad = plan;
	bad.stage.segment_count = 0xffffffff;
	CHECK_EQ(stage_plan(card.fd, &bad), -EINVAL);
	bad = plan;
	bad.stage.segment_count = 0;
	CHECK_EQ(stage_plan(card.fd, &bad), -EINVAL);
	bad = plan;
	bad.stage.image_length = FLASH + 4;
	CHECK_EQ(stage_plan(card.fd, &bad), -EINVAL);
	bad = plan;
	bad.stage.image_length = 0xfffffffc;
	CHECK_EQ(stage_plan(card.fd, &bad), -EINVAL);
	bad = plan;
	bad.stage.flags = 1U << 31;
	CHECK_EQ(stage_plan(card.fd, &bad), -EINVAL);
	bad = plan;
	bad.stage.format = 77;
	CHECK_EQ(stage_plan(card.fd, &bad), -EINVAL);
	plan.image[0x1000] ^= 1;
	CHECK_EQ(stage_plan(card.fd, &plan), -EINVAL);
	free(plan.image);
	unplug(&card);
}

/* ---- jobs ---- */

static void check_burned(const struct card *card, const struct plan *plan)
{
	static uint8_t flash[FLASH];
	uint32_t start_of_slot = 1U << plan->stage.log2_chunk, chunk = start_of_slot;
	uint32_t at, part;

	CHECK_EQ(sim_flash(card->number, flash, FLASH), 0);
	for (at = 0; at < plan->stage.image_length; at += part) {
		part = plan->stage.image_length - at < chunk ? plan->stage.image_length - at : chunk;
		if (memcmp(flash + start_of_slot + at / chunk * 2 * chunk, plan->image + at, part)) {
			ktap_fail(__FILE__, __LINE__, "the slot differs from the image in the chunk at %#x", at);
			return;
		}
	}
	CHECK(memcmp(flash, "MTFW", 4));
}

static void test_burn(void)
{
	const struct message *message = &answer.messages[0];
	uint64_t id = 0, second, seq = 0;
	bool ended = false;
	unsigned int progress = 0, kind;
	struct plan plan;
	struct card card;
	uint8_t byte;
	int events = client_open();

	REQUIRE(events >= 0);
	CHECK_EQ(client_join_events(events), 0);
	REQUIRE(plug_and_stage(&card, &plan, 0));
	while (client_event(events, 0, &answer))
		;
	CHECK_EQ(start(&card, &plan, &id), 0);
	REQUIRE(id);
	CHECK_EQ(start(&card, &plan, &second), -EBUSY);
	CHECK(strstr(answer.text, "driver"));	/* who: this program */
	ktap_note("second burn: %s", answer.text);
	CHECK(pread(card.fd, &byte, 1, 0) < 0 && errno == EBUSY);
	CHECK_EQ(semaphore_clear(netlink, card.address, CXFW_SEMAPHORE_FLASH_HCR, 1, &answer), -EBUSY);
	/* Questions go on meanwhile. */
	CHECK_EQ(card_get(netlink, card.address, &answer), 0);
	CHECK_EQ(message_u32(message, CXFW_A_STATE, 0), CXFW_STATE_RUNNING);
	CHECK_EQ(wait_end(id), CXFW_JOB_DONE);
	CHECK_EQ(message_u32(message, CXFW_A_JOB_ERROR, 99), 0);
	CHECK_EQ(message_u32(message, CXFW_A_JOB_PHASE, 0), CXFW_PHASE_END);
	CHECK_EQ(message_u32(message, CXFW_A_JOB_OWNER, 0), getpid());
	CHECK(message_u64(message, CXFW_A_JOB_PROGRAMMED, 0) > 0x20000);
	CHECK(message_u64(message, CXFW_A_JOB_ERASED, 0) + message_u64(message, CXFW_A_JOB_SKIPPED, 0) > 0);
	ktap_note("end: %s", message_string(message, CXFW_A_JOB_MESSAGE));
	while (client_event(events, 200, &answer)) {
		uint64_t now = message_u64(message, CXFW_A_EVENT_SEQ, 0);

		CHECK(!seq || now == seq + 1);
		seq = now;
		kind = message_u32(message, CXFW_A_EVENT_KIND, 0);
		CHECK_EQ(message_u64(message, CXFW_A_JOB_ID, 0), id);
		progress += kind == CXFW_EVENT_JOB_PROGRESS;
		ended |= kind == CXFW_EVENT_JOB_END && message_u32(message, CXFW_A_JOB_STATE, 0) == CXFW_JOB_DONE;
	}
	CHECK(progress >= 5);
	CHECK(ended);
	check_burned(&card, &plan);
	CHECK_EQ(start(&card, &plan, &second), -ENOENT);
	CHECK_EQ(job_cancel(netlink, id, &answer), -EALREADY);
	CHECK_EQ(pread(card.fd, &byte, 1, 0), 1);
	CHECK_EQ(job_get(netlink, id, &answer), 0);
	free(plan.image);
	unplug(&card);
	client_close(events);
}

static void test_cancel(void)
{
	static uint8_t before[FLASH], after[FLASH];
	struct plan plan;
	struct card card;
	uint64_t id = 0;

	REQUIRE(plug_and_stage(&card, &plan, 1));
	CHECK_EQ(sim_flash(card.number, before, FLASH), 0);
	CHECK_EQ(start(&card, &plan, &id), 0);
	CHECK(wait_phase(id, CXFW_PHASE_WRITE));
	CHECK_EQ(job_cancel(netlink, id, &answer), 0);
	CHECK_EQ(wait_end(id), CXFW_JOB_CANCELLED);
	CHECK_EQ(message_u32(&answer.messages[0], CXFW_A_JOB_ERROR, 0), ECANCELED);
	ktap_note("%s", message_string(&answer.messages[0], CXFW_A_JOB_MESSAGE));
	CHECK_EQ(sim_flash(card.number, after, FLASH), 0);
	CHECK(!memcmp(before, after, 1U << plan.stage.log2_chunk));
	/* No magic in the target. */
	CHECK(memcmp(after + (1U << plan.stage.log2_chunk), "MTFW", 4));
	/* And again, to the end. */
	sim_set(card.number, "flash_time", 2);
	CHECK_EQ(stage_plan(card.fd, &plan), 0);
	CHECK_EQ(start(&card, &plan, &id), 0);
	CHECK_EQ(wait_end(id), CXFW_JOB_DONE);
	check_burned(&card, &plan);
	free(plan.image);
	unplug(&card);
}

static uint64_t *shared_id;

static void burn_and_die(const struct card *inherited)
{
	struct card card = *inherited;
	struct plan plan;

	card.fd = device_open(card.address);
	REQUIRE(card.fd >= 0);
	REQUIRE(make_plan(&card, &plan));
	CHECK_EQ(stage_plan(card.fd, &plan), 0);
	CHECK_EQ(start(&card, &plan, shared_id), 0);
}

static void test_job_outlives_client(void)
{
	struct card card;

	shared_id = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	REQUIRE(plug(&card, BURNABLE));
	in_child(burn_and_die, &card);
	REQUIRE(*shared_id);
	CHECK_EQ(wait_end(*shared_id), CXFW_JOB_DONE);
	unplug(&card);
}

/* The card changed since the plan was made. */
static void test_stale_plan(void)
{
	struct plan plan;
	struct card card;
	uint64_t id = 0;

	REQUIRE(plug_and_stage(&card, &plan, 2));
	memset(plan.stage.old_sha256, 7, 32);
	CHECK_EQ(stage_plan(card.fd, &plan), 0);
	CHECK_EQ(start(&card, &plan, &id), 0);
	CHECK_EQ(wait_end(id), CXFW_JOB_FAILED);
	CHECK_EQ(message_u32(&answer.messages[0], CXFW_A_JOB_ERROR, 0), ESTALE);
	CHECK_EQ(sim_get(card.number, "counters/flash_operations"), 0);
	free(plan.image);
	unplug(&card);
}

#define FINISHED 64

static void test_finished_jobs(void)
{
	static struct answer list;
	struct request request;
	struct plan plan;
	struct card card;
	uint64_t id = 0, first = 0;
	unsigned int i;

	REQUIRE(plug_and_stage(&card, &plan, 2));
	memset(plan.stage.old_sha256, 7, 32);
	for (i = 0; i < FINISHED + 6 && !ktap_failed(); i++) {
		CHECK_EQ(stage_plan(card.fd, &plan), 0);
		CHECK_EQ(start(&card, &plan, &id), 0);
		first = first ? first : id;
		CHECK_EQ(wait_end(id), CXFW_JOB_FAILED);
	}
	CHECK_EQ(id, first + FINISHED + 5);
	CHECK_EQ(job_get(netlink, first, &answer), -ENOENT);
	CHECK_EQ(job_get(netlink, first + 6, &answer), 0);
	request_start(&request, CXFW_CMD_JOB_GET, NLM_F_DUMP);
	CHECK_EQ(request_do(netlink, &request, &list), 0);
	CHECK_EQ(list.count, FINISHED);
	CHECK(list.datagrams > 1);
	for (i = 0; i < list.count; i++)
		CHECK_EQ(message_u64(&list.messages[i], CXFW_A_JOB_ID, 0), first + 6 + i);
	free(plan.image);
	unplug(&card);
}

/* ---- coming and going ---- */

static bool saw_event(int events, uint32_t kind, const char *address)
{
	int tries;

	for (tries = 0; tries < 200; tries++)
		if (client_event(events, 50, &answer) &&
		    message_u32(&answer.messages[0], CXFW_A_EVENT_KIND, 0) == kind &&
		    !strcmp(message_string(&answer.messages[0], CXFW_A_ADDRESS), address))
			return true;
	return false;
}

static void test_unplug_with_open_handle(void)
{
	struct cxfw_card_info info = { .size = sizeof(info) };
	struct card card;
	char byte;
	int events = client_open();

	REQUIRE(events >= 0);
	client_join_events(events);
	REQUIRE(plug(&card, BURNABLE));
	CHECK(saw_event(events, CXFW_EVENT_CARD_ADDED, card.address));
	/* cxsim waits until nobody holds the function: that this returns is the test. */
	sim_write(card.number, "remove", "1");
	card.number = -1;
	CHECK(saw_event(events, CXFW_EVENT_CARD_REMOVED, card.address));
	CHECK(pread(card.fd, &byte, 1, 0) < 0 && errno == ENODEV);
	CHECK(ioctl(card.fd, CXFW_IOC_CARD_INFO, &info) < 0 && errno == ENODEV);
	CHECK(lseek(card.fd, 0, SEEK_END) < 0 && errno == ENODEV);
	CHECK_EQ(card_get(netlink, card.address, &answer), -ENODEV);
	unplug(&card);
	client_close(events);
}

struct reader {
	struct card card;
	int error;
	ssize_t total;
};

static void *read_all(void *argument)
{
	static char buffer[65536];
	struct reader *reader = argument;
	ssize_t got;

	while ((got = read(reader->card.fd, buffer, sizeof(buffer))) > 0)
		reader->total += got;
	reader->error = got < 0 ? errno : 0;
	return NULL;
}

static void test_unplug_during_read(void)
{
	static const char *const models[] = { BURNABLE, CX5 };
	struct reader reader = { 0 };
	pthread_t thread;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		REQUIRE(plug(&reader.card, models[i]));
		CHECK_EQ(pthread_create(&thread, NULL, read_all, &reader), 0);
		pause_ms(40);
		/* Pulled: all-ones for a while before the system notices. */
		sim_write(reader.card.number, "unplug", i ? "100" : "0");
		pthread_join(thread, NULL);
		CHECK_EQ(reader.error, ENODEV);
		unplug(&reader.card);
	}
}

static void test_unplug_during_job(void)
{
	struct plan plan;
	struct card card;
	uint64_t id = 0;

	REQUIRE(plug_and_stage(&card, &plan, 1));
	CHECK_EQ(start(&card, &plan, &id), 0);
	CHECK(wait_phase(id, CXFW_PHASE_WRITE));
	sim_write(card.number, "remove", "1");
	card.number = -1;
	CHECK_EQ(wait_end(id), CXFW_JOB_FAILED);
	CHECK_EQ(message_u32(&answer.messages[0], CXFW_A_JOB_ERROR, 0), ENODEV);
	CHECK(strstr(message_string(&answer.messages[0], CXFW_A_JOB_MESSAGE), "unplugged"));
	ktap_note("%s", message_string(&answer.messages[0], CXFW_A_JOB_MESSAGE));
	free(plan.image);
	unplug(&card);
}

static int remove_module(void)
{
	return syscall(SYS_delete_module, "cxfw", O_NONBLOCK) ? -errno : 0;
}

static void test_unload_is_refused(void)
{
	struct plan plan;
	struct card card;
	uint64_t id = 0;

	REQUIRE(plug_and_stage(&card, &plan, 0));
	CHECK(remove_module() < 0);
	CHECK_EQ(start(&card, &plan, &id), 0);
	close(card.fd);
	card.fd = -1;
	CHECK(wait_phase(id, CXFW_PHASE_PREPARE));
	CHECK(remove_module() < 0);
	CHECK_EQ(wait_end(id), CXFW_JOB_DONE);
	free(plan.image);
	unplug(&card);
}

static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	int error = fd < 0 || write(fd, text, strlen(text)) < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return error;
}

static void test_no_sleep_during_job(void)
{
	struct plan plan;
	struct card card;
	uint64_t id = 0;

	/* If it were not refused, the machine would only freeze its tasks and thaw them. */
	if (write_text("/sys/power/pm_test", "freezer")) {
		ktap_skip("this kernel cannot test sleeping (no CONFIG_PM_DEBUG)");
		return;
	}
	REQUIRE(plug_and_stage(&card, &plan, 0));
	CHECK_EQ(start(&card, &plan, &id), 0);
	CHECK_EQ(write_text("/sys/power/state", "freeze"), -EBUSY);
	CHECK_EQ(wait_end(id), CXFW_JOB_DONE);
	write_text("/sys/power/pm_test", "none");
	free(plan.image);
	unplug(&card);
}

/* For the shell: may this card be burned? */
static int print_capabilities(const char *address)
{
	if (card_get(netlink, address, &answer))
		return 1;
	printf("burn=%d\n", !!(message_u64(&answer.messages[0], CXFW_A_CAPABILITIES, 0) & CXFW_CAP_BURN_PLAN));
	return 0;
}

/*
 * For the shell: clears the semaphore that the driver could not get at load. The card,
 * which could not even be identified, must then be whole.
 */
static int clear_and_use(const char *address)
{
	struct cxfw_card_info info = { .size = sizeof(info) };
	int fd = device_open(address);

	if (fd < 0 || ioctl(fd, CXFW_IOC_CARD_INFO, &info))
		return 1;
	close(fd);
	printf("semaphore %u holds %#x: %s\n", info.semaphore, info.semaphore_value, info.why);
	if (card_get(netlink, address, &answer) || message_get(&answer.messages[0], CXFW_A_HW_ID, NULL) ||
	    !message_string(&answer.messages[0], CXFW_A_TROUBLE)[0])
		return 2;
	if (semaphore_clear(netlink, address, info.semaphore, info.semaphore_value, &answer)) {
		printf("%s\n", answer.text);
		return 3;
	}
	if (card_get(netlink, address, &answer))
		return 4;
	printf("%s\n", message_string(&answer.messages[0], CXFW_A_TROUBLE));
	return message_get(&answer.messages[0], CXFW_A_HW_ID, NULL) ? 0 : 5;
}

int main(int argc, char **argv)
{
	static const struct ktap_test tests[] = {
		KTAP_TEST(test_get),
		KTAP_TEST(test_functions_of_one_card),
		KTAP_TEST(test_clones_are_two_cards),
		KTAP_TEST(test_refusals_say_why),
		KTAP_TEST(test_generic),
		KTAP_TEST(test_dump_of_many),
		KTAP_TEST(test_sloppy_requests),
		KTAP_TEST(test_unprivileged),
		KTAP_TEST(test_other_namespace),
		KTAP_TEST(test_flash_content),
		KTAP_TEST(test_growing_structs),
		KTAP_TEST(test_registers),
		KTAP_TEST(test_semaphore),
		KTAP_TEST(test_stages),
		KTAP_TEST(test_bad_plans),
		KTAP_TEST(test_burn),
		KTAP_TEST(test_cancel),
		KTAP_TEST(test_job_outlives_client),
		KTAP_TEST(test_stale_plan),
		KTAP_TEST(test_finished_jobs),
		KTAP_TEST(test_unplug_with_open_handle),
		KTAP_TEST(test_unplug_during_read),
		KTAP_TEST(test_unplug_during_job),
		KTAP_TEST(test_unload_is_refused),
		KTAP_TEST(test_no_sleep_during_job),
	};

	netlink = client_open();
	if (netlink < 0) {
		printf("1..0 # SKIP cxfw is not loaded\n");
		return 4;
	}
	if (argc == 3 && !strcmp(argv[1], "capabilities"))
		return print_capabilities(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "clear"))
		return clear_and_use(argv[2]);
	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
