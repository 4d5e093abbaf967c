/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KTAP, version 1, for test programs. A test is a function that calls CHECK(); a program
 * is a table of tests and ktap_main(). Exit status: 0 all passed, 1 some failed, 4 all
 * skipped, as kselftest wants it.
 */
#ifndef KTAP_H
#define KTAP_H

#include <stdbool.h>
#include <stddef.h>

struct ktap_test {
	const char *name;
	void (*run)(void);
};

#define KTAP_TEST(function) { #function, function }

int ktap_main(int argc, char **argv, const struct ktap_test *tests, size_t count);

/* Marks the running test as failed, says where and what, and goes on. */
__attribute__((format(printf, 3, 4)))
void ktap_fail(const char *file, int line, const char *format, ...);
__attribute__((format(printf, 1, 2)))
void ktap_skip(const char *format, ...);
__attribute__((format(printf, 1, 2)))
void ktap_note(const char *format, ...);
bool ktap_failed(void);

/* The seed of random tests: printed once, taken from the environment's SEED if set. */
unsigned long long ktap_seed(void);

#define CHECK(condition) \
	((condition) ? true : (ktap_fail(__FILE__, __LINE__, "%s", #condition), false))
#define CHECK_EQ(a, b) do { \
	unsigned long long ktap_a = (unsigned long long)(a), ktap_b = (unsigned long long)(b); \
	if (ktap_a != ktap_b) \
		ktap_fail(__FILE__, __LINE__, "%s is %#llx, expected %s, %#llx", #a, ktap_a, #b, ktap_b); \
} while (0)
#define CHECK_STR(a, b) do { \
	const char *ktap_a = (a), *ktap_b = (b); \
	if (strcmp(ktap_a, ktap_b)) \
		ktap_fail(__FILE__, __LINE__, "%s is \"%s\", expected \"%s\"", #a, ktap_a, ktap_b); \
} while (0)
#define REQUIRE(condition) do { if (!CHECK(condition)) return; } while (0)

#endif /* KTAP_H */
