// SPDX-License-Identifier: GPL-2.0-only
#include "hexadecimal.h"

#include <ctype.h>
#include <stddef.h>

const char *hexadecimal_parse(const char *text, unsigned int bits, uint64_t *value)
{
	unsigned int digits = 0;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		text += 2;
	for (*value = 0; isxdigit((unsigned char)*text) || *text == ':'; text++) {
		if (*text == ':')
			continue;
		*value = *value << 4 | (isdigit((unsigned char)*text) ? *text - '0' : (*text | 0x20) - 'a' + 10);
		digits++;
	}
	return digits == bits / 4 ? text : NULL;
}
