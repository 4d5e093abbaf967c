// SPDX-License-Identifier: GPL-2.0-only
/*
 * One card or several: all are read and judged together, all plans are shown, one question is asked, all are
 * burned together, and each has its entry in the answer.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "burn.h"

struct batch {
	const struct burn_request *request;
	const struct options *options;
	struct output *output;
	struct burn_shelf *shelf;
	struct burn *burns;
	size_t count;
	/* Legs of one bond wait for each other: finished[] under lock, news when one changes. */
	pthread_mutex_t lock;
	pthread_cond_t news;
	bool *finished;
};

struct task {
	struct batch *batch;
	struct burn *burn;
	void (*run)(struct batch *batch, struct burn *burn);
};

/* ---- together ---- */

static void *run_task(void *data)
{
	struct task *task = data;

	task->run(task->batch, task->burn);
	return NULL;
}

/* run() for every card in that state; without a thread for it, in this one. */
static void together(struct batch *batch, enum burn_state state, void (*run)(struct batch *, struct burn *))
{
	struct task tasks[BURN_CARDS_MOST];
	pthread_t threads[BURN_CARDS_MOST];
	bool joins[BURN_CARDS_MOST] = { false };
	size_t i;

	for (i = 0; i < batch->count; i++) {
		if (batch->burns[i].state != state)
			continue;
		tasks[i] = (struct task){ batch, &batch->burns[i], run };
		joins[i] = batch->count > 1 && !pthread_create(&threads[i], NULL, run_task, &tasks[i]);
		if (!joins[i])
			run_task(&tasks[i]);
	}
	for (i = 0; i < batch->count; i++)
		if (joins[i])
			pthread_join(threads[i], NULL);
}

/* One row a card of that state. */
static struct progress_table *open_table(struct batch *batch, enum burn_state state)
{
	const char *titles[BURN_CARDS_MOST];
	struct progress_table *table;
	size_t i, rows = 0;

	for (i = 0; i < batch->count; i++)
		if (batch->burns[i].state == state) {
			titles[rows] = card_address(batch->burns[i].card.card);
			batch->burns[i].row = rows++;
		}
	table = progress_table_open(batch->options, titles, rows);
	for (i = 0; i < batch->count; i++)
		batch->burns[i].progress = table;
	return table;
}

/* ---- the cards ---- */

static void open_card(struct batch *batch, struct burn *burn, const char *name)
{
	burn->request = batch->request;
	burn->options = batch->options;
	burn->output = batch->output;
	burn->shelf = batch->shelf;
	burn->name = name;
	burn->card.card = card_open(name, &burn->error);
	if (!burn->card.card) {
		burn->state = BURN_FAILED;
		return;
	}
	burn_bonds_of(burn->card.card, &burn->bonds);
}

static bool same_card(const struct burn *one, const struct burn *other)
{
	const struct cxctl_card_facts *a, *b;
	const char *address;
	size_t slot;

	if (!one->card.card || !other->card.card)
		return false;
	a = card_facts(one->card.card);
	b = card_facts(other->card.card);
	if (a->valid && b->valid)
		return a->card_index == b->card_index;
	/* Without the driver: the functions of a slot are one card. */
	address = card_address(one->card.card);
	slot = strcspn(address, ".");
	return !strncmp(address, card_address(other->card.card), slot + 1);
}

static int refuse_twins(const struct batch *batch, struct cxctl_error *error)
{
	size_t i, j;

	for (i = 0; i < batch->count; i++)
		for (j = 0; j < i; j++) {
			if (!same_card(&batch->burns[i], &batch->burns[j]))
				continue;
			error_set(error, CXCTL_USAGE, "same-card", _("%s and %s are one card"), batch->burns[j].name,
				  batch->burns[i].name);
			error_next(error, _("name each card once; cxctl list shows one line a card"));
			return -1;
		}
	return 0;
}

static void judge(struct batch *batch, struct burn *burn)
{
	(void)batch;
	progress_table_step(burn->progress, burn->row, "read", _("reading the card"), 0);
	if (burn_card_read(burn, &burn->error) || burn_judge(burn, &burn->error))
		burn->state = BURN_FAILED;
	burn->planned = burn->state == BURN_PLANNED;
}

/* ---- plans and the question ---- */

static size_t in_state(const struct batch *batch, enum burn_state state)
{
	size_t i, count = 0;

	for (i = 0; i < batch->count; i++)
		count += batch->burns[i].state == state;
	return count;
}

/* Errors that were not told yet. */
static void print_errors(struct batch *batch)
{
	struct burn *burn;

	fflush(stdout);
	for (burn = batch->burns; burn < batch->burns + batch->count; burn++) {
		if (burn->state != BURN_FAILED || burn->told)
			continue;
		if (batch->count > 1)
			fprintf(stderr, "%s:\n", burn->name);
		error_print(&burn->error);
		burn->told = true;
	}
}

static void show_plans(struct batch *batch)
{
	size_t i;
	bool any = false;

	if (output_is_json(batch->output))
		return;
	for (i = 0; i < batch->count; i++) {
		if (batch->burns[i].state != BURN_PLANNED)
			continue;
		if (any)
			output_line(batch->output, "%s", "");
		burn_show_plan(&batch->burns[i]);
		any = true;
	}
}

static int confirm(const struct batch *batch, size_t planned, struct cxctl_error *error)
{
	char question[256];

	if (batch->count == 1)
		snprintf(question, sizeof(question), "%s", _("Burn this? [y/N]"));
	else
		snprintf(question, sizeof(question), _("Burn these %zu of %zu cards? [y/N]"), planned, batch->count);
	return command_confirm(batch->output, batch->request->yes, question, error);
}

/* ---- the deed ---- */

/*
 * Waits for the legs of the card's bonds that come before it. False: one of them failed, and the network
 * hangs on this one.
 */
static bool wait_for_legs(struct batch *batch, struct burn *burn)
{
	struct burn *other;
	const char *bond;
	bool fine = true;

	pthread_mutex_lock(&batch->lock);
	for (other = batch->burns; other < burn && fine; other++) {
		bond = burn_bond_shared(&other->bonds, &burn->bonds);
		if (!bond)
			continue;
		while (!batch->finished[other - batch->burns]) {
			progress_table_step(burn->progress, burn->row, "wait", _("waiting for the bond"), 0);
			pthread_cond_wait(&batch->news, &batch->lock);
		}
		/* A leg on which nothing was begun is as good as before. */
		fine = other->state != BURN_FAILED || (!other->job.id && !other->begun);
		if (fine)
			continue;
		error_set(&burn->error, CXCTL_REFUSED, "bond-leg-failed", _("the other leg of %s failed"), bond);
		error_found(&burn->error, _("the burn of %s went wrong"), other->name);
		error_rule(&burn->error, _("two legs of one bond are not put at risk together"));
		error_next(&burn->error, _("see to %s first; then burn this card"), other->name);
	}
	pthread_mutex_unlock(&batch->lock);
	return fine;
}

static void carry_out(struct batch *batch, struct burn *burn)
{
	if (wait_for_legs(batch, burn))
		burn_carry_out(burn);
	else
		burn->state = BURN_FAILED;
	progress_table_over(burn->progress, burn->row, burn->state == BURN_DONE ? "done" : "failed",
			    burn->state == BURN_DONE ? _("done") : _("failed"));
	pthread_mutex_lock(&batch->lock);
	batch->finished[burn - batch->burns] = true;
	pthread_cond_broadcast(&batch->news);
	pthread_mutex_unlock(&batch->lock);
}

static void give_up(struct batch *batch, const struct cxctl_error *error)
{
	struct burn *burn;

	for (burn = batch->burns; burn < batch->burns + batch->count; burn++) {
		if (burn->state != BURN_PLANNED)
			continue;
		burn->state = BURN_FAILED;
		burn->error = *error;
		burn->told = true;
	}
	error_print(error);
}

static void carry_out_all(struct batch *batch)
{
	struct progress_table *table;
	size_t i;

	burn_catch_interrupt();
	for (i = 0; i < batch->count; i++)
		batch->finished[i] = batch->burns[i].state != BURN_PLANNED;
	table = open_table(batch, BURN_PLANNED);
	together(batch, BURN_PLANNED, carry_out);
	progress_table_close(table, true);
}

/* Reads, judges, shows, asks, burns. */
static void run_batch(struct batch *batch)
{
	struct progress_table *table = open_table(batch, BURN_OPENED);
	struct cxctl_error error;
	size_t planned;

	together(batch, BURN_OPENED, judge);
	progress_table_close(table, false);
	show_plans(batch);
	print_errors(batch);
	planned = in_state(batch, BURN_PLANNED);
	if (!planned || batch->request->dry_run)
		return;
	if (confirm(batch, planned, &error)) {
		give_up(batch, &error);
		return;
	}
	carry_out_all(batch);
	print_errors(batch);
}

/* ---- the answer ---- */

static void answer(struct batch *batch, struct burn *burn)
{
	struct output *output = batch->output;

	output_object(output, NULL);
	output_string(output, "card", burn->name);
	output_bool(output, "changed", false);
	output_null(output, "pending_action");
	if (burn->card.card)
		output_string(output, "address", card_address(burn->card.card));
	if (output_is_json(output) && burn->planned)
		burn_show_plan(burn);
	burn_show_result(burn);
	if (burn->state == BURN_FAILED)
		output_error(output, &burn->error);
	output_end(output);
}

static int exit_code(const struct batch *batch)
{
	size_t i, failed = 0;
	int code = CXCTL_DONE;

	for (i = 0; i < batch->count; i++)
		if (batch->burns[i].state == BURN_FAILED) {
			failed++;
			code = batch->burns[i].error.exit;
		}
	return failed && failed < batch->count ? CXCTL_PARTIAL : code;
}

static void close_burn(struct burn *burn)
{
	burn_card_close(&burn->card);
	free(burn->identity.card_rom);
	free(burn->bytes);
}

static int open_batch(struct batch *batch, char **names, struct cxctl_error *error)
{
	size_t i;

	batch->burns = calloc(batch->count, sizeof(*batch->burns));
	batch->finished = calloc(batch->count, sizeof(*batch->finished));
	batch->shelf = burn_shelf_open();
	if (!batch->burns || !batch->finished || !batch->shelf)
		return error_set(error, CXCTL_FAILED, "memory", _("no memory"));
	for (i = 0; i < batch->count; i++)
		open_card(batch, &batch->burns[i], names[i]);
	return refuse_twins(batch, error);
}

static void close_batch(struct batch *batch)
{
	size_t i;

	for (i = 0; batch->burns && i < batch->count; i++)
		close_burn(&batch->burns[i]);
	if (batch->shelf)
		burn_shelf_close(batch->shelf);
	free(batch->finished);
	free(batch->burns);
}

int burn_cards(const struct burn_request *request, const struct options *options, char **names, size_t count)
{
	struct batch batch = {
		.request = request, .options = options, .count = count,
		.lock = PTHREAD_MUTEX_INITIALIZER, .news = PTHREAD_COND_INITIALIZER,
	};
	struct cxctl_error error;
	int code;
	size_t i;

	if (open_batch(&batch, names, &error)) {
		close_batch(&batch);
		return command_fail(options, &error);
	}
	batch.output = output_open(stdout, options);
	for (i = 0; i < count; i++)
		batch.burns[i].output = batch.output;
	run_batch(&batch);
	output_array(batch.output, "cards");
	for (i = 0; i < count; i++)
		answer(&batch, &batch.burns[i]);
	output_end(batch.output);
	code = exit_code(&batch);
	close_batch(&batch);
	return output_close(batch.output) ? command_flush() : code;
}
