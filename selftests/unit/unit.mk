# SPDX-License-Identifier: GPL-2.0-only
# Unit tests: every selftests/unit/test_NAME.c is a program of its own, with ASan and UBSan,
# linked with the simulated card, the driver's floors over a shim of the kernel's headers,
# the image library and the tool's lower floors. Sources are found by name; no list to keep.

UNIT := $(BUILD)/unit
UNIT_CC ?= $(CC)
UNIT_CFLAGS := -std=gnu11 -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined \
	-fno-sanitize-recover=undefined -Wall -Wextra -Werror -Wno-unused-parameter \
	-Wno-missing-field-initializers -Wno-sign-compare

MODEL_SOURCES := $(wildcard kmod/cxsim/model/*.c)
# Floors are those below the cards: the rest of the driver is Linux through and through.
FLOOR_SOURCES := $(filter-out $(addprefix kmod/cxfw/,main.c netlink.c chardev.c event.c job.c card.c pci.c \
	stage.c lockdown.c facts.c registry.c sha256.c activate.c),$(wildcard kmod/cxfw/*.c)) $(wildcard selftests/unit/shim/*.c)
IMAGE_SOURCES := $(wildcard user/image/*.c user/container/*.c)
# Of the commands only what judges and decides, without a card.
TOOL_SOURCES := $(wildcard $(foreach d,base device host doctor,user/$(d)/*.c) \
	user/cxctl/burn_guard*.c user/cxctl/burn_facts.c user/cxctl/burn_identity*.c)
UNIT_SHARED := selftests/lib/ktap.c $(wildcard selftests/lib/synthetic*.c) \
	$(addprefix selftests/fuzz/,common.c mend.c mutate.c fuzz_image.c) \
	$(filter-out selftests/unit/test_%,$(wildcard selftests/unit/*.c))
UNIT_TESTS := $(patsubst selftests/unit/%.c,$(UNIT)/%,$(wildcard selftests/unit/test_*.c))

unit_objects = $(patsubst %.c,$(UNIT)/%.o,$(1))

$(UNIT)/libmodel.a: $(call unit_objects,$(MODEL_SOURCES))
$(UNIT)/libfloors.a: $(call unit_objects,$(FLOOR_SOURCES))
$(UNIT)/libimage.a: $(call unit_objects,$(IMAGE_SOURCES))
$(UNIT)/libtool.a: $(call unit_objects,$(TOOL_SOURCES))
$(UNIT)/libshared.a: $(call unit_objects,$(UNIT_SHARED))
$(UNIT)/%.a:
	@rm -f $@
	@ar rcs $@ $^

# The model and the image library are plain C; floors and tests see the shim as the kernel.
$(UNIT)/kmod/cxsim/model/%.o: UNIT_INCLUDE :=
$(UNIT)/user/%.o: UNIT_INCLUDE := -D_GNU_SOURCE
UNIT_INCLUDE := -D_GNU_SOURCE -Iselftests/unit/shim

$(UNIT)/%.o: %.c selftests/unit/unit.mk
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(UNIT_CC) $(UNIT_CFLAGS) $(UNIT_INCLUDE) -MMD -MP -c -o $@ $<

UNIT_LIBRARIES := $(addprefix $(UNIT)/,libshared.a libfloors.a libimage.a libmodel.a libtool.a)

$(UNIT)/test_%: $(UNIT)/selftests/unit/test_%.o $(UNIT_LIBRARIES)
	$(call say,LINK,$@)
	$(Q)$(UNIT_CC) $(UNIT_CFLAGS) -o $@ $< -Wl,--start-group $(filter %.a,$^) -Wl,--end-group \
		-lmnl -lkmod -ljson-c -lcrypto -lz -llzma -lm

unit-tests: $(UNIT_TESTS)

list-unit-tests:
	@echo $(UNIT_TESTS)

.PHONY: unit-tests list-unit-tests
.SECONDARY:

-include $(shell find $(UNIT) -name '*.d' 2>/dev/null)
