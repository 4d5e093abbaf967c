// SPDX-License-Identifier: GPL-2.0-only
/* What cxctl burn refuses, and how it says so: every guard with its id, texts and the option that lifts it. */
#include <stdlib.h>
#include <string.h>

#include "../../user/cxctl/burn_guard.h"
#include "../lib/ktap.h"
#include "../lib/synthetic.h"

static struct image_facts image_for(uint16_t hw_id, uint8_t revision)
{
	struct image_facts facts = { .hw_id_count = 1, .hw_ids = { { hw_id, revision } } };

	facts.place.format = IMAGE_FS2;
	return facts;
}

static void guard_hardware(void)
{
	struct image_facts facts = image_for(0x1f5, 1);
	struct cxctl_error error;

	CHECK(!burn_guard_hardware(&facts, 0x1f5, 1, &error));
	CHECK(burn_guard_hardware(&facts, 0x1f5, 0, &error));		/* the revision counts too */
	CHECK_EQ(error.exit, CXCTL_REFUSED);
	CHECK_STR(error.id, "wrong-hardware");
	CHECK(burn_guard_hardware(&facts, 0x1f7, 1, &error));
	CHECK(strstr(error.found, "0x1f5") && strstr(error.expected, "0x1f7"));
	facts.hw_ids[1].id = 0x1f5;
	facts.hw_id_count = 2;
	CHECK(!burn_guard_hardware(&facts, 0x1f5, 0, &error));
	/* without a list the PCI id tells the chip */
	facts.hw_id_count = 0;
	facts.pci_device = 0x673c;
	CHECK(!burn_guard_hardware(&facts, 0x190, 0xb0, &error));
	CHECK(burn_guard_hardware(&facts, 0x1f5, 0, &error));
	facts.pci_device = 0x1234;
	CHECK(burn_guard_hardware(&facts, 0x190, 0xb0, &error));
	CHECK_STR(error.id, "hardware-unknown");
}

static void guard_version(void)
{
	struct image_facts image = { .version = { 2, 10, 720 } }, device = { .version = { 2, 9, 1000 } };
	struct burn_permits permits = { 0 };
	struct cxctl_error error;

	CHECK(!burn_guard_version(&image, &device, &permits, &error));
	CHECK(burn_guard_version(&device, &image, &permits, &error));
	CHECK_STR(error.id, "older-version");
	CHECK(strstr(error.next, "--downgrade"));
	permits.reburn = true;
	CHECK(burn_guard_version(&device, &image, &permits, &error));	/* one guard does not lift another */
	permits.downgrade = true;
	CHECK(!burn_guard_version(&device, &image, &permits, &error));
	permits.reburn = false;
	CHECK(burn_guard_version(&image, &image, &permits, &error));
	CHECK_STR(error.id, "same-version");
	permits.reburn = true;
	CHECK(!burn_guard_version(&image, &image, &permits, &error));
}

static void guard_format_and_flash(void)
{
	struct image_facts image = image_for(0x1f7, 0);
	struct cxfw_card_info info = { .hw_id = 0x1f7, .family = CXFW_FAMILY_MLX4, .flash_size = 0x200000 };
	struct cxctl_error error;

	CHECK(!burn_guard_format(&image, &info, &error));
	info.hw_id = 0x20d;
	CHECK(burn_guard_format(&image, &info, &error));
	info.hw_id = 0x1f7;
	image.place.format = IMAGE_FS4;
	CHECK(burn_guard_format(&image, &info, &error));
	CHECK_STR(error.id, "wrong-format");
	CHECK(burn_guard_flash(&info, &error));
	CHECK_STR(error.id, "flash-unknown");
	strcpy(info.flash_name, "W25QxxBV");
	CHECK(!burn_guard_flash(&info, &error));
	info.flash_size = 0;
	CHECK(burn_guard_flash(&info, &error));
	CHECK_EQ(error.exit, CXCTL_CARD_ERROR);
}

/* ---- a card that answers registers, and nothing else ---- */

static struct {
	bool lock_offered, locked, fuses, gone;
	uint32_t fuse_version;
} card;

const struct cxctl_card_facts *card_facts(const struct cxctl_card *ignored)
{
	static const struct cxctl_card_facts none;

	return &none;
}

const struct pci_function *card_pci(const struct cxctl_card *ignored)
{
	static const struct pci_function none;

	return &none;
}

int card_register(struct cxctl_card *ignored, uint16_t id, void *data, size_t length, uint32_t *status,
		  struct cxctl_error *error)
{
	uint8_t *bytes = data;

	*status = 0;
	if (card.gone)
		return error_set(error, CXCTL_CARD_ERROR, "gone", "gone");
	switch (id) {
	case REGISTER_MGIR:
		bytes[0x20] = 1;		/* secured */
		bytes[0x57] = 1 | 1 << 2;	/* GA secured, secure boot */
		return 0;
	case 0x9115:
		*status = card.fuses ? 0 : 4;
		be32_put(bytes, 8, card.fuse_version);
		return 0;
	case 0x9030:
		CHECK_EQ(be32_at(bytes, 0), 0x210);
		be32_put(bytes, 4, card.lock_offered);
		return 0;
	case REGISTER_MNVDA:
		CHECK_EQ(be32_at(bytes, 4), 0x210);
		be32_put(bytes, 0, 20);
		be32_put(bytes, 0x0c, card.locked ? 1U << 31 : 0);
		memcpy(bytes + 0x10, "MT_0002001590\0\0\0", 16);
		return 0;
	}
	*status = 4;
	return 0;
}

static void registers(void)
{
	struct cxfw_card_info info = { .family = CXFW_FAMILY_MLX5, .state = CXFW_STATE_RUNNING };
	struct burn_security security;
	struct burn_psid_lock lock;

	memset(&card, 0, sizeof(card));
	burn_psid_lock_of(NULL, &lock);
	CHECK(!lock.supported && !lock.locked);		/* the answer of MNVDA alone says nothing */
	card.lock_offered = true;
	burn_psid_lock_of(NULL, &lock);
	CHECK(lock.supported && !lock.locked);
	CHECK_STR(lock.psid, "");
	card.locked = true;
	burn_psid_lock_of(NULL, &lock);
	CHECK(lock.supported && lock.locked);
	CHECK_STR(lock.psid, "MT_0002001590");
	burn_security_of(NULL, &info, &security);
	CHECK(security.known && security.secure_firmware && security.secure_boot && !security.encrypted);
	CHECK_EQ(security.life_cycle, 1);
	CHECK(!security.version_known);
	card.fuses = true;
	card.fuse_version = 5;
	burn_security_of(NULL, &info, &security);
	CHECK(security.version_known);
	CHECK_EQ(security.version, 5);
	info.state = CXFW_STATE_RECOVERY;
	burn_security_of(NULL, &info, &security);
	CHECK(!security.known);
	card.gone = true;
	burn_psid_lock_of(NULL, &lock);
	CHECK(!lock.supported);
}

/* A refusal says what, found, expected, whose rule and what next; part of each is asserted. */
static void refused(const char *file, int line, int code, const struct cxctl_error *error, const char *id,
		    const char *found, const char *expected, const char *rule, const char *next)
{
	const struct {
		const char *what, *text, *part;
	} parts[] = {
		{ "found", error->found, found }, { "expected", error->expected, expected },
		{ "rule", error->rule, rule }, { "next", error->next, next },
	};
	size_t i;

	if (!code) {
		ktap_fail(file, line, "not refused, %s was expected", id);
		return;
	}
	if (error->exit != CXCTL_REFUSED || !error->id || strcmp(error->id, id))
		ktap_fail(file, line, "exit %d, id %s; expected %s", error->exit, error->id, id);
	if (!*error->text)
		ktap_fail(file, line, "%s has no text", id);
	for (i = 0; i < 4; i++)
		if (!*parts[i].text || !strstr(parts[i].text, parts[i].part))
			ktap_fail(file, line, "%s: %s is \"%s\", which lacks \"%s\"", id, parts[i].what,
				  parts[i].text, parts[i].part);
}

#define REFUSED(call, id, found, expected, rule, next) do { \
	int code_ = (call); \
	refused(__FILE__, __LINE__, code_, &error, id, found, expected, rule, next); \
} while (0)

static void functions(void)
{
	struct burn_function list[] = { { "0000:03:00.0", "mlx5_core" }, { "0000:03:00.1", "vfio-pci" } };
	struct cxctl_error error;

	CHECK(!burn_guard_functions(list, 1, &error));
	REFUSED(burn_guard_functions(list, 2, &error), "vfio", "vfio-pci", "host's own driver", "handed out",
		"unbind the function from vfio-pci");
	CHECK(strstr(error.text, "0000:03:00.1"));
	strcpy(list[1].driver, "");
	CHECK(!burn_guard_functions(list, 2, &error));
}

/* ---- the way ---- */

static struct image_facts signed_image(void)
{
	struct image_facts image = { .security_flags = IMAGE_SECURITY_MCC | IMAGE_SECURITY_SIGNED |
						       IMAGE_SECURITY_SECURE,
				     .security_keys = true,
				     .signed_by = "IMAGE_SIGNATURE_256" };

	image.place.format = IMAGE_FS4;
	return image;
}

static void methods(void)
{
	struct cxfw_card_info open = { .capabilities = CXFW_CAP_BURN_PLAN | CXFW_CAP_BURN_FS4,
				       .flash_access = CXFW_FLASH_ACCESS_MFBA };
	struct cxfw_card_info both = open, closed = { .capabilities = CXFW_CAP_COMPONENT };
	struct image_facts image = signed_image(), plain = { .security_flags = 0 };
	struct cxctl_error error;
	const char *why;

	both.capabilities |= CXFW_CAP_COMPONENT;
	plain.place.format = IMAGE_FS4;
	CHECK_EQ(burn_method_choose(&image, &both, &why), BURN_METHOD_COMPONENT);
	CHECK_EQ(burn_method_choose(&plain, &both, &why), BURN_METHOD_FLASH);
	CHECK_EQ(burn_method_choose(&image, &open, &why), BURN_METHOD_FLASH);
	CHECK_EQ(burn_method_choose(&plain, &closed, &why), BURN_METHOD_COMPONENT);
	CHECK(!burn_guard_method(BURN_METHOD_FLASH, &image, &both, &error));
	CHECK(!burn_guard_method(BURN_METHOD_COMPONENT, &image, &closed, &error));
	REFUSED(burn_guard_method(BURN_METHOD_COMPONENT, &plain, &both, &error), "image-no-component",
		"mcc_en", "component update", "firmware's", "--method flash");
	plain.security_flags = IMAGE_SECURITY_MCC;
	REFUSED(burn_guard_method(BURN_METHOD_COMPONENT, &plain, &closed, &error), "image-no-component",
		"without a section for signatures", "component update", "firmware's", "closed as well");
	CHECK(burn_guard_method(BURN_METHOD_COMPONENT, &image, &open, &error));
	CHECK_STR(error.id, "no-component");
	REFUSED(burn_guard_method(BURN_METHOD_FLASH, &image, &closed, &error), "flash-closed", "gives access",
		"open flash", "secure card", "--method component");
	/* the driver burns FS4, not FS2 */
	plain.place.format = IMAGE_FS2;
	CHECK(burn_guard_method(BURN_METHOD_FLASH, &plain, &open, &error));
	CHECK_STR(error.id, "burn-not-offered");
	CHECK(strstr(error.next, "parameters/burn"));
	CHECK(burn_guard_method(BURN_METHOD_COMPONENT, &plain, &both, &error));
}

/* ---- PSIDs: the cases ---- */

static void psid_of_another_vendor(void)
{
	struct burn_psids psids = { .image = "MT_1080110023",
				    .card = "IBM1080111023",
				    .method = BURN_METHOD_FLASH };
	struct burn_permits permits = { 0 };
	struct cxctl_error error;
	const char *board;
	char text[320];

	REFUSED(burn_guard_psid(&psids, &permits, &error), "psid", "MT_1080110023 (Mellanox)",
		"IBM1080111023 (IBM", "stands for a board", "--psid-change MT_1080110023");
	/* IBM-branded ConnectX-3, what its twin is, what a change means, how to get back */
	CHECK(strstr(error.expected, "MT_1080110023") && strstr(error.expected, "ConnectX-3"));
	CHECK(strstr(error.next, "IBM's brand of MT_1080110023"));
	CHECK(strstr(error.next, "--psid-change IBM1080111023"));
	CHECK_STR(burn_psid_twin("IBM1080111023", &board), "MT_1080110023");
	CHECK(strstr(board, "MCX312A"));
	CHECK(!burn_psid_twin("MT_1080110023", &board));	/* it is the reference */
	CHECK(!burn_psid_twin("DEL09A0000009", &board) && !board);
	CHECK(!burn_psid_twin("HP_1080111023", &board));	/* a board's number alone proves nothing */
	CHECK_STR(burn_psid_twin("HP_2420110034", &board), "MT_2420110034");
	CHECK_STR(burn_psid_twin("LNV2180110032", &board), "MT_2180110032");
	permits.psid_change = "MT_1080120023";
	REFUSED(burn_guard_psid(&psids, &permits, &error), "psid-not-this", "MT_1080110023", "MT_1080120023",
		"named by the new one", "--psid-change MT_1080110023");
	permits.psid_change = "MT_1080110023";
	CHECK(!burn_guard_psid(&psids, &permits, &error));
	burn_psid_explain(psids.card, psids.image, text, sizeof(text));
	CHECK(strstr(text, "IBM's brand of MT_1080110023"));
	permits.psid_change = NULL;
	psids.retag = true;		/* the image gets the card's PSID */
	CHECK(!burn_guard_psid(&psids, &permits, &error));
	psids.retag = false;
	psids.card = psids.image;
	CHECK(!burn_guard_psid(&psids, &permits, &error));
	psids.card = "";		/* unknown: recovery mode */
	CHECK(!burn_guard_psid(&psids, &permits, &error));
}

static void psid_on_a_secure_card(void)
{
	struct burn_psids psids = { .image = "MT_0000000228", .card = "DEL0000000016", .secure = true,
				    .method = BURN_METHOD_COMPONENT };
	struct burn_permits permits = { .psid_change = "MT_0000000228" };
	struct cxctl_error error;

	/* no option lifts it, the named PSID neither */
	REFUSED(burn_guard_psid(&psids, &permits, &error), "psid-secure", "MT_0000000228",
		"DEL0000000016 (Dell)", "Changing PSID is unsupported under Secure FW",
		"--psid-change does not help");
	psids.method = BURN_METHOD_FLASH;	/* whichever way */
	REFUSED(burn_guard_psid(&psids, &permits, &error), "psid-secure", "MT_0000000228", "DEL0000000016",
		"unsupported under Secure FW", "--psid-change does not help");
	psids.method = BURN_METHOD_COMPONENT;
	psids.secure = false;
	REFUSED(burn_guard_psid(&psids, &permits, &error), "psid-component", "MT_0000000228", "DEL0000000016",
		"match_psid", "--method flash --psid-change MT_0000000228");
	/* made as Dell's, running another vendor's firmware, on a secure card */
	psids = (struct burn_psids){ .image = "DEL0000000016",
				     .card = "MT_0000000228",
				     .original = "DEL0000000016",
				     .secure = true,
				     .method = BURN_METHOD_COMPONENT };
	REFUSED(burn_guard_psid(&psids, &permits, &error), "psid-secure", "DEL0000000016 (Dell)",
		"MT_0000000228", "Secure FW", "made as DEL0000000016 (Dell)");
}

static void psid_locked(void)
{
	struct burn_psids psids = { .image = "MT_0000001590",
				    .card = "MT_0000001590",
				    .method = BURN_METHOD_COMPONENT,
				    .lock = { .supported = true, .locked = true, .psid = "MT_0002001590" } };
	struct burn_permits permits = { .psid_change = "MT_0000001590" };
	struct cxctl_error error;

	REFUSED(burn_guard_psid(&psids, &permits, &error), "psid-locked", "MT_0000001590", "MT_0002001590",
		"does not match locked PSID", "MT_0002001590");
	psids.image = "MT_0002001590";		/* another minor, the locked one */
	CHECK(!burn_guard_psid(&psids, &permits, &error));
	psids.lock.locked = false;		/* not locked: any minor of the same board */
	psids.image = "MT_0007001590";
	CHECK(!burn_guard_psid(&psids, &permits, &error));
	psids.image = "MT_00X1001590";
	REFUSED(burn_guard_psid(&psids, &permits, &error), "psid-reserved", "begins with X", "X, Y or Z",
		"reserved", "MT_0000001590");
	psids.image = "MT_0000001591";		/* another major */
	CHECK(burn_guard_psid(&psids, &permits, &error));
	psids.image = "NVD0000001590";		/* another header */
	CHECK(burn_guard_psid(&psids, &permits, &error));
	psids.image = "MT_0007001590";
	psids.lock.supported = false;		/* without the feature they must be equal */
	CHECK(burn_guard_psid(&psids, &permits, &error));
	psids.lock.supported = true;
	psids.card = "MT_2420110034";		/* cannot be split */
	psids.image = "MT_2420120034";
	CHECK(burn_guard_psid(&psids, &permits, &error));
}

/* ---- boards ---- */

static struct burn_board a_board(void)
{
	struct burn_board board = { .known = true,
				    .image_name = "MCX312B-XCC_Ax",
				    .card_name = "MCX312B-XCC_Ax",
				    .image_psid = "MT_1200111023",
				    .ini_psid = "MT_1200111023",
				    .card_psid = "MT_1200111023",
				    .image_ports = 2,
				    .card_ports = 2 };

	return board;
}

static void boards(void)
{
	struct burn_permits permits = { 0 }, lifted = { .board_change = true };
	struct burn_board board = a_board();
	struct cxctl_error error;

	CHECK(!burn_guard_board(&board, &permits, &error));
	strcpy(board.image_from, "MT_1200111024");
	REFUSED(burn_guard_board(&board, &permits, &error), "retagged", "was MT_1200111024",
		"made for MT_1200111023", "no proof", "--accept-board-change");
	CHECK(!burn_guard_board(&board, &lifted, &error));
	strcpy(board.card_from, "MT_1200111024");	/* the card runs such a one already */
	CHECK(!burn_guard_board(&board, &permits, &error));
	board = a_board();
	board.known = false; /* nothing of the card to compare with: the mark counts all the same */
	CHECK(!burn_guard_board(&board, &permits, &error));
	strcpy(board.image_from, "MT_1200111024");
	CHECK(burn_guard_board(&board, &permits, &error));
	board = a_board();
	strcpy(board.ini_psid, "MT_1200111024");	/* retagged by hand, without a mark */
	REFUSED(burn_guard_board(&board, &permits, &error), "retagged", "MT_1200111024 in the INI",
		"the same in both", "no proof", "--accept-board-change");
	board = a_board();
	board.card_ports = 1;
	REFUSED(burn_guard_board(&board, &permits, &error), "other-ports", "2 ports", "1, as the card",
		"switches on", "--accept-board-change");
	CHECK(!burn_guard_board(&board, &lifted, &error));
	board = a_board();
	board.name_differs = true;
	strcpy(board.image_name, "MCX354A-FCC_Ax");
	REFUSED(burn_guard_board(&board, &permits, &error), "other-board", "MCX354A-FCC_Ax", "MCX312B-XCC_Ax",
		"compiled", "--accept-board-change");
	board.compiled_known = true;			/* a brand: another name, the same settings */
	CHECK(!burn_guard_board(&board, &permits, &error));
	board = a_board();
	board.revision_differs = true;
	strcpy(board.image_name, "MCX312B-XCC_B1");
	REFUSED(burn_guard_board(&board, &permits, &error), "other-board-revision", "_B1", "_Ax",
		"wired differently", "--accept-board-change");
	board = a_board();
	board.compiled_known = board.compiled_differs = true;
	CHECK(!burn_guard_board(&board, &permits, &error));	/* as they do between versions */
	board.same_version = true;
	REFUSED(burn_guard_board(&board, &permits, &error), "compiled-board", "differ", "card's image",
		"of one version", "--accept-board-change");
}

struct subject {
	uint8_t *bytes;
	struct image_memory memory;
	struct image_subject subject;
};

static void make(struct subject *subject, const struct synthetic *what)
{
	size_t length;

	subject->bytes = synthetic_image(what, &length);
	REQUIRE(subject->bytes != NULL);
	subject->memory = (struct image_memory){ subject->bytes, length };
	subject->subject.reader = image_memory_reader(&subject->memory);
	CHECK_EQ(image_query(&subject->subject.reader, IMAGE_LAYOUT_FILE, 0, &subject->subject.facts, NULL),
		 0);
	subject->subject.place = subject->subject.facts.place;
}

/* From images to facts to the verdict, in every format. */
static void boards_of_images(void)
{
	static const enum synthetic_format formats[] = { SYNTHETIC_FS2, SYNTHETIC_FS3, SYNTHETIC_FS4 };
	static const char *const names[] = { "MCX312B-XCC_Ax", "MCX4121A-ACA_Ax", "MCX556A-ECA_Ax" };
	struct burn_permits permits = { 0 };
	struct cxctl_error error;
	struct image_error why;
	struct burn_board board;
	unsigned int f, kind;

	for (f = 0; f < 3; f++)
		for (kind = 0; kind < 5; kind++) {
			struct synthetic what = { .format = formats[f],
						  .psid = "MT_1200111023",
						  .name = names[f],
						  .version = f ? "16.35.2000" : "2.36.5000" };
			struct subject card = { 0 }, image = { 0 };
			static const char *const expected[] = { NULL, "other-ports", "other-board",
								"other-board-revision", "compiled-board" };

			make(&card, &what);
			if (kind < 4)
				what.version = f ? "16.36.1010" : "2.42.5000";
			if (kind == 1)
				what.ports = 1;
			if (kind == 2)
				what.name = "MCX999X-ABC_Ax";
			if (kind == 3)
				what.name = f == 0   ? "MCX312B-XCC_B1"
					    : f == 1 ? "MCX4121A-ACA_B1"
						     : "MCX556A-ECA_B1";
			/* also where settings are compiled otherwise, as between boards and between versions */
			what.board_seed = kind ? 77 : 0;
			make(&image, &what);
			REQUIRE(!burn_board_compare(&image.subject, &card.subject, &board, &why));
			CHECK(board.known);
			if (!expected[kind])
				CHECK(!burn_guard_board(&board, &permits, &error));
			else if (!burn_guard_board(&board, &permits, &error) ||
				 strcmp(error.id, expected[kind]))
				ktap_fail(__FILE__, __LINE__, "format %u, kind %u: %s", f, kind, error.id);
			free(card.bytes);
			free(image.bytes);
		}
}

/* A secure card tells its PSID, its part number and its ports by registers and VPD. */
static void boards_of_registers(void)
{
	struct synthetic what = {
		.format = SYNTHETIC_FS4, .psid = "MT_0000000228", .name = "MCX653106A-HDA_Ax", .ports = 2
	};
	struct burn_permits permits = { 0 };
	struct subject image = { 0 };
	struct cxctl_error error;
	struct burn_board board;

	make(&image, &what);
	burn_board_of_registers(&image.subject, "MT_0000000228", "MCX653106A-HDAT", 2, &board);
	CHECK(!burn_guard_board(&board, &permits, &error));
	burn_board_of_registers(&image.subject, "MT_0000000228", "MCX653105A-HDAT", 2, &board);
	CHECK(burn_guard_board(&board, &permits, &error));
	CHECK_STR(error.id, "other-board");
	burn_board_of_registers(&image.subject, "MT_0000000228", "0WKKD7", 2,
				&board); /* an OEM's number says nothing */
	CHECK(!burn_guard_board(&board, &permits, &error));
	burn_board_of_registers(&image.subject, "MT_0000000228", "", 1, &board);
	CHECK(burn_guard_board(&board, &permits, &error));
	CHECK_STR(error.id, "other-ports");
	burn_board_of_registers(&image.subject, "MT_0000000228", "", 0, &board);
	CHECK(!burn_guard_board(&board, &permits, &error));
	free(image.bytes);
}

/* ---- what the chip would refuse ---- */

static void security(void)
{
	struct image_facts image = signed_image(), plain = { .security_flags = IMAGE_SECURITY_MCC };
	struct burn_security card = { 0 };
	struct mgir mgir = { .secured = true, .life_cycle = 1 };
	struct cxctl_error error;

	plain.place.format = IMAGE_FS4;
	CHECK(!burn_guard_security(&plain, &card, BURN_METHOD_FLASH, &error));	/* unknown says nothing */
	card.known = true;
	CHECK(!burn_guard_security(&plain, &card, BURN_METHOD_FLASH, &error));
	burn_security_of_mgir(&mgir, &card);
	CHECK(card.secure_firmware && card.life_cycle_known);
	CHECK(!burn_guard_security(&image, &card, BURN_METHOD_COMPONENT, &error));
	REFUSED(burn_guard_security(&plain, &card, BURN_METHOD_COMPONENT, &error), "unsigned-image",
		"no section", "life cycle GA secured", "REJECTED_UNSIGNED", "no option lifts this");
	plain.security_keys = true;
	REFUSED(burn_guard_security(&plain, &card, BURN_METHOD_COMPONENT, &error), "not-secure-image", "N/A",
		"secure firmware", "REJECTED_NOT_A_SECURED_FW", "no option lifts this");
	image.security_flags |= IMAGE_SECURITY_DEBUG;
	REFUSED(burn_guard_security(&image, &card, BURN_METHOD_COMPONENT, &error), "debug-image", "debug",
		"secure firmware", "REJECTED_NO_DEBUG_TOKEN", "no option lifts this");
	card.debug = true;
	CHECK(!burn_guard_security(&image, &card, BURN_METHOD_COMPONENT, &error));
	image.encrypted = true;
	REFUSED(burn_guard_security(&image, &card, BURN_METHOD_COMPONENT, &error), "encrypted-image",
		"encrypted", "secure firmware", "chip's", "no option lifts this");
	card.encrypted = true;
	CHECK(!burn_guard_security(&image, &card, BURN_METHOD_COMPONENT, &error));
	image.encrypted = false;
	REFUSED(burn_guard_security(&image, &card, BURN_METHOD_COMPONENT, &error), "plain-image", "in clear",
		"encrypted", "chip's", "no option lifts this");
	image.place.format = IMAGE_FS5;			/* chooses by itself */
	CHECK(!burn_guard_security(&image, &card, BURN_METHOD_COMPONENT, &error));
	image.place.format = IMAGE_FS2;
	CHECK(!burn_guard_security(&image, &card, BURN_METHOD_FLASH, &error));
}

static void security_version(void)
{
	struct image_facts image = signed_image();
	struct burn_security card = { .known = true, .version = 3 };
	struct cxctl_error error;

	image.security_version = 2;
	CHECK(!burn_guard_security_version(&image, &card, &error));
	card.version_known = true;
	REFUSED(burn_guard_security_version(&image, &card, &error), "security-version", "2", "3 or higher",
		"fuses", "newer image");
	image.security_version = 3;
	CHECK(!burn_guard_security_version(&image, &card, &error));
}

static void damaged(void)
{
	struct burn_verdict verdict = { 0 };
	struct cxctl_error error;

	CHECK(!burn_guard_image("x.bin", &verdict, &error));
	verdict.damaged = 3;
	strcpy(verdict.first, "MAIN_CODE at 0x1000: wrong CRC");
	CHECK(burn_guard_image("x.bin", &verdict, &error));
	CHECK_EQ(error.exit, CXCTL_BAD_IMAGE);
	CHECK_STR(error.id, "image-damaged");
	CHECK(strstr(error.text, "x.bin") && strstr(error.found, "MAIN_CODE") &&
	      strstr(error.found, "2 more"));
	CHECK(*error.expected && strstr(error.rule, "no option lifts this") &&
	      strstr(error.next, "checksum"));
}

/* ---- the state of the card ---- */

static void pending(void)
{
	struct burn_pending wait = { .known = true, .version = { 16, 35, 4030 } };
	struct burn_permits permits = { 0 }, lifted = { .over_pending = true };
	struct cxctl_error error;

	CHECK(!burn_guard_pending(&wait, BURN_METHOD_FLASH, &permits, &error));
	wait.waiting = true;
	REFUSED(burn_guard_pending(&wait, BURN_METHOD_FLASH, &permits, &error), "pending", "16.35.4030",
		"last given", "written over", "--over-pending");
	CHECK(strstr(error.next, "cxctl activate"));
	CHECK(!burn_guard_pending(&wait, BURN_METHOD_FLASH, &lifted, &error));
	/* the firmware itself refuses: nothing to lift */
	REFUSED(burn_guard_pending(&wait, BURN_METHOD_COMPONENT, &lifted, &error), "pending", "16.35.4030",
		"last given", "BLOCKED_PENDING_RESET", "cxctl activate");
	wait.known = false;
	CHECK(!burn_guard_pending(&wait, BURN_METHOD_COMPONENT, &permits, &error));
}

static void update_flow(void)
{
	static const struct burn_flow_rule rules[] = {
		{ 0x20d, { 16, 20, 0 }, { 16, 30, 0 }, { 16, 25, 1020 }, "a made-up rule", "this test" },
	};
	struct image_facts image = { .version = { 16, 35, 4030 } };
	const uint32_t old[3] = { 16, 19, 1000 }, new[3] = { 16, 25, 1020 }, reported[3] = { 14, 14, 1100 };
	struct cxctl_error error;

	REFUSED(burn_guard_update_flow_by(rules, 1, &image, 0x20d, old, &error), "update-flow",
		"16.19.1000 runs", "16.20.0", "this test", "burn 16.25.1020 first");
	CHECK(!burn_guard_update_flow_by(rules, 1, &image, 0x20d, new, &error));
	CHECK(!burn_guard_update_flow_by(rules, 1, &image, 0x20f, old, &error));
	image.version[1] = 29;
	CHECK(!burn_guard_update_flow_by(rules, 1, &image, 0x20d, old, &error));
	/* the reported pair is burned, with a word on what was seen */
	image.version[0] = 14;
	image.version[1] = 32;
	image.version[2] = 1908;
	CHECK(!burn_guard_update_flow(&image, 0x20b, reported, &error));
	REQUIRE(burn_update_flow_note(&image, 0x20b, reported) != NULL);
	CHECK(strstr(burn_update_flow_note(&image, 0x20b, reported), "time out"));
	CHECK(!burn_update_flow_note(&image, 0x20d, reported));
}

static void drivers(void)
{
	struct image_facts image = { .version = { 22, 43, 1014 } };
	char text[300];

	CHECK_EQ(burn_driver_advice("mlx5_core", "24.10-0.7.0", "6.1.0", &image, text, sizeof(text)),
		 BURN_DRIVER_FINE);
	CHECK_EQ(burn_driver_advice("mlx5_core", "25.01-0.6.0", "6.1.0", &image, text, sizeof(text)),
		 BURN_DRIVER_FINE);
	CHECK_EQ(burn_driver_advice("mlx5_core", "24.07-0.6.1", "6.1.0", &image, text, sizeof(text)),
		 BURN_DRIVER_OLD);
	CHECK(strstr(text, "24.07-0.6.1") && strstr(text, "24.10") && strstr(text, "source"));
	CHECK_EQ(burn_driver_advice("mlx5_core", "5.8-1.0.1", "5.10.0", &image, text, sizeof(text)),
		 BURN_DRIVER_OLD);
	/* the kernel's own, mlx4 and branches of no table: unknown says unknown */
	CHECK_EQ(burn_driver_advice("mlx5_core", NULL, "6.1.0-18", &image, text, sizeof(text)),
		 BURN_DRIVER_UNKNOWN);
	CHECK(strstr(text, "unknown") && strstr(text, "6.1.0-18"));
	CHECK_EQ(burn_driver_advice("mlx5_core", "5.0-0", "4.19.0", &image, text, sizeof(text)),
		 BURN_DRIVER_UNKNOWN);
	CHECK_EQ(burn_driver_advice("mlx4_core", "4.0-0", "5.10.0", &image, text, sizeof(text)),
		 BURN_DRIVER_UNKNOWN);
	image.version[1] = 35;
	CHECK_EQ(burn_driver_advice("mlx5_core", "5.8-1.0.1", "5.10.0", &image, text, sizeof(text)),
		 BURN_DRIVER_FINE);
	CHECK_EQ(burn_driver_advice("mlx5_core", "5.7-1.0.2", "5.10.0", &image, text, sizeof(text)),
		 BURN_DRIVER_OLD);
	image.version[1] = 42;		/* of which no page names the release */
	CHECK_EQ(burn_driver_advice("mlx5_core", "23.04-0.5.3", "6.1.0", &image, text, sizeof(text)),
		 BURN_DRIVER_UNKNOWN);
	image.version[1] = 99;
	CHECK_EQ(burn_driver_advice("mlx5_core", "24.10-0.7.0", "6.1.0", &image, text, sizeof(text)),
		 BURN_DRIVER_UNKNOWN);
}

/* ---- flash ---- */

static void protection(void)
{
	struct cxfw_card_info info = { .flash_jedec = 0xef4018, .flash_size = 16 << 20, .flash_banks = 1,
				       .flash_status_valid = 1 };
	struct burn_permits permits = { 0 }, lifted = { .clear_protection = true };
	struct burn_protection p;
	struct cxctl_error error;

	burn_protection_of(&info, &p);
	CHECK(p.known && !p.any);
	CHECK(!burn_guard_protection(&p, 0, 16 << 20, false, &permits, &error));
	info.flash_status[0] = 1 << 2;			/* W25Q128: BP = 1 is 256 KiB at the top */
	burn_protection_of(&info, &p);
	CHECK(p.any && !p.locked);
	CHECK_EQ(p.from, 0xfc0000);
	CHECK_EQ(p.to, 0x1000000);
	CHECK(strstr(p.bits, "BP2..0 = 0 0 1") && strstr(p.bits, "TB = 0"));
	CHECK(!burn_guard_protection(&p, 0, 0xfc0000, false, &permits, &error));
	REFUSED(burn_guard_protection(&p, 0x800000, 0xfc1000, false, &permits, &error), "write-protected",
		"BP2..0 = 0 0 1", "nothing protected from 0x800000", "ignored",
		"hw set Flash0.WriteProtected=Disabled");
	CHECK(strstr(error.found, "0xfc0000 to 0x1000000"));
	CHECK(burn_guard_protection(&p, 0x800000, 0xfc1000, false, &lifted, &error)); /* the driver cannot */
	CHECK(burn_guard_protection(&p, 0x800000, 0xfc1000, true, &permits, &error));
	CHECK(strstr(error.next, "--clear-protection"));
	CHECK(!burn_guard_protection(&p, 0x800000, 0xfc1000, true, &lifted, &error));
	info.flash_status[0] |= 0x80;			/* SRP0: the register itself is held */
	burn_protection_of(&info, &p);
	CHECK(p.locked);
	REFUSED(burn_guard_protection(&p, 0x800000, 0xfc1000, true, &lifted, &error), "write-protected",
		"SRP0 = 1", "nothing protected", "SRP0 keeps the bits", "jumper");
	info.flash_status[0] = 1 << 5 | 1 << 2;
	burn_protection_of(&info, &p);
	CHECK_EQ(p.from, 0);
	CHECK_EQ(p.to, 0x40000);
	info.flash_status[0] = 1 << 6 | 1 << 2;		/* SEC: 4 KiB */
	burn_protection_of(&info, &p);
	CHECK_EQ(p.to - p.from, 0x1000);
	info.flash_status[0] = 7 << 2;
	burn_protection_of(&info, &p);
	CHECK_EQ(p.from, 0);
	CHECK_EQ(p.to, 16 << 20);
	info.flash_jedec = 0xef7019; /* 32 MiB: four bits, TB is bit 6, steps from 64 KiB */
	info.flash_size = 32 << 20;
	info.flash_status[0] = 1 << 6 | 1 << 2;
	burn_protection_of(&info, &p);
	CHECK_EQ(p.to, 0x10000);
	CHECK(strstr(p.bits, "BP3..0"));
	info.flash_jedec = 0xc22019; /* Macronix: TB stands in another register, which was not read */
	info.flash_status[0] = 1 << 2;
	burn_protection_of(&info, &p);
	CHECK_EQ(p.from, 0);
	CHECK_EQ(p.to, 32 << 20);
	CHECK(strstr(p.bits, "TB = ?"));
	info.flash_status_valid = 5;
	info.flash_status[2] = 8;
	burn_protection_of(&info, &p);
	CHECK_EQ(p.to, 0x10000);
	info.flash_status_valid = 0;			/* MFBA shows no status */
	burn_protection_of(&info, &p);
	CHECK(!p.known);
	CHECK(!burn_guard_protection(&p, 0, 32 << 20, false, &permits, &error));
}

static void flash_support(void)
{
	struct cxfw_card_info info = { .flash_jedec = 0xef4018, .flash_name = "W25QxxBV" };
	struct image_facts image = signed_image(), device = signed_image();
	struct burn_permits permits = { 0 }, lifted = { .unknown_flash = true };
	struct cxctl_error error;
	const char *doubt;

	CHECK(!burn_guard_flash_support(&image, &device, &info, &permits, &doubt, &error));
	REQUIRE(doubt != NULL);				/* neither says anything: a note, no refusal */
	CHECK(strstr(doubt, "Winbond"));
	device.security_flags |= IMAGE_SECURITY_WINBOND;
	REFUSED(burn_guard_flash_support(&image, &device, &info, &permits, &doubt, &error),
		"flash-not-supported", "ef4018", "Winbond", "REJECTED_INCOMPATIBLE_FLASH",
		"--accept-unknown-flash");
	CHECK(!burn_guard_flash_support(&image, &device, &info, &lifted, &doubt, &error));
	image.security_flags |= IMAGE_SECURITY_WINBOND;
	CHECK(!burn_guard_flash_support(&image, &device, &info, &permits, &doubt, &error));
	CHECK(!doubt);
	info.flash_jedec = 0xc22018;
	image.security_flags = 0;
	CHECK(!burn_guard_flash_support(&image, &device, &info, &permits, &doubt, &error));
	CHECK(!doubt);
}

static void flash_unknown(void)
{
	struct cxfw_card_info info = { .flash_size = 1 << 20, .flash_jedec = 0x123456 };
	struct cxctl_error error;

	REFUSED(burn_guard_flash(&info, &error), "flash-unknown", "123456", "table", "never written",
		"cxctl backup");
}

/* ---- room and ROM ---- */

static void room(void)
{
	struct image_facts image = signed_image(), device = signed_image();
	struct cxctl_error error;

	image.place.log2_chunk = 0x18;
	image.length = 0x800000;
	device.place.log2_chunk = 0x17;
	REFUSED(burn_guard_room(&image, &device, 32 << 20, 0, BURN_METHOD_FLASH, &error), "slot-size",
		"16384 KiB", "8192 KiB", "reach into the other", "PSID");
	CHECK(!burn_guard_room(&image, &device, 32 << 20, 0, BURN_METHOD_COMPONENT, &error));
	CHECK(!burn_guard_room(&image, NULL, 32 << 20, 0, BURN_METHOD_FLASH, &error));
	image.place.log2_chunk = 0x16;			/* 0x16 and 0x17 may follow each other */
	image.length = 0x300000;
	CHECK(!burn_guard_room(&image, &device, 32 << 20, 0, BURN_METHOD_FLASH, &error));
	image.place.format = IMAGE_FS5;
	CHECK(burn_guard_room(&image, &device, 32 << 20, 0, BURN_METHOD_FLASH, &error));
	image.place.format = IMAGE_FS4;
	image.length = 0x400004;
	REFUSED(burn_guard_room(&image, &device, 32 << 20, 0, BURN_METHOD_FLASH, &error), "image-too-large",
		"0x400004", "0x400000", "half of the flash", "PSID");
	REFUSED(burn_guard_room(&image, NULL, 0, 0x400000, BURN_METHOD_COMPONENT, &error), "image-too-large",
		"0x400004", "as the firmware says", "half of the flash", "PSID");
	CHECK(!burn_guard_room(&image, NULL, 0, 0, BURN_METHOD_COMPONENT, &error));
}

static void rom_merge(void)
{
	struct image_facts image = { .has = IMAGE_HAS_PRODUCT, .product_version = "16.35.4030" };
	struct burn_permits permits = { 0 }, lifted = { .rom_change = true };
	struct cxctl_error error;

	REFUSED(burn_guard_rom(&image, true, true, &permits, &error), "rom-merge", "16.35.4030",
		"--rom image", "code and ROM together", "--allow-rom-change");
	CHECK(!burn_guard_rom(&image, true, true, &lifted, &error));
	CHECK(!burn_guard_rom(&image, false, true, &permits, &error));
	CHECK(!burn_guard_rom(&image, true, false, &permits, &error));
	image.has = 0;
	CHECK(!burn_guard_rom(&image, true, true, &permits, &error));
}

static const struct ktap_test tests[] = {
	KTAP_TEST(registers),
	KTAP_TEST(functions),
	KTAP_TEST(methods),
	KTAP_TEST(guard_hardware),
	KTAP_TEST(guard_version),
	KTAP_TEST(guard_format_and_flash),
	KTAP_TEST(psid_of_another_vendor),
	KTAP_TEST(psid_on_a_secure_card),
	KTAP_TEST(psid_locked),
	KTAP_TEST(boards),
	KTAP_TEST(boards_of_images),
	KTAP_TEST(boards_of_registers),
	KTAP_TEST(security),
	KTAP_TEST(security_version),
	KTAP_TEST(damaged),
	KTAP_TEST(pending),
	KTAP_TEST(update_flow),
	KTAP_TEST(drivers),
	KTAP_TEST(protection),
	KTAP_TEST(flash_support),
	KTAP_TEST(flash_unknown),
	KTAP_TEST(room),
	KTAP_TEST(rom_merge),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
