// SPDX-License-Identifier: GPL-2.0-only
/* Does this kernel load modules that nobody signed, and is the key of cxfw one that it trusts? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/message.h"
#include "../host/machine.h"
#include "module_file.h"
#include "signing.h"
#include "tree.h"

#define SECURE_BOOT "sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"

struct guard {
	int secure_boot;	/* 1 on, 0 off, -1 not known */
	bool efi;
	enum lockdown lockdown;
	const char *enforced;	/* what demands signatures, not translated; NULL: nothing */
};

static int read_secure_boot(const struct host *host)
{
	size_t length;
	char *bytes = host_bytes(host, &length, SECURE_BOOT);
	int on = bytes && length >= 5 ? bytes[4] == 1 : -1;

	free(bytes);
	return on;
}

/* The configuration of the kernel, of its headers if it has none of its own. */
static bool config_forces_signatures(const struct host *host)
{
	char *config = host_text(host, "boot/config-%s", host->release);
	bool forced;

	if (!config)
		config = host_text(host, "lib/modules/%s/build/.config", host->release);
	forced = config_yes(config, "MODULE_SIG_FORCE");
	free(config);
	return forced;
}

static bool command_line_forces_signatures(const struct host *host)
{
	char text[4096], *word, *rest;

	if (host_file(host, text, sizeof(text), "proc/cmdline") <= 0)
		return false;
	for (word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		if (!strcmp(word, "module.sig_enforce") || !strcmp(word, "module.sig_enforce=1") ||
		    !strcasecmp(word, "module.sig_enforce=y"))
			return true;
	return false;
}

static const char *who_enforces(const struct host *host, enum lockdown lockdown)
{
	char text[16];

	if (host_file(host, text, sizeof(text), "sys/module/module/parameters/sig_enforce") > 0 && text[0] == 'N')
		return lockdown >= LOCKDOWN_INTEGRITY ? "lockdown" : NULL;
	if (config_forces_signatures(host))
		return "CONFIG_MODULE_SIG_FORCE";
	if (command_line_forces_signatures(host))
		return "module.sig_enforce";
	if (text[0] == 'Y')
		return "/sys/module/module/parameters/sig_enforce";
	return lockdown >= LOCKDOWN_INTEGRITY ? "lockdown" : NULL;
}

static void read_guard(const struct host *host, struct guard *guard)
{
	char text[128];

	guard->efi = host_has(host, "sys/firmware/efi");
	guard->secure_boot = read_secure_boot(host);
	guard->lockdown = host_file(host, text, sizeof(text), "sys/kernel/security/lockdown") > 0 ?
			  lockdown_parse(text) : LOCKDOWN_UNKNOWN;
	guard->enforced = who_enforces(host, guard->lockdown);
}

static void report_guard(struct doctor *doctor, const struct guard *guard)
{
	struct finding *finding;

	if (guard->secure_boot == 1)
		doctor_find(doctor, "security", SEVERITY_NOTE, "secure-boot", _("Secure Boot is on"));
	else if (guard->secure_boot == 0)
		doctor_find(doctor, "security", SEVERITY_OK, "secure-boot-off", _("Secure Boot is off"));
	if (guard->lockdown >= LOCKDOWN_INTEGRITY) {
		finding = doctor_find(doctor, "security", SEVERITY_NOTE, "lockdown", _("the kernel is locked down: %s"),
				      lockdown_name(guard->lockdown));
		finding_why(finding, _("Only signed modules are loaded, and no program reaches a card's registers: cards are "
				       "burned by cxfw, signed, or by their own driver (devlink)."));
	}
	if (guard->enforced)
		doctor_find(doctor, "security", SEVERITY_NOTE, "signatures-enforced",
			    _("this kernel loads signed modules only (%s)"), guard->enforced);
}

/* The key pairs that are used here to sign modules; the first that is there. */
static const struct {
	const char *key, *certificate;
} pairs[] = {
	{ "var/lib/dkms/mok.key", "var/lib/dkms/mok.pub" },
	{ "var/lib/shim-signed/mok/MOK.priv", "var/lib/shim-signed/mok/MOK.der" },
	{ "etc/cxctl/mok.key", "etc/cxctl/mok.der" },
};

/* Signs with the key that is here, or makes one and has the firmware enroll it. */
static void command_to_sign(struct finding *finding, const struct host *host)
{
	size_t i;

	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (host_has(host, "%s", pairs[i].key) && host_has(host, "%s", pairs[i].certificate)) {
			finding_command(finding, "make modules install MODSIGN_KEY=/%s MODSIGN_CERT=/%s", pairs[i].key,
					pairs[i].certificate);
			return;
		}
	finding_command(finding, "mkdir -p /etc/cxctl && openssl req -new -x509 -newkey rsa:2048 -nodes -days 3650 -outform DER "
			"-subj '/CN=cxctl modules/' -keyout /etc/cxctl/mok.key -out /etc/cxctl/mok.der && "
			"mokutil --import /etc/cxctl/mok.der && "
			"make modules install MODSIGN_KEY=/etc/cxctl/mok.key MODSIGN_CERT=/etc/cxctl/mok.der");
}

static void report_unsigned(struct doctor *doctor, const struct guard *guard, const char *file)
{
	struct finding *finding;

	if (guard->enforced) {
		finding = doctor_find(doctor, "security", SEVERITY_ERROR, "module-unsigned",
				      _("/%s is not signed, and this kernel refuses it (%s)"), file, guard->enforced);
		command_to_sign(finding, doctor->host);
		finding_why(finding, guard->efi ?
			    _("A module is signed with a key that the machine's owner has enrolled (MOK): the next boot asks "
			      "for it, at the console.") :
			    _("Without UEFI no key can be enrolled: the kernel trusts the keys that it was built with only."));
		if (!guard->efi)
			finding_command(finding, "%s", "");
		return;
	}
	finding = doctor_find(doctor, "security", SEVERITY_NOTE, "module-unsigned-allowed", _("/%s is not signed"), file);
	finding_why(finding, _("This kernel loads it and marks itself tainted; with Secure Boot it may not."));
}

/* A signature of which the kernel does not know the key. */
static void report_key(struct doctor *doctor, const struct guard *guard, const char *file,
		       const struct signing *signing)
{
	const struct host *host = doctor->host;
	struct finding *finding;

	finding = doctor_find(doctor, "security", guard->enforced ? SEVERITY_ERROR : SEVERITY_NOTE, "module-key-unknown",
			      _("/%s is signed by \"%s\", a key that this kernel does not trust"), file, signing->signer);
	if (signing_pending(host)) {
		finding_why(finding, _("A key waits to be enrolled: the next boot asks for it, at the console."));
		finding_command(finding, "reboot");
	} else if (signing->enrolled) {
		finding_why(finding, _("The firmware has the key as its owner's (MOK), but this kernel takes only its own keys "
				       "for modules: use a module that the system's vendor signed, or another kernel."));
	} else if (!guard->efi) {
		finding_why(finding,
			    _("Without UEFI no key can be enrolled: the kernel trusts the keys that it was built with only."));
	} else {
		finding_why(finding, _("The next boot asks, at the console, whether to enroll the key (MOK): have the password ready."));
		finding_command(finding, "mokutil --import /%s && reboot",
				signing->certificate[0] ? signing->certificate : "etc/cxctl/mok.der");
	}
}

static void report_signed(struct doctor *doctor, const struct guard *guard, const char *file,
			  const struct signing *signing)
{
	struct finding *finding;

	if (signing->trust == TRUST_YES) {
		doctor_find(doctor, "security", SEVERITY_OK, "module-trusted",
			    _("/%s is signed by \"%s\", a key that this kernel trusts"), file, signing->signer);
	} else if (signing->trust == TRUST_NONE) {
		report_key(doctor, guard, file, signing);
	} else {
		finding = doctor_find(doctor, "security", guard->enforced ? SEVERITY_WARNING : SEVERITY_NOTE,
				      "module-key-unverified",
				      _("/%s is signed by \"%s\"; whether this kernel trusts the key cannot be told"), file,
				      signing->signer);
		finding_why(finding, _("Keys of the kernel are shown to root only, and those of another system not at all."));
		finding_command(finding, "keyctl list %%:.builtin_trusted_keys; keyctl list %%:.secondary_trusted_keys; "
				"mokutil --list-enrolled");
	}
}

static void check_module(struct doctor *doctor, const struct guard *guard)
{
	const struct host *host = doctor->host;
	struct signing signing;
	struct finding *finding;
	char file[256];

	if (!module_file(host, "cxfw", file, sizeof(file))) {
		if (!guard->enforced && guard->secure_boot != 1)
			return;
		finding = doctor_find(doctor, "security", SEVERITY_NOTE, "module-to-sign",
				      _("cxfw must be signed before this kernel loads it"));
		command_to_sign(finding, host);
		return;
	}
	if (!signing_read(host, file, &signing))
		doctor_find(doctor, "security", SEVERITY_WARNING, "module-unreadable", _("/%s cannot be read as a module"),
			    file);
	else if (!signing.is_signed)
		report_unsigned(doctor, guard, file);
	else
		report_signed(doctor, guard, file, &signing);
}

/* Execution control of Kylin covers modules, too. */
static void check_kysec_label(struct doctor *doctor)
{
	const struct host *host = doctor->host;
	struct finding *finding;
	char file[256];

	if (!host->kysec || !module_file(host, "cxfw", file, sizeof(file)))
		return;
	finding = doctor_find(doctor, "security", SEVERITY_NOTE, "kysec-module",
			      _("KYSEC may refuse /%s when it did not come in a package"), file);
	finding_why(finding, _("modprobe says \"Operation not permitted\" then, and the kernel's log nothing about signatures."));
	finding_command(finding, "kysec_set -n exectl -v verified /%s", file);
}

/* UOS checks signatures of programs, not of modules. */
static void check_uos_programs(struct doctor *doctor)
{
	static const char *const signs[] = { "usr/share/deepin-elf-verify", "usr/sbin/deepin-elf-verify",
					     "usr/bin/deepin-elf-verify", NULL };
	struct finding *finding;

	if (!host_has_any(doctor->host, signs))
		return;
	finding = doctor_find(doctor, "security", SEVERITY_NOTE, "program-signatures",
			      _("this system checks signatures of programs (deepin-elf-verify)"));
	finding_why(finding, _("It may stop cxctl, which the vendor did not sign: developer mode, in the control centre, allows it."));
}

void check_security(struct doctor *doctor)
{
	struct guard guard;

	read_guard(doctor->host, &guard);
	report_guard(doctor, &guard);
	check_module(doctor, &guard);
	check_kysec_label(doctor);
	check_uos_programs(doctor);
}
