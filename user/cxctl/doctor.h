/* SPDX-License-Identifier: GPL-2.0-only */
/* What doctor found, as text and as JSON, and the harmless things that it mends. */
#ifndef CXCTL_CMD_DOCTOR_H
#define CXCTL_CMD_DOCTOR_H

#include "../doctor/doctor.h"
#include "command.h"

/* All checks, in order of their topics. */
void doctor_run(struct doctor *doctor);
/* Does something need doing? */
bool doctor_calls(const struct doctor *doctor);
void doctor_show(const struct doctor *doctor, struct output *output, const struct options *options);

/* Mends what it may, having shown it and asked. 0, or -1 with *error. */
int doctor_fix(const struct doctor *doctor, struct output *output, bool dry_run, bool yes, bool *changed,
	       struct cxctl_error *error);

#endif /* CXCTL_CMD_DOCTOR_H */
