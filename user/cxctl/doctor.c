// SPDX-License-Identifier: GPL-2.0-only
/* Is this host ready? What is missing, and the command that brings it. No card is touched. */
#include "doctor.h"

enum { OPTION_ROOT, OPTION_KERNEL, OPTION_OFED, OPTION_FIX, OPTION_DRY_RUN, OPTION_YES };

struct request {
	const char *root, *kernel, *bundle;
	bool fix, dry_run, yes;
};

static int take(void *data, size_t index, const char *argument, struct cxctl_error *error)
{
	struct request *request = data;

	(void)error;
	switch (index) {
	case OPTION_ROOT:
		request->root = argument;
		break;
	case OPTION_KERNEL:
		request->kernel = argument;
		break;
	case OPTION_OFED:
		request->bundle = argument;
		break;
	case OPTION_FIX:
		request->fix = true;
		break;
	case OPTION_DRY_RUN:
		request->dry_run = true;
		break;
	case OPTION_YES:
		request->yes = true;
		break;
	}
	return 0;
}

/* The directory stands in commands that are copied into a shell. */
static int check_bundle_name(const char *bundle, struct cxctl_error *error)
{
	if (!bundle || is_plain_word(bundle))
		return 0;
	error_set(error, CXCTL_USAGE, "bad-directory", _("--ofed %s is no directory's name that a shell takes as it is"), bundle);
	error_expected(error, _("letters, digits and / . _ - + only"));
	return -1;
}

static int examine(const struct options *options, const struct request *request)
{
	static struct doctor doctor;
	static struct host host;
	struct cxctl_error error = { 0 };
	struct output *output;
	bool changed = false;
	int result = 0;

	if (check_bundle_name(request->bundle, &error) || host_read(&host, request->root, request->kernel, &error))
		return command_fail(options, &error);
	doctor.host = &host;
	doctor.bundle = request->bundle;
	doctor_run(&doctor);
	output = output_open(stdout, options);
	doctor_show(&doctor, output, options);
	if (request->fix)
		result = doctor_fix(&doctor, output, request->dry_run, request->yes, &changed, &error);
	else if (!options->quiet && !doctor_calls(&doctor))
		output_line(output, "%s", _("Nothing needs doing."));
	output_bool(output, "changed", changed);
	if (result) {
		fflush(stdout);
		error_print(&error);
		output_error(output, &error);
	}
	if (output_close(output))
		return command_flush();
	if (result)
		return error.exit;
	/* What is mended is found no more. */
	if (changed) {
		doctor.count = 0;
		if (host_read(&host, request->root, request->kernel, &error))
			return command_fail(options, &error);
		doctor_run(&doctor);
	}
	return doctor_calls(&doctor) ? CXCTL_FINDINGS : CXCTL_DONE;
}

int cmd_doctor(struct options *options, int argc, char **argv)
{
	static const struct option_extra extra[] = {
		[OPTION_ROOT] = { "root", 0, N_("DIRECTORY"), N_("look at the system in this directory") },
		[OPTION_KERNEL] = { "kernel", 0, N_("RELEASE"), N_("the kernel that modules shall be for, not the running one") },
		[OPTION_OFED] = { "ofed", 0, N_("DIRECTORY"), N_("an unpacked MLNX_OFED: tell how it is built for this kernel") },
		[OPTION_FIX] = { "fix", 0, NULL, N_("do what is harmless: a link, depmod, modprobe") },
		[OPTION_DRY_RUN] = { "dry-run", 'n', NULL, N_("show the plan and change nothing") },
		[OPTION_YES] = { "yes", 'y', NULL, N_("do not ask; lifts no guard") },
	};
	static const struct usage usage = {
		.name = "doctor",
		.synopsis = "[options]",
		.summary = N_("Tells whether this host is ready for cxfw and the cards' drivers, and the command for what is missing."),
		.details = N_("No card is touched, and no root rights are needed. Exit status 8: something needs doing."),
		.extra = extra,
		.extra_count = sizeof(extra) / sizeof(extra[0]),
		.without_card = true,
		.take = take,
	};
	struct request request = { 0 };
	struct cxctl_error error;
	int first, code;

	if (command_options(options, &usage, argc, argv, &request, &first, &code))
		return code;
	if (first < argc) {
		error_set(&error, CXCTL_USAGE, "too-many-operands", _("too many operands: %s"), argv[first]);
		return command_fail(options, &error);
	}
	return examine(options, &request);
}
