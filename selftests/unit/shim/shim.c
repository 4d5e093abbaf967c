// SPDX-License-Identifier: GPL-2.0-only
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <linux/bug.h>
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/pci.h>
#include <linux/random.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../../lib/ktap.h"
#include "shim.h"

#undef scnprintf	/* the function below, not the macro of the model's os.h */

#define USER_RETRY 20000	/* ns between looks at a held access lock */

struct actor {
	pthread_t thread;
	void (*run)(void *context);
	void *context;
	u64 wake;
	bool done;
};

struct shim shim;

static struct cxsim_card *clock_card;
static u64 lonely_clock;	/* when there is no card */
static u64 random_state;
static struct actor actors[SHIM_ACTORS];
static int actor_count;
static bool acting;
static int turn;
static pthread_mutex_t baton = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t passed = PTHREAD_COND_INITIALIZER;
static __thread int me = -1;

static u64 next_random(void)
{
	random_state += 0x9e3779b97f4a7c15ULL;
	u64 z = random_state;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

void shim_reset(u64 seed)
{
	memset(&shim, 0, sizeof(shim));
	shim.seed = seed;
	random_state = seed;
}

u32 get_random_u32(void)
{
	return (u32)next_random();
}

/* Time */

u64 ktime_get_ns(void)
{
	return clock_card ? cxsim_time(clock_card) : lonely_clock;
}

static void advance(u64 nanoseconds)
{
	if (clock_card)
		cxsim_advance(clock_card, nanoseconds);
	else
		lonely_clock += nanoseconds;
}

/* Actors: one runs at a time, the one whose turn it is. */

static int choose(void)
{
	for (;;) {
		u64 now = ktime_get_ns(), soonest = ~0ULL;
		int ready[SHIM_ACTORS], count = 0;

		for (int i = 0; i < actor_count; i++) {
			if (actors[i].done)
				continue;
			if (actors[i].wake <= now)
				ready[count++] = i;
			else if (actors[i].wake < soonest)
				soonest = actors[i].wake;
		}
		if (count)
			return ready[next_random() % (u64)count];
		if (soonest == ~0ULL)
			return -1;
		advance(soonest - now);
	}
}

static void pass_to(int next)
{
	turn = next;
	pthread_cond_broadcast(&passed);
}

static void wait_turn(void)
{
	while (turn != me)
		pthread_cond_wait(&passed, &baton);
}

void shim_yield(void)
{
	if (!acting || me < 0)
		return;
	int next = choose();

	if (next == me)
		return;
	pass_to(next);
	wait_turn();
}

static void *act(void *argument)
{
	me = (int)(intptr_t)argument;
	pthread_mutex_lock(&baton);
	wait_turn();
	actors[me].run(actors[me].context);
	actors[me].done = true;
	pass_to(choose());
	pthread_mutex_unlock(&baton);
	return NULL;
}

void shim_actors(u64 seed, void (*first)(void *context), void *first_context,
		 void (*second)(void *context), void *second_context)
{
	struct shim_actor both[] = { { first, first_context }, { second, second_context } };

	shim_act(seed, both, 2);
}

void shim_act(u64 seed, const struct shim_actor *who, int count)
{
	if (count > SHIM_ACTORS)
		abort();
	memset(actors, 0, sizeof(actors));
	actor_count = count;
	for (int i = 0; i < count; i++) {
		actors[i].run = who[i].run;
		actors[i].context = who[i].context;
	}
	random_state = seed;
	acting = true;
	turn = 0;
	for (int i = 0; i < count; i++)
		if (pthread_create(&actors[i].thread, NULL, act, (void *)(intptr_t)i))
			abort();
	for (int i = 0; i < count; i++)
		pthread_join(actors[i].thread, NULL);
	acting = false;
}

static void sleep_for(u64 nanoseconds)
{
	if (acting && me >= 0) {
		actors[me].wake = ktime_get_ns() + nanoseconds;
		shim_yield();
		return;
	}
	advance(nanoseconds);
	if (shim.at_sleep)
		shim.at_sleep(shim.context);
}

static void driver_sleep(u64 nanoseconds)
{
	shim.sleeps++;
	shim.slept += nanoseconds;
	sleep_for(nanoseconds);
}

void msleep(unsigned int milliseconds)
{
	driver_sleep((u64)milliseconds * NSEC_PER_MSEC);
}

unsigned long msleep_interruptible(unsigned int milliseconds)
{
	if (shim.fatal_signal)
		return milliseconds;
	msleep(milliseconds);
	return 0;
}

void usleep_range(unsigned long least, unsigned long most)
{
	u64 range = most - least + 1;

	driver_sleep((least + next_random() % range) * NSEC_PER_USEC);
}

void udelay(unsigned long microseconds)
{
	advance(microseconds * NSEC_PER_USEC);
}

long schedule_timeout_killable(long jiffies)
{
	if (shim.fatal_signal)
		return jiffies;
	driver_sleep((u64)jiffies * (NSEC_PER_SEC / HZ));
	return 0;
}

bool fatal_signal_pending(struct task_struct *task)
{
	(void)task;
	return shim.fatal_signal;
}

/* Strings and warnings */

bool shim_warn(const char *file, int line, const char *condition)
{
	ktap_fail(file, line, "kernel warning: %s", condition);
	return true;
}

int vscnprintf(char *buffer, size_t room, const char *format, va_list arguments)
{
	int length = vsnprintf(buffer, room, format, arguments);

	return length < (int)room ? length : room ? (int)room - 1 : 0;
}

int scnprintf(char *buffer, size_t room, const char *format, ...)
{
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vscnprintf(buffer, room, format, arguments);
	va_end(arguments);
	return length;
}

ssize_t strscpy(char *to, const char *from, size_t room)
{
	size_t length = strnlen(from, room);

	if (!room)
		return -E2BIG;
	if (length == room) {
		memcpy(to, from, room - 1);
		to[room - 1] = '\0';
		return -E2BIG;
	}
	memcpy(to, from, length + 1);
	return (ssize_t)length;
}

void *memchr_inv(const void *start, int byte, size_t bytes)
{
	const u8 *at = start;

	for (; bytes; bytes--, at++)
		if (*at != (u8)byte)
			return (void *)(uintptr_t)at;
	return NULL;
}

/* Configuration space */

static void before_access(void)
{
	if (shim.at_access)
		shim.at_access(shim.context);
	if (acting && next_random() % 4 == 0)
		shim_yield();
}

static int config_read(struct pci_dev *pdev, int where, unsigned int bytes, u32 *value)
{
	before_access();
	*value = cxsim_config_read(pdev->card, PCI_FUNC(pdev->devfn), (unsigned int)where, bytes);
	return 0;
}

static int config_write(struct pci_dev *pdev, int where, unsigned int bytes, u32 value)
{
	before_access();
	cxsim_config_write(pdev->card, PCI_FUNC(pdev->devfn), (unsigned int)where, bytes, value);
	return 0;
}

int pci_read_config_byte(struct pci_dev *pdev, int where, u8 *value)
{
	u32 wide;
	int error = config_read(pdev, where, 1, &wide);

	*value = (u8)wide;
	return error;
}

int pci_read_config_word(struct pci_dev *pdev, int where, u16 *value)
{
	u32 wide;
	int error = config_read(pdev, where, 2, &wide);

	*value = (u16)wide;
	return error;
}

int pci_read_config_dword(struct pci_dev *pdev, int where, u32 *value)
{
	return config_read(pdev, where, 4, value);
}

int pci_write_config_byte(struct pci_dev *pdev, int where, u8 value)
{
	return config_write(pdev, where, 1, value);
}

int pci_write_config_word(struct pci_dev *pdev, int where, u16 value)
{
	return config_write(pdev, where, 2, value);
}

int pci_write_config_dword(struct pci_dev *pdev, int where, u32 value)
{
	return config_write(pdev, where, 4, value);
}

static u8 find_capability(struct pci_dev *pdev, u8 pointer, int id)
{
	for (int left = 48; left; left--) {
		u16 header;

		pci_read_config_byte(pdev, pointer, &pointer);
		pointer &= (u8)~3;
		if (pointer < 0x40)
			return 0;
		pci_read_config_word(pdev, pointer, &header);
		if ((header & 0xff) == 0xff)
			return 0;
		if ((header & 0xff) == id)
			return pointer;
		pointer++;
	}
	return 0;
}

u8 pci_find_capability(struct pci_dev *pdev, int id)
{
	u16 status;

	pci_read_config_word(pdev, PCI_STATUS, &status);
	return status & PCI_STATUS_CAP_LIST ? find_capability(pdev, PCI_CAPABILITY_LIST, id) : 0;
}

u8 pci_find_next_capability(struct pci_dev *pdev, u8 position, int id)
{
	return find_capability(pdev, (u8)(position + 1), id);
}

bool pci_cfg_access_trylock(struct pci_dev *pdev)
{
	if (pdev->config_locked) {
		shim.refused_config_locks++;
		return false;
	}
	pdev->config_locked = true;
	pdev->locked_since = ktime_get_ns();
	shim.config_locks++;
	return true;
}

void pci_cfg_access_unlock(struct pci_dev *pdev)
{
	u64 held = ktime_get_ns() - pdev->locked_since;

	WARN_ON(!pdev->config_locked);
	pdev->config_locked = false;
	if (held > shim.longest_config_lock)
		shim.longest_config_lock = held;
}

u32 shim_user_read(struct pci_dev *pdev, unsigned int where, unsigned int bytes)
{
	while (pdev->config_locked)
		sleep_for(USER_RETRY);
	if (acting && next_random() % 4 == 0)
		shim_yield();
	while (pdev->config_locked)
		sleep_for(USER_RETRY);
	return cxsim_config_read(pdev->card, PCI_FUNC(pdev->devfn), where, bytes);
}

void shim_user_write(struct pci_dev *pdev, unsigned int where, unsigned int bytes, u32 value)
{
	while (pdev->config_locked)
		sleep_for(USER_RETRY);
	if (acting && next_random() % 4 == 0)
		shim_yield();
	while (pdev->config_locked)
		sleep_for(USER_RETRY);
	cxsim_config_write(pdev->card, PCI_FUNC(pdev->devfn), where, bytes, value);
}

void shim_user_sleep(u64 nanoseconds)
{
	sleep_for(nanoseconds);
}

/* Cards */

static void *allocate(size_t bytes)
{
	return calloc(1, bytes);
}

struct cxsim_card *shim_card(const struct cxsim_parameters *parameters, char *why)
{
	static const struct cxsim_host host = { .alloc = allocate, .free = free };
	struct cxsim_card *card = cxsim_card_create(parameters, &host, why);

	if (card)
		clock_card = card;
	return card;
}

static u64 common_now(void *context)
{
	(void)context;
	return lonely_clock;
}

struct cxsim_card *shim_card_beside(const struct cxsim_parameters *parameters, char *why)
{
	static const struct cxsim_host host = { .alloc = allocate, .free = free, .now = common_now };

	return cxsim_card_create(parameters, &host, why);
}

void shim_card_free(struct cxsim_card *card)
{
	if (clock_card == card) {
		lonely_clock = cxsim_time(card);
		clock_card = NULL;
	}
	cxsim_card_destroy(card);
}

struct pci_dev *shim_pci_dev(struct cxsim_card *card, unsigned int function)
{
	struct pci_dev *pdev = calloc(1, sizeof(*pdev));

	if (!pdev)
		abort();
	pdev->card = card;
	pdev->devfn = function;
	pdev->vendor = (u16)cxsim_config_read(card, function, PCI_VENDOR_ID, 2);
	pdev->device = (u16)cxsim_config_read(card, function, PCI_DEVICE_ID, 2);
	pdev->class = cxsim_config_read(card, function, PCI_CLASS_REVISION, 4) >> 8;
	pdev->hdr_type = cxsim_config_read(card, function, PCI_HEADER_TYPE, 1) & 0x7f;
	pdev->is_virtfn = cxsim_is_virtual(card, function);
	if (pdev->is_virtfn)
		pdev->physfn = shim_pci_dev(card, 0);
	snprintf(pdev->name, sizeof(pdev->name), "0000:03:00.%u", function & 7);
	return pdev;
}

void shim_pci_dev_free(struct pci_dev *pdev)
{
	if (!pdev)
		return;
	free(pdev->physfn);
	free(pdev);
}
