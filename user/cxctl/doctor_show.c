// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "doctor.h"

void doctor_run(struct doctor *doctor)
{
	check_system(doctor);
	check_build(doctor);
	check_security(doctor);
	check_drivers(doctor);
	check_firmware(doctor);
	check_log(doctor);
}

bool doctor_calls(const struct doctor *doctor)
{
	size_t i;

	for (i = 0; i < doctor->count; i++)
		if (doctor->findings[i].severity >= SEVERITY_WARNING)
			return true;
	return false;
}

static const char *topic_title(const char *topic)
{
	static const struct {
		const char *topic, *title;
	} titles[] = {
		{ "system", N_("System") }, { "build", N_("Building modules") }, { "security", N_("Signatures and lockdown") },
		{ "drivers", N_("Drivers") }, { "firmware", N_("Firmware") }, { "log", N_("The kernel's log") },
	};
	size_t i;

	for (i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		if (!strcmp(titles[i].topic, topic))
			return _(titles[i].title);
	return topic;
}

static const char *severity_title(enum severity severity)
{
	static const char *const titles[] = {
		[SEVERITY_OK] = N_("ok"),
		[SEVERITY_NOTE] = N_("note"),
		[SEVERITY_WARNING] = N_("WARNING"),
		[SEVERITY_ERROR] = N_("ERROR"),
	};

	return _(titles[severity]);
}

static void show_host(const struct host *host, struct output *output, const struct options *options)
{
	output_object(output, "host");
	output_string(output, "root", host->live ? "/" : host->root);
	output_string(output, "id", host->id[0] ? host->id : NULL);
	output_string(output, "name", host->pretty_name[0] ? host->pretty_name : host->name);
	output_string(output, "version", host->version_id[0] ? host->version_id : NULL);
	output_string(output, "service_pack", host->service_pack[0] ? host->service_pack : NULL);
	output_string(output, "packages", package_family_name(host->packages));
	output_string(output, "package_manager", host->package_manager[0] ? host->package_manager : NULL);
	output_string(output, "lineage", lineage_name(host->lineage));
	output_bool(output, "domestic", host->domestic);
	output_bool(output, "immutable", host->immutable);
	output_bool(output, "container", host->container);
	output_string(output, "kernel", host->release[0] ? host->release : NULL);
	output_string(output, "architecture", host->architecture[0] ? host->architecture : NULL);
	output_string(output, "header_package", host->header_package[0] ? host->header_package : NULL);
	output_end(output);
	if (options->quiet)
		return;
	output_show(output, _("System"), NULL, "%s%s%s", host->pretty_name[0] ? host->pretty_name : host->name,
		    host->service_pack[0] ? " " : "", host->service_pack);
	output_show(output, _("Kernel"), NULL, "%s  %s", host->release[0] ? host->release : _("unknown"), host->architecture);
}

static void show_finding(const struct finding *finding, struct output *output, const struct options *options)
{
	output_object(output, NULL);
	output_string(output, "id", finding->id);
	output_string(output, "topic", finding->topic);
	output_string(output, "severity", severity_name(finding->severity));
	output_string(output, "what", finding->what);
	output_string(output, "why", finding->why);
	output_string(output, "command", finding->command);
	output_bool(output, "fixable", finding->fix.kind != FIX_NONE);
	output_end(output);
	if (options->quiet && finding->severity < SEVERITY_WARNING)
		return;
	output_line(output, "  %s: %s", severity_title(finding->severity), finding->what);
	if (finding->why[0])
		output_line(output, "      %s", finding->why);
	if (finding->command[0])
		output_line(output, "      $ %s", finding->command);
}

static bool is_shown(const struct doctor *doctor, const char *topic, const struct options *options)
{
	size_t i;

	for (i = 0; i < doctor->count; i++)
		if (!strcmp(doctor->findings[i].topic, topic) &&
		    (!options->quiet || doctor->findings[i].severity >= SEVERITY_WARNING))
			return true;
	return false;
}

static void show_title(const char *title, struct output *output, const struct options *options)
{
	if (!options->quiet)
		output_line(output, "%s", "");
	output_line(output, "%s", title);
}

void doctor_show(const struct doctor *doctor, struct output *output, const struct options *options)
{
	static const char *const topics[] = { "system", "build", "security", "drivers", "firmware", "log" };
	size_t i, j;

	show_host(doctor->host, output, options);
	output_array(output, "findings");
	for (i = 0; i < sizeof(topics) / sizeof(topics[0]); i++) {
		if (is_shown(doctor, topics[i], options))
			show_title(topic_title(topics[i]), output, options);
		for (j = 0; j < doctor->count; j++)
			if (!strcmp(doctor->findings[j].topic, topics[i]))
				show_finding(&doctor->findings[j], output, options);
	}
	output_end(output);
}
