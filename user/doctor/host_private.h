/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of host_read(). */
#ifndef CXCTL_DOCTOR_HOST_PRIVATE_H
#define CXCTL_DOCTOR_HOST_PRIVATE_H

#include "host.h"

/*
 * Value of a key in text of lines KEY=value, as os-release(5) has it: quotes and backslashes are taken away, no
 * shell is asked. Gives its length, or -1 when the key is not there; value is empty then.
 */
int os_release_value(const char *text, const char *key, char *value, size_t size);

bool one_of(const char *word, const char *const *words);	/* the list ends with NULL */
void lower_case(char *text);

bool host_read_names(struct host *host);	/* id, name, version ...; false: no release file at all */
void host_read_packages(struct host *host);	/* family and manager */
void host_read_lineage(struct host *host);	/* lineage, domestic, service_pack */
void host_read_layers(struct host *host);	/* immutable, kysec, container */
bool is_kernel_release(const char *release);
void host_read_kernel(struct host *host, const char *release);	/* release, architecture, header_package */

#endif /* CXCTL_DOCTOR_HOST_PRIVATE_H */
