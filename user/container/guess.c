// SPDX-License-Identifier: GPL-2.0-only
/* What a file is that holds no firmware, by its first bytes: so that the error can say what to do. */
#include "private.h"
#include "search.h"

#define LOOK 4096

struct look {
	uint64_t size;			/* of the file */
	uint8_t bytes[LOOK + 1];	/* its beginning, then a NUL */
	size_t length;
};

static const struct source_guess mlx = {
	"mlx", N_("it is a .mlx source of firmware"),
	N_("no public description of how it is encoded exists: take a built .bin and change it with cxctl image edit"),
};

const struct source_guess *source_guess_mlx(void)
{
	return &mlx;
}

static bool starts(const struct look *look, const void *bytes, size_t length)
{
	return look->length >= length && !memcmp(look->bytes, bytes, length);
}

static bool is_blank(const struct look *look, uint8_t byte)
{
	return look->length && look->bytes[0] == byte &&
	       !memcmp(look->bytes, look->bytes + 1, look->length - 1);
}

static bool is_text(const struct look *look)
{
	size_t i;

	for (i = 0; i < look->length; i++)
		if ((look->bytes[i] < 0x20 && !strchr("\t\n\r\f", look->bytes[i])) || !look->bytes[i])
			return false;
	return look->length;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
	       c == '.' || c == '[' || c == ']';
}

/* "scratchpad.eth.port[0].enable  0x1f99c.23  1": firmware-images.md 8.1. */
static bool is_mlx_line(const char *line)
{
	const char *at = line;

	while (is_word(*at))
		at++;
	if (at == line || !memchr(line, '.', at - line) || (*at != ' ' && *at != '\t'))
		return false;
	at += strspn(at, " \t");
	if (at[0] != '0' || at[1] != 'x')
		return false;
	at += 2;
	at += strspn(at, "0123456789abcdefABCDEF");
	if (*at != '.')
		return false;
	at++;
	at += strspn(at, "0123456789");
	if (*at != ' ' && *at != '\t')
		return false;
	at += strspn(at, " \t");
	return *at >= '0' && *at <= '9';
}

static bool is_mlx(const struct look *look)
{
	const char *line = (const char *)look->bytes;

	while (line) {
		if (is_mlx_line(line))
			return true;
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return false;
}

/* A section, and a key in it. */
static bool is_ini(const struct look *look)
{
	const char *line = (const char *)look->bytes, *end, *close;
	bool section = false;

	while (line) {
		end = strchrnul(line, '\n');
		close = memchr(line, ']', end - line);
		if (*line == '[' && close)
			section = true;
		else if (section && is_word(*line) && memchr(line, '=', end - line))
			return true;
		line = *end ? end + 1 : NULL;
	}
	return false;
}

static bool is_page(const struct look *look)
{
	const char *text = (const char *)look->bytes;

	text += strspn(text, " \t\r\n");
	if (!strncmp(text, "\xef\xbb\xbf", 3))
		text += 3;
	return !strncasecmp(text, "<!doctype html", 14) || !strncasecmp(text, "<html", 5) ||
	       !strncasecmp(text, "<head", 5) || !strncasecmp(text, "<?xml", 5);
}

/* An expansion ROM: 55aa, its length in units of 512 bytes, the pointer to PCIR. */
static bool is_rom(const struct look *look)
{
	uint16_t pcir = look->length > 0x1a ? le16(look->bytes + 0x18) : 0;

	return starts(look, "\x55\xaa", 2) && pcir && pcir + 4U <= look->length &&
	       !memcmp(look->bytes + pcir, "PCIR", 4);
}

static const struct source_guess *guess_text(const struct look *look)
{
	static const struct source_guess page = {
		"html", N_("it is a web page, not firmware: the download did not give the file"),
		N_("open the address in a browser and save the file that it offers"),
	}, ini = {
		"ini", N_("it is a board's INI, the text that a firmware is built with, not a firmware"),
		N_("cxctl image ini --check checks it; cxctl image edit --ini puts it into a built .bin"),
	}, json = {
		"json", N_("it is JSON, but not a catalogue of cxctl image index"), NULL,
	}, script = {
		"script", N_("it is a script, and there is no firmware in it or behind it"), NULL,
	}, text = {
		"text", N_("it is a text, and there is no firmware in it"), NULL,
	};

	if (is_page(look))
		return &page;
	if (is_mlx(look))
		return &mlx;
	if (starts(look, "#!", 2))
		return &script;
	if (starts(look, "{", 1))
		return &json;
	if (is_ini(look))
		return &ini;
	return &text;
}

static const struct source_guess *guess_bytes(const struct look *look)
{
	static const struct {
		const char *magic;
		size_t length;
		struct source_guess guess;
	} known[] = {
		{ "NVLCINI+", 8, {
			"nvlcini",
			N_("it is a bundle of line card INIs (NVLCINI+), not an image of firmware, whatever its name"),
			N_("devlink dev flash of the switch that has the line cards takes it") } },
		{ "MTCF", 4, {
			"cable-firmware",
			N_("it is firmware of a cable or transceiver (MTCF), not of a card"),
			N_("cxctl does not burn cables") } },
		{ "\x7f" "ELF", 4, {
			"elf", N_("it is an ELF program, and no firmware that can be recognised hides in it"),
			N_("if it is an installer, run it with its option that only unpacks") } },
		{ "MZ", 2, {
			"pe",
			N_("it is a Windows program, and no firmware that can be recognised hides in it"),
			N_("if it is an installer, unpack it with 7z or innoextract and name the directory") } },
		{ "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8, {
			"ole",
			N_("it is a Windows installer package or an Office document, and no cabinet with firmware is in it"),
			N_("unpack it with msiextract or 7z and name the directory") } },
		{ "PK\3\4", 4, { "zip", N_("it is a ZIP archive, and there is no firmware in it"), NULL } },
		{ "\x1f\x8b", 2, { "gzip", N_("it is compressed by gzip, and there is no firmware in it"),
				   NULL } },
		{ "\xfd" "7zXZ", 5, { "xz", N_("it is compressed by xz, and there is no firmware in it"),
				      NULL } },
		{ "\x28\xb5\x2f\xfd", 4, {
			"zstd", N_("it is compressed by zstd, and there is no firmware in it"), NULL } },
		{ "%PDF", 4, { "pdf", N_("it is a PDF document"), NULL } },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (starts(look, known[i].magic, known[i].length))
			return &known[i].guess;
	return NULL;
}

static const struct source_guess *guess_blank(const struct look *look)
{
	static const struct source_guess empty = {
		"empty", N_("the file is empty"), N_("get it again"),
	}, zeros = {
		"zeros", N_("it begins with zeros and there is no firmware in it"), NULL,
	}, erased = {
		"erased", N_("it begins like an erased flash and there is no firmware in it"), NULL,
	};

	if (!look->size)
		return &empty;
	if (is_blank(look, 0))
		return &zeros;
	return is_blank(look, 0xff) ? &erased : NULL;
}

const struct source_guess *source_guess(const struct image_reader *reader)
{
	static const struct source_guess rom = {
		"rom", N_("it is an expansion ROM, the part of a firmware that boots over the network"),
		N_("cxctl image edit --rom puts it into an image"),
	};
	const struct source_guess *guess;
	struct look look = { .size = reader->size };

	look.length = look.size < LOOK ? look.size : LOOK;
	if (look.length && container_read(reader, 0, look.bytes, look.length, NULL))
		return NULL;
	guess = guess_blank(&look);
	if (guess)
		return guess;
	if (is_rom(&look))
		return &rom;
	guess = guess_bytes(&look);
	if (guess)
		return guess;
	return is_text(&look) ? guess_text(&look) : NULL;
}
