# SPDX-License-Identifier: GPL-2.0-only
# make -f selftests/vm/vm.mk BUILD=DIRECTORY: the test programs that run in the virtual machine.

BUILD ?= build
CC ?= gcc
VM_CFLAGS := -std=gnu11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Werror -Wno-missing-field-initializers

$(BUILD)/driver-test: selftests/vm/driver.c selftests/vm/client.c selftests/lib/ktap.c \
		$(wildcard kmod/cxsim/model/*.c) $(wildcard kmod/cxsim/model/*.h) kmod/uapi/cxfw.h \
		selftests/vm/client.h selftests/lib/ktap.h selftests/vm/vm.mk
	@mkdir -p $(@D)
	$(CC) $(VM_CFLAGS) -o $@ $(filter %.c,$^) -lcrypto -lpthread

# The driver's client for component updates and resets, and one without manners.
$(BUILD)/component-test $(BUILD)/hostile-test: $(BUILD)/%-test: selftests/vm/%.c selftests/vm/client.c \
		selftests/lib/ktap.c kmod/uapi/cxfw.h selftests/vm/client.h selftests/lib/ktap.h selftests/vm/vm.mk
	@mkdir -p $(@D)
	$(CC) $(VM_CFLAGS) -o $@ $(filter %.c,$^) -lcrypto

$(BUILD)/devlink-flash-test: selftests/vm/devlink-flash.c user/device/devlink_flash.c user/device/genl.c \
		user/base/error.c user/base/message.c user/base/text.c user/device/devlink_flash.h user/device/genl.h \
		user/device/device.h selftests/vm/vm.mk
	@mkdir -p $(@D)
	$(CC) $(VM_CFLAGS) -o $@ $(filter %.c,$^) -lmnl -lpthread
