// SPDX-License-Identifier: GPL-2.0-only
/* Board INI texts: what is renamed reads back so, and nothing else has changed. */
#include "../../user/image/compare.h"
#include "../../user/image/ini.h"
#include "fuzz.h"

static const char *psid_of(const struct ini *ini)
{
	struct ini_board board;

	ini_board(ini, &board);
	return board.psid;
}

static void judge(const char *text, size_t length, size_t values)
{
	struct image_error error = { 0 };
	struct ini ini;

	PROMISE(!ini_parse(text, length, &ini, &error));
	PROMISE(ini.count == values);
	PROMISE(psid_of(&ini) && !strcmp(psid_of(&ini), "FUZ0000000009"));
	ini_free(&ini);
}

static void try_rename(const char *text, size_t length, size_t values)
{
	struct image_error error = { 0 };
	size_t renamed_length, marked_length;
	char *renamed, *marked, from[17];

	if (ini_rename(text, length, "FUZ0000000009", NULL, &renamed, &renamed_length, &error))
		return;
	judge(renamed, renamed_length, values);
	if (!ini_mark_retagged(renamed, renamed_length, "FUZ0000000001", "FUZ0000000009", &marked,
			       &marked_length, &error)) {
		judge(marked, marked_length, values);
		PROMISE(image_ini_retagged(marked, from));
		free(marked);
	}
	free(renamed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum image_verdict verdict = IMAGE_GOOD;
	struct image_error error = { 0 };
	char *text = malloc(size + 1), from[17];
	struct ini ini;
	size_t i;

	memcpy(text, data, size);
	text[size] = 0;
	ini_check(text, size, &fuzz_listener, &verdict, &error);
	image_ini_retagged(text, from);
	image_ini_ports(text);
	if (!ini_parse(text, size, &ini, &error)) {
		for (i = 0; i < ini.count; i++)
			PROMISE(ini.values[i].section && ini.values[i].key && ini.values[i].value &&
				ini.values[i].line);
		try_rename(text, size, ini.count);
		ini_free(&ini);
	} else {
		PROMISE(error.text[0]);
	}
	free(text);
	return 0;
}
