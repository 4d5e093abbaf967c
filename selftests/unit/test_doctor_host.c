// SPDX-License-Identifier: GPL-2.0-only
/* What doctor knows of a host: every os-release that was found in the field, kernels, links that lead astray. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../user/doctor/host_private.h"
#include "../lib/ktap.h"
#include "root_fixture.h"

static struct host host;

#define X86	".x86_64"
#define KY10	"4.19.90-52.22.v2207.ky10.aarch64"
#define KY10_X	"4.19.90-24.4.v2101.ky10" X86
#define KY11	"6.6.0-32.7.v2505.ky11.loongarch64"
#define OE1	"4.19.90-2012.4.0.0053.oe1" X86
#define OE2	"5.10.0-216.0.0.115.oe2203sp4" X86
#define OE3	"6.6.0-159.4.0.oe2403sp2.aarch64"
#define AN8	"4.19.91-26.an8" X86
#define EL8	"4.18.0-553.el8_10" X86
#define UOS	"4.19.0-amd64-desktop"

static const struct {
	const char *name;
	enum package_family packages;
	const char *id, *version_id, *service_pack;
	enum lineage lineage;
	bool domestic;
	const char *release, *header_package, *architecture;
} systems[] = {
	{ "alma-10", PACKAGES_RPM, "almalinux", "10.0", "", LINEAGE_RHEL, false,
	  "6.12.0-55.el10_0" X86, "kernel-devel-6.12.0-55.el10_0" X86, "x86_64" },
	{ "anolis-23", PACKAGES_RPM, "anolis", "23", "", LINEAGE_ANOLIS, true,
	  "6.6.63-1.an23.aarch64", "kernel-devel-6.6.63-1.an23.aarch64", "aarch64" },
	{ "anolis-8.8", PACKAGES_RPM, "anolis", "8.8", "", LINEAGE_ANOLIS, true, AN8, "kernel-devel-" AN8, "x86_64" },
	{ "debian-11", PACKAGES_DEB, "debian", "11", "", LINEAGE_DEBIAN, false,
	  "5.10.0-46-amd64", "linux-headers-5.10.0-46-amd64", "x86_64" },
	{ "debian-12", PACKAGES_DEB, "debian", "12", "", LINEAGE_DEBIAN, false,
	  "6.1.0-57-arm64", "linux-headers-6.1.0-57-arm64", "aarch64" },
	{ "debian-13", PACKAGES_DEB, "debian", "13", "", LINEAGE_DEBIAN, false,
	  "6.12.117+deb13-amd64", "linux-headers-6.12.117+deb13-amd64", "x86_64" },
	{ "deepin-20.9", PACKAGES_DEB, "deepin", "20.9", "", LINEAGE_DEEPIN, true,
	  "5.15.77-amd64-desktop", "linux-headers-5.15.77-amd64-desktop", "x86_64" },
	{ "deepin-23", PACKAGES_DEB, "deepin", "23", "", LINEAGE_DEEPIN, true,
	  "6.6.40-amd64-desktop-hwe", "linux-headers-6.6.40-amd64-desktop-hwe", "x86_64" },
	{ "deepin-25", PACKAGES_DEB, "deepin", "25", "", LINEAGE_DEEPIN, true,
	  "6.12.28-loong64-desktop-hwe", "linux-headers-6.12.28-loong64-desktop-hwe", "loongarch64" },
	{ "hce-2.0", PACKAGES_RPM, "hce", "2.0", "", LINEAGE_OPENEULER, true,
	  "5.10.0-182.0.0.95.r1941.hce2" X86, "kernel-devel-5.10.0-182.0.0.95.r1941.hce2" X86, "x86_64" },
	{ "kylin-desktop-v10", PACKAGES_DEB, "kylin", "v10", "", LINEAGE_KYLIN_DESKTOP, true,
	  "4.15.0-70-generic", "linux-headers-4.15.0-70-generic", "" },
	{ "kylin-desktop-v10-sp1", PACKAGES_DEB, "kylin", "v10", "SP1", LINEAGE_KYLIN_DESKTOP, true,
	  "5.10.0-9-generic", "linux-headers-5.10.0-9-generic", "" },
	{ "kylin-desktop-v11", PACKAGES_DEB, "kylin", "v11", "", LINEAGE_KYLIN_DESKTOP, true,
	  "6.6.0-76-generic", "linux-headers-6.6.0-76-generic", "" },
	{ "kylin-server-v10-azalea", PACKAGES_RPM, "kylin", "V10", "", LINEAGE_OPENEULER, true,
	  "4.14.0-115.ky3" X86, "kernel-devel-4.14.0-115.ky3" X86, "x86_64" },
	{ "kylin-server-v10-sp1", PACKAGES_RPM, "kylin", "V10", "SP1", LINEAGE_OPENEULER, true,
	  "4.19.90-17.ky10.aarch64", "kernel-devel-4.19.90-17.ky10.aarch64", "aarch64" },
	{ "kylin-server-v10-sp2", PACKAGES_RPM, "kylin", "V10", "SP2", LINEAGE_OPENEULER, true,
	  KY10_X, "kernel-devel-" KY10_X, "x86_64" },
	{ "kylin-server-v10-sp3", PACKAGES_RPM, "kylin", "V10", "SP3", LINEAGE_OPENEULER, true,
	  KY10, "kernel-devel-" KY10, "aarch64" },
	{ "kylin-server-v10-sp3-2403", PACKAGES_RPM, "kylin", "V10", "SP3-2403", LINEAGE_OPENEULER, true,
	  "4.19.90-89.11.v2401.ky10" X86, "kernel-devel-4.19.90-89.11.v2401.ky10" X86, "x86_64" },
	{ "kylin-server-v11", PACKAGES_RPM, "kylin", "V11", "", LINEAGE_OPENEULER, true,
	  KY11, "kernel-devel-" KY11, "loongarch64" },
	{ "openeuler-20.03-lts", PACKAGES_RPM, "openeuler", "20.03", "LTS", LINEAGE_OPENEULER, true,
	  "4.19.90-2003.4.0.0036.oe1" X86, "kernel-devel-4.19.90-2003.4.0.0036.oe1" X86, "x86_64" },
	{ "openeuler-20.03-lts-sp2", PACKAGES_RPM, "openeuler", "20.03", "LTS-SP2", LINEAGE_OPENEULER, true,
	  OE1, "kernel-devel-" OE1, "x86_64" },
	{ "openeuler-22.03-lts-sp4", PACKAGES_RPM, "openeuler", "22.03", "LTS-SP4", LINEAGE_OPENEULER, true,
	  OE2, "kernel-devel-" OE2, "x86_64" },
	{ "openeuler-24.03-lts-sp2", PACKAGES_RPM, "openeuler", "24.03", "LTS-SP2", LINEAGE_OPENEULER, true,
	  OE3, "kernel-devel-" OE3, "aarch64" },
	{ "rhel-10.0", PACKAGES_RPM, "rhel", "10.0", "", LINEAGE_RHEL, false,
	  "6.12.0-55.el10_0" X86, "kernel-devel-6.12.0-55.el10_0" X86, "x86_64" },
	{ "rhel-8.10", PACKAGES_RPM, "rhel", "8.10", "", LINEAGE_RHEL, false, EL8, "kernel-devel-" EL8, "x86_64" },
	{ "rhel-9.6", PACKAGES_RPM, "rhel", "9.6", "", LINEAGE_RHEL, false,
	  "5.14.0-570.12.1.el9_6.aarch64+64k", "kernel-64k-devel-5.14.0-570.12.1.el9_6.aarch64", "aarch64" },
	{ "rocky-8.9", PACKAGES_RPM, "rocky", "8.9", "", LINEAGE_RHEL, false, EL8, "kernel-devel-" EL8, "x86_64" },
	{ "rocky-9.3", PACKAGES_RPM, "rocky", "9.3", "", LINEAGE_RHEL, false,
	  "5.14.0-362.8.1.el9_3" X86, "kernel-devel-5.14.0-362.8.1.el9_3" X86, "x86_64" },
	{ "ubuntu-20.04", PACKAGES_DEB, "ubuntu", "20.04", "", LINEAGE_UBUNTU, false,
	  "5.4.0-150-generic", "linux-headers-5.4.0-150-generic", "" },
	{ "ubuntu-22.04", PACKAGES_DEB, "ubuntu", "22.04", "", LINEAGE_UBUNTU, false,
	  "5.15.0-91-generic", "linux-headers-5.15.0-91-generic", "" },
	{ "ubuntu-24.04", PACKAGES_DEB, "ubuntu", "24.04", "", LINEAGE_UBUNTU, false,
	  "6.8.0-31-generic", "linux-headers-6.8.0-31-generic", "" },
	{ "uos-desktop-20-1070", PACKAGES_DEB, "uos", "20", "", LINEAGE_DEEPIN, true,
	  UOS, "linux-headers-" UOS, "x86_64" },
	{ "uos-desktop-20-pro", PACKAGES_DEB, "uos", "20", "", LINEAGE_DEEPIN, true,
	  "4.19.0-arm64-desktop", "linux-headers-4.19.0-arm64-desktop", "aarch64" },
	{ "uos-desktop-25", PACKAGES_DEB, "uos", "25", "", LINEAGE_DEEPIN, true,
	  "6.6.40-amd64-desktop", "linux-headers-6.6.40-amd64-desktop", "x86_64" },
	{ "uos-server-20-1050e", PACKAGES_RPM, "uos", "20", "", LINEAGE_OPENEULER, true,
	  "4.19.90-2109.1.0.0108.up2.uel20" X86, "kernel-devel-4.19.90-2109.1.0.0108.up2.uel20" X86, "x86_64" },
	{ "uos-server-20-1070a", PACKAGES_RPM, "uos", "20", "", LINEAGE_ANOLIS, true,
	  "4.19.0-91.82.152.uelc20" X86, "kernel-devel-4.19.0-91.82.152.uelc20" X86, "x86_64" },
	{ "uos-server-20-1070e", PACKAGES_RPM, "uos", "20", "", LINEAGE_OPENEULER, true,
	  "5.10.0-74.uel20.aarch64", "kernel-devel-5.10.0-74.uel20.aarch64", "aarch64" },
	{ "uos-server-20-d", PACKAGES_DEB, "uos", "20", "", LINEAGE_DEBIAN, true,
	  "4.19.0-arm64-server", "linux-headers-4.19.0-arm64-server", "aarch64" },
};

static void put_database(enum package_family packages)
{
	if (packages == PACKAGES_DEB)
		root_put("var/lib/dpkg/status", "Package: base-files\n");
	else
		root_put("var/lib/rpm/Packages", "");
}

#define SAME(name, field, wanted) do { \
	if (strcmp(host.field, wanted)) \
		ktap_fail(__FILE__, __LINE__, "%s: " #field " is \"%s\", expected \"%s\"", name, host.field, wanted); \
} while (0)

static void every_os_release(void)
{
	char path[128];
	size_t i;

	for (i = 0; i < sizeof(systems) / sizeof(systems[0]); i++) {
		const char *name = systems[i].name;

		root_make();
		snprintf(path, sizeof(path), "selftests/doctor/os-release/%s", name);
		root_copy("etc/os-release", path);
		put_database(systems[i].packages);
		root_read(&host, systems[i].release);
		SAME(name, id, systems[i].id);
		SAME(name, version_id, systems[i].version_id);
		SAME(name, service_pack, systems[i].service_pack);
		SAME(name, package_manager, systems[i].packages == PACKAGES_DEB ? "apt-get" : "dnf");
		SAME(name, header_package, systems[i].header_package);
		SAME(name, architecture, systems[i].architecture);
		if (host.packages != systems[i].packages || host.lineage != systems[i].lineage ||
		    host.domestic != systems[i].domestic)
			ktap_fail(__FILE__, __LINE__, "%s: %s packages, lineage %s, domestic %d", name,
				  package_family_name(host.packages), lineage_name(host.lineage), host.domestic);
		root_remove();
	}
	CHECK_EQ(i, 38);
}

/* One ID, two systems: told apart by their package databases, not by their names. */
static void kylin_by_its_packages(void)
{
	root_put("etc/os-release", "ID=kylin\nNAME=Kylin\nVERSION_ID=V10\n");
	root_read(&host, NULL);
	CHECK_EQ(host.packages, PACKAGES_UNKNOWN);
	CHECK_EQ(host.lineage, LINEAGE_UNKNOWN);
	CHECK_STR(host.package_manager, "");
	root_directory("var/lib/rpm");
	root_read(&host, NULL);
	CHECK_EQ(host.packages, PACKAGES_RPM);
	CHECK_EQ(host.lineage, LINEAGE_OPENEULER);
	/* Both are there: whose is the shell? */
	root_put("var/lib/dpkg/status", "");
	root_link("bin/sh", "/usr/bin/bash");
	root_read(&host, NULL);
	CHECK_EQ(host.packages, PACKAGES_RPM);
	root_link("bin/sh", "dash");
	root_put("var/lib/dpkg/info/dash.list", "/bin/dash\n");
	root_read(&host, NULL);
	CHECK_EQ(host.packages, PACKAGES_DEB);
	CHECK_EQ(host.lineage, LINEAGE_KYLIN_DESKTOP);
}

static void managers(void)
{
	root_put("etc/os-release", "ID=openEuler\n");
	root_put("usr/bin/rpm", "");
	root_put("usr/bin/yum", "");
	root_read(&host, NULL);
	CHECK_EQ(host.packages, PACKAGES_RPM);
	CHECK_STR(host.package_manager, "yum");
	root_put("usr/bin/dnf", "");
	root_read(&host, NULL);
	CHECK_STR(host.package_manager, "dnf");
}

static void os_release_text(void)
{
	static const char text[] = "# NAME=no\nXNAME=no\nNAME=\"a \\\"b\\\" \\$c \\\\\" # \nID='x\\y'\nVERSION=plain # no\n"
				   "EMPTY=\n CUT=\"to the line's end\nID=second\n";
	char value[64], tiny[4];

	CHECK_EQ(os_release_value(text, "NAME", value, sizeof(value)), strlen("a \"b\" $c \\"));
	CHECK_STR(value, "a \"b\" $c \\");
	os_release_value(text, "ID", value, sizeof(value));
	CHECK_STR(value, "x\\y");
	os_release_value(text, "VERSION", value, sizeof(value));
	CHECK_STR(value, "plain");
	CHECK_EQ(os_release_value(text, "EMPTY", value, sizeof(value)), 0);
	os_release_value(text, "CUT", value, sizeof(value));
	CHECK_STR(value, "to the line's end");
	CHECK(os_release_value(text, "NONE", value, sizeof(value)) < 0);
	CHECK_STR(value, "");
	os_release_value(text, "VERSION", tiny, sizeof(tiny));
	CHECK_STR(tiny, "pla");
}

/* A command in it is text. */
static void no_shell(void)
{
	root_put("etc/os-release", "ID=debian\nNAME=\"$(touch pwned)\"\nVERSION=`id`\n");
	root_read(&host, NULL);
	CHECK_STR(host.name, "$(touch pwned)");
	CHECK_STR(host.version, "`id`");
}

static void other_release_files(void)
{
	root_put("etc/kylin-release", "Kylin Linux Advanced Server release V10 (Lance)\n");
	root_put("etc/.productinfo",
		 "Kylin Linux Advanced Server\nrelease V10 (SP3) /(Lance)-x86_64-Build23/20230324\n");
	root_directory("var/lib/rpm");
	root_read(&host, NULL);
	CHECK_STR(host.id, "kylin");
	CHECK_STR(host.name, "Kylin Linux Advanced Server");
	CHECK_STR(host.version_id, "V10");
	CHECK_STR(host.version, "V10 (Lance)");
	CHECK_STR(host.service_pack, "SP3");
	CHECK_EQ(host.lineage, LINEAGE_OPENEULER);
}

/* /etc/os-release is a link to ../usr/lib/os-release; without it that one is read. */
static void os_release_of_usr_lib(void)
{
	root_put("usr/lib/os-release", "ID=anolis\nVERSION_ID=23\n");
	root_read(&host, NULL);
	CHECK_STR(host.id, "anolis");
	root_link("etc/os-release", "../usr/lib/os-release");
	root_read(&host, NULL);
	CHECK_STR(host.id, "anolis");
}

static void editions_of_uos(void)
{
	root_put("etc/os-release", "ID=UOS\nVERSION_ID=20\n");
	root_put("etc/os-version",
		 "[Version]\nSystemName=UOS Server\nEditionName=a\nMajorVersion=20\nMinorVersion=1070\n");
	root_directory("usr/lib/sysimage/rpm");
	root_read(&host, NULL);
	CHECK_EQ(host.lineage, LINEAGE_ANOLIS);
	CHECK_STR(host.service_pack, "1070a");
}

/* Links of a foreign root stay in it: absolute ones begin at it, .. ends at it, circles end. */
static void links_stay_below_the_root(void)
{
	char path[512], text[64], expected[512];

	root_put("usr/lib/x/file", "inside\n");
	root_link("lib", "/usr/lib");
	root_link("usr/lib/y", "../../../../../../lib/x");
	root_link("round", "round");
	root_link("passwd", "../../../../../../../../etc/passwd");
	root_put("etc/os-release", "ID=debian\n");
	root_read(&host, NULL);
	CHECK(host_file(&host, text, sizeof(text), "lib/y/../y/file") > 0);
	CHECK_STR(text, "inside");
	host_path(&host, path, sizeof(path), "lib/y/none/%d", 7);
	snprintf(expected, sizeof(expected), "%s/usr/lib/x/none/7", fixture_root);
	CHECK_STR(path, expected);
	CHECK(!host_has(&host, "passwd"));
	CHECK(!host_has(&host, "../../../../../../../etc/passwd"));
	CHECK(!host_has(&host, "round"));
	CHECK(host_link(&host, text, sizeof(text), "lib/y") > 0);
	CHECK_STR(text, "../../../../../../lib/x");
	CHECK_EQ(host_link(&host, text, sizeof(text), "lib/x/file"), -EINVAL);
}

/* Neither a pipe, which would keep us waiting, nor a directory is a file. */
static void plain_files_only(void)
{
	char path[512], text[16];

	root_put("etc/os-release", "ID=debian\n");
	snprintf(path, sizeof(path), "%s/pipe", fixture_root);
	CHECK(!mkfifo(path, 0600));
	root_read(&host, NULL);
	CHECK_EQ(host_file(&host, text, sizeof(text), "pipe"), -EINVAL);
	CHECK_EQ(host_file(&host, text, sizeof(text), "etc"), -EINVAL);
	CHECK(!host_text(&host, "pipe"));
}

/* Numbers count as numbers, and what a removed kernel left behind is not one. */
static void newest_kernel(void)
{
	root_put("etc/os-release", "ID=debian\n");
	root_directory("lib/modules/6.1.0-9-amd64/kernel");
	root_directory("lib/modules/6.1.0-57-amd64/kernel");
	root_directory("lib/modules/5.10.0-216-amd64/kernel");
	root_directory("lib/modules/6.12.0-1-amd64/updates");
	root_directory("lib/modules/9; reboot/kernel");
	root_read(&host, NULL);
	CHECK_STR(host.release, "6.1.0-57-amd64");
	root_read(&host, "5.10.0-216-amd64");
	CHECK_STR(host.release, "5.10.0-216-amd64");
}

static void layers(void)
{
	root_put("etc/os-release", "ID=uos\n");
	root_read(&host, NULL);
	CHECK(!host.immutable && !host.kysec && !host.container);
	root_put("usr/bin/dpkg.real", "");
	root_put("etc/kysec/x", "");
	root_put(".dockerenv", "");
	root_read(&host, NULL);
	CHECK(host.immutable && host.kysec && host.container);
	root_put("run/deepin-immutable-writable/booted", "");
	root_read(&host, NULL);
	CHECK(!host.immutable);
}

static void refused(const char *root, const char *release, const char *id)
{
	struct cxctl_error error;

	REQUIRE(host_read(&host, root, release, &error) < 0);
	CHECK_STR(error.id, id);
}

static void bad_roots(void)
{
	char path[512];

	refused("/nowhere/at/all", NULL, "bad-root");
	refused(fixture_root, NULL, "no-system");
	root_put("file", "");
	snprintf(path, sizeof(path), "%s/file", fixture_root);
	refused(path, NULL, "bad-root");
	root_put("etc/os-release", "ID=debian\n");
	refused(fixture_root, "../../x", "bad-kernel");
	refused(fixture_root, "6.1; reboot", "bad-kernel");
}

static void this_machine(void)
{
	struct cxctl_error error;

	CHECK(!host_read(&host, "///", NULL, &error));
	CHECK(host.live);
	CHECK_STR(host.root, "");
	CHECK(host.release[0] && host.architecture[0]);
}

static void (*current)(void);

static void in_root(void)
{
	root_make();
	current();
	root_remove();
}

#define IN_ROOT(test) static void test##_in_root(void) { current = test; in_root(); }
IN_ROOT(kylin_by_its_packages)
IN_ROOT(managers)
IN_ROOT(no_shell)
IN_ROOT(other_release_files)
IN_ROOT(os_release_of_usr_lib)
IN_ROOT(editions_of_uos)
IN_ROOT(links_stay_below_the_root)
IN_ROOT(plain_files_only)
IN_ROOT(newest_kernel)
IN_ROOT(layers)
IN_ROOT(bad_roots)

static const struct ktap_test tests[] = {
	KTAP_TEST(every_os_release),
	KTAP_TEST(os_release_text),
	{ "kylin_by_its_packages", kylin_by_its_packages_in_root },
	{ "managers", managers_in_root },
	{ "no_shell", no_shell_in_root },
	{ "other_release_files", other_release_files_in_root },
	{ "os_release_of_usr_lib", os_release_of_usr_lib_in_root },
	{ "editions_of_uos", editions_of_uos_in_root },
	{ "links_stay_below_the_root", links_stay_below_the_root_in_root },
	{ "plain_files_only", plain_files_only_in_root },
	{ "newest_kernel", newest_kernel_in_root },
	{ "layers", layers_in_root },
	{ "bad_roots", bad_roots_in_root },
	KTAP_TEST(this_machine),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
