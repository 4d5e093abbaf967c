// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client with every right and no manners: random netlink messages, random ioctls, plans
 * that are nearly right, from several processes at once. Whatever it says, the card boots a
 * whole image afterwards. hostile-test ADDRESS SECONDS; SEED repeats a run.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <openssl/sha.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "client.h"

#define CLIENTS	3

static uint64_t state;
static const char *address;
static int netlink, device;
static struct answer answer;
static unsigned long sent, accepted;

static uint64_t any(void)
{
	uint64_t z = (state += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static uint32_t below(uint32_t most)
{
	return any() % most;
}

/* Numbers that somebody may have thought of, and some that nobody has. */
static uint64_t number(void)
{
	static const uint64_t known[] = {
		0, 1, 2, 3, 4, 7, 8, 16, 64, 4096, 0x10000, 0x200000, 0x400000, 0x7fffffff, 0x80000000, 0xfffffffc,
		0xffffffff, 0x7fffffffffffffff, 0xffffffffffffffff,
	};

	switch (below(4)) {
	case 0:
		return any();
	case 1:
		return below(16);
	default:
		return known[below(sizeof(known) / sizeof(known[0]))];
	}
}

static void put_any(struct request *request)
{
	uint8_t bytes[64];
	uint16_t type = below(8) ? below(CXFW_A_MAX + 2) : any();
	size_t length = below(4) ? (below(2) ? 4 : 8) : below(sizeof(bytes)), i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = any();
	switch (below(4)) {
	case 0:
		request_put_string(request, CXFW_A_ADDRESS, address);
		break;
	case 1:
		request_put_u64(request, type, number());
		break;
	case 2:
		request_put_u32(request, type, number());
		break;
	default:
		request_put(request, type, bytes, length);
	}
}

/* What a command wants, with values that may be right. */
static void put_wanted(struct request *request)
{
	uint8_t digest[32];
	size_t i;

	switch (request->command) {
	case CXFW_CMD_BURN:
		for (i = 0; i < sizeof(digest); i++)
			digest[i] = any();
		request_put_string(request, CXFW_A_ADDRESS, address);
		request_put_u32(request, CXFW_A_STAGE_FD, below(2) ? (uint32_t)device : number());
		request_put(request, CXFW_A_STAGE_SHA256, digest, below(8) ? 32 : below(33));
		break;
	case CXFW_CMD_JOB_GET:
	case CXFW_CMD_JOB_CANCEL:
		request_put_u64(request, CXFW_A_JOB_ID, number());
		break;
	case CXFW_CMD_SEMAPHORE_CLEAR:
		request_put_string(request, CXFW_A_ADDRESS, address);
		request_put_u32(request, CXFW_A_SEMAPHORE, below(9));
		request_put_u32(request, CXFW_A_SEMAPHORE_VALUE, number());
		break;
	case CXFW_CMD_ACTIVATE:
		request_put_string(request, CXFW_A_ADDRESS, address);
		/* Rarely one that exists: a reset takes seconds. */
		request_put_u32(request, CXFW_A_RESET_LEVEL, below(40) ? number() | 4 : below(4));
		break;
	default:
		request_put_string(request, CXFW_A_ADDRESS, address);
	}
}

static void say_something(void)
{
	static const uint16_t flags[] = { NLM_F_ACK, NLM_F_DUMP, NLM_F_ACK | NLM_F_DUMP };
	struct request request;
	uint32_t i, count = below(4);

	request_start(&request, below(10) ? 1 + below(CXFW_CMD_MAX) : any(), flags[below(8) ? 0 : below(3)]);
	if (below(3))
		put_wanted(&request);
	for (i = 0; i < count && below(2); i++)
		put_any(&request);
	accepted += !request_do(netlink, &request, &answer);
}

static void *pointer(void)
{
	static uint8_t place[1 << 16];

	switch (below(8)) {
	case 0:
		return NULL;
	case 1:
		return (void *)(uintptr_t)number();
	default:
		return place;
	}
}

static void ask_something(void)
{
	union {
		struct cxfw_card_info info;
		struct cxfw_register reg;
		struct cxfw_stage stage;
		struct cxfw_component_read read;
		uint32_t words[1100];
	} u;
	static const uint32_t numbers[] = {
		CXFW_IOC_CARD_INFO, CXFW_IOC_REGISTER, CXFW_IOC_STAGE, CXFW_IOC_COMPONENT_READ,
	};
	uint32_t which = below(4), i, touched = below(6);

	memset(&u, 0, sizeof(u));
	u.info.size = which == 0 ? sizeof(u.info) : which == 1 ? sizeof(u.reg) : which == 2 ? sizeof(u.stage) :
		      sizeof(u.read);
	switch (which) {
	case 1:
		u.reg.id = below(2) ? 0x9000 + below(0x180) : any();
		u.reg.length = below(4) ? 4 * below(65) : any();
		u.reg.data = (uintptr_t)pointer();
		break;
	case 2:
		u.stage.flags = below(2) ? CXFW_PLAN_COMPONENT : below(16);
		u.stage.image = (uintptr_t)pointer();
		u.stage.segments = (uintptr_t)pointer();
		u.stage.image_length = below(2) ? 4 * below(4096) : number();
		u.stage.segment_count = below(4) ? 1 : number();
		u.stage.format = below(7);
		u.stage.component = below(3);
		u.stage.old_address = below(2) ? CXFW_NO_ADDRESS : number();
		break;
	case 3:
		u.read.component = below(4) ? 1 : number();
		u.read.offset = below(2) ? 4 * below(0x10000) : number();
		u.read.length = below(2) ? 4 * below(512) : number();
		u.read.flags = below(8) ? 0 : number();
		u.read.data = (uintptr_t)pointer();
		break;
	}
	for (i = 0; i < touched && below(2); i++)
		u.words[below(2) ? below(40) : below(1100)] = number();
	if (u.read.size == sizeof(u.read) && which == 3 && u.read.length > 0x4000)
		u.read.length &= 0x3ffc;	/* a real read of a megabyte takes long */
	accepted += !ioctl(device, below(10) ? numbers[which] : any(), &u);
}

/* A plan of a component update whose seal is right and whose image is noise: the firmware's turn to refuse. */
static void burn_noise(void)
{
	static uint8_t image[0x8000];
	struct cxfw_card_info info = { .size = sizeof(info) };
	struct cxfw_segment segment = { 0, 4 * (1 + below(sizeof(image) / 4)) };
	struct cxfw_stage stage = {
		.size = sizeof(stage), .flags = CXFW_PLAN_COMPONENT, .image = (uintptr_t)image,
		.segments = (uintptr_t)&segment, .image_length = segment.length, .segment_count = 1,
		.old_address = CXFW_NO_ADDRESS, .component = CXFW_COMPONENT_BOOT_IMG,
	};
	uint64_t id;
	size_t i;

	for (i = 0; i < sizeof(image); i++)
		image[i] = any();
	if (ioctl(device, CXFW_IOC_CARD_INFO, &info))
		return;
	stage.hw_id = info.hw_id;
	stage.hw_revision = info.hw_revision;
	SHA256(image, segment.length, stage.segments_sha256);
	if (ioctl(device, CXFW_IOC_STAGE, &stage) ||
	    burn(netlink, address, device, stage.stage_sha256, &answer))
		return;
	accepted++;
	id = message_u64(&answer.messages[0], CXFW_A_JOB_ID, 0);
	for (i = below(20); i; i--)
		say_something();
	if (below(2))
		job_cancel(netlink, id, &answer);
}

static void client(uint64_t seed, unsigned int seconds)
{
	time_t end = time(NULL) + seconds;
	uint8_t byte[64];

	state = seed;
	netlink = client_open();
	device = device_open(address);
	if (netlink < 0 || device < 0)
		_exit(2);
	while (time(NULL) < end) {
		sent++;
		switch (below(12)) {
		case 0:
			if (pread(device, byte, sizeof(byte), number() & 0x7fffffff) > 0)
				accepted++;
			break;
		case 1:
			burn_noise();
			break;
		case 2:
		case 3:
		case 4:
		case 5:
			ask_something();
			break;
		case 6:
			if (!below(8)) {
				close(device);
				device = device_open(address);
			}
			break;
		default:
			say_something();
		}
	}
	printf("# client %#llx: %lu requests, %lu taken\n", (unsigned long long)seed, sent, accepted);
	fflush(stdout);
	_exit(sent > 100 && accepted ? 0 : 3);
}

int main(int argc, char **argv)
{
	const char *given = getenv("SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL) * 1000003 ^ getpid();
	int status, bad = 0, i;

	if (argc != 3)
		return 2;
	address = argv[1];
	printf("# SEED=%llu\n", (unsigned long long)seed);
	fflush(stdout);
	for (i = 0; i < CLIENTS; i++)
		if (!fork())
			client(seed + i, atoi(argv[2]));
	while (wait(&status) > 0)
		bad |= status;
	return bad ? 1 : 0;
}
