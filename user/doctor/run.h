/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs of this very machine, asked for what they say. Never those of a foreign root. */
#ifndef CXCTL_DOCTOR_RUN_H
#define CXCTL_DOCTOR_RUN_H

#include <stdbool.h>

struct run {
	int status;		/* exit status; 126 or 127: it could not be run; -1: a signal or too slow */
	char out[2048];
	char complaint[2048];	/* what went to stderr */
};

/* Runs it with LC_ALL=C and without a terminal, five seconds at most. False when there is no such program. */
bool run_program(const char *const *words, struct run *run);

#endif /* CXCTL_DOCTOR_RUN_H */
