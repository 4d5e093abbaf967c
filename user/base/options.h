/* SPDX-License-Identifier: GPL-2.0-only */
/* The options that every command has, and the few that one command adds. */
#ifndef CXCTL_OPTIONS_H
#define CXCTL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

struct options {
	bool quiet;		/* -q: stderr says nothing but errors */
	bool verbose;		/* -v */
	bool debug;		/* --debug */
	bool json, pretty;	/* -j, -p */
	bool help, version;	/* -h, -V */
	unsigned int timeout;	/* --timeout SECONDS; 0: default */
	const char *device;	/* -d CARD */
};

/* One option of a command beside the common ones. */
struct option_extra {
	const char *name;	/* "output" */
	char letter;		/* 'o', or 0: none */
	const char *argument;	/* "FILE", N_()-marked where it is a word; NULL: takes none */
	const char *help;	/* N_()-marked */
};

struct usage {
	const char *name;	/* "backup" */
	const char *synopsis;	/* "CARD -o FILE" */
	const char *summary;	/* N_()-marked, one sentence */
	const char *details;	/* N_()-marked lines for --help, or NULL */
	const struct option_extra *extra;
	size_t extra_count;
	bool without_card;	/* the command asks no card: -d is an error, --timeout has no meaning */
	/* Called for each extra option with its place in the table. NULL when there are none. */
	int (*take)(void *data, size_t index, const char *argument, struct cxctl_error *error);
};

/*
 * Reads options; operands are moved behind them. Gives the index of the first operand in
 * argv, or -1 with *error. Options of earlier calls stay set. argv[0] is skipped.
 */
int options_parse(struct options *options, const struct usage *usage, int argc, char **argv, void *data,
		  struct cxctl_error *error);
/* The same, but stops at the first operand: what stands before the command. */
int options_parse_leading(struct options *options, int argc, char **argv, struct cxctl_error *error);

/* For errors: sets json and pretty when such an option stands anywhere in argv. */
void options_seek_json(struct options *options, int argc, char **argv);

void options_help_common(bool without_card);
void options_help(const struct usage *usage);

#endif /* CXCTL_OPTIONS_H */
