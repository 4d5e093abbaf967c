# SPDX-License-Identifier: GPL-2.0-only
# Makers of test data: cxsim-image writes synthetic images and flash contents with the model's own
# maker, cxctl-test-image firmware of every format and containers with selftests/lib/synthetic*.c.

TOOLS_CFLAGS := -std=gnu11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Wno-missing-field-initializers $(TOOLS_CFLAGS_MORE)

$(BUILD)/cxsim-image: selftests/lib/cxsim-image.c $(wildcard kmod/cxsim/model/*.[ch])
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(TOOLS_CFLAGS) -o $@ $(filter %.c,$^)

$(BUILD)/cxctl-test-image: selftests/lib/test-image.c $(wildcard selftests/lib/synthetic*.[ch])
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(TOOLS_CFLAGS) -o $@ $(filter %.c,$^) -lcrypto -lz -llzma
