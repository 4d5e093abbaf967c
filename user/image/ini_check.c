// SPDX-License-Identifier: GPL-2.0-only
/* Checks of a board INI text, by what known boards have in theirs: firmware-images.md 8.2, 8.3. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "edit_parts.h"
#include "ini.h"
#include "ini_lines.h"
#include "private.h"

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

static bool same(struct ini_span one, struct ini_span other)
{
	return one.length == other.length && !strncasecmp(one.start, other.start, one.length);
}

static void check_sections(const char *text, size_t length, struct image_check *check)
{
	struct ini_lines lines = ini_lines(text, length);
	struct ini_span seen[SECTIONS_MOST], *section = &lines.line.section;
	size_t count = 0, i;
	char name[64];

	while (ini_next_line(&lines)) {
		if (lines.line.kind != INI_LINE_SECTION)
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
