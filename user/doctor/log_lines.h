/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of the kernel's log whose meaning is known, and the lines themselves. */
#ifndef CXCTL_DOCTOR_LOG_LINES_H
#define CXCTL_DOCTOR_LOG_LINES_H

#include "doctor.h"

struct log_line {
	const char *id;
	enum severity severity;
	const char *pattern;	/* in the line; case counts */
	const char *also;	/* in the same line, or NULL */
	const char *meaning;	/* N_()-marked */
	const char *command;	/* or NULL */
};

extern const struct log_line log_lines[];
extern const size_t log_line_count;

/* The kernel's log, newest part, text to free(); NULL: it cannot be read. */
char *log_read(const struct host *host);

#endif /* CXCTL_DOCTOR_LOG_LINES_H */
