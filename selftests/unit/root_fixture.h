/* SPDX-License-Identifier: GPL-2.0-only */
/* A root directory of a host that a test makes, and that goes when the test ends. */
#ifndef ROOT_FIXTURE_H
#define ROOT_FIXTURE_H

#include "../../user/doctor/host.h"

extern char fixture_root[64];

void root_make(void);
void root_remove(void);
void root_put(const char *name, const char *text);
void root_put_bytes(const char *name, const void *bytes, size_t length);
void root_link(const char *name, const char *target);	/* the link says target, unchanged */
void root_directory(const char *name);
void root_unlink(const char *name);
/* A file of the repository, such as selftests/doctor/os-release/debian-12. */
void root_copy(const char *name, const char *source);

/* host_read() of it; release: NULL to find out. */
void root_read(struct host *host, const char *release);

#endif /* ROOT_FIXTURE_H */
