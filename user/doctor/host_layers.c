// SPDX-License-Identifier: GPL-2.0-only
/* What lies over the plain system: an immutable root, execution control, a container. */
#include <stdlib.h>

#include "host_private.h"

/* deepin and UOS 25 wrap their package tools, and can be booted writable. */
static bool is_immutable(const struct host *host)
{
	static const char *const signs[] = { "run/ostree-booted", "ostree/repo", "sysroot/ostree",
					     "usr/bin/dpkg.real", "usr/bin/apt.real", NULL };

	if (host_has(host, "run/deepin-immutable-writable/booted"))
		return false;
	return host_has_any(host, signs) || host_has_program(host, "deepin-immutable-ctl");
}

static bool has_kysec(const struct host *host)
{
	static const char *const signs[] = { "sys/kernel/security/kysec", "etc/kysec", NULL };

	return host_has_any(host, signs) || host_has_program(host, "kysec_set");
}

static bool is_container(const struct host *host)
{
	static const char *const signs[] = { ".dockerenv", "run/.containerenv", "run/systemd/container", NULL };

	return host_has_any(host, signs) || (host->live && getenv("container"));
}

void host_read_layers(struct host *host)
{
	host->immutable = is_immutable(host);
	host->kysec = has_kysec(host);
	host->container = is_container(host);
}
