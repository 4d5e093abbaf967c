// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each way to reach a card, and why one does not work here. The card's gateway is not
 * touched: everything is told from the machine's state.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../host/machine.h"
#include "../host/module.h"
#include "../host/ways.h"
#include "command.h"

enum { OPTION_CLEAR };

struct request {
	int semaphore;			/* 0: none */
	uint32_t value;
};

struct view {
	struct cxctl_card *card;
	struct output *output;
	const struct options *options;
	const struct pci_function *pci;
	struct machine machine;
	struct ways ways;
	bool mlx4;
};

/* id: "lockdown", stable; NULL: the way works. */
__attribute__((format(printf, 5, 6)))
static void tell(struct view *view, const char *way, const char *what, const char *id, const char *format, ...)
{
	va_list arguments;
	char text[640];

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	output_object(view->output, NULL);
	output_string(view->output, "way", way);
	output_bool(view->output, "works", !id);
	output_string(view->output, "why", id);
	output_string(view->output, "text", text);
	output_end(view->output);
	output_show(view->output, way, NULL, "%s  %s", id ? _("no ") : _("yes"), text);
	output_show(view->output, NULL, NULL, "     (%s)", what);
}

static void tell_cxfw(struct view *view)
{
	const char *what = _("the driver of cxctl: query, read, burn; works under lockdown when it is signed");
	const struct cxctl_card_facts *facts = card_facts(view->card);
	struct cxctl_error error;

	if (card_access(view->card, &error)) {
		tell(view, "cxfw", what, error.id, "%s%s%s%s%s", error.text, *error.found ? ": " : "", error.found,
		     *error.next ? "; " : "", error.next);
		return;
	}
	if (!strcmp(view->pci->driver, "vfio-pci")) {
		tell(view, "cxfw", what, NULL, "%s",
		     _("to read: the function is bound to vfio-pci, so a virtual machine may be using it and nothing is burned"));
		return;
	}
	tell(view, "cxfw", what, NULL, "%s",
	     facts->gateway == CXFW_GATEWAY_VSC ? _("through the vendor specific capability") :
	     facts->gateway == CXFW_GATEWAY_CONF ? _("through configuration space 0x58/0x5c") :
	     _("but the driver found no way to the firmware"));
}

static void tell_config(struct view *view)
{
	const char *what = _("configuration space through sysfs: what mstflint uses without a module");
	const struct cxctl_card_facts *facts = card_facts(view->card);
	const struct ways *ways = &view->ways;
	bool legacy = false;	/* an mlx5 card in recovery has 0x58/0x5c and nothing else */

	pci_model(view->pci->device, &legacy);
	legacy = legacy || (facts->valid && facts->gateway == CXFW_GATEWAY_CONF);
	if (view->machine.lockdown >= LOCKDOWN_INTEGRITY)
		tell(view, "config", what, "lockdown",
		     _("kernel lockdown (%s) refuses every write to configuration space from user space; use cxfw"),
		     lockdown_name(view->machine.lockdown));
	else if (!view->machine.root || (ways->config_error == EACCES || ways->config_error == EPERM))
		tell(view, "config", what, "not-root", "%s", _("it takes root"));
	else if (ways->config_error == EROFS)
		tell(view, "config", what, view->machine.container ? "container" : "read-only", "%s",
		     _("sysfs is mounted read-only here, as containers have it"));
	else if (ways->config_error)
		tell(view, "config", what, "open", "%s", strerror(ways->config_error));
	else if (!view->machine.sys_admin || !ways->config_full)
		tell(view, "config", what, "no-capability", "%s",
		     _("without the capability CAP_SYS_ADMIN only the first 64 bytes of configuration space can be seen"));
	else if (!ways->vsc && !view->mlx4 && !legacy)
		tell(view, "config", what, "no-gateway", "%s",
		     _("the function has no vendor specific capability, and 0x58/0x5c is nobody's gateway on this id"));
	else if (view->mlx4 && ways->vsc)
		tell(view, "config", what, NULL,
		     _("0x58/0x5c; the capability at 0x%x lacks the address spaces of a newer card, over which mstflint 4.30 and later stumble"),
		     ways->vsc);
	else if (ways->vsc)
		tell(view, "config", what, NULL, _("vendor specific capability at 0x%x"), ways->vsc);
	else
		tell(view, "config", what, NULL, "%s", _("0x58/0x5c"));
}

static void tell_bar(struct view *view)
{
	const char *what = _("mapping BAR0 through sysfs: mstflint on ConnectX-3");

	if (!view->mlx4)
		tell(view, "bar0", what, "other-generation", "%s",
		     _("BAR0 of an mlx5 card does not hold the firmware's registers"));
	else if (!view->ways.bar0)
		tell(view, "bar0", what, "no-bar", "%s", _("the function has no BAR0 (a card in recovery has none)"));
	else if (view->machine.lockdown >= LOCKDOWN_INTEGRITY)
		tell(view, "bar0", what, "lockdown", _("kernel lockdown (%s) refuses to map it"),
		     lockdown_name(view->machine.lockdown));
	else if (!view->machine.root)
		tell(view, "bar0", what, "not-root", "%s", _("it takes root"));
	else
		tell(view, "bar0", what, NULL, _("%llu KiB; cxctl does not use it"), view->ways.bar0_bytes >> 10);
}

static void tell_devlink(struct view *view)
{
	const char *what = _("the kernel's own interface: versions and PSID, for everybody");
	const struct cxctl_devlink_facts *devlink = card_devlink(view->card);

	if (devlink->valid && *devlink->running)
		tell(view, "devlink", what, NULL, _("driver %s tells version and PSID"), devlink->driver);
	else if (!*view->pci->driver)
		tell(view, "devlink", what, "no-driver", "%s", _("no driver is bound to the function"));
	else if (!strcmp(view->pci->driver, "mlx4_core"))
		tell(view, "devlink", what, "not-told", "%s", _("mlx4_core has no firmware facts in devlink"));
	else if (!strcmp(view->pci->driver, "mlx5_core"))
		tell(view, "devlink", what, "refused", "%s",
		     _("mlx5_core gives no answer: the firmware refuses this function, or this network namespace does not see it"));
	else
		tell(view, "devlink", what, "other-driver", _("driver %s has no devlink"), view->pci->driver);
}

static void tell_mst(struct view *view)
{
	static const char *const modules[] = { "mstflint_access", "mst_pciconf", "mst_pci" };
	const char *what = _("a vendor's module: mst or mstflint_access");
	struct module_status module;
	const char *loaded = NULL;
	size_t i;

	for (i = 0; i < sizeof(modules) / sizeof(modules[0]) && !loaded; i++) {
		module_query(modules[i], &module);
		if (module.state == MODULE_LOADED)
			loaded = modules[i];
	}
	if (*view->ways.mst_node && !view->machine.root)
		tell(view, "mst", what, "not-root", _("%s is there; it takes root"), view->ways.mst_node);
	else if (*view->ways.mst_node)
		tell(view, "mst", what, NULL, _("%s; cxctl does not use it"), view->ways.mst_node);
	else if (loaded)
		tell(view, "mst", what, "no-node", _("%s is loaded but has no node for this function"), loaded);
	else
		tell(view, "mst", what, "no-module", "%s", _("no such module is loaded"));
}

static void tell_fwctl(struct view *view)
{
	const char *what = _("the kernel's firmware control interface, Linux 6.15 and later, mlx5 only");
	struct module_status module;

	if (*view->ways.fwctl_node && !view->machine.root)
		tell(view, "fwctl", what, "not-root", _("%s is there; it takes root"), view->ways.fwctl_node);
	else if (*view->ways.fwctl_node)
		tell(view, "fwctl", what, NULL, _("%s; this cxctl does not use it yet"), view->ways.fwctl_node);
	else if (view->mlx4) {
		tell(view, "fwctl", what, "other-generation", "%s", _("there is none for ConnectX-2 and -3"));
	} else {
		module_query("mlx5_fwctl", &module);
		if (module.state == MODULE_NOT_INSTALLED || module.state == MODULE_OTHER_KERNEL)
			tell(view, "fwctl", what, "no-module", _("kernel %s does not have it"), view->machine.release);
		else
			tell(view, "fwctl", what, "no-device", "%s", _("it has no device for this function"));
	}
}

static const char *module_word(enum module_state state)
{
	static const char *const words[] = { "loaded", "not-loaded", "other-kernel", "not-installed" };

	return words[state];
}

static void tell_machine(struct view *view)
{
	const struct machine *machine = &view->machine;
	struct output *output = view->output;
	struct module_status module;

	module_query("cxfw", &module);
	output_object(output, "machine");
	output_string(output, "kernel", machine->release);
	output_string(output, "lockdown", lockdown_name(machine->lockdown));
	if (machine->secure_boot < 0)
		output_null(output, "secure_boot");
	else
		output_bool(output, "secure_boot", machine->secure_boot);
	output_string(output, "container", machine->container ? machine->container_kind : NULL);
	output_bool(output, "root", machine->root);
	output_bool(output, "cap_sys_admin", machine->sys_admin && machine->initial_user_namespace);
	output_string(output, "cxfw", module_word(module.state));
	output_end(output);
	output_show(output, _("Kernel"), NULL, "%s", machine->release);
	output_show(output, _("Lockdown"), NULL, "%s",
		    machine->lockdown == LOCKDOWN_UNKNOWN ? _("unknown (no securityfs, or a kernel without it)") :
							     lockdown_name(machine->lockdown));
	output_show(output, _("Secure Boot"), NULL, "%s", machine->secure_boot < 0 ? _("unknown (no UEFI)") :
		    machine->secure_boot ? _("on") : _("off"));
	if (machine->container)
		output_show(output, _("Container"), NULL, "%s", machine->container_kind);
	output_show(output, _("User"), NULL, "%s%s", machine->root ? _("root") : _("not root"),
		    machine->root && !(machine->sys_admin && machine->initial_user_namespace) ?
		    _(" without CAP_SYS_ADMIN in the initial user namespace") : "");
}

static void tell_function(struct view *view)
{
	output_show(view->output, _("Card"), NULL, "%s", view->pci->address);
	output_string(view->output, "driver", *view->pci->driver ? view->pci->driver : NULL);
	output_bool(view->output, "vfio", !strncmp(view->pci->driver, "vfio", 4));
	output_show(view->output, _("Driver"), NULL, "%s", *view->pci->driver ? view->pci->driver : _("none"));
	output_string(view->output, "power", *view->pci->power ? view->pci->power : NULL);
	if (!strcmp(view->pci->power, "suspended"))
		output_show(view->output, _("Power"), NULL, "%s",
			    _("suspended: the function sleeps and is woken when it is used"));
}

/* What the driver waited for in vain. The card is asked nothing. */
static void tell_semaphore(struct view *view)
{
	struct cxfw_card_info info;
	struct cxctl_error ignored;

	if (card_access(view->card, &ignored) || card_info(view->card, &info, &ignored) ||
	    info.semaphore == CXFW_SEMAPHORE_NONE)
		return;
	output_object(view->output, "stuck_semaphore");
	output_string(view->output, "name", semaphore_name(info.semaphore));
	output_number(view->output, "value", info.semaphore_value);
	output_end(view->output);
	output_show(view->output, _("Semaphore"), NULL, _("%s was held with value 0x%x when it was last waited for"),
		    semaphore_name(info.semaphore), info.semaphore_value);
}

static int clear_semaphore(struct view *view, const struct request *request, struct cxctl_error *error)
{
	struct cxctl_error why;

	if (card_access(view->card, &why)) {
		*error = why;
		return -1;
	}
	if (!(card_facts(view->card)->capabilities & CXFW_CAP_SEMAPHORE_CLEAR)) {
		error_set(error, CXCTL_REFUSED, "not-supported",
			  _("%s: the driver cannot clear semaphores of this card"), view->pci->address);
		return -1;
	}
	if (card_semaphore_clear(view->card, request->semaphore, request->value, error))
		return -1;
	output_bool(view->output, "changed", true);
	output_string(view->output, "cleared_semaphore", semaphore_name(request->semaphore));
	output_line(view->output, _("%s: semaphore %s cleared (it held 0x%x)"), view->pci->address,
		    semaphore_name(request->semaphore), request->value);
	return CXCTL_DONE;
}

static int access_one(struct cxctl_card *card, struct output *output, const struct options *options, void *data,
		      struct cxctl_error *error)
{
	struct view view = { .card = card, .output = output, .options = options };
	const struct request *request = data;

	view.pci = card_pci(card);
	view.mlx4 = pci_is_mlx4(view.pci->device);
	if (request->semaphore)
		return clear_semaphore(&view, request, error);
	machine_query(&view.machine);
	ways_query(view.pci, &view.ways);
	tell_function(&view);
	tell_machine(&view);
	output_array(output, "ways");
	tell_cxfw(&view);
	tell_config(&view);
	tell_bar(&view);
	tell_devlink(&view);
	tell_mst(&view);
	tell_fwctl(&view);
	output_end(output);
	tell_semaphore(&view);
	return CXCTL_DONE;
}

/* NAME=VALUE: the value is demanded, so that nobody clears what he has not seen. */
static int take(void *data, size_t index, const char *argument, struct cxctl_error *error)
{
	struct request *request = data;
	const char *equals = strchr(argument, '=');
	char name[32] = "", *end = NULL;
	unsigned long long value = 0;

	(void)index;
	if (equals && equals - argument < (int)sizeof(name)) {
		memcpy(name, argument, equals - argument);
		name[equals - argument] = '\0';
		errno = 0;
		value = strtoull(equals + 1, &end, 0);
	}
	request->semaphore = semaphore_by_name(name);
	if (request->semaphore > 0 && end && end != equals + 1 && !*end && !errno && value && value <= 0xffffffff &&
	    equals[1] != '-') {
		request->value = value;
		return 0;
	}
	error_set(error, CXCTL_USAGE, "bad-semaphore", _("--clear-semaphore %s is not NAME=VALUE"), argument);
	error_expected(error, _("one of vsc, icmd, flash-icmd, flash-gateway, flash-hcr, update-handle, and the value that it holds"));
	error_next(error, _("use what the error about the stuck semaphore told, for example flash-gateway=0x1"));
	return -1;
}

int cmd_access(struct options *options, int argc, char **argv)
{
	static const struct option_extra extra[] = {
		[OPTION_CLEAR] = { "clear-semaphore", 0, N_("NAME=VALUE"),
				   N_("clear a semaphore that a dead tool left locked with VALUE") },
	};
	static const struct usage usage = {
		.name = "access",
		.synopsis = "[CARD ...] [options]",
		.summary = N_("Tells each way to reach a card, whether it works here, and why not."),
		.details = N_("The card is left alone, unless --clear-semaphore is given. Clear a semaphore only when no\nother tool or host uses the card."),
		.extra = extra,
		.extra_count = sizeof(extra) / sizeof(extra[0]),
		.take = take,
	};
	struct request request = { 0 };
	int first, code;

	if (command_options(options, &usage, argc, argv, &request, &first, &code))
		return code;
	return command_cards(options, argc, argv, first, request.semaphore ? 1 : 256, access_one, &request);
}
