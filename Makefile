# SPDX-License-Identifier: GPL-2.0-only
# The front door. "make help" shows what there is.

BUILD ?= build
export BUILD

CC ?= gcc
CFLAGS ?= -O2 -g
WARNINGS := -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes -Wdeclaration-after-statement \
	-Wno-missing-field-initializers
PKG_CONFIG ?= pkg-config
LIBRARIES := libmnl libkmod json-c libcrypto zlib liblzma

include selftests/unit/unit.mk
include selftests/lib/tools.mk
include selftests/fuzz/fuzz.mk
include po/po.mk
include packaging/packaging.mk

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
# make V=1 shows the commands.
Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),,@printf '  %-6s %s\n' $(1) $(patsubst $(CURDIR)/%,%,$(2)))

MAKEFLAGS += --no-print-directory

all: $(BUILD)/cxctl ## the tool: build/cxctl

# --- the tool ------------------------------------------------------------------------------

CXCTL_SOURCES := $(wildcard $(foreach d,base image container device host doctor cxctl,user/$(d)/*.c))
CXCTL_OBJECTS := $(CXCTL_SOURCES:%.c=$(BUILD)/obj/%.o)
# Asked when a recipe runs, which is after the set-up.
CXCTL_CFLAGS = -std=gnu11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 $(WARNINGS) \
	$(shell $(PKG_CONFIG) --cflags $(LIBRARIES))
CXCTL_LIBS = -pthread $(shell $(PKG_CONFIG) --libs $(LIBRARIES))

$(BUILD)/cxctl: $(CXCTL_OBJECTS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(CXCTL_LIBS)

$(BUILD)/obj/%.o: %.c Makefile | set-up-build
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(CXCTL_CFLAGS) -MMD -MP -c -o $@ $<

-include $(CXCTL_OBJECTS:.o=.d)

# --- the kernel modules --------------------------------------------------------------------

KDIR ?= /lib/modules/$(shell uname -r)/build

modules: ## cxfw.ko and cxsim.ko for the kernel whose headers lie in KDIR
	@kmod/compat/check-tree.sh "$(KDIR)"
	$(MAKE) -C $(KDIR) M=$(CURDIR)/kmod modules
	$(if $(MODSIGN_KEY),packaging/modules/sign-module $(MODSIGN_KEY) $(MODSIGN_CERT) kmod/*/*.ko)

# modules-6.1 and so on: for Debian's kernels, whose headers are fetched.
modules-%: | set-up-test
	scripts/build-modules.sh $*

# --- see it work ---------------------------------------------------------------------------

DEMO_KERNEL ?= 6.1
KERNELS := $(or $(KERNEL),5.10 6.1 6.12 7.3)

demo: all simulation | set-up-test ## simulated cards listed, explained, backed up, burned: in a virtual machine
	@scripts/demo.sh $(DEMO_KERNEL)

try: all simulation | set-up-test ## a shell in a virtual machine with cards plugged in (KERNEL=6.1)
	@scripts/build-modules.sh $(firstword $(KERNEL) $(DEMO_KERNEL))
	@scripts/vm.sh $(firstword $(KERNEL) $(DEMO_KERNEL)) shell $(BUILD)/cxsim-image:/usr/bin/cxsim-image

simulation: $(BUILD)/cxsim-image $(BUILD)/cxctl-test-image

# --- checks --------------------------------------------------------------------------------

check: all simulation | set-up ## everything short: lint, unit, power cuts, fuzz, vm on every kernel, peer, speed goals
	@scripts/check.sh lint unit doctor powercut fuzz vm peer bench

check-unit: | set-up-test ## unit tests with sanitizers: formats, driver floors against the model; the commands
	@scripts/check.sh unit

check-doctor: all | set-up-test ## advice of cxctl doctor on every known system and failure, compared as data (TEST=name)
	@TEST="$(TEST)" scripts/check.sh doctor

check-powercut: | set-up-test ## power fails at every flash operation of a burn, and at every pair: no bricks
	@scripts/check.sh powercut

check-fuzz: simulation | set-up ## libFuzzer over every reader of images and containers (FUZZ_SECONDS=20 each)
	@scripts/check.sh fuzz

check-vm: all simulation | set-up-test ## kselftests in virtual machines (KERNEL=5.10|6.1|6.12|7.3, TEST=name)
	@KERNELS="$(KERNELS)" TEST="$(TEST)" scripts/check.sh vm

check-debug: all simulation | set-up-test ## the same on a kernel with KASAN, UBSAN, lockdep and kmemleak that is built first (TEST=name)
	@TEST="$(TEST)" scripts/check.sh debug

check-peer: all simulation | set-up-test ## Debian's mstflint, two versions, against cxctl, cards and images
	@scripts/check.sh peer

bench: all simulation | set-up-test ## accesses and CPU time, ours against mstflint's; writes build/bench.json
	@scripts/bench.sh $(DEMO_KERNEL)

lint: | set-up ## gcc, clang, sparse, checkpatch, W=1 on every kernel
	@scripts/lint.sh

# --- this machine --------------------------------------------------------------------------

set-up: ## install the packages that build and tests need (apt), if any is missing
	@scripts/setup.sh lint
set-up-build:
	@scripts/setup.sh build
set-up-test:
	@scripts/setup.sh test

clean: ## remove what was built; fetched kernels stay (make distclean removes those too)
	rm -rf $(BUILD)/cxctl $(BUILD)/obj $(BUILD)/unit $(BUILD)/modules $(BUILD)/vm $(BUILD)/check \
		$(BUILD)/cxsim-image $(BUILD)/cxctl-test-image $(BUILD)/fuzz $(BUILD)/bench.json

distclean: clean
	rm -rf $(BUILD)

help: ## this list
	@echo "Targets:"
	@sed -n -E 's/^([a-z-]+):[^#]*## (.*)/\1\t\2/p' $(firstword $(MAKEFILE_LIST)) packaging/packaging.mk | \
		awk -F'\t' '{ printf "  %-15s %s\n", $$1, $$2 }'

.PHONY: all modules demo try simulation check check-unit check-doctor check-powercut check-fuzz check-vm check-debug \
	check-peer bench lint set-up set-up-build set-up-test clean distclean help
