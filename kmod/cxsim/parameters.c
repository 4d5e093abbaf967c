// SPDX-License-Identifier: GPL-2.0-only
/* The text form of a card: name=value pairs apart by spaces or commas, "..." holds both. */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/stddef.h>
#include <linux/string.h>

#include "cxsim.h"

enum kind { TEXT, NUMBER32, NUMBER64, BYTES, FLAG };

struct parameter {
	const char *name;
	enum kind kind;
	size_t offset;
};

#define PARAMETER(kind, member) { #member, kind, offsetof(struct cxsim_wanted, card.member) }

static const struct parameter table[] = {
	PARAMETER(TEXT, model),
	PARAMETER(TEXT, psid),
	PARAMETER(TEXT, version),
	PARAMETER(TEXT, vsd),
	PARAMETER(TEXT, chip),
	PARAMETER(NUMBER64, guid),
	PARAMETER(NUMBER64, mac),
	PARAMETER(BYTES, flash_size),
	PARAMETER(BYTES, rom_size),
	PARAMETER(BYTES, code_size),
	PARAMETER(NUMBER32, signature),
	PARAMETER(NUMBER32, log2_chunk),
	PARAMETER(NUMBER32, virtual_functions),
	PARAMETER(FLAG, empty),
	PARAMETER(NUMBER64, seed),
	{ "root_port", FLAG, offsetof(struct cxsim_wanted, root_port) },
	{ "twin", TEXT, offsetof(struct cxsim_wanted, twin) },
};

static bool is_separator(char c)
{
	return isspace(c) || c == ',';
}

/* Cuts the next word off; quotes go. NULL at the end. */
static char *next_word(char **text)
{
	char *from = *text, *to, *word;
	bool quoted = false;

	while (is_separator(*from))
		from++;
	if (!*from)
		return NULL;
	for (word = to = from; *from && (quoted || !is_separator(*from)); from++) {
		if (*from == '"')
			quoted = !quoted;
		else
			*to++ = *from;
	}
	*text = *from ? from + 1 : from;
	*to = '\0';
	return word;
}

static int parse_bytes(const char *value, u32 *bytes)
{
	char *end;
	u64 number = memparse(value, &end);

	if (end == value || *end || number > U32_MAX)
		return -EINVAL;
	*bytes = number;
	return 0;
}

static int parse_value(const struct parameter *parameter, char *value, void *member)
{
	switch (parameter->kind) {
	case TEXT:
		*(const char **)member = value;
		return 0;
	case NUMBER32:
		return kstrtou32(value, 0, member);
	case NUMBER64:
		return kstrtou64(value, 0, member);
	case BYTES:
		return parse_bytes(value, member);
	case FLAG:
		return kstrtobool(value, member);
	}
	return -EINVAL;
}

static const struct parameter *find_parameter(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(table); i++)
		if (!strcmp(table[i].name, name))
			return &table[i];
	return NULL;
}

int cxsim_parameters_parse(char *text, struct cxsim_wanted *wanted, char *why)
{
	const struct parameter *parameter;
	char *word, *value;
	int ret;

	memset(wanted, 0, sizeof(*wanted));
	wanted->root_port = true;
	for (word = next_word(&text); word; word = next_word(&text)) {
		value = strchr(word, '=');
		if (!value) {
			scnprintf(why, CXSIM_WHY, "'%s' is not name=value", word);
			return -EINVAL;
		}
		*value++ = '\0';
		parameter = find_parameter(word);
		if (!parameter) {
			scnprintf(why, CXSIM_WHY, "a card has no parameter '%s'", word);
			return -EINVAL;
		}
		ret = parse_value(parameter, value, (char *)wanted + parameter->offset);
		if (ret) {
			scnprintf(why, CXSIM_WHY, "'%s' is no value for %s", value, word);
			return ret;
		}
	}
	return 0;
}
