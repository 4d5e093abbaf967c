// SPDX-License-Identifier: GPL-2.0-only
#include "text.h"

#include <langinfo.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "error.h"

/* Unset, text goes out as it is. */
static bool encodes;

void text_init(void)
{
	encodes = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

static void *must(void *pointer)
{
	if (!pointer) {
		fputs("cxctl: out of memory\n", stderr);
		exit(CXCTL_FAILED);
	}
	return pointer;
}

/* Length of the well-formed UTF-8 sequence at s, 0 when it is none. */
static size_t utf8_sequence(const unsigned char *s, size_t left)
{
	static const unsigned int smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned int value;
	size_t length, i;

	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		length = 2;
	else if ((s[0] & 0xf0) == 0xe0)
		length = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		length = 4;
	else
		return 0;
	if (length > left)
		return 0;
	value = s[0] & (0xff >> (length + 1));
	for (i = 1; i < length; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (s[i] & 0x3f);
	}
	if (value < smallest[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
		return 0;
	return length;
}

/*
 * Characters that a terminal would obey: C0, DEL, C1 in UTF-8, and those that break a line or
 * turn the direction of writing (U+200E and F, U+2028 to E, U+2066 to 9).
 */
static bool is_control(const unsigned char *s, size_t length)
{
	if (length == 3 && s[0] == 0xe2)
		return (s[1] == 0x80 && (s[2] == 0x8e || s[2] == 0x8f || (s[2] >= 0xa8 && s[2] <= 0xae))) ||
		       (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9);
	return (length == 1 && (s[0] < 0x20 || s[0] == 0x7f)) ||
	       (length == 2 && s[0] == 0xc2 && s[1] < 0xa0);
}

char *text_printable(const char *bytes, size_t length)
{
	const unsigned char *s = (const unsigned char *)bytes;
	char *result = must(malloc(4 * length + 1));
	size_t i = 0, used = 0;

	while (i < length) {
		size_t step = utf8_sequence(s + i, length - i);

		if (step && !is_control(s + i, step)) {
			memcpy(result + used, s + i, step);
			used += step;
			i += step;
		} else {
			used += sprintf(result + used, "\\x%02x", s[i]);
			i++;
		}
	}
	result[used] = '\0';
	return result;
}

char *text_utf8(const char *bytes, size_t length)
{
	const unsigned char *s = (const unsigned char *)bytes;
	char *result = must(malloc(3 * length + 1));
	size_t i = 0, used = 0;

	while (i < length) {
		size_t step = utf8_sequence(s + i, length - i);

		if (step) {
			memcpy(result + used, s + i, step);
			used += step;
			i += step;
		} else {
			memcpy(result + used, "\xef\xbf\xbd", 3);	/* U+FFFD */
			used += 3;
			i++;
		}
	}
	result[used] = '\0';
	return result;
}

/* The character at s, of length bytes as utf8_sequence() told. */
static wchar_t character(const char *s, size_t length)
{
	wchar_t value = (unsigned char)s[0];
	size_t i;

	if (length > 1)
		value &= 0xff >> (length + 1);
	for (i = 1; i < length; i++)
		value = value << 6 | (s[i] & 0x3f);
	return value;
}

/* What the terminal's encoding lacks stands there as the bytes that it is, like control characters. */
static void put_encoded(FILE *file, const char *text)
{
	size_t left = strlen(text);

	while (left) {
		size_t step = utf8_sequence((const unsigned char *)text, left), i, length = (size_t)-1;
		char bytes[MB_LEN_MAX];
		mbstate_t state = { 0 };

		if (step)
			length = wcrtomb(bytes, character(text, step), &state);
		else
			step = 1;
		if (length != (size_t)-1)
			fwrite(bytes, 1, length, file);
		else
			for (i = 0; i < step; i++)
				fprintf(file, "\\x%02x", (unsigned char)text[i]);
		text += step;
		left -= step;
	}
}

void text_put(FILE *file, const char *text)
{
	if (encodes)
		put_encoded(file, text);
	else
		fputs(text, file);
}

void text_print(FILE *file, const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		must(NULL);
	va_end(arguments);
	text_put(file, text);
	free(text);
}

int text_width(const char *text)
{
	size_t left = strlen(text);
	int width = 0;

	while (left) {
		size_t step = utf8_sequence((const unsigned char *)text, left);
		int columns = step ? wcwidth(character(text, step)) : -1;

		if (!step)
			step = 1;
		/* Not of this locale: text_put() writes \x and two digits for each byte, if it encodes at all. */
		width += columns >= 0 ? columns : encodes ? 4 * (int)step : 1;
		text += step;
		left -= step;
	}
	return width;
}

void write_padded(FILE *file, const char *text, int width)
{
	int pad = width - text_width(text);

	text_put(file, text);
	fprintf(file, "%*s", pad > 0 ? pad : 0, "");
}
