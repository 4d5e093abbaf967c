/* SPDX-License-Identifier: GPL-2.0-only */
/* Directories that a build or an installer writes to. */
#ifndef CXCTL_DOCTOR_SPACE_H
#define CXCTL_DOCTOR_SPACE_H

#include <sys/statvfs.h>

#include "doctor.h"

/* On this very machine only: what is mounted where a foreign root runs is not known. */
void check_space(struct doctor *doctor);

/* What the file system of a directory for temporary files means for a build. */
void judge_temporary(struct doctor *doctor, const char *directory, const struct statvfs *system);

#endif /* CXCTL_DOCTOR_SPACE_H */
