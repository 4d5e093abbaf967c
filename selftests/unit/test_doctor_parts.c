// SPDX-License-Identifier: GPL-2.0-only
/* Parts of doctor that no tree of files shows: file systems, programs that hang, lists of keys that lie. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "../../user/doctor/certificate.h"
#include "../../user/doctor/module_file.h"
#include "../../user/doctor/run.h"
#include "../../user/doctor/signing.h"
#include "../../user/doctor/space.h"
#include "../../user/doctor/tree.h"
#include "../../user/host/machine.h"
#include "../lib/ktap.h"
#include "root_fixture.h"

static struct host host;
static struct doctor doctor = { .host = &host };

static bool found(const char *id)
{
	size_t i;

	for (i = 0; i < doctor.count; i++)
		if (!strcmp(doctor.findings[i].id, id))
			return true;
	return false;
}

/* The last one has the place of all that would come after it. */
static void table_of_findings_full(void)
{
	struct finding *finding = NULL;
	int i;

	doctor.count = 0;
	for (i = 0; i <= FINDINGS_MOST; i++)
		finding = doctor_find(&doctor, "system", SEVERITY_NOTE, "one", "number %d", i);
	CHECK_EQ(doctor.count, FINDINGS_MOST);
	CHECK_STR(finding->what, "number 128");
	CHECK_STR(doctor.findings[FINDINGS_MOST - 2].what, "number 126");
}

static void commands_that_install(void)
{
	struct finding finding = { 0 };

	memset(&host, 0, sizeof(host));
	finding_install(&finding, &host, "x");
	CHECK_STR(finding.command, "");
	strcpy(host.package_manager, "yum");
	finding_install(&finding, &host, "x y");
	CHECK_STR(finding.command, "yum install x y");
}

static void temporary_directories(void)
{
	struct statvfs system = { .f_frsize = 4096, .f_blocks = 1 << 20, .f_bavail = 1 << 16 };

	doctor.count = 0;
	judge_temporary(&doctor, "/tmp", &system);
	CHECK_EQ(doctor.count, 0);
	system.f_bavail--;
	judge_temporary(&doctor, "/tmp", &system);
	CHECK(found("temporary-full") && !found("temporary-noexec"));
	doctor.count = 0;
	system.f_bavail++;
	system.f_flag = ST_NOEXEC;
	judge_temporary(&doctor, "/tmp", &system);
	CHECK(found("temporary-noexec") && !found("temporary-full"));
}

static void locks(void)
{
	CHECK_EQ(lockdown_parse("[none] integrity confidentiality"), LOCKDOWN_NONE);
	CHECK_EQ(lockdown_parse("none [integrity] confidentiality"), LOCKDOWN_INTEGRITY);
	CHECK_EQ(lockdown_parse("none integrity [confidentiality]"), LOCKDOWN_CONFIDENTIALITY);
	CHECK_EQ(lockdown_parse("none [integ] confidentiality"), LOCKDOWN_UNKNOWN);
	CHECK_EQ(lockdown_parse("[integrity"), LOCKDOWN_UNKNOWN);
	CHECK_EQ(lockdown_parse(""), LOCKDOWN_UNKNOWN);
}

static bool run_shell(const char *script, struct run *run)
{
	const char *const words[] = { "sh", "-c", script, NULL };

	return run_program(words, run);
}

/* Exit status and complaint apart: a compiler that complains on each call may work. */
static void programs(void)
{
	static const char *const none[] = { "no-such-program-at-all", NULL };
	static struct run run;

	CHECK(!run_program(none, &run));
	CHECK(run_shell("echo 12; echo 'grep: /x' >&2", &run));
	CHECK_EQ(run.status, 0);
	CHECK_STR(run.out, "12\n");
	CHECK_STR(run.complaint, "grep: /x\n");
	CHECK(run_shell("exit 3", &run));
	CHECK_EQ(run.status, 3);
	CHECK(run_shell("kill -9 $$", &run));
	CHECK(run.status == -1);
	CHECK(run_shell("echo $LC_ALL; head -c 100000 /dev/zero | tr '\\0' x", &run));
	CHECK_EQ(run.status, 0);
	CHECK_EQ(strlen(run.out), sizeof(run.out) - 1);
	CHECK(!strncmp(run.out, "C\nxxx", 5));
}

/* One that hangs, and its children, do not hold us. */
static void programs_that_hang(void)
{
	static struct run run;
	time_t begin = time(NULL);

	CHECK(run_shell("sleep 60 & sleep 60", &run));
	CHECK(run.status == -1);
	CHECK(time(NULL) - begin < 20);
}

#define LINE(name, id)	"0a1b2c3d I------     1 perm 1f030000     0     0 asymmetri " name ": " id ": X509.rsa 00 []\n"

static void keys_of_the_kernel(void)
{
	static const char id[] = "00112233445566778899";
	static const char other[] = LINE("Us", "ffffffffff") LINE("Others", "00112233445566778899aa");

	CHECK_EQ(trust_in_keys(LINE("Us", "00112233445566778899"), "Us", id, false), TRUST_YES);
	CHECK_EQ(trust_in_keys(LINE("Us", "00112233445566778899"), "Us", id, true), TRUST_YES);
	/* A longer id that begins alike is another. */
	CHECK_EQ(trust_in_keys(other, "Us", id, true), TRUST_NONE);
	CHECK_EQ(trust_in_keys(other, "Us", id, false), TRUST_UNKNOWN);
	CHECK_EQ(trust_in_keys(other, "Nobody", id, false), TRUST_NONE);
	CHECK_EQ(trust_in_keys("", "Us", id, true), TRUST_UNKNOWN);
	CHECK_EQ(trust_in_keys("1f keyring .builtin_trusted_keys: 1\n", "Us", id, true), TRUST_UNKNOWN);
	/* Of few digits there are many. */
	CHECK_EQ(trust_in_keys(LINE("Us", "1"), "Us", "1", true), TRUST_NONE);
}

/* Sizes in a firmware's list are not ours to trust; ASan is the judge. */
static void lists_of_firmware_that_lie(void)
{
	static const unsigned char x509[] = { 0xa1, 0x59, 0xc0, 0xa5, 0xe4, 0x94, 0xa7, 0x4a,
					      0x87, 0xb5, 0xab, 0x15, 0x5c, 0x2b, 0xf0, 0x72 };
	static const unsigned int sizes[] = { 0, 1, 15, 16, 17, 27, 28, 29, 44, 100, 0x7fffffff, 0xffffffff, 0xfffffff0 };
	const size_t count = sizeof(sizes) / sizeof(sizes[0]), length = 64;
	struct certificate certificate;
	size_t i;

	for (i = 0; i < count * count * count; i++) {
		unsigned int three[3] = { sizes[i % count], sizes[i / count % count], sizes[i / count / count] };
		unsigned char *list = calloc(1, length);

		memcpy(list + 4, x509, sizeof(x509));
		memcpy(list + 20, three, sizeof(three));
		CHECK(!efi_list_find(list, length, "00", &certificate));
		free(list);
	}
	for (i = 0; i < 32; i++) {
		unsigned char *list = calloc(1, i + 1);

		CHECK(!efi_list_find(list, i, "00", &certificate));
		CHECK(!certificate_read(list, i, &certificate));
		free(list);
	}
}

static void configurations(void)
{
	static const char text[] = "#\nCONFIG_A=y\nCONFIG_AB=m\n# CONFIG_C is not set\nCONFIG_T=\"gcc (x) 12\"\nCONFIG_E=\n";
	char value[32];

	CHECK(config_yes(text, "A"));
	CHECK(!config_yes(text, "AB") && !config_yes(text, "C") && !config_yes(NULL, "A"));
	CHECK(config_value(text, "T", value, sizeof(value)));
	CHECK_STR(value, "gcc (x) 12");
	CHECK(config_value(text, "E", value, sizeof(value)));
	CHECK_STR(value, "");
	CHECK(!config_value(text, "B", value, sizeof(value)));
}

static void files_of_modules(void)
{
	char path[256];

	root_make();
	root_put("etc/os-release", "ID=debian\n");
	root_put("lib/modules/6.1.0/modules.dep", "kernel/xcxfw.ko:\nkernel/cxfw.ko.foo:\nextra/a/cxfw.ko.zst: x.ko\n");
	root_put("lib/modules/6.1.0/kernel/xcxfw.ko", "");
	root_read(&host, "6.1.0");
	CHECK(!module_file(&host, "cxfw", path, sizeof(path)));
	root_put("lib/modules/6.1.0/updates/cxfw.ko", "");
	CHECK(module_file(&host, "cxfw", path, sizeof(path)));
	CHECK_STR(path, "lib/modules/6.1.0/updates/cxfw.ko");
	root_put("lib/modules/6.1.0/extra/a/cxfw.ko.zst", "");
	CHECK(module_file(&host, "cxfw", path, sizeof(path)));
	CHECK_STR(path, "lib/modules/6.1.0/extra/a/cxfw.ko.zst");
	root_remove();
}

/* What --fix may do: this link, and only when the headers are those of the kernel. */
static void link_to_mend(void)
{
	struct finding *finding;

	root_make();
	root_put("etc/os-release", "ID=openEuler\n");
	root_directory("var/lib/rpm");
	root_put("usr/src/kernels/5.10.0-1/Makefile", "");
	root_put("usr/src/kernels/5.10.0-1/include/generated/utsrelease.h", "#define UTS_RELEASE \"5.10.0-1\"\n");
	root_link("lib/modules/5.10.0-1/build", "/gone");
	root_read(&host, "5.10.0-1");
	doctor.count = 0;
	check_build(&doctor);
	finding = &doctor.findings[0];
	CHECK_STR(finding->id, "build-link-wrong");
	CHECK_EQ(finding->fix.kind, FIX_LINK);
	CHECK_STR(finding->fix.link, "/lib/modules/5.10.0-1/build");
	CHECK_STR(finding->fix.target, "/usr/src/kernels/5.10.0-1");
	root_put("usr/src/kernels/5.10.0-1/include/generated/utsrelease.h", "#define UTS_RELEASE \"5.10.0-2\"\n");
	doctor.count = 0;
	check_build(&doctor);
	CHECK_STR(finding->id, "headers-other-kernel");
	CHECK_EQ(finding->fix.kind, FIX_NONE);
	root_remove();
}

/* A gcc of our own on the PATH, and what doctor says of it. */
static void judge_gcc(const char *script)
{
	static const char config[] = "#\nCONFIG_GCC_VERSION=120300\n";
	char *path, *before = strdup(getenv("PATH")), text[256];
	struct tree tree = { .path = "nowhere", .config = (char *)config };

	root_make();
	root_put("gcc", script);
	snprintf(text, sizeof(text), "%s/gcc", fixture_root);
	CHECK(!chmod(text, 0755));
	REQUIRE(asprintf(&path, "%s:%s", fixture_root, before) > 0);
	memset(&host, 0, sizeof(host));
	host.live = true;
	strcpy(host.release, "6.6.0-76-generic");
	doctor.count = 0;
	setenv("PATH", path, 1);
	check_compiler(&doctor, &tree);
	setenv("PATH", before, 1);
	free(path);
	free(before);
	root_remove();
}

/* Kylin V11's complains on every call, and works: its exit status counts. */
static void compiler_that_complains(void)
{
	judge_gcc("#!/bin/sh\necho 'grep: /CurrentlyBuilding: No such file or directory' >&2\necho 12\n");
	CHECK_EQ(doctor.count, 1);
	CHECK(found("compiler-complains"));
	CHECK_EQ(doctor.findings[0].severity, SEVERITY_NOTE);
	CHECK(strstr(doctor.findings[0].what, "grep: /CurrentlyBuilding"));
}

static void compilers(void)
{
	judge_gcc("#!/bin/sh\necho 12\n");
	CHECK_EQ(doctor.count, 0);
	judge_gcc("#!/bin/sh\necho 11.4.0\n");
	CHECK(found("compiler-older"));
	judge_gcc("#!/bin/sh\necho 13\n");
	CHECK(found("compiler-newer"));
	judge_gcc("#!/bin/sh\necho 'cannot map segment' >&2\nexit 1\n");
	CHECK(found("compiler-does-not-run"));
}

static const struct ktap_test tests[] = {
	KTAP_TEST(table_of_findings_full),
	KTAP_TEST(commands_that_install),
	KTAP_TEST(temporary_directories),
	KTAP_TEST(locks),
	KTAP_TEST(programs),
	KTAP_TEST(programs_that_hang),
	KTAP_TEST(keys_of_the_kernel),
	KTAP_TEST(lists_of_firmware_that_lie),
	KTAP_TEST(configurations),
	KTAP_TEST(files_of_modules),
	KTAP_TEST(link_to_mend),
	KTAP_TEST(compiler_that_complains),
	KTAP_TEST(compilers),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
