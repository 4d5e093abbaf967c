/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What went wrong, for a person and for a program: one stable id, one text, and where it
 * is a refusal what was found, what was expected, whose rule it is and what to do next.
 */
#ifndef CXCTL_ERROR_H
#define CXCTL_ERROR_H

#include <stddef.h>

/* Exit codes of cxctl(8). */
enum cxctl_exit {
	CXCTL_DONE = 0,		/* done, or already so */
	CXCTL_FAILED = 1,
	CXCTL_USAGE = 2,
	CXCTL_NO_CARD = 3,	/* no such card */
	CXCTL_REFUSED = 4,	/* refused by a guard */
	CXCTL_NO_ACCESS = 5,
	CXCTL_BAD_IMAGE = 6,
	CXCTL_CARD_ERROR = 7,	/* the card reported an error */
	CXCTL_FINDINGS = 8,	/* verify, check and doctor found something */
	CXCTL_PARTIAL = 9,	/* some cards failed and some did not */
};

struct cxctl_error {
	int exit;		/* enum cxctl_exit; CXCTL_DONE: no error */
	const char *id;		/* "no-such-card": stable, English, a string constant */
	char text[768];
	char found[256];	/* the four below may be empty */
	char expected[256];
	char rule[256];
	char next[768];
};

/* Sets id and text, empties the rest, returns -1: "return error_set(...)". */
__attribute__((format(printf, 4, 5)))
int error_set(struct cxctl_error *error, enum cxctl_exit exit, const char *id, const char *format, ...);

/* These add to an error that is set. */
__attribute__((format(printf, 2, 3)))
void error_found(struct cxctl_error *error, const char *format, ...);
__attribute__((format(printf, 2, 3)))
void error_expected(struct cxctl_error *error, const char *format, ...);
__attribute__((format(printf, 2, 3)))
void error_rule(struct cxctl_error *error, const char *format, ...);
__attribute__((format(printf, 2, 3)))
void error_next(struct cxctl_error *error, const char *format, ...);

void error_clear(struct cxctl_error *error);

#endif /* CXCTL_ERROR_H */
