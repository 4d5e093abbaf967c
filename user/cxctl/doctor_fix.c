// SPDX-License-Identifier: GPL-2.0-only
/* What doctor mends by itself: a link, an index of modules, a module that is not loaded. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../doctor/run.h"
#include "doctor.h"

/*
 * Of another system only files are mended: its modules are not for this kernel. depmod follows links of its root as
 * if they were this machine's, so it is left to who asks.
 */
static bool may_fix(const struct doctor *doctor, const struct finding *finding)
{
	return finding->fix.kind == FIX_LINK || (finding->fix.kind != FIX_NONE && doctor->host->live);
}

static int fix_link(const struct host *host, const struct fix *fix, char *why, size_t size)
{
	const char *name = strrchr(fix->link, '/');
	char directory[PATH_MAX], link[PATH_MAX + 256], beside[PATH_MAX + 264], old[256];

	if (!name)
		return -1;
	/* Links on the way lead nowhere but below the root. */
	host_path(host, directory, sizeof(directory), "%.*s", (int)(name - fix->link), fix->link);
	snprintf(link, sizeof(link), "%s%s", directory, name);
	snprintf(beside, sizeof(beside), "%s.cxctl", link);
	/* Never in the place of a directory or a file: only where a link is, or nothing. */
	if (readlink(link, old, sizeof(old)) < 0 && errno != ENOENT) {
		snprintf(why, size, _("%s is no symbolic link"), link);
		return -1;
	}
	if (symlink(fix->target, beside) || rename(beside, link)) {
		snprintf(why, size, "%s", strerror(errno));
		unlink(beside);
		return -1;
	}
	return 0;
}

static int fix_program(const char *const *words, char *why, size_t size)
{
	static struct run run;

	if (!run_program(words, &run)) {
		snprintf(why, size, _("there is no program %s"), words[0]);
		return -1;
	}
	if (run.status) {
		snprintf(why, size, "%.200s", run.complaint[0] ? run.complaint : _("it failed"));
		why[strcspn(why, "\n")] = '\0';
		return -1;
	}
	return 0;
}

static int fix_one(const struct host *host, const struct finding *finding, char *why, size_t size)
{
	const char *const depmod[] = { "depmod", finding->fix.target, NULL };
	const char *const modprobe[] = { "modprobe", finding->fix.target, NULL };

	switch (finding->fix.kind) {
	case FIX_LINK:
		return fix_link(host, &finding->fix, why, size);
	case FIX_DEPMOD:
		return fix_program(depmod, why, size);
	case FIX_MODPROBE:
		return fix_program(modprobe, why, size);
	case FIX_NONE:
		break;
	}
	return -1;
}

static size_t show_plan(const struct doctor *doctor, struct output *output)
{
	size_t i, count = 0;

	for (i = 0; i < doctor->count; i++) {
		if (!may_fix(doctor, &doctor->findings[i]))
			continue;
		if (!count++) {
			output_line(output, "%s", "");
			output_line(output, "%s", _("This can be done now:"));
		}
		output_line(output, "  $ %s", doctor->findings[i].command);
	}
	if (!count)
		output_line(output, "%s", _("Nothing here can be mended by --fix."));
	return count;
}

int doctor_fix(const struct doctor *doctor, struct output *output, bool dry_run, bool yes, bool *changed,
	       struct cxctl_error *error)
{
	size_t i, failed = 0;
	char why[256];

	if (!show_plan(doctor, output) || dry_run)
		return 0;
	if (command_confirm(output, yes, _("Do it? [y/N]"), error))
		return -1;
	output_array(output, "fixes");
	for (i = 0; i < doctor->count; i++) {
		const struct finding *finding = &doctor->findings[i];
		int result;

		if (!may_fix(doctor, finding))
			continue;
		why[0] = '\0';
		result = fix_one(doctor->host, finding, why, sizeof(why));
		*changed |= !result;
		failed += result != 0;
		output_object(output, NULL);
		output_string(output, "id", finding->id);
		output_bool(output, "done", !result);
		output_string(output, "why", result ? why : NULL);
		output_end(output);
		output_line(output, result ? _("  failed: %s: %s") : _("  done: %s"), finding->command, why);
	}
	output_end(output);
	if (!failed)
		return 0;
	return error_set(error, CXCTL_FAILED, "fix-failed", _("%zu of the things to mend failed"), failed);
}
