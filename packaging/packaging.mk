# SPDX-License-Identifier: GPL-2.0-only
# Installing, DKMS, packages. DESTDIR and PREFIX as everywhere.

PREFIX ?= /usr/local
VERSION := $(shell sed -n 's/.*CXCTL_VERSION "\(.*\)".*/\1/p' user/cxctl/command.h)
LIBDIR ?= $(PREFIX)/lib
# Below /usr/local old udev looks for no rules.
UDEVDIR ?= $(if $(filter /usr,$(PREFIX)),/usr/lib/udev,/etc/udev)
INSTALL ?= install
MODULE_SOURCES := $(foreach m,cxfw cxsim,/usr/src/$(m)-$(VERSION))

# FROM:TO:MODE of all that "make install" puts on a machine, and "make uninstall" takes away.
TOOL_FILES = \
	$(BUILD)/cxctl:$(PREFIX)/bin/cxctl:755 \
	Documentation/man/cxctl.8:$(PREFIX)/share/man/man8/cxctl.8:644 \
	packaging/bash-completion/cxctl:$(PREFIX)/share/bash-completion/completions/cxctl:644 \
	packaging/systemd/cxctl-activate.service:$(LIBDIR)/systemd/system/cxctl-activate.service:644 \
	packaging/udev/60-cxctl.rules:$(UDEVDIR)/rules.d/60-cxctl.rules:644 \
	$(foreach l,$(PO_LANGUAGES),$(BUILD)/locale/$(l)/LC_MESSAGES/cxctl.mo:$(PREFIX)/share/locale/$(l)/LC_MESSAGES/cxctl.mo:644)

# What stands beside the modules' sources: how they are built anew and signed, when they are loaded.
MODULE_FILES = \
	packaging/modules/rebuild-modules:$(LIBDIR)/cxctl/rebuild-modules:755 \
	packaging/modules/sign-module:$(LIBDIR)/cxctl/sign-module:755 \
	packaging/udev/60-cxfw-load.rules:$(UDEVDIR)/rules.d/60-cxfw-load.rules:644

# For hosts without DKMS: who calls rebuild-modules when a kernel comes.
HOOK_FILES = \
	packaging/hooks/kernel-postinst:/etc/kernel/postinst.d/zz-cxctl:755 \
	packaging/hooks/kernel-install:/usr/lib/kernel/install.d/60-cxctl.install:755

# The messages' directory is compiled in: another PREFIX compiles that file anew.
$(BUILD)/obj/user/base/message.o: CPPFLAGS += -DLOCALEDIR='"$(PREFIX)/share/locale"'
$(BUILD)/obj/user/base/message.o: $(BUILD)/obj/prefix
$(BUILD)/obj/prefix: FORCE
	@mkdir -p $(@D)
	@echo '$(PREFIX)' | cmp -s - $@ || echo '$(PREFIX)' >$@
FORCE:

part = $(word $(1),$(subst :, ,$(2)))
# The file, with this installation's directories in it where it names any.
define put
	$(Q)$(INSTALL) -D -m $(call part,3,$(1)) $(call part,1,$(1)) $(DESTDIR)$(call part,2,$(1))
	$(Q)case $(1) in packaging/systemd/*|packaging/hooks/*) \
		sed -i -e 's,/usr/bin/cxctl,$(PREFIX)/bin/cxctl,; s,@LIBDIR@,$(LIBDIR),' $(DESTDIR)$(call part,2,$(1)) ;; esac

endef
putall = $(foreach f,$(1),$(call put,$(f)))
places = $(foreach f,$(1),$(DESTDIR)$(call part,2,$(f)))

install: all ## the tool, its manual, completion, messages, unit and udev rule (PREFIX=/usr/local, DESTDIR=)
	$(call putall,$(TOOL_FILES))

install-module-files:
	$(call putall,$(MODULE_FILES))
	$(Q)for module in cxfw cxsim; do \
		packaging/modules/source.sh $$module $(VERSION) $(DESTDIR)/usr/src/$$module-$(VERSION) || exit 1; done

dkms: install-module-files ## register, build and install both modules with DKMS (KERNEL=release; else this one)
	@packaging/modules/dkms.sh install $(VERSION) $(KERNEL)

install-hook: install-module-files ## no DKMS: build both modules now, and again whenever a kernel comes
	$(call putall,$(HOOK_FILES))
	$(if $(DESTDIR),,$(LIBDIR)/cxctl/rebuild-modules $(KERNEL))

uninstall: ## take away what install, dkms and install-hook put there; backups and journal stay
	$(if $(DESTDIR),,@packaging/modules/dkms.sh remove $(VERSION))
	rm -f $(call places,$(TOOL_FILES) $(MODULE_FILES) $(HOOK_FILES))
	rm -rf $(addprefix $(DESTDIR),$(MODULE_SOURCES) $(LIBDIR)/cxctl /var/lib/cxfw)

kmod-package: ## a package of both modules, prebuilt for one kernel (KERNEL=release or KDIR=headers; FORMAT=deb|rpm|tar)
	@FORMAT=$(FORMAT) scripts/package-kmod.sh $(VERSION) "$(if $(filter command line environment,$(origin KDIR)),$(KDIR))" $(KERNEL)

deb: ## Debian packages cxctl, cxfw-dkms, cxsim-dkms: build/packages
	@scripts/package-deb.sh $(VERSION)

rpm: ## rpm packages of the same: build/packages
	@scripts/package-rpm.sh $(VERSION)

offline-bundle: all ## one file with tool, sources and prebuilt modules, which installs itself (KDIRS="headers…")
	@scripts/package-bundle.sh $(VERSION) $(KDIRS)

check-packages: | set-up-test ## packages built, installed, removed in clean Debian roots, which it makes
	@scripts/setup.sh packages
	@scripts/check.sh packages

.PHONY: FORCE install install-module-files dkms install-hook uninstall kmod-package deb rpm offline-bundle check-packages
