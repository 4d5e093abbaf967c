/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of cxctl activate. */
#ifndef CXCTL_ACTIVATE_H
#define CXCTL_ACTIVATE_H

#include "../host/usage.h"
#include "command.h"
#include "pending.h"

#define ACTIVATE_FUNCTIONS	16

/* MFRL [7:0], device-access.md 4.4 */
#define MFRL_LIVE_PATCH		0x01
#define MFRL_LINK		0x08
#define MFRL_WARM_REBOOT	0x40

/* What decides which level of restart is possible. */
struct activate_facts {
	bool mlx4, dpu;
	bool recovery, absent;
	bool driver;			/* cxfw reaches the card */
	bool can_reset;			/* CXFW_CAP_ACTIVATE */
	bool mfrl;			/* the firmware told its levels: */
	uint32_t levels;
	char no_link[192];		/* why its PCIe link cannot be toggled; empty: it can; translated */
	bool other_hosts;		/* it says that it serves more than one host or socket */
	bool devlink;			/* mlx5_core is bound and devlink knows it */
	unsigned int bound;		/* functions that mlx4_core or mlx5_core has */
	char foreign[32], foreign_function[16];	/* any other driver that has one; empty: none */
	unsigned int guests;		/* virtual functions that virtual machines have */
	uint32_t tried;			/* bit n: level n was done and changed nothing */
};

struct activate_way {
	enum activate_level level;
	bool offered;
	bool rebind;			/* the driver is taken off before and put back after */
	unsigned int downtime;		/* seconds, an estimate; of a reboot: 0, nobody knows */
	char why[256];			/* what it does, or why it is not offered; translated */
};

struct activate_ways {
	struct activate_way way[LEVELS];	/* from the mildest on */
	size_t count;
	const struct activate_way *chosen;	/* NULL: wanted is not offered */
};

/* wanted LEVEL_NONE: the mildest that is offered. Pure. */
void activate_find_ways(const struct activate_facts *facts, enum activate_level wanted,
			struct activate_ways *ways);

struct activate_request {
	bool dry_run, yes;
	bool status, resume;
	bool anyway;			/* --anyway: nothing waits, reset all the same */
	enum activate_level level;	/* --level; LEVEL_NONE: the mildest */
	uint32_t accepted;		/* bit n: users of kind n may be cut off */
	const char *reason;		/* --reason TEXT */
};

/* One card, everything together. */
struct activate {
	const struct activate_request *request;
	const struct options *options;
	struct output *output;
	struct cxctl_card *card;	/* opened anew after a reset */
	char address[16];
	struct pci_function functions[ACTIVATE_FUNCTIONS];
	size_t function_count;
	struct activate_facts facts;
	char psid[17];
	char running[24], stored[24];	/* empty: unknown */
	bool recorded;			/* there is a record in pending/ */
	bool waits;			/* another firmware than the running one is to start */
	struct pending pending;		/* the record, or what one would say */
	struct card_usage usage;
	struct activate_ways ways;
	char id[20];			/* in the journal */
};

/* All below: 0, or -1 with *error. */

/* Everything that is known before anything is decided. */
int activate_read(struct activate *activate, struct cxctl_error *error);
/* The version that runs; false: the card does not answer. */
bool activate_running(struct cxctl_card *card, char *version, size_t room);
/* After a reboot of the machine: what it brought, into the record and the journal. */
void activate_settle(struct activate *activate);

void activate_show_plan(const struct activate *activate);
/* What keeps the chosen way from being gone: users that were not accepted, jobs, drivers. */
int activate_guards(const struct activate *activate, struct cxctl_error *error);
/* "--accept-downtime --accept-rdma" for what is in use and not accepted; empty: nothing. */
void activate_permits(const struct activate *activate, char *text, size_t room);

/* All of the card's drivers off. */
int activate_driver_off(struct activate *activate, struct cxctl_error *error);
/* And back; *error is the first that did not come. */
int activate_driver_back(struct activate *activate, struct cxctl_error *error);
/* Puts back what an activate that was killed left without its driver; with -n it is only told. */
int activate_driver_mend(struct activate *activate, struct cxctl_error *error);

/* Goes the chosen way and looks what came of it. */
int activate_do(struct activate *activate, struct cxctl_error *error);
/* Only a person can: the record, and the refusal that says what to do. Gives -1. */
int activate_ask_person(struct activate *activate, struct cxctl_error *error);

/* cxctl activate --status and --resume. Gives the exit code. */
int activate_all(const struct options *options, const struct activate_request *request, int argc, char **argv,
		 int first);

/* The kinds of usage.h and the option that accepts each: "accept-downtime". */
const char *activate_permit(enum usage_kind kind);

#endif /* CXCTL_ACTIVATE_H */
