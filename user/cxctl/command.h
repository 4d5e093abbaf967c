/* SPDX-License-Identifier: GPL-2.0-only */
/* What the commands have in common. A command never calls another. */
#ifndef CXCTL_COMMAND_H
#define CXCTL_COMMAND_H

#include "../base/error.h"
#include "../base/message.h"
#include "../base/options.h"
#include "../base/output.h"
#include "../device/device.h"

#define CXCTL_VERSION "0.1"

/*
 * A command: options holds what stood before the command's name; argv[0] is that name.
 * Gives the exit code, having printed its answer and its errors.
 */
int cmd_list(struct options *options, int argc, char **argv);
int cmd_info(struct options *options, int argc, char **argv);
int cmd_access(struct options *options, int argc, char **argv);
int cmd_backup(struct options *options, int argc, char **argv);
int cmd_monitor(struct options *options, int argc, char **argv);
int cmd_burn(struct options *options, int argc, char **argv);
int cmd_verify(struct options *options, int argc, char **argv);
int cmd_restore(struct options *options, int argc, char **argv);
int cmd_activate(struct options *options, int argc, char **argv);
int cmd_journal(struct options *options, int argc, char **argv);
int cmd_doctor(struct options *options, int argc, char **argv);
int cmd_image(struct options *options, int argc, char **argv);

/*
 * Reads the options of a command. 0: go on, operands from argv[*first] on; else the command
 * is over with exit code *code (--help or --version shown, or a usage error reported).
 */
int command_options(struct options *options, const struct usage *usage, int argc, char **argv, void *data,
		    int *first, int *code);

/* Reports an error that concerns no card: to stderr, and to stdout with -j. Gives its exit code. */
int command_fail(const struct options *options, const struct cxctl_error *error);

/*
 * Asks before something changes; yes: the answer was given with -y. A plan that nobody could read, or
 * nobody there to ask, is a no: -1 with *error.
 */
int command_confirm(const struct output *output, bool yes, const char *question, struct cxctl_error *error);

/* At the end of an answer: was it written? Gives the exit code, having reported a failure. */
int command_flush(void);

/*
 * Runs one() for each CARD of the operands and of -d, and for the only card of the machine
 * when none is named. The output has an object of the array "cards" open, with "card",
 * "changed" (false) and "pending_action" (null) in it already. one() gives -1 with *error, or an exit
 * code. The result is the exit code of the whole: 9 when some cards failed and some did not.
 */
typedef int (*command_card)(struct cxctl_card *card, struct output *output, const struct options *options,
			    void *data, struct cxctl_error *error);
int command_cards(const struct options *options, int argc, char **argv, int first, unsigned int most,
		  command_card one, void *data);

#endif /* CXCTL_COMMAND_H */
