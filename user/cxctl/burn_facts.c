// SPDX-License-Identifier: GPL-2.0-only
/* What guards are told: gathered from sysfs, from registers, from images. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../image/fs2.h"
#include "../image/ini.h"
#include "../image/toc.h"
#include "burn_guard.h"

static void add_function(const char *address, struct burn_function functions[BURN_FUNCTIONS], size_t *count)
{
	struct pci_function function;

	if (*count == BURN_FUNCTIONS || pci_read(address, &function) || function.is_virtual)
		return;
	memcpy(functions[*count].address, function.address, sizeof(functions[*count].address));
	memcpy(functions[*count].driver, function.driver, sizeof(functions[*count].driver));
	++*count;
}

void burn_functions_of(const struct cxctl_card *card, struct burn_function functions[BURN_FUNCTIONS],
		       size_t *count)
{
	const struct cxctl_card_facts *facts = card_facts(card);
	const char *own = card_pci(card)->address;
	char address[24];
	unsigned int i;

	*count = 0;
	for (i = 0; i < facts->function_count; i++)
		add_function(facts->functions[i].address, functions, count);
	/* Without the driver the functions of a slot are taken for one card. */
	for (i = 0; !facts->function_count && i < 8; i++) {
		snprintf(address, sizeof(address), "%.*s.%u", (int)strcspn(own, "."), own, i);
		add_function(address, functions, count);
	}
}

/* ---- registers ---- */

#define LOCK_TYPE	0x210		/* NV configuration: lock of minor PSIDs (mstflint, fsctrl_ops.cpp) */
#define LOCK_DATA	0x0c		/* in MNVDA, behind its header: bit 31 locked, then the PSID */
#define LOCK_BYTES	20
#define REGISTER_MNVQC	0x9030		/* what of NV configuration the firmware has; dword 1 bit 0: readable */
#define MNVQC_BYTES	0x08
#define REGISTER_MFSV	0x9115
#define MFSV_BYTES	0x30
#define MFSV_FUSES	0x08		/* lowest security version that the fuses allow */

void burn_psid_lock_of(struct cxctl_card *card, struct burn_psid_lock *lock)
{
	uint8_t bytes[MNVDA_BYTES], offered[MNVQC_BYTES] = { 0 };
	struct cxctl_error none;
	uint32_t status = 0;

	memset(lock, 0, sizeof(*lock));
	be32_put(offered, 0, LOCK_TYPE);
	if (card_register(card, REGISTER_MNVQC, offered, sizeof(offered), &status, &none) || status ||
	    !(be32_at(offered, 4) & 1))
		return;
	mnvda_request(bytes, LOCK_TYPE);
	if (card_register(card, REGISTER_MNVDA, bytes, sizeof(bytes), &status, &none) || status ||
	    mnvda_length(bytes) < LOCK_BYTES)
		return;
	lock->supported = true;
	lock->locked = be32_at(bytes, LOCK_DATA) >> 31;
	if (lock->locked)
		image_text(lock->psid, sizeof(lock->psid), bytes + LOCK_DATA + 4, sizeof(lock->psid) - 1);
}

static void read_fuses(struct cxctl_card *card, struct burn_security *security)
{
	uint8_t bytes[MFSV_BYTES] = { 0 };
	struct cxctl_error none;
	uint32_t status = 0;

	if (card_register(card, REGISTER_MFSV, bytes, sizeof(bytes), &status, &none) || status)
		return;
	security->version_known = true;
	security->version = be32_at(bytes, MFSV_FUSES);
}

void burn_security_of(struct cxctl_card *card, const struct cxfw_card_info *info,
		      struct burn_security *security)
{
	uint8_t bytes[MGIR_BYTES] = { 0 };
	struct cxctl_error none;
	struct mgir mgir;
	uint32_t status = 0;

	memset(security, 0, sizeof(*security));
	if (info->family != CXFW_FAMILY_MLX5 || info->state != CXFW_STATE_RUNNING ||
	    card_register(card, REGISTER_MGIR, bytes, sizeof(bytes), &status, &none) || status)
		return;
	mgir_decode(bytes, &mgir);
	burn_security_of_mgir(&mgir, security);
	read_fuses(card, security);
}

/* ---- boards ---- */

/* "MCX312B-XCC_A2-A6": the board is MCX312B-XCC, its revisions A2-A6. */
static size_t name_length(const char *name)
{
	const char *mark = strrchr(name, '_');

	return mark && mark > name && isupper((unsigned char)mark[1]) ? (size_t)(mark - name) : strlen(name);
}

/* "Ax" stands for every A, "A2-A6" for what lies between. */
static bool same_revision(const char *one, const char *other)
{
	if (!*one || !*other || !strcmp(one, other))
		return true;
	if (one[1] != other[1])
		return false;
	return strchr(one, 'x') || strchr(other, 'x') || strchr(one, '-') || strchr(other, '-');
}

static void set_names(struct burn_board *board, const char *image, const char *card)
{
	size_t one = name_length(image), other = name_length(card);

	snprintf(board->image_name, sizeof(board->image_name), "%s", image);
	snprintf(board->card_name, sizeof(board->card_name), "%s", card);
	if (!*image || !*card)
		return;
	board->name_differs = one != other || strncmp(image, card, one);
	board->revision_differs = !board->name_differs && !same_revision(image + one, card + other);
}

/* Of one side: what the image says of its board. */
struct side {
	char name[128], psid[17];
	unsigned int ports;
};

static void learn(const struct image_subject *subject, struct side *side)
{
	struct ini_board board = { 0 };
	struct ini parsed;
	size_t length;
	char *ini;

	memset(side, 0, sizeof(*side));
	snprintf(side->name, sizeof(side->name), "%s", subject->facts.name);
	if (image_ini(&subject->reader, &subject->place, &ini, &length, NULL))
		return;
	if (!ini_parse(ini, length, &parsed, NULL)) {
		ini_board(&parsed, &board);
		side->ports = ini_ports(&parsed);
		if (board.name)
			snprintf(side->name, sizeof(side->name), "%s", board.name);
		if (board.psid)
			snprintf(side->psid, sizeof(side->psid), "%s", board.psid);
		ini_free(&parsed);
	}
	free(ini);
}

static void describe_image(const struct image_subject *image, const struct side *side,
			   struct burn_board *board)
{
	memset(board, 0, sizeof(*board));
	snprintf(board->image_psid, sizeof(board->image_psid), "%s", image->facts.psid);
	snprintf(board->ini_psid, sizeof(board->ini_psid), "%s", side->psid);
	board->image_ports = side->ports;
	image_retagged(&image->reader, &image->place, board->image_from);
}

struct comparing {
	struct burn_board *board;
	enum image_format format;
};

/* Compiled settings that both have; "compiled-board-differs" tells when they are others. */
static void note_section(void *context, const struct image_section_difference *difference)
{
	struct comparing *comparing = context;
	uint32_t type = difference->type;
	bool settings = comparing->format == IMAGE_FS2 ? type == FS2_CONFIGURATION :
			type == SECTION_HW_BOOT_CFG || type == SECTION_HW_MAIN_CFG ||
			type == SECTION_FW_BOOT_CFG || type == SECTION_FW_MAIN_CFG;

	if (settings && !difference->device_data && (difference->difference == IMAGE_SAME_BYTES ||
						     difference->difference == IMAGE_OTHER_BYTES))
		comparing->board->compiled_known = true;
}

/* Told when they differ; what only a description says counts, too. */
static void note_fact(void *context, const struct image_fact_difference *difference)
{
	struct comparing *comparing = context;

	if (strcmp(difference->key, "ports"))
		return;
	comparing->board->image_ports = strtoul(difference->first, NULL, 10);
	comparing->board->card_ports = strtoul(difference->second, NULL, 10);
}

static void note_statement(void *context, const struct image_statement *statement)
{
	struct comparing *comparing = context;

	if (strcmp(statement->id, "compiled-board-differs"))
		return;
	comparing->board->compiled_differs = true;
	comparing->board->same_version = statement->grave;
}

int burn_board_compare(const struct image_subject *image, const struct image_subject *card,
		       struct burn_board *board, struct image_error *error)
{
	struct comparing comparing = { board, image->place.format };
	struct image_compare_listener listener = { note_fact, note_section, note_statement, &comparing };
	struct side ours, theirs;
	bool identical;
	int code;

	learn(image, &ours);
	describe_image(image, &ours, board);
	learn(card, &theirs);
	board->card_ports = theirs.ports;
	snprintf(board->card_psid, sizeof(board->card_psid), "%s", card->facts.psid);
	image_retagged(&card->reader, &card->place, board->card_from);
	set_names(board, ours.name, theirs.name);
	code = image_compare(image, card, &listener, &identical, error);
	board->known = !code;
	/* What is damaged on the card tells nothing of its board. */
	return code == -EBADMSG || code == -EOPNOTSUPP ? 0 : code;
}

/* "MCX653105A-HDAT" of the VPD against "MCX653105A-HDA": an OEM's own number cannot be compared. */
static bool is_part_of_chip_vendor(const char *part)
{
	return !strncmp(part, "MCX", 3) || !strncmp(part, "MHQ", 3) || !strncmp(part, "MNP", 3) ||
	       !strncmp(part, "900-9X", 6);
}

void burn_board_of_registers(const struct image_subject *image, const char *card_psid, const char *part,
			     unsigned int ports, struct burn_board *board)
{
	struct side side;
	size_t length;

	learn(image, &side);
	describe_image(image, &side, board);
	board->card_ports = ports;
	snprintf(board->card_psid, sizeof(board->card_psid), "%s", card_psid);
	snprintf(board->image_name, sizeof(board->image_name), "%s", side.name);
	snprintf(board->card_name, sizeof(board->card_name), "%s", part);
	length = name_length(side.name);
	if (length && is_part_of_chip_vendor(side.name) && is_part_of_chip_vendor(part))
		board->name_differs = strncmp(part, side.name, length) != 0;
	board->known = ports || *part;
}
