// SPDX-License-Identifier: GPL-2.0-only
/* Of which family a system is, for the advice that fits it. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "host_private.h"

/* PLATFORM_ID "platform:uel20": uelc is before uel. */
static const struct {
	const char *begin;
	enum lineage lineage;
} platforms[] = {
	{ "uelc", LINEAGE_ANOLIS },
	{ "uel", LINEAGE_OPENEULER },
	{ "an", LINEAGE_ANOLIS },
	{ "el", LINEAGE_RHEL },
	{ "oe", LINEAGE_OPENEULER },
};

static enum lineage lineage_of_platform(const struct host *host)
{
	const char *colon = strchr(host->platform_id, ':');
	const char *platform = colon ? colon + 1 : host->platform_id;
	size_t i;

	for (i = 0; i < sizeof(platforms) / sizeof(platforms[0]); i++) {
		size_t length = strlen(platforms[i].begin);

		if (!strncmp(platform, platforms[i].begin, length) && strchr("0123456789", platform[length]))
			return platforms[i].lineage;
	}
	return LINEAGE_UNKNOWN;
}

/* UOS Server 20 exists on four bases of one name; /etc/os-version or the code name tells. */
static enum lineage lineage_of_uos(const struct host *host, const char *edition)
{
	if (host->packages == PACKAGES_DEB)
		return !strcasecmp(edition, "d") || !strcmp(host->codename, "fou") ? LINEAGE_DEBIAN : LINEAGE_DEEPIN;
	if (!strcasecmp(edition, "e") || !strcmp(host->codename, "fuyu"))
		return LINEAGE_OPENEULER;
	if (!strcasecmp(edition, "a") || !strcmp(host->codename, "kongzi"))
		return LINEAGE_ANOLIS;
	if (!strcasecmp(edition, "c") || !strcmp(host->codename, "kongli"))
		return LINEAGE_RHEL;
	return LINEAGE_UNKNOWN;
}

static enum lineage lineage_of_name(const struct host *host)
{
	static const char *const euler[] = { "openeuler", "hce", "kylinsec", NULL };
	static const char *const rhel[] = { "rhel", "rocky", "almalinux", "centos", "ol", "fedora", NULL };

	if (!strcmp(host->id, "kylin")) {
		if (host->packages == PACKAGES_UNKNOWN)
			return LINEAGE_UNKNOWN;
		return host->packages == PACKAGES_RPM ? LINEAGE_OPENEULER : LINEAGE_KYLIN_DESKTOP;
	}
	if (one_of(host->id, euler))
		return LINEAGE_OPENEULER;
	if (!strcmp(host->id, "anolis"))
		return LINEAGE_ANOLIS;
	if (!strcmp(host->id, "deepin"))
		return LINEAGE_DEEPIN;
	if (!strcmp(host->id, "ubuntu") || strstr(host->id_like, "ubuntu"))
		return LINEAGE_UBUNTU;
	if (!strcmp(host->id, "debian") || strstr(host->id_like, "debian"))
		return LINEAGE_DEBIAN;
	if (one_of(host->id, rhel) || strstr(host->id_like, "rhel") || strstr(host->id_like, "fedora"))
		return LINEAGE_RHEL;
	return LINEAGE_UNKNOWN;
}

/* Code names of Kylin's server V10 say which service pack it is. */
static const struct {
	const char *codename;
	const char *service_pack;
} kylin_codenames[] = {
	{ "(Tercel)", "SP1" },
	{ "(Sword)", "SP2" },
	{ "(Lance)", "SP3" },
	{ "(Halberd)", "SP3-2403" },
	{ "(Lithium)", "SP4" },
};

/* "20.03 (LTS-SP2)" and "V10 (SP1)": the bracket, when it names one. */
static void service_pack_of_version(struct host *host)
{
	const char *open = strrchr(host->version, '('), *close = open ? strchr(open, ')') : NULL;
	size_t i;

	if (!close)
		return;
	if (!strncmp(open, "(LTS", 4) || !strncmp(open, "(SP", 3))
		snprintf(host->service_pack, sizeof(host->service_pack), "%.*s", (int)(close - open - 1), open + 1);
	for (i = 0; i < sizeof(kylin_codenames) / sizeof(kylin_codenames[0]); i++)
		if (!strcmp(host->id, "kylin") && strstr(host->version, kylin_codenames[i].codename))
			snprintf(host->service_pack, sizeof(host->service_pack), "%s",
				 kylin_codenames[i].service_pack);
}

/* Kylin's /etc/.productinfo: "release V10 (SP2) /(Sword)-x86_64-Build09/20210524". */
static void service_pack_of_product(struct host *host)
{
	char text[512], *open, *close;

	if (host_file(host, text, sizeof(text), "etc/.productinfo") <= 0)
		return;
	open = strstr(text, "(SP");
	close = open ? strchr(open, ')') : NULL;
	if (close)
		snprintf(host->service_pack, sizeof(host->service_pack), "%.*s", (int)(close - open - 1), open + 1);
}

/* MinorVersion=1070 and EditionName=e of UOS: "1070e". */
static void service_pack_of_uos(struct host *host, const char *os_version, const char *edition)
{
	char minor[16];

	if (os_release_value(os_version, "MinorVersion", minor, sizeof(minor)) > 0)
		snprintf(host->service_pack, sizeof(host->service_pack), "%s%.1s", minor,
			 strlen(edition) == 1 ? edition : "");
}

void host_read_lineage(struct host *host)
{
	static const char *const domestic[] = { "kylin", "uos", "deepin", "openeuler", "anolis", "hce", "kylinsec",
						"opencloudos", "tencentos", "ctyunos", "bclinux", "alinux", NULL };
	char os_version[2048] = "", edition[32] = "";

	if (!strcmp(host->id, "uos") && host_file(host, os_version, sizeof(os_version), "etc/os-version") > 0)
		os_release_value(os_version, "EditionName", edition, sizeof(edition));
	host->domestic = one_of(host->id, domestic);
	host->lineage = lineage_of_platform(host);
	if (host->lineage == LINEAGE_UNKNOWN)
		host->lineage = !strcmp(host->id, "uos") ? lineage_of_uos(host, edition) : lineage_of_name(host);
	service_pack_of_version(host);
	service_pack_of_product(host);
	service_pack_of_uos(host, os_version, edition);
}
