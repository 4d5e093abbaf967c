// SPDX-License-Identifier: GPL-2.0-only
#include "devlink_reload.h"

#include <errno.h>
#include <linux/devlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "../base/message.h"
#include "genl.h"

/* The driver's own time-outs add up to less: device-access.md 6.1 */
#define LONGEST_SECONDS	240

static int refused(const struct genl *genl, const char *address, int number, struct cxctl_error *error)
{
	switch (number) {
	case ENOENT:
	case ENODEV:
		error_set(error, CXCTL_REFUSED, "not-offered", _("%s: devlink does not know it"), address);
		break;
	case EOPNOTSUPP:
	case EINVAL:
		error_set(error, CXCTL_REFUSED, "not-offered",
			  _("%s: driver or firmware does not offer devlink reload with action fw_activate"), address);
		break;
	case EPERM:
		error_set(error, CXCTL_NO_ACCESS, "no-permission", _("%s: devlink reload is for root"), address);
		error_next(error, _("run cxctl as root"));
		break;
	case ETIMEDOUT:
		error_set(error, CXCTL_CARD_ERROR, "timeout", _("%s: no answer to devlink reload within %u seconds"),
			  address, LONGEST_SECONDS);
		break;
	default:
		error_set(error, CXCTL_CARD_ERROR, "reset-failed", _("%s: devlink reload failed: %s"), address,
			  strerror(number));
	}
	if (*genl->message)
		error_found(error, "%s", genl->message);
	return -1;
}

int devlink_reload(const char *address, struct cxctl_error *error)
{
	struct timeval wait = { .tv_sec = LONGEST_SECONDS };
	struct nlmsghdr *request;
	struct genl genl;
	int result = genl_open(&genl, DEVLINK_GENL_NAME, DEVLINK_GENL_VERSION, NULL);

	if (result)
		return error_set(error, CXCTL_REFUSED, "not-offered", _("this kernel has no devlink: %s"),
				 strerror(-result));
	setsockopt(mnl_socket_get_fd(genl.socket), SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	request = genl_request(&genl, DEVLINK_CMD_RELOAD, false);
	mnl_attr_put_strz(request, DEVLINK_ATTR_BUS_NAME, "pci");
	mnl_attr_put_strz(request, DEVLINK_ATTR_DEV_NAME, address);
	mnl_attr_put_u8(request, DEVLINK_ATTR_RELOAD_ACTION, DEVLINK_RELOAD_ACTION_FW_ACTIVATE);
	result = genl_run(&genl, request, NULL, NULL);
	if (result)
		refused(&genl, address, -result, error);
	genl_close(&genl);
	return result ? -1 : 0;
}
