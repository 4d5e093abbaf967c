# SPDX-License-Identifier: GPL-2.0-only
# Fuzzers: every selftests/fuzz/fuzz_NAME.c is a program of libFuzzer's, with ASan and UBSan, linked
# with the readers of images and containers. selftests/fuzz/run.sh runs one.

FUZZ := $(BUILD)/fuzz
FUZZ_CC ?= clang
FUZZ_CFLAGS := -std=gnu11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -O1 -g -fno-omit-frame-pointer \
	-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -Wall -Wextra -Werror \
	-Wno-unused-parameter -Wno-missing-field-initializers -Wno-unused-function

FUZZ_SOURCES := $(wildcard user/base/*.c user/image/*.c user/container/*.c selftests/lib/synthetic*.c) \
	$(filter-out selftests/fuzz/fuzz_%,$(wildcard selftests/fuzz/*.c))
FUZZERS := $(patsubst selftests/fuzz/%.c,$(FUZZ)/%,$(wildcard selftests/fuzz/fuzz_*.c))

$(FUZZ)/%.o: %.c selftests/fuzz/fuzz.mk
	@mkdir -p $(@D)
	$(call say,FUZZ,$<)
	$(Q)$(FUZZ_CC) $(FUZZ_CFLAGS) -MMD -MP -c -o $@ $<

$(FUZZ)/libfuzzed.a: $(FUZZ_SOURCES:%.c=$(FUZZ)/%.o)
	@rm -f $@
	@ar rcs $@ $^

$(FUZZ)/fuzz_%: $(FUZZ)/selftests/fuzz/fuzz_%.o $(FUZZ)/libfuzzed.a
	$(call say,LINK,$@)
	$(Q)$(FUZZ_CC) -fsanitize=fuzzer,address,undefined -o $@ $^ -ljson-c -lcrypto -lz -llzma

fuzzers: $(FUZZERS)

list-fuzzers:
	@echo $(patsubst $(FUZZ)/fuzz_%,%,$(FUZZERS))

.PHONY: fuzzers list-fuzzers

-include $(shell find $(FUZZ) -name '*.d' 2>/dev/null)
