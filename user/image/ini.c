// SPDX-License-Identifier: GPL-2.0-only
/* Board INI texts: firmware-images.md 8.2, 8.3. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "edit_parts.h"
#include "ini.h"
#include "private.h"

enum line_kind {
	LINE_NOTHING,			/* blank, or a comment */
	LINE_SECTION,
	LINE_VALUE,
	LINE_WRONG,
};

struct span {
	const char *start;
	size_t length;
};

struct line {
	enum line_kind kind;
	unsigned int number;
	size_t offset;
	struct span text, section, key, value;	/* section: of what stands here, too */
};

struct lines {
	const char *text;
	size_t length, position;
	struct line line;
};

static struct span trim(const char *start, const char *end)
{
	while (start < end && (*start == ' ' || *start == '\t' || *start == '\r'))
		start++;
	while (end > start && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	return (struct span){ start, end - start };
}

static void parse_line(struct line *line)
{
	const char *start = line->text.start, *end = start + line->text.length, *equals;
	struct span all = trim(start, end);

	line->kind = LINE_WRONG;
	if (memchr(all.start, 0, all.length))
		return;
	line->kind = LINE_NOTHING;
	if (!all.length || *start == ';')
		return;
	line->kind = LINE_WRONG;
	if (*all.start == '[') {
		if (all.length < 3 || all.start[all.length - 1] != ']')
			return;
		line->section = trim(all.start + 1, all.start + all.length - 1);
		line->kind = LINE_SECTION;
		return;
	}
	equals = memchr(all.start, '=', all.length);
	if (!equals)
		return;
	line->key = trim(all.start, equals);
	line->value = trim(equals + 1, all.start + all.length);
	if (line->key.length)
		line->kind = LINE_VALUE;
}

/* NULs behind the text come from its padding to dwords. */
static struct lines lines_of(const char *text, size_t length)
{
	while (length && !text[length - 1])
		length--;
	return (struct lines){ .text = text, .length = length, .line.section = { "", 0 } };
}

static bool next_line(struct lines *lines)
{
	const char *start = lines->text + lines->position, *end;

	if (lines->position >= lines->length)
		return false;
	end = memchr(start, '\n', lines->length - lines->position);
	lines->line.number++;
	lines->line.offset = lines->position;
	lines->line.text.start = start;
	lines->line.text.length = end ? (size_t)(end - start) : lines->length - lines->position;
	lines->position += lines->line.text.length + 1;
	parse_line(&lines->line);
	return true;
}

static int wrong_line(const struct line *line, struct image_error *error)
{
	return image_fail(error, -EBADMSG, line->offset,
			  _("line %u is neither a section, a comment nor an assignment: %.*s"), line->number,
			  line->text.length > 60 ? 60 : (int)line->text.length, line->text.start);
}

/* Each text is stored once for itself: section names once a section. */
static const char *store(char **room, struct span span)
{
	char *stored = *room;

	memcpy(stored, span.start, span.length);
	stored[span.length] = 0;
	*room += span.length + 1;
	return stored;
}

static int count_lines(struct lines lines, size_t *values, size_t *bytes, struct image_error *error)
{
	*values = 0;
	*bytes = 1;
	while (next_line(&lines)) {
		if (lines.line.kind == LINE_WRONG)
			return wrong_line(&lines.line, error);
		if (lines.line.kind == LINE_SECTION)
			*bytes += lines.line.section.length + 1;
		if (lines.line.kind != LINE_VALUE)
			continue;
		*bytes += lines.line.key.length + lines.line.value.length + 2;
		++*values;
	}
	return 0;
}

int ini_parse(const char *text, size_t length, struct ini *ini, struct image_error *error)
{
	struct lines lines = lines_of(text, length);
	size_t values, bytes;
	const char *section;
	char *room;
	int code;

	memset(ini, 0, sizeof(*ini));
	code = count_lines(lines, &values, &bytes, error);
	if (code)
		return code;
	ini->values = calloc(values + 1, sizeof(*ini->values));
	ini->storage = malloc(bytes);
	if (!ini->values || !ini->storage) {
		ini_free(ini);
		return image_fail(error, -ENOMEM, 0, _("no memory"));
	}
	room = ini->storage;
	section = store(&room, (struct span){ "", 0 });
	while (next_line(&lines)) {
		if (lines.line.kind == LINE_SECTION)
			section = store(&room, lines.line.section);
		if (lines.line.kind != LINE_VALUE)
			continue;
		ini->values[ini->count].section = section;
		ini->values[ini->count].key = store(&room, lines.line.key);
		ini->values[ini->count].value = store(&room, lines.line.value);
		ini->values[ini->count++].line = lines.line.number;
	}
	return 0;
}

void ini_free(struct ini *ini)
{
	free(ini->values);
	free(ini->storage);
	memset(ini, 0, sizeof(*ini));
}

const char *ini_get(const struct ini *ini, const char *section, const char *key)
{
	size_t i;

	for (i = 0; i < ini->count; i++)
		if (!strcasecmp(ini->values[i].key, key) && !strcasecmp(ini->values[i].section, section))
			return ini->values[i].value;
	return NULL;
}

static const char *either(const struct ini *ini, const char *section, const char *key)
{
	const char *value = ini_get(ini, section, key);

	return value ? value : ini_get(ini, "image_info", key);
}

/* The last "_" of the name and a letter with a digit, or with x for all of them. */
static void take_revision(const char *name, char revision[8])
{
	const char *tail = name ? strrchr(name, '_') : NULL;

	if (tail && isupper((unsigned char)tail[1]) && (isdigit((unsigned char)tail[2]) || tail[2] == 'x') &&
	    !tail[3])
		memcpy(revision, tail + 1, 3);
}

void ini_board(const struct ini *ini, struct ini_board *board)
{
	memset(board, 0, sizeof(*board));
	board->psid = either(ini, "ADAPTER", "PSID");
	board->name = either(ini, "PS_INFO", "Name");
	board->description = either(ini, "PS_INFO", "Description");
	board->prs_name = either(ini, "PS_INFO", "PRS_name");
	take_revision(board->name, board->revision);
}

/* ---- changes ---- */

struct growing {
	char *text;
	size_t length;
};

static void add(struct growing *to, const char *text, size_t length)
{
	memcpy(to->text + to->length, text, length);
	to->length += length;
}

static bool is(struct span span, const char *text)
{
	return span.length == strlen(text) && !strncasecmp(span.start, text, span.length);
}

static const char *new_value(const struct line *line, const char *psid, const char *name)
{
	bool later = is(line->section, "image_info");

	if (line->kind != LINE_VALUE)
		return NULL;
	if (is(line->key, "PSID") && (later || is(line->section, "ADAPTER")))
		return psid;
	if (is(line->key, "Name") && (later || is(line->section, "PS_INFO")))
		return name;
	return NULL;
}

int ini_rename(const char *text, size_t length, const char *psid, const char *name, char **renamed,
	       size_t *renamed_length, struct image_error *error)
{
	struct lines lines = lines_of(text, length);
	bool psid_missing = psid, name_missing = name;
	struct growing out = { 0 };
	size_t copied = 0, more = 0;
	const char *value;

	*renamed = NULL;
	*renamed_length = 0;
	while (next_line(&lines)) {
		value = new_value(&lines.line, psid, name);
		psid_missing &= !value || value != psid;
		name_missing &= !value || value != name;
		more += value ? strlen(value) : 0;
	}
	if (psid_missing || name_missing)
		return image_fail(error, -ENOENT, 0, _("the INI has no %s that could be changed"),
				  psid_missing ? "PSID" : "Name");
	out.text = malloc(length + more + 1);
	if (!out.text)
		return image_fail(error, -ENOMEM, 0, _("no memory"));
	lines = lines_of(text, length);
	while (next_line(&lines)) {
		value = new_value(&lines.line, psid, name);
		if (!value)
			continue;
		add(&out, text + copied, lines.line.value.start - (text + copied));
		add(&out, value, strlen(value));
		copied = lines.line.value.start + lines.line.value.length - text;
	}
	add(&out, text + copied, length - copied);
	out.text[out.length] = 0;
	*renamed = out.text;
	*renamed_length = out.length;
	return 0;
}

/* The first PSID as an earlier mark says it; *at and *end are the mark's place. */
static bool find_mark(const char *text, size_t length, size_t *at, size_t *end, char first[17])
{
	struct lines lines = lines_of(text, length);
	size_t prefix = strlen(INI_RETAGGED);
	struct span psid;

	while (next_line(&lines)) {
		if (lines.line.text.length <= prefix || memcmp(lines.line.text.start, INI_RETAGGED, prefix))
			continue;
		psid = trim(lines.line.text.start + prefix, lines.line.text.start + lines.line.text.length);
		if (!psid.length || psid.length > 16)
			continue;
		memcpy(first, psid.start, psid.length);
		first[psid.length] = 0;
		*at = lines.line.offset;
		*end = lines.position < length ? lines.position : length;
		return true;
	}
	return false;
}

bool ini_first_psid(const char *text, size_t length, char first[17])
{
	size_t at, end;

	return find_mark(text, length, &at, &end, first);
}

/* Without its mark the text is what it was: a last line without end gets none by way of a mark. */
static void without_mark(struct growing *out)
{
	size_t at, end;
	char first[17];

	while (find_mark(out->text, out->length, &at, &end, first)) {
		if (at && out->text[end - 1] != '\n')
			at--;
		memmove(out->text + at, out->text + end, out->length - end);
		out->length -= end - at;
	}
}

int ini_set_mark(const char *text, size_t length, const char *first, const char *psid, char **marked,
		 size_t *marked_length, struct image_error *error)
{
	struct growing out = { malloc(length + sizeof(INI_RETAGGED) + strlen(first) + 4), 0 };
	bool ended;

	*marked = NULL;
	*marked_length = 0;
	if (!out.text)
		return image_fail(error, -ENOMEM, 0, _("no memory"));
	add(&out, text, length);
	without_mark(&out);
	if (strcmp(first, psid)) {
		/* What pads the text to dwords would stand before the mark. */
		while (out.length && !out.text[out.length - 1])
			out.length--;
		ended = !out.length || out.text[out.length - 1] == '\n';
		if (!ended)
			add(&out, "\n", 1);
		add(&out, INI_RETAGGED, strlen(INI_RETAGGED));
		add(&out, first, strlen(first));
		if (ended)
			add(&out, "\n", 1);
	}
	out.text[out.length] = 0;
	*marked = out.text;
	*marked_length = out.length;
	return 0;
}

int ini_mark_retagged(const char *text, size_t length, const char *from, const char *to, char **marked,
		      size_t *marked_length, struct image_error *error)
{
	char first[17];

	if (!ini_first_psid(text, length, first))
		snprintf(first, sizeof(first), "%s", from);
	return ini_set_mark(text, length, first, to, marked, marked_length, error);
}

/* ---- checks ---- */

/* '#': digits; '*': anything. Seen in board files of FS2: firmware-images.md 8.2. */
static const struct {
	const char *section, *key;
} known_keys[] = {
	{ "PS_INFO", "Name" },
	{ "PS_INFO", "Description" },
	{ "PS_INFO", "PRS_name" },
	{ "ADAPTER", "PSID" },
	{ "ADAPTER", "adapter_dev_id" },
	{ "ADAPTER", "silicon_rev" },
	{ "ADAPTER", "gpio_*" },
	{ "ADAPTER", "pcie_gen#_speed_supported" },
	{ "ADAPTER", "receiver_detect_en" },
	{ "ADAPTER", "nv_c*" },
	{ "HCA", "hca_header_*" },
	{ "HCA", "dpdp_en" },
	{ "HCA", "eth_xfi_en" },
	{ "HCA", "mdio_en_port#" },
	{ "HCA", "led_*" },
	{ "HCA", "num_pfs" },
	{ "HCA", "total_vfs" },
	{ "HCA", "sriov_en" },
	{ "IB", "num_of_ports" },
	{ "IB", "phy_type_port#" },
	{ "IB", "ext_phy_board_port#" },
	{ "IB", "gen_guids_from_mac" },
	{ "IB", "do_sense" },
	{ "IB", "new_gpio_scheme_en" },
	{ "IB", "read_cable_params_port#_en" },
	{ "IB", "mlpn_en_port#" },
	{ "IB", "ref_clk_to_use" },
	{ "IB", "port#_*" },
	{ "IB", "cx3_spec*" },
	{ "IB", "eye_open_*" },
	{ "IB", "center_mix*" },
	{ "IB", "tx_logic_#_serdes" },
	{ "IB", "rx_logic_#_serdes" },
	{ "IB", "eth_tx_lane_polarity_port#" },
	{ "IB", "eth_rx_lane_polarity_port#" },
	{ "IB", "force_*" },
	{ "IB", "nego_*" },
	{ "IB", "parallel_detect_*" },
	{ "IB", "aba_*" },
	{ "PLL", "lbist_*" },
	{ "PLL", "flash_div" },
	{ "PLL", "cclk_#mhz" },
	{ "PLL", "adapter_core_ref_clock_khz" },
	{ "PLL", "core_f" },
	{ "PLL", "core_r" },
	{ "PLL", "core_od" },
	{ "PLL", "pll_stabilize" },
	{ "FW", "flash_has_suspend_resume" },
	{ "FW", "log_flashdev_size" },
	{ "FW", "log_flash_sector_size" },
	{ "image_info", "psid" },
	{ "image_info", "name" },
	{ "image_info", "description" },
	{ "image_info", "prs_name" },
	{ "image_info", "board_name" },
	{ "mfg_info", "orig_prs_name" },
};

/* Their keys are paths of parameters: any path may be one. */
static const char *const path_sections[] = {
	"boot_record", "fw_boot_config", "hw_boot_config", "hw_main_config",
	"non_isfu_config", "fw_main_config", "phy_uc_consts",
};

static bool key_fits(const char *key, const char *pattern)
{
	for (; *pattern && *pattern != '*'; pattern++) {
		if (*pattern == '#') {
			if (!isdigit((unsigned char)*key))
				return false;
			while (isdigit((unsigned char)*key))
				key++;
		} else if (tolower((unsigned char)*key++) != tolower((unsigned char)*pattern)) {
			return false;
		}
	}
	return *pattern == '*' || !*key;
}

static bool is_path_section(const char *section)
{
	size_t i;

	for (i = 0; i < sizeof(path_sections) / sizeof(path_sections[0]); i++)
		if (!strcasecmp(section, path_sections[i]))
			return true;
	return false;
}

static bool section_known(const char *section)
{
	size_t i;

	for (i = 0; i < sizeof(known_keys) / sizeof(known_keys[0]); i++)
		if (!strcasecmp(section, known_keys[i].section))
			return true;
	return is_path_section(section);
}

static bool is_path(const char *key)
{
	while (isalnum((unsigned char)*key) || (*key && strchr("_.[]", *key)))
		key++;
	return !*key;
}

static bool key_known(const char *section, const char *key)
{
	size_t i;

	if (is_path_section(section))
		return is_path(key);
	for (i = 0; i < sizeof(known_keys) / sizeof(known_keys[0]); i++)
		if (!strcasecmp(section, known_keys[i].section) && key_fits(key, known_keys[i].key))
			return true;
	return false;
}

__attribute__((format(printf, 6, 7)))
static void found(struct image_check *check, enum image_verdict verdict, unsigned int line,
		  const char *section, const char *key, const char *format, ...)
{
	char part[160], text[256];
	va_list arguments;

	snprintf(part, sizeof(part), "[%.60s]%s%.90s", section, key ? " " : "", key ? key : "");
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	check_finding(check, verdict, part, line, "%s", text);
}

static int by_name(const void *one, const void *other)
{
	const struct ini_value *a = *(const struct ini_value *const *)one;
	const struct ini_value *b = *(const struct ini_value *const *)other;
	int order = strcasecmp(a->section, b->section);

	if (!order)
		order = strcasecmp(a->key, b->key);
	return order ? order : (a->line > b->line) - (a->line < b->line);
}

static int check_doubles(const struct ini *ini, struct image_check *check, struct image_error *error)
{
	const struct ini_value **sorted = calloc(ini->count + 1, sizeof(*sorted));
	const struct ini_value *one, *before;
	size_t i;

	if (!sorted)
		return image_fail(error, -ENOMEM, 0, _("no memory"));
	for (i = 0; i < ini->count; i++)
		sorted[i] = &ini->values[i];
	qsort(sorted, ini->count, sizeof(*sorted), by_name);
	for (i = 1; i < ini->count; i++) {
		one = sorted[i];
		before = sorted[i - 1];
		if (strcasecmp(one->section, before->section) || strcasecmp(one->key, before->key))
			continue;
		if (strcmp(one->value, before->value))
			found(check, IMAGE_DAMAGED, one->line, one->section, one->key,
			      _("it is there twice: line %u says %.60s, line %u says %.60s"),
			      before->line, before->value, one->line, one->value);
		else
			found(check, IMAGE_UNUSUAL, one->line, one->section, one->key,
			      _("it is there twice: in lines %u and %u"), before->line, one->line);
	}
	free(sorted);
	return 0;
}

#define SECTIONS_MOST 64

static bool same(struct span one, struct span other)
{
	return one.length == other.length && !strncasecmp(one.start, other.start, one.length);
}

static void check_sections(const char *text, size_t length, struct image_check *check)
{
	struct lines lines = lines_of(text, length);
	struct span seen[SECTIONS_MOST], *section = &lines.line.section;
	size_t count = 0, i;
	char name[64];

	while (next_line(&lines)) {
		if (lines.line.kind != LINE_SECTION)
			continue;
		snprintf(name, sizeof(name), "%.*s", section->length > 60 ? 60 : (int)section->length,
			 section->start);
		for (i = 0; i < count && !same(seen[i], *section); i++)
			;
		if (i < count) {
			found(check, IMAGE_UNUSUAL, lines.line.number, name, NULL,
			      _("the section is there twice"));
			continue;
		}
		if (!section_known(name))
			found(check, IMAGE_UNUSUAL, lines.line.number, name, NULL,
			      _("no known board has a section of this name"));
		if (count < SECTIONS_MOST)
			seen[count++] = *section;
	}
}

static void check_board(const struct ini *ini, struct image_check *check)
{
	struct ini_board board;
	char why[96];

	ini_board(ini, &board);
	if (!board.psid || !*board.psid)
		found(check, IMAGE_DAMAGED, 0, "ADAPTER", "PSID",
		      _("the PSID is missing: neither [ADAPTER] nor [image_info] has one"));
	else if (!psid_possible(board.psid, why, sizeof(why)))
		found(check, IMAGE_DAMAGED, 0, "ADAPTER", "PSID", "%s", why);
	if (!board.name || !*board.name)
		found(check, IMAGE_DAMAGED, 0, "PS_INFO", "Name",
		      _("the name is missing: neither [PS_INFO] nor [image_info] has one"));
	else if (!board.revision[0])
		found(check, IMAGE_UNUSUAL, 0, "PS_INFO", "Name",
		      _("%.64s does not end with a board revision, as _A2 or _Ax"), board.name);
}

static void check_keys(const struct ini *ini, struct image_check *check)
{
	const struct ini_value *value;
	size_t i;

	for (i = 0; i < ini->count; i++) {
		value = &ini->values[i];
		if (!*value->section)
			found(check, IMAGE_UNUSUAL, value->line, "", value->key,
			      _("it stands before any section"));
		else if (section_known(value->section) && !key_known(value->section, value->key))
			found(check, IMAGE_UNUSUAL, value->line, value->section, value->key,
			      _("no known board has this key"));
	}
}

int ini_check(const char *text, size_t length, const struct image_listener *listener,
	      enum image_verdict *verdict, struct image_error *error)
{
	struct image_check check = { listener, IMAGE_GOOD };
	struct ini ini;
	int code;

	*verdict = IMAGE_GOOD;
	code = ini_parse(text, length, &ini, error);
	if (code)
		return code;
	check_board(&ini, &check);
	check_sections(text, length, &check);
	check_keys(&ini, &check);
	code = check_doubles(&ini, &check, error);
	ini_free(&ini);
	*verdict = check.worst;
	return code;
}
