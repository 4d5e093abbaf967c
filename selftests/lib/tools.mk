# SPDX-License-Identifier: GPL-2.0-only
# cxsim-image: writes synthetic images and flash contents, with the model's own maker.

TOOLS_CFLAGS := -std=gnu11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Wno-missing-field-initializers

$(BUILD)/cxsim-image: selftests/lib/cxsim-image.c $(wildcard kmod/cxsim/model/*.[ch])
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(TOOLS_CFLAGS) -o $@ $(filter %.c,$^)
