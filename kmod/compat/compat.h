/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between kernels, as found by compiling (probes.txt, probe.sh), never by a
 * version number. Each CXFW_HAVE_ name is defined or not:
 *
 * CXFW_HAVE_GENL_FAMILY_POLICY		struct genl_family has .policy; else each genl_ops has it
 * CXFW_HAVE_GENL_MCGRP_CAP_SYS_ADMIN	struct genl_multicast_group has .cap_sys_admin; newer kernels
 *					have the macro GENL_MCAST_CAP_SYS_ADMIN for .flags instead, some
 *					have neither and let anybody join
 * CXFW_HAVE_NETLINK_CALLBACK_EXTACK	struct netlink_callback has .extack
 * CXFW_HAVE_SECURITY_LOCKED_DOWN	security_locked_down(LOCKDOWN_PCI_ACCESS)
 */
#ifndef CXFW_COMPAT_H
#define CXFW_COMPAT_H

#include "generated/probes.h"

#endif /* CXFW_COMPAT_H */
