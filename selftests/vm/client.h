/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A client of cxfw for tests: it sends what it is told, well-formed or not, and keeps
 * the whole answer. Not made from user/device, so that the two check each other.
 */
#ifndef CLIENT_H
#define CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../kmod/uapi/cxfw.h"

#define MESSAGES_MAX	64

/* Attributes of one message, the first of each type. */
struct message {
	uint8_t command;
	uint8_t bytes[4096];
	size_t length;
};

struct answer {
	int error;			/* negative errno, 0 on success */
	char text[256];			/* extended acknowledgement */
	unsigned int count;		/* messages */
	unsigned int datagrams;		/* with at least one of them */
	struct message messages[MESSAGES_MAX];
};

struct request {
	uint16_t flags;			/* NLM_F_*, beside NLM_F_REQUEST */
	uint8_t command;
	uint8_t bytes[1024];
	size_t length;
};

/* A socket of its own; -1 when the family cannot be found. */
int client_open(void);
void client_close(int fd);
int client_family(void);		/* 0: not there */
int client_join_events(int fd);		/* 0 or negative errno */
/* Next event within the time, into answer->messages[0]; false: none. */
bool client_event(int fd, int milliseconds, struct answer *answer);

void request_start(struct request *request, uint8_t command, uint16_t flags);
void request_put(struct request *request, uint16_t type, const void *data, size_t length);
void request_put_u32(struct request *request, uint16_t type, uint32_t value);
void request_put_u64(struct request *request, uint16_t type, uint64_t value);
void request_put_string(struct request *request, uint16_t type, const char *text);
/* Sends and collects until the acknowledgement or the end of the dump. */
int request_do(int fd, const struct request *request, struct answer *answer);

const void *message_get(const struct message *message, uint16_t type, size_t *length);
uint32_t message_u32(const struct message *message, uint16_t type, uint32_t otherwise);
uint64_t message_u64(const struct message *message, uint16_t type, uint64_t otherwise);
const char *message_string(const struct message *message, uint16_t type);	/* "" when absent */
unsigned int message_count(const struct message *message, uint16_t type);

/* Commands, as a decent client sends them. */
int card_get(int fd, const char *address, struct answer *answer);
int card_dump(int fd, struct answer *answer);
int job_get(int fd, uint64_t id, struct answer *answer);
int burn(int fd, const char *address, uint32_t stage_fd, const uint8_t digest[32], struct answer *answer);
int job_cancel(int fd, uint64_t id, struct answer *answer);
int semaphore_clear(int fd, const char *address, uint32_t semaphore, uint32_t value, struct answer *answer);

/* cxsim's controls. */
int sim_create(const char *parameters, char *address);	/* card number, or -1 */
void sim_write(int card, const char *file, const char *text);
void sim_set(int card, const char *setting, unsigned long long value);
unsigned long long sim_get(int card, const char *file);
int sim_flash(int card, uint8_t *buffer, size_t length);
int device_open(const char *address);	/* /dev/cxfw/<address> */

/* A simulated card and its device node. */
struct card {
	int number, fd;
	char address[16];
};
bool plug(struct card *card, const char *parameters);
void unplug(struct card *card);

#endif /* CLIENT_H */
