// SPDX-License-Identifier: GPL-2.0-only
/* Cards named together: one that is named twice, by whatever names, is refused before it is read. */
#include "../../user/cxctl/burn_cards.c"
#include "../lib/ktap.h"

static struct cxctl_card_facts facts[2];
static const char *addresses[2];
static unsigned int reads;
static char told[16];

/* ---- the other floors: the card's number is its pointer ---- */

static size_t number(const struct cxctl_card *card)
{
	return (size_t)card - 1;
}

struct cxctl_card *card_open(const char *name, struct cxctl_error *error)
{
	size_t i;

	for (i = 0; i < 2; i++)
		if (!strcmp(name, addresses[i]))
			return (struct cxctl_card *)(i + 1);
	error_set(error, CXCTL_NO_CARD, "no-card", "none");
	return NULL;
}

const struct cxctl_card_facts *card_facts(const struct cxctl_card *card)
{
	return &facts[number(card)];
}

const char *card_address(const struct cxctl_card *card)
{
	return addresses[number(card)];
}

int burn_card_read(struct burn *burn, struct cxctl_error *error)
{
	__atomic_add_fetch(&reads, 1, __ATOMIC_SEQ_CST);
	return error_set(error, CXCTL_FAILED, "read", "enough");
}

int command_fail(const struct options *options, const struct cxctl_error *error)
{
	snprintf(told, sizeof(told), "%s", error->id);
	return error->exit;
}

int command_confirm(const struct output *output, bool yes, const char *question, struct cxctl_error *error) { return -1; }
int command_flush(void) { return CXCTL_FAILED; }
void burn_card_close(struct burn_card *card) { }
int burn_judge(struct burn *burn, struct cxctl_error *error) { return -1; }
void burn_carry_out(struct burn *burn) { }
void burn_catch_interrupt(void) { }
void burn_bonds_of(const struct cxctl_card *card, struct burn_bonds *bonds) { }
const char *burn_bond_shared(const struct burn_bonds *one, const struct burn_bonds *other) { return NULL; }
void burn_show_plan(const struct burn *burn) { }
void burn_show_result(const struct burn *burn) { }
struct burn_shelf *burn_shelf_open(void) { return (struct burn_shelf *)told; }
void burn_shelf_close(struct burn_shelf *shelf) { }

/* ---- */

static const char *burn_two(const char *one, const char *other)
{
	const struct options options = { .quiet = true };
	const struct burn_request request = { .image = "image" };
	char *names[] = { (char *)one, (char *)other };
	int kept = dup(STDOUT_FILENO), kept_too = dup(STDERR_FILENO), code;

	addresses[0] = one;
	addresses[1] = other;
	reads = 0;
	*told = '\0';
	fflush(NULL);
	/* What it prints is not the question. */
	if (!freopen("/dev/null", "w", stderr))
		return "";
	dup2(fileno(stderr), STDOUT_FILENO);
	code = burn_cards(&request, &options, names, 2);
	fflush(NULL);
	dup2(kept, STDOUT_FILENO);
	dup2(kept_too, STDERR_FILENO);
	close(kept);
	close(kept_too);
	CHECK(code != CXCTL_DONE);
	return told;
}

static void the_driver_tells_which_functions_are_one_card(void)
{
	facts[0] = (struct cxctl_card_facts){ .valid = true, .card_index = 1 };
	facts[1] = (struct cxctl_card_facts){ .valid = true, .card_index = 1 };
	CHECK_STR(burn_two("0000:03:00.0", "0000:81:00.0"), "same-card");
	CHECK_EQ(reads, 0);
	facts[1].card_index = 2;
	CHECK_STR(burn_two("0000:03:00.0", "0000:81:00.0"), "");
	CHECK_EQ(reads, 2);
}

/* Both ports would be burned through devlink at the same time. */
static void without_the_driver_a_slot_is_one_card(void)
{
	memset(facts, 0, sizeof(facts));
	CHECK_STR(burn_two("0000:03:00.0", "0000:03:00.1"), "same-card");
	CHECK_EQ(reads, 0);
	CHECK_STR(burn_two("0000:03:00.0", "0000:04:00.0"), "");
	CHECK_EQ(reads, 2);
}

int main(int argc, char **argv)
{
	static const struct ktap_test tests[] = {
		KTAP_TEST(the_driver_tells_which_functions_are_one_card),
		KTAP_TEST(without_the_driver_a_slot_is_one_card),
	};

	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
