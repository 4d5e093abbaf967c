// SPDX-License-Identifier: GPL-2.0-only
/*
 * cxctl-test-image: writes synthetic firmware, flashes and containers to files, for tests in shell.
 *
 *   cxctl-test-image fs2|fs3|fs4|fs5 [KEY=VALUE]... -o OUT
 *   cxctl-test-image mfa1|mfa2|pldm [KEY=VALUE]... -o OUT IMAGE...
 *   cxctl-test-image rom [size=N] [rom_version=V] [pci=N] -o OUT
 *   cxctl-test-image help
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "synthetic_private.h"

enum kind { TEXT, NUMBER32, NUMBER64, SIZE, FLAG };

struct key {
	const char *name;
	enum kind kind;
	size_t at;
	const char *help;
};

#define IMAGE_KEY(name, kind, field, help) { name, kind, offsetof(struct synthetic, field), help }
static const struct key image_keys[] = {
	IMAGE_KEY("size", SIZE, size, "bytes of the file (k and m may follow); FS2: as long as it gets"),
	IMAGE_KEY("log2", NUMBER32, log2, "of the slot or chunk"),
	IMAGE_KEY("psid", TEXT, psid, ""),
	IMAGE_KEY("version", TEXT, version, "16.35.2000"),
	IMAGE_KEY("date", TEXT, date, "2022-11-20"),
	IMAGE_KEY("time", TEXT, time, "12:34:56"),
	IMAGE_KEY("vsd", TEXT, vsd, "of the image"),
	IMAGE_KEY("device_vsd", TEXT, device_vsd, ""),
	IMAGE_KEY("name", TEXT, name, "part number"),
	IMAGE_KEY("description", TEXT, description, ""),
	IMAGE_KEY("prs", TEXT, prs, ""),
	IMAGE_KEY("product", TEXT, product, "product version"),
	IMAGE_KEY("board_name", TEXT, board_name, ""),
	IMAGE_KEY("hw_id", NUMBER32, hw_id, ""),
	IMAGE_KEY("hw_revision", NUMBER32, hw_revision, ""),
	IMAGE_KEY("pci", NUMBER32, pci_device, "PCI device id"),
	IMAGE_KEY("guid", NUMBER64, guid, ""),
	IMAGE_KEY("mac", NUMBER64, mac, ""),
	IMAGE_KEY("uid_count", NUMBER32, uid_count, ""),
	IMAGE_KEY("code_size", SIZE, code_size, "of the largest code section"),
	IMAGE_KEY("rom_size", SIZE, rom_size, "0: no ROM; 532 or more"),
	IMAGE_KEY("rom_version", TEXT, rom_version, "3.4.752"),
	IMAGE_KEY("ini", TEXT, ini, "the board's INI; @FILE reads it from a file"),
	IMAGE_KEY("ports", NUMBER32, ports, "1 or 2, in the INI"),
	IMAGE_KEY("board_seed", NUMBER32, board_seed, "another one: other compiled board sections"),
	IMAGE_KEY("seed", NUMBER32, seed, "another one: other code"),
	IMAGE_KEY("security_flags", NUMBER32, security_flags, "IMAGE_INFO dword 0, bits 15:0"),
	IMAGE_KEY("security_version", NUMBER32, security_version, ""),
	IMAGE_KEY("digest", FLAG, digest, "A0 with the plain digest"),
	IMAGE_KEY("keys", FLAG, keys, "A1 and A4, blank"),
	IMAGE_KEY("signature_2048", FLAG, signature_2048, ""),
	IMAGE_KEY("signature_4096", FLAG, signature_4096, ""),
	IMAGE_KEY("hashes", FLAG, hashes, "FS4: hashes table"),
	IMAGE_KEY("stripped", FLAG, stripped, "without device data"),
	IMAGE_KEY("encrypted", FLAG, encrypted, "FS4, FS5"),
	IMAGE_KEY("second_itoc", FLAG, second_itoc, "FS4: the table at its second place"),
	IMAGE_KEY("encapsulated", FLAG, encapsulated, "FS5: trailing component header"),
	IMAGE_KEY("masked_magic", FLAG, masked_magic, "ff instead of the magic"),
	IMAGE_KEY("connect_ib", FLAG, connect_ib, "FS3: ids by port"),
	IMAGE_KEY("no_uids", FLAG, no_uids, "FS3 to FS5: GUID and MAC 0, as in a vendor's file"),
	IMAGE_KEY("blank_guids", FLAG, blank_guids, "FS2"),
	IMAGE_KEY("not_failsafe", FLAG, not_failsafe, "FS2"),
	IMAGE_KEY("no_mic", FLAG, no_mic, "FS2: so the whole has no CRC"),
	IMAGE_KEY("dtoc_divisor", NUMBER32, dtoc_divisor, "FS4"),
	{ NULL, 0, 0, NULL }
};

struct flash_options {
	size_t flash_size;
	uint32_t slot;
};
static const struct key flash_keys[] = {
	{ "flash", SIZE, offsetof(struct flash_options, flash_size), "write a flash of that size: a dump" },
	{ "slot", NUMBER32, offsetof(struct flash_options, slot), "in which the image stands there" },
	{ NULL, 0, 0, NULL }
};

#define ARCHIVE_KEY(name, kind, field, help) { name, kind, offsetof(struct synthetic_archive, field), help }
static const struct key archive_keys[] = {
	ARCHIVE_KEY("old_packing", FLAG, old_packing, "MFA2: version and date as of old"),
	ARCHIVE_KEY("padding", SIZE, padding, "MFA2: zero bytes behind the XZ stream"),
	ARCHIVE_KEY("compressed", FLAG, compressed, "MFA1: XZ"),
	ARCHIVE_KEY("dictionary", NUMBER32, dictionary, "bytes of the XZ dictionary"),
	{ NULL, 0, 0, NULL }
};

static const char *program;

static void __attribute__((noreturn, format(printf, 1, 2))) wrong(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fprintf(stderr, "%s: ", program);
	vfprintf(stderr, format, arguments);
	fprintf(stderr, "\n");
	va_end(arguments);
	exit(2);
}

static uint8_t *read_file(const char *name, size_t *length)
{
	FILE *file = fopen(name, "rb");
	struct bytes bytes = { 0 };
	uint8_t piece[65536];
	size_t got;

	if (!file)
		wrong("%s: %s", name, strerror(errno));
	while ((got = fread(piece, 1, sizeof(piece), file)))
		bytes_add(&bytes, piece, got);
	if (ferror(file))
		wrong("%s: %s", name, strerror(errno));
	fclose(file);
	*length = bytes.length;
	return bytes.data;
}

static void write_file(const char *name, const uint8_t *data, size_t length)
{
	FILE *file = strcmp(name, "-") ? fopen(name, "wb") : stdout;

	if (!file || fwrite(data, 1, length, file) != length || fclose(file))
		wrong("%s: %s", name, strerror(errno));
}

static uint64_t number_of(const char *text)
{
	char *end;
	uint64_t value;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (*end == 'k' || *end == 'm')
		value <<= *end++ == 'k' ? 10 : 20;
	if (errno || end == text || *end)
		wrong("\"%s\" is no number", text);
	return value;
}

static const char *text_of(const char *value)
{
	struct bytes text = { 0 };

	if (*value != '@')
		return value;
	text.data = read_file(value + 1, &text.length);
	text.room = text.length;
	bytes_add(&text, "", 1);
	return (const char *)text.data;
}

static bool set_key(const struct key *keys, void *object, const char *word)
{
	size_t length = strcspn(word, "=");
	const char *value = word[length] ? word + length + 1 : "1";
	uint8_t *at;

	for (; keys->name; keys++)
		if (!strncmp(keys->name, word, length) && !keys->name[length])
			break;
	if (!keys->name)
		return false;
	at = (uint8_t *)object + keys->at;
	if (keys->kind == TEXT)
		*(const char **)at = text_of(value);
	else if (keys->kind == NUMBER32)
		*(uint32_t *)at = number_of(value);
	else if (keys->kind == NUMBER64)
		*(uint64_t *)at = number_of(value);
	else if (keys->kind == SIZE)
		*(size_t *)at = number_of(value);
	else
		*(bool *)at = number_of(value);
	return true;
}

static void show_keys(const char *what, const struct key *keys)
{
	printf("%s:\n", what);
	for (; keys->name; keys++)
		printf("  %-18s %s\n", keys->name, keys->help);
}

static int help(void)
{
	printf("usage: %s fs2|fs3|fs4|fs5 [KEY=VALUE]... -o OUT\n"
	       "       %s mfa1|mfa2|pldm [KEY=VALUE]... -o OUT MEMBER...\n"
	       "       %s rom [KEY=VALUE]... -o OUT\n"
	       "A KEY alone is KEY=1. MEMBER is IMAGE[,PSID[,VERSION[,PART[,DESCRIPTION]]]].\n",
	       program, program, program);
	show_keys("of images", image_keys);
	show_keys("of flashes", flash_keys);
	show_keys("of containers", archive_keys);
	return 0;
}

struct order {
	const char *out;
	char **words;
	int count;
};

static void make_image(const struct order *order, enum synthetic_format format)
{
	struct synthetic what = { .format = format };
	struct flash_options flash = { 0 };
	size_t length;
	uint8_t *image;
	int i;

	for (i = 0; i < order->count; i++)
		if (!set_key(image_keys, &what, order->words[i]) &&
		    !set_key(flash_keys, &flash, order->words[i]))
			wrong("%s: no such key", order->words[i]);
	image = synthetic_image(&what, &length);
	if (!image)
		wrong("such an image is impossible");
	if (flash.flash_size) {
		image = synthetic_flash(image, length, &what, flash.flash_size, flash.slot & 1);
		length = flash.flash_size;
		if (!image)
			wrong("the image does not fit into such a flash");
	}
	write_file(order->out, image, length);
}

static void make_only_rom(const struct order *order)
{
	struct synthetic what = { .rom_size = 0x4014, .rom_version = "3.4.752", .pci_device = 0x1007 };
	uint8_t *rom;
	int i;

	for (i = 0; i < order->count; i++)
		if (!set_key(image_keys, &what, order->words[i]))
			wrong("%s: no such key", order->words[i]);
	rom = must_allocate(what.rom_size);
	if (!make_rom(rom, what.rom_size, &what))
		wrong("such a ROM is impossible");
	write_file(order->out, rom, what.rom_size);
}

/* IMAGE[,PSID[,VERSION[,PART[,DESCRIPTION]]]] */
static void read_member(struct synthetic_member *member, char *word)
{
	const char **fields[] = {
		&member->psid, &member->version, &member->part_number, &member->description
	};
	size_t i;

	member->image = read_file(strsep(&word, ","), &member->length);
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]) && word; i++)
		*fields[i] = strsep(&word, ",");
}

static void make_archive(const struct order *order,
			 uint8_t *(*maker)(const struct synthetic_archive *what, size_t *length))
{
	struct synthetic_member *members = calloc(order->count + 1, sizeof(*members));
	struct synthetic_archive what = { .members = members };
	size_t length;
	uint8_t *bytes;
	int i;

	for (i = 0; i < order->count; i++)
		if (!set_key(archive_keys, &what, order->words[i]))
			read_member(&members[what.count++], order->words[i]);
	bytes = maker(&what, &length);
	if (!bytes)
		wrong("such a container is impossible");
	write_file(order->out, bytes, length);
}

int main(int argc, char **argv)
{
	struct order order = { .words = calloc(argc, sizeof(char *)) };
	const char *kind = argc > 1 ? argv[1] : "";
	int i;

	program = argv[0];
	if (!strcmp(kind, "help") || !strcmp(kind, "--help"))
		return help();
	for (i = 2; i < argc; i++) {
		if (!strcmp(argv[i], "-o") && i + 1 < argc)
			order.out = argv[++i];
		else
			order.words[order.count++] = argv[i];
	}
	if (!order.out)
		wrong("where to? -o OUT; \"help\" tells more");
	if (!strncmp(kind, "fs", 2) && kind[2] >= '2' && kind[2] <= '5' && !kind[3])
		make_image(&order, kind[2] - '0');
	else if (!strcmp(kind, "rom"))
		make_only_rom(&order);
	else if (!strcmp(kind, "mfa1"))
		make_archive(&order, synthetic_mfa1);
	else if (!strcmp(kind, "mfa2"))
		make_archive(&order, synthetic_mfa2);
	else if (!strcmp(kind, "pldm"))
		make_archive(&order, synthetic_pldm);
	else
		wrong("%s: make what? \"help\" tells", kind);
	return 0;
}
