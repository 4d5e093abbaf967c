// SPDX-License-Identifier: GPL-2.0-only
/* The short run of the fuzzer, with the unit tests. */
#include "../fuzz/fuzz_image.c"
