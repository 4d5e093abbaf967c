// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ktap.h"

static bool failed, skipped;
static unsigned long long seed;

void ktap_fail(const char *file, int line, const char *format, ...)
{
	va_list arguments;

	failed = true;
	va_start(arguments, format);
	printf("# %s:%d: ", file, line);
	vprintf(format, arguments);
	printf("\n");
	va_end(arguments);
}

void ktap_skip(const char *format, ...)
{
	va_list arguments;

	skipped = true;
	va_start(arguments, format);
	printf("# skipped: ");
	vprintf(format, arguments);
	printf("\n");
	va_end(arguments);
}

void ktap_note(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	printf("# ");
	vprintf(format, arguments);
	printf("\n");
	va_end(arguments);
}

bool ktap_failed(void)
{
	return failed;
}

unsigned long long ktap_seed(void)
{
	const char *given = getenv("SEED");

	if (!seed) {
		seed = given ? strtoull(given, NULL, 0) : (unsigned long long)time(NULL) * 2654435761u;
		seed |= 1;
		printf("# SEED=%llu\n", seed);
	}
	return seed;
}

int ktap_main(int argc, char **argv, const struct ktap_test *tests, size_t count)
{
	size_t bad = 0, left_out = 0, chosen = 0, number = 0;
	const char *only = argc > 1 ? argv[1] : NULL;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < count; i++)
		chosen += !only || strstr(tests[i].name, only);
	printf("KTAP version 1\n1..%zu\n", chosen);
	for (size_t i = 0; i < count; i++) {
		if (only && !strstr(tests[i].name, only))
			continue;
		failed = skipped = false;
		tests[i].run();
		bad += failed;
		left_out += skipped && !failed;
		printf("%sok %zu %s%s\n", failed ? "not " : "", ++number, tests[i].name,
		       skipped && !failed ? " # SKIP" : "");
	}
	if (bad)
		return 1;
	return chosen && left_out == chosen ? 4 : 0;
}
