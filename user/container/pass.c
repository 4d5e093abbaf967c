// SPDX-License-Identifier: GPL-2.0-only
/* One pass over the data of a container: every wanted component is handed over when it is whole. */
#include <errno.h>
#include <stdlib.h>

#include "private.h"
#include "spool.h"
#include "xz.h"

/* Components whose bytes are gathered at the same time (they overlap); more wait for another round. */
#define GATHERED_MOST 64
#define ROUNDS_MOST 16

struct gathered {
	const struct container_component *component;	/* NULL: free */
	uint64_t received;
	uint8_t marker[MFA2_MARKER_LENGTH];
	struct spool spool;
	int failed;
	struct image_error why;
};

struct pass {
	struct container *container;
	const struct container_pass *calls;
	struct image_error *error;
	/* Members in the order of their components; those of components[i] begin at first[i]. */
	const struct container_member **members;
	size_t *first;
	/* Wanted components that are still to come, in the order of their first byte. */
	const struct container_component **queue;
	size_t queued;
	struct gathered gathered[GATHERED_MOST];
	size_t gathering;
	uint64_t told;			/* of the progress */
};

static uint64_t component_start(const struct container *container,
				const struct container_component *component)
{
	const struct container_range *range = &container->ranges[component->first_range];
	uint64_t least = range->start;
	size_t i;

	for (i = 1; i < component->range_count; i++)
		if (range[i].start < least)
			least = range[i].start;
	return container->marked ? least - MFA2_MARKER_LENGTH : least;
}

static bool is_wanted(const struct pass *pass, const struct container_member *member)
{
	return !pass->calls->wanted || pass->calls->wanted(pass->calls->context, member);
}

/* Sorts by counting: members keep the archive's order within a component. */
static int list_members(struct pass *pass)
{
	const struct container *container = pass->container;
	size_t i, at, before = 0, count;
	bool *wanted = calloc(container->member_count + 1, sizeof(*wanted));

	pass->first = calloc(container->component_count + 1, sizeof(*pass->first));
	pass->members = calloc(container->member_count + 1, sizeof(*pass->members));
	if (!wanted || !pass->first || !pass->members) {
		free(wanted);
		return container_no_memory(pass->error);
	}
	for (i = 0; i < container->member_count; i++) {
		wanted[i] = is_wanted(pass, &container->members[i]);
		if (wanted[i])
			pass->first[container->members[i].component]++;
	}
	for (i = 0; i <= container->component_count; i++) {
		count = pass->first[i];
		pass->first[i] = before;
		before += count;
	}
	for (i = 0; i < container->member_count; i++) {
		if (!wanted[i])
			continue;
		at = pass->first[container->members[i].component]++;
		pass->members[at] = &container->members[i];
	}
	/* The loop above moved every beginning to the next one. */
	for (i = container->component_count; i > 0; i--)
		pass->first[i] = pass->first[i - 1];
	pass->first[0] = 0;
	free(wanted);
	return 0;
}

static int by_start(const void *one, const void *other, void *context)
{
	const struct container_component *const *a = one, *const *b = other;
	uint64_t start = component_start(context, *a), than = component_start(context, *b);

	if (start != than)
		return start < than ? -1 : 1;
	return *a < *b ? -1 : *a > *b;
}

static int list_components(struct pass *pass)
{
	struct container *container = pass->container;
	size_t i;

	pass->queue = calloc(container->component_count + 1, sizeof(*pass->queue));
	if (!pass->queue)
		return container_no_memory(pass->error);
	for (i = 0; i < container->component_count; i++)
		if (pass->first[i + 1] > pass->first[i])
			pass->queue[pass->queued++] = &container->components[i];
	qsort_r(pass->queue, pass->queued, sizeof(*pass->queue), by_start, container);
	return 0;
}

/* ---- handing over ---- */

static int hand_over(struct pass *pass, const struct container_component *component,
		     const struct image_reader *reader, bool restored)
{
	size_t number = component - pass->container->components, i;
	int code = 0;

	for (i = pass->first[number]; i < pass->first[number + 1] && !code; i++)
		code = pass->calls->found(pass->calls->context, pass->members[i], reader, restored);
	return code;
}

/* 0: the members' user was told, and the pass goes on. */
static int give_up(struct pass *pass, const struct container_component *component, int code,
		   const struct image_error *why)
{
	size_t number = component - pass->container->components, i;

	if (!pass->calls->trouble) {
		*pass->error = *why;
		return code;
	}
	for (i = pass->first[number]; i < pass->first[number + 1]; i++)
		pass->calls->trouble(pass->calls->context, pass->members[i], why);
	return 0;
}

/* It never goes back, whatever round this is. */
static void tell_progress(struct pass *pass, uint64_t done, uint64_t total)
{
	if (!pass->calls->progress || done <= pass->told)
		return;
	pass->told = done;
	pass->calls->progress(pass->calls->context, done, total);
}

/* ---- data that stand as they are ---- */

static int pass_plain(struct pass *pass)
{
	const struct container_component *component;
	uint64_t total = 0, done = 0;
	struct image_reader reader;
	struct image_error why;
	struct window window;
	size_t i;
	int code;

	for (i = 0; i < pass->queued; i++)
		total += pass->queue[i]->size;
	for (i = 0; i < pass->queued; i++) {
		component = pass->queue[i];
		code = window_open(pass->container, component, &window, &reader, &why);
		code = code ? give_up(pass, component, code, &why) :
			      hand_over(pass, component, &reader, window.magic);
		if (code)
			return code;
		done += component->size;
		tell_progress(pass, done, total);
	}
	return 0;
}

/* ---- data that are unpacked ---- */

static struct gathered *free_place(struct pass *pass)
{
	size_t i;

	for (i = 0; i < GATHERED_MOST; i++)
		if (!pass->gathered[i].component)
			return &pass->gathered[i];
	return NULL;
}

static void gather(struct gathered *gathered, const struct container_component *component)
{
	gathered->component = component;
	gathered->received = 0;
	gathered->failed = 0;
	if (gathered->spool.taken)
		spool_close(&gathered->spool);
	if (gathered->spool.descriptor < 0)
		gathered->failed = spool_open(&gathered->spool, &gathered->why);
	gathered->spool.size = 0;
}

/* The part of [start, start + length) that lies in the piece at position; false: there is none. */
static bool common(uint64_t start, uint64_t length, uint64_t position, size_t piece, uint64_t *from,
		   uint64_t *to)
{
	*from = start > position ? start : position;
	*to = start + length < position + piece ? start + length : position + piece;
	return *from < *to;
}

static void take_piece(struct pass *pass, struct gathered *gathered, uint64_t position, const uint8_t *bytes,
		       size_t length)
{
	const struct container_range *range = &pass->container->ranges[gathered->component->first_range];
	uint64_t from, to, marker;
	size_t i;

	marker = range->start - MFA2_MARKER_LENGTH;
	if (pass->container->marked && common(marker, MFA2_MARKER_LENGTH, position, length, &from, &to))
		memcpy(gathered->marker + (from - marker), bytes + (from - position), to - from);
	for (i = 0; i < gathered->component->range_count; i++, range++) {
		if (!common(range->start, range->length, position, length, &from, &to))
			continue;
		if (!gathered->failed)
			gathered->failed = spool_write(&gathered->spool, range->at + (from - range->start),
						       bytes + (from - position), to - from, &gathered->why);
		gathered->received += to - from;
	}
}

static int restore_magic(struct gathered *gathered, bool *restored)
{
	struct image_reader reader = spool_reader(&gathered->spool);
	const uint8_t *magic;
	uint8_t head[0x28];
	int code;

	*restored = false;
	if (reader.size < sizeof(head))
		return 0;
	code = container_read(&reader, 0, head, sizeof(head), &gathered->why);
	magic = code ? NULL : container_masked_magic(head);
	if (!magic)
		return code;
	*restored = true;
	return spool_write(&gathered->spool, 0, magic, 16, &gathered->why);
}

static int no_marker(const struct pass *pass, const struct container_component *component,
		     struct image_error *why)
{
	unsigned long long start = component_start(pass->container, component);

	return image_fail(why, -EBADMSG, start,
			  _("no component begins at 0x%llx of the component block: its mark is missing"),
			  start);
}

static int complete(struct pass *pass, struct gathered *gathered)
{
	const struct container_component *component = gathered->component;
	struct image_reader reader;
	bool restored;

	gathered->component = NULL;
	pass->gathering--;
	if (!gathered->failed && pass->container->marked &&
	    memcmp(gathered->marker, MFA2_MARKER, MFA2_MARKER_LENGTH))
		gathered->failed = no_marker(pass, component, &gathered->why);
	if (!gathered->failed)
		gathered->failed = restore_magic(gathered, &restored);
	if (gathered->failed)
		return give_up(pass, component, gathered->failed, &gathered->why);
	reader = spool_reader(&gathered->spool);
	return hand_over(pass, component, &reader, restored);
}

static int take_and_complete(struct pass *pass, struct gathered *gathered, uint64_t position,
			     const uint8_t *bytes, size_t length)
{
	take_piece(pass, gathered, position, bytes, length);
	return gathered->received == gathered->component->size ? complete(pass, gathered) : 0;
}

/* The piece goes to all that are being gathered. */
static int go_on(struct pass *pass, uint64_t position, const uint8_t *bytes, size_t length)
{
	size_t i;
	int code = 0;

	for (i = 0; i < GATHERED_MOST && !code; i++)
		if (pass->gathered[i].component)
			code = take_and_complete(pass, &pass->gathered[i], position, bytes, length);
	return code;
}

/*
 * Components of the queue that begin in the piece are gathered from now on; those for which there is no
 * place move to the front, for the next round. Both counts are in entries of the queue.
 */
static int begin(struct pass *pass, uint64_t position, const uint8_t *bytes, size_t length, size_t *next,
		 size_t *deferred)
{
	struct gathered *place;
	int code = 0;

	for (; *next < pass->queued && !code; (*next)++) {
		if (component_start(pass->container, pass->queue[*next]) >= position + length)
			break;
		place = free_place(pass);
		if (!place) {
			pass->queue[(*deferred)++] = pass->queue[*next];
			continue;
		}
		gather(place, pass->queue[*next]);
		pass->gathering++;
		code = take_and_complete(pass, place, position, bytes, length);
	}
	return code;
}

/* The unpacker cannot go on: what is gathered or still to come cannot be had. */
static int give_up_all(struct pass *pass, int result, const struct image_error *why, size_t next)
{
	const struct container_component *component;
	size_t i;
	int code = 0;

	for (i = 0; i < GATHERED_MOST && !code; i++) {
		component = pass->gathered[i].component;
		if (!component)
			continue;
		pass->gathered[i].component = NULL;
		pass->gathering--;
		code = give_up(pass, component, result, why);
	}
	for (; next < pass->queued && !code; next++)
		code = give_up(pass, pass->queue[next], result, why);
	return code;
}

static int ends_early(struct pass *pass, uint64_t position, struct image_error *why)
{
	return image_fail(why, -EBADMSG, position,
			  _("the data unpack to 0x%llx bytes only, the directory speaks of 0x%llx"),
			  (unsigned long long)position, (unsigned long long)pass->container->data_size);
}

/* One time through the data, to the last wanted byte; to_end: to its very end, for its checks. */
static int round_trip(struct pass *pass, struct xz *xz, bool to_end)
{
	const struct container *container = pass->container;
	size_t next = 0, deferred = 0, length;
	struct image_error why;
	uint64_t position = 0;
	const uint8_t *bytes;
	int code;

	while (pass->gathering || next < pass->queued || to_end) {
		code = xz_next(xz, &bytes, &length, &why);
		if (!code && !length && position == container->data_size)
			break;
		if (!code && !length)
			code = ends_early(pass, position, &why);
		if (code && !pass->gathering && next == pass->queued) {
			*pass->error = why;
			return code;
		}
		if (code) {
			code = give_up_all(pass, code, &why, next);
			pass->queued = deferred;
			return code;
		}
		code = go_on(pass, position, bytes, length);
		if (!code)
			code = begin(pass, position, bytes, length, &next, &deferred);
		if (code)
			return code;
		position += length;
		tell_progress(pass, xz_used(xz), container->data_stored);
	}
	pass->queued = deferred;
	return 0;
}

static int too_many(struct pass *pass)
{
	struct image_error why;
	size_t i;
	int code = image_fail(&why, -EBADMSG, 0,
			      _("more than %d images overlap: no real archive is like that"),
			      ROUNDS_MOST * GATHERED_MOST);
	int result = 0;

	for (i = 0; i < pass->queued && !result; i++)
		result = give_up(pass, pass->queue[i], code, &why);
	return result;
}

static int pass_packed(struct pass *pass)
{
	const struct container *container = pass->container;
	bool to_end = !pass->calls->wanted;
	unsigned int round;
	struct xz *xz;
	int code;

	for (round = 0; pass->queued || to_end; round++) {
		if (round == ROUNDS_MOST)
			return too_many(pass);
		code = xz_open(container->reader, container->data_start, container->data_stored,
			       container->data_size, &xz, pass->error);
		if (code)
			return code;
		code = round_trip(pass, xz, to_end);
		xz_close(xz);
		if (code)
			return code;
		to_end = false;
	}
	return 0;
}

int container_pass(struct container *container, const struct container_pass *calls, struct image_error *error)
{
	struct pass *pass = calloc(1, sizeof(*pass));
	struct image_error ignored;
	size_t i;
	int code;

	if (!pass)
		return container_no_memory(error);
	pass->container = container;
	pass->calls = calls;
	pass->error = error ? error : &ignored;
	for (i = 0; i < GATHERED_MOST; i++)
		pass->gathered[i].spool.descriptor = -1;
	code = list_members(pass);
	if (!code)
		code = list_components(pass);
	if (!code)
		code = container->compressed ? pass_packed(pass) : pass_plain(pass);
	for (i = 0; i < GATHERED_MOST; i++)
		spool_close(&pass->gathered[i].spool);
	free(pass->members);
	free(pass->first);
	free(pass->queue);
	free(pass);
	return code;
}
