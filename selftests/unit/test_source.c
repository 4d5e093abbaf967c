// SPDX-License-Identifier: GPL-2.0-only
/* What paths hold: files, directories, archives and catalogues made here, searched as a user would. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "../../user/container/catalogue.h"
#include "../../user/image/sha256.h"
#include "../lib/ktap.h"
#include "../lib/synthetic.h"

static char root[64];

/* ---- files ---- */

static const char *path_of(const char *name)
{
	static char path[4][512];
	static unsigned int turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", root, name);
	return path[turn];
}

static void put_file(const char *name, const void *bytes, size_t length)
{
	FILE *file = fopen(path_of(name), "w");

	if (!file || (length && fwrite(bytes, length, 1, file) != 1) || fclose(file))
		ktap_fail(__FILE__, __LINE__, "cannot write %s", name);
}

static void put_text(const char *name, const char *text)
{
	put_file(name, text, strlen(text));
}

static void make_directory(const char *name)
{
	if (mkdir(path_of(name), 0700))
		ktap_fail(__FILE__, __LINE__, "cannot make %s", name);
}

static void empty_root(void)
{
	char command[128];

	if (*root) {
		snprintf(command, sizeof(command), "rm -rf '%s'", root);
		if (system(command))
			ktap_note("%s stays", root);
	}
	snprintf(root, sizeof(root), "%s/cxctl-source-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	if (!mkdtemp(root))
		exit(1);
}

struct blob {
	uint8_t *bytes;
	size_t length;
};

static void append(struct blob *blob, const void *bytes, size_t length)
{
	blob->bytes = realloc(blob->bytes, blob->length + length + 1);
	if (length)
		memcpy(blob->bytes + blob->length, bytes, length);
	blob->length += length;
}

static void append_junk(struct blob *blob, size_t length, uint32_t seed)
{
	uint8_t *junk = malloc(length);
	size_t i;

	for (i = 0; i < length; i++)
		junk[i] = (seed = seed * 1664525 + 1013904223) >> 24;
	append(blob, junk, length);
	free(junk);
}

static struct blob image_of(enum synthetic_format format, const char *psid, uint32_t seed)
{
	struct synthetic what = { .format = format, .psid = psid, .version = "16.35.2000", .seed = seed };
	struct blob blob;

	if (format == SYNTHETIC_FS2)
		what.version = "2.42.5000";
	blob.bytes = synthetic_image(&what, &blob.length);
	if (!blob.bytes) {
		ktap_fail(__FILE__, __LINE__, "no synthetic image of format %d", format);
		exit(1);
	}
	return blob;
}

static struct blob mfa2_of(const char *const *psids, size_t count)
{
	struct synthetic what = { .format = SYNTHETIC_FS4, .version = "16.35.2000", .stripped = true };
	struct synthetic_member members[8] = { { 0 } };
	struct synthetic_archive archive = { .members = members, .count = count };
	struct blob blob;
	size_t i;

	for (i = 0; i < count; i++) {
		what.psid = psids[i];
		what.seed = i;
		members[i].image = synthetic_image(&what, &members[i].length);
		members[i].psid = psids[i];
		members[i].version = "16.35.2000";
	}
	blob.bytes = synthetic_mfa2(&archive, &blob.length);
	for (i = 0; i < count; i++)
		free((uint8_t *)members[i].image);
	return blob;
}

/* ---- a maker of ZIPs: stored members, as one appends them to a program ---- */

static void little(struct blob *blob, uint64_t value, unsigned int bytes)
{
	uint8_t byte;

	while (bytes--) {
		byte = value;
		append(blob, &byte, 1);
		value >>= 8;
	}
}

/* What a local header and one of the directory have in common. */
static void zip_fields(struct blob *zip, const char *name, uint32_t crc, size_t length)
{
	little(zip, 20, 2);
	little(zip, 0, 2 + 2 + 4);
	little(zip, crc, 4);
	little(zip, length, 4);
	little(zip, length, 4);
	little(zip, strlen(name), 2);
	little(zip, 0, 2);
}

static struct blob zip_of(const char *name, const struct blob *member, size_t prefix, uint32_t crc_error)
{
	uint32_t crc = crc32(0, member->bytes, member->length) ^ crc_error;
	struct blob zip = { 0 };
	size_t directory, end;

	append(&zip, "PK\3\4", 4);
	zip_fields(&zip, name, crc, member->length);
	append(&zip, name, strlen(name));
	append(&zip, member->bytes, member->length);
	directory = zip.length;
	append(&zip, "PK\1\2", 4);
	little(&zip, 20, 2);
	zip_fields(&zip, name, crc, member->length);
	little(&zip, 0, 2 + 2 + 2 + 4);
	little(&zip, prefix, 4);
	append(&zip, name, strlen(name));
	end = zip.length;
	append(&zip, "PK\5\6", 4);
	little(&zip, 0, 4);
	little(&zip, 1, 2);
	little(&zip, 1, 2);
	little(&zip, end - directory, 4);
	little(&zip, directory + prefix, 4);
	little(&zip, 0, 2);
	return zip;
}

static bool no_libarchive(void)
{
	void *library = dlopen("libarchive.so.13", RTLD_NOW | RTLD_LOCAL);

	if (library) {
		dlclose(library);
		return false;
	}
	ktap_skip("libarchive.so.13 is not installed");
	return true;
}

/* ---- a walk, noted ---- */

#define SEEN 32
#define NOTES (SEEN * 256)

struct seen {
	char items[NOTES];		/* "kind inside psid" or "... unread", one a line, paths from root */
	char troubles[NOTES];
	unsigned int count, trouble_count, containers;
	const char *only;		/* the PSID that is wanted */
	int stop;			/* given by item */
	struct blob last;		/* bytes of the last item */
	bool restored;
	struct image_error error;
	int code;
};

static bool wanted(void *context, const struct source_item *item)
{
	const struct seen *seen = context;
	const char *psid = item->member ? item->member->psid : item->psid;

	return !seen->only || !psid || !strcmp(psid, seen->only);
}

static const char *from_root(const char *path)
{
	size_t length = strlen(root);

	return !strncmp(path, root, length) ? path + length + (path[length] == '/') : path;
}

static int on_item(void *context, const struct source_item *item, const struct image_reader *reader)
{
	struct seen *seen = context;
	size_t used = strlen(seen->items), offset;

	seen->count++;
	snprintf(seen->items + used, sizeof(seen->items) - used, "%s%s%s%s%s%s%s\n", from_root(item->path),
		 *item->inside ? "|" : "", item->inside, item->member ? " " : "",
		 item->member ? item->member->psid : "", item->kind == SOURCE_MEMBER ? " member" : "",
		 reader ? "" : " unread");
	seen->restored = item->restored;
	free(seen->last.bytes);
	seen->last = (struct blob){ 0 };
	if (reader) {
		seen->last.length = reader->size;
		seen->last.bytes = malloc(reader->size + 1);
		for (offset = 0; offset < reader->size; offset += 0x10000)
			CHECK(!reader->read(reader->context, offset, seen->last.bytes + offset,
					    reader->size - offset < 0x10000 ? reader->size - offset
									    : 0x10000));
	}
	return seen->stop;
}

static int on_container(void *context, const char *path, const char *inside, struct container *container)
{
	struct seen *seen = context;

	(void)path;
	(void)inside;
	(void)container;
	seen->containers++;
	return 0;
}

static void on_trouble(void *context, const char *path, const char *inside, const struct image_error *error)
{
	struct seen *seen = context;
	size_t used = strlen(seen->troubles);

	seen->trouble_count++;
	snprintf(seen->troubles + used, sizeof(seen->troubles) - used, "%s%s%s: %s\n", from_root(path),
		 *inside ? "|" : "", inside, error->text);
}

static struct seen *walk_with(const char *path, unsigned int flags, struct seen with)
{
	static struct seen seen;
	struct source_walk walk = {
		.wanted = wanted, .item = on_item, .container = on_container, .trouble = on_trouble,
		.context = &seen,
	};

	free(seen.last.bytes);
	seen = with;
	seen.code = source_walk(path, flags, &walk, &seen.error);
	return &seen;
}

static struct seen *walk(const char *name, unsigned int flags)
{
	return walk_with(path_of(name), flags, (struct seen){ 0 });
}

static bool same(const struct blob *one, const struct blob *other)
{
	return one->length == other->length && !memcmp(one->bytes, other->bytes, one->length);
}

static bool says(const struct seen *seen, const char *text)
{
	if (strstr(seen->error.text, text))
		return true;
	ktap_note("said: %s", seen->error.text);
	return false;
}

/* ---- plain files ---- */

static void plain_images(void)
{
	enum synthetic_format format;

	empty_root();
	for (format = SYNTHETIC_FS2; format <= SYNTHETIC_FS5; format++) {
		struct blob image = image_of(format, "MT_0000000010", 1);
		struct seen *seen;

		put_file("fw.bin", image.bytes, image.length);
		seen = walk("fw.bin", 0);
		CHECK_EQ(seen->code, 0);
		CHECK_STR(seen->items, "fw.bin\n");
		CHECK(same(&seen->last, &image));
		free(image.bytes);
	}
}

static void flash_dump(void)
{
	struct synthetic what = { .format = SYNTHETIC_FS2, .version = "2.42.5000", .log2 = 19 };
	struct blob image, flash = { NULL, 4 << 20 };
	struct seen *seen;

	empty_root();
	image.bytes = synthetic_image(&what, &image.length);
	flash.bytes = synthetic_flash(image.bytes, image.length, &what, flash.length, 1);
	REQUIRE(flash.bytes);
	put_file("backup.bin", flash.bytes, flash.length);
	seen = walk("backup.bin", 0);
	CHECK_EQ(seen->code, 0);
	CHECK_STR(seen->items, "backup.bin\n");
	CHECK(same(&seen->last, &flash));
	free(flash.bytes);
	free(image.bytes);
}

static void masked_magic(void)
{
	struct blob image = image_of(SYNTHETIC_FS4, "MT_0000000010", 1), masked = { 0 };
	struct seen *seen;

	empty_root();
	append(&masked, image.bytes, image.length);
	memset(masked.bytes, 0xff, 16);
	put_file("component.bin", masked.bytes, masked.length);
	seen = walk("component.bin", 0);
	CHECK_EQ(seen->code, 0);
	CHECK(seen->restored);
	CHECK(same(&seen->last, &image));
	free(masked.bytes);
	free(image.bytes);
}

static void containers(void)
{
	static const char *const psids[] = { "MT_0000000010", "DEL0000000004", "HPE0000000009" };
	struct blob mfa2 = mfa2_of(psids, 3);
	struct seen *seen;

	empty_root();
	put_file("b.mfa2", mfa2.bytes, mfa2.length);
	seen = walk("b.mfa2", 0);
	CHECK_EQ(seen->code, 0);
	CHECK_EQ(seen->containers, 1);
	CHECK_STR(seen->items,
		  "b.mfa2 MT_0000000010 member\nb.mfa2 DEL0000000004 member\nb.mfa2 HPE0000000009 member\n");
	CHECK(seen->restored);
	seen = walk_with(path_of("b.mfa2"), 0, (struct seen){ .only = "DEL0000000004" });
	CHECK_EQ(seen->code, 0);
	CHECK_STR(seen->items,
		  "b.mfa2 MT_0000000010 member unread\nb.mfa2 HPE0000000009 member unread\nb.mfa2 DEL0000000004 member\n");
	put_file("cut.mfa2", mfa2.bytes, mfa2.length / 2);
	seen = walk("cut.mfa2", 0);
	CHECK(seen->code < 0);
	CHECK(*seen->error.text);
	CHECK_EQ(seen->trouble_count, 0);
	free(mfa2.bytes);
}

/* What item() gives ends the walk and is its result. */
static void callback_ends_walk(void)
{
	static const char *const psids[] = { "MT_0000000010", "DEL0000000004" };
	struct blob mfa2 = mfa2_of(psids, 2);
	struct seen *seen;

	empty_root();
	put_file("b.mfa2", mfa2.bytes, mfa2.length);
	put_file("c.mfa2", mfa2.bytes, mfa2.length);
	seen = walk_with(root, 0, (struct seen){ .stop = 42 });
	CHECK_EQ(seen->code, 42);
	CHECK_EQ(seen->count, 1);
	CHECK_EQ(seen->trouble_count, 0);
	free(mfa2.bytes);
}

/* ---- what hides in other files ---- */

/* Images and a container at odd offsets, found whole and nothing more. */
static void hidden_in_junk(void)
{
	static const char *const psids[] = { "MT_0000000010" };
	struct blob parts[4], junk = { 0 };
	char expected[512];
	size_t at[4], i;
	struct seen *seen;

	empty_root();
	parts[0] = image_of(SYNTHETIC_FS2, "MT_1090120019", 1);
	parts[1] = mfa2_of(psids, 1);
	parts[2] = image_of(SYNTHETIC_FS3, "MT_2420110034", 2);
	parts[3] = image_of(SYNTHETIC_FS4, "MT_0000000011", 3);
	for (i = 0; i < 4; i++) {
		append_junk(&junk, 4099 + i, i + 1);
		at[i] = junk.length;
		append(&junk, parts[i].bytes, parts[i].length);
	}
	append_junk(&junk, 777, 9);
	put_file("junk", junk.bytes, junk.length);
	seen = walk("junk", 0);
	CHECK_EQ(seen->code, 0);
	CHECK_EQ(seen->trouble_count, 0);
	snprintf(expected, sizeof(expected),
		 "junk|at 0x%zx\njunk|at 0x%zx MT_0000000010 member\njunk|at 0x%zx\njunk|at 0x%zx\n",
		 at[0], at[1], at[2], at[3]);
	CHECK_STR(seen->items, expected);
	CHECK(same(&seen->last, &parts[3]));
	seen = walk("junk", SOURCE_NO_SCAN);
	CHECK_EQ(seen->code, -ENOENT);
	for (i = 0; i < 3; i++) {
		put_file("junk", junk.bytes, at[i + 1]);
		seen = walk("junk", 0);
		if (i != 1)
			CHECK(same(&seen->last, &parts[i]));
	}
	for (i = 0; i < 4; i++)
		free(parts[i].bytes);
	free(junk.bytes);
}

/* A tool that knows the magics is not an installer; a damaged image in an installer is told. */
static void magic_is_not_enough(void)
{
	static const uint8_t magics[] = {
		0x4d, 0x54, 0x46, 0x57, 0x8c, 0xdf, 0xd0, 0x00, 0xde, 0xad, 0x92, 0x70,
		0x41, 0x54, 0xbe, 0xef,
		0x4d, 0x54, 0x46, 0x57, 0xab, 0xcd, 0xef, 0x00, 0xfa, 0xde, 0x12, 0x34,
		0x56, 0x78, 0xde, 0xad,
	};
	static const char constants[] = "MFAR\0MLNX.MFA2.XZ.00!\0PK\5\6\0MSCF\0\0\0\0\0\0";
	struct blob tool = { 0 }, image = image_of(SYNTHETIC_FS4, "MT_0000000010", 1);
	struct seen *seen;

	empty_root();
	append(&tool, "\177ELF", 4);
	append_junk(&tool, 100, 1);
	append(&tool, magics, sizeof(magics));
	append(&tool, constants, sizeof(constants));
	append_junk(&tool, 5000, 2);
	put_file("tool", tool.bytes, tool.length);
	seen = walk("tool", 0);
	CHECK_EQ(seen->code, -ENOENT);
	CHECK(says(seen, "ELF"));
	CHECK_EQ(seen->trouble_count, 0);
	image.bytes[0x28] ^= 1;			/* the pointer to the table */
	append(&tool, image.bytes, image.length);
	put_file("tool", tool.bytes, tool.length);
	seen = walk("tool", 0);
	CHECK_EQ(seen->code, -EBADMSG);
	CHECK(says(seen, "at 0x"));
	free(tool.bytes);
	free(image.bytes);
}

/* The holes of a large file cost nothing, and what stands behind them is found. */
static void large_sparse_file(void)
{
	struct blob image = image_of(SYNTHETIC_FS3, "MT_2420110034", 1);
	int descriptor;
	struct seen *seen;

	empty_root();
	descriptor = open(path_of("sparse"), O_CREAT | O_RDWR, 0600);
	REQUIRE(descriptor >= 0);
	CHECK(!ftruncate(descriptor, 5LL << 30));
	seen = walk("sparse", 0);
	CHECK_EQ(seen->code, -ENOENT);
	CHECK_EQ(pwrite(descriptor, image.bytes, image.length, (4LL << 30) + 4097), image.length);
	close(descriptor);
	seen = walk("sparse", 0);
	CHECK_EQ(seen->code, 0);
	CHECK_STR(seen->items, "sparse|at 0x100001001\n");
	CHECK(same(&seen->last, &image));
	free(image.bytes);
}

/* ---- archives ---- */

/* As mlxup is made: a program, a ZIP behind it, a container in it. Offsets of both kinds that ZIPs use. */
static void zip_behind_program(void)
{
	static const char *const psids[] = { "MT_0000000010", "DEL0000000004" };
	struct blob mfa2 = mfa2_of(psids, 2);
	unsigned int kind;

	if (no_libarchive())
		return;
	empty_root();
	for (kind = 0; kind < 3; kind++) {
		struct blob program = { 0 }, zip;
		struct seen *seen;

		append(&program, "\177ELF", 4);
		append_junk(&program, 70001, 1);
		zip = zip_of("srcs.mfa2", &mfa2, kind == 1 ? program.length : 0, 0);
		append(&program, zip.bytes, zip.length);
		if (kind == 2)
			append_junk(&program, 3000, 2);		/* a signature */
		put_file("mlxup", program.bytes, program.length);
		seen = walk("mlxup", 0);
		CHECK_EQ(seen->code, 0);
		CHECK_STR(seen->items,
			  "mlxup|srcs.mfa2 MT_0000000010 member\nmlxup|srcs.mfa2 DEL0000000004 member\n");
		CHECK_EQ(seen->trouble_count, 0);
		free(zip.bytes);
		free(program.bytes);
	}
	free(mfa2.bytes);
}

static void archives_in_archives(void)
{
	struct blob image = image_of(SYNTHETIC_FS2, "MT_1090120019", 1), now = { 0 }, next;
	char expected[128] = "";
	struct seen *seen;
	unsigned int depth;

	if (no_libarchive())
		return;
	empty_root();
	append(&now, image.bytes, image.length);
	for (depth = 1; depth <= 6; depth++) {
		next = zip_of(depth == 1 ? "fw.bin" : "z", &now, 0, 0);
		free(now.bytes);
		now = next;
		put_file("deep.zip", now.bytes, now.length);
		seen = walk("deep.zip", 0);
		snprintf(expected, sizeof(expected), "deep.zip|%.*sfw.bin\n", 2 * (int)(depth - 1),
			 "z/z/z/z/z/z/");
		if (depth > 5) {
			CHECK_EQ(seen->code, -ELOOP);
			continue;
		}
		CHECK_EQ(seen->code, 0);
		CHECK_STR(seen->items, expected);
		CHECK(same(&seen->last, &image));
	}
	free(now.bytes);
	free(image.bytes);
}

static void gzip_stream(void)
{
	struct blob image = image_of(SYNTHETIC_FS4, "MT_0000000010", 1);
	struct seen *seen;
	gzFile file;

	if (no_libarchive())
		return;
	empty_root();
	file = gzopen(path_of("fw.bin.gz"), "wb");
	CHECK_EQ(gzwrite(file, image.bytes, image.length), image.length);
	gzclose(file);
	seen = walk("fw.bin.gz", 0);
	CHECK_EQ(seen->code, 0);
	CHECK_STR(seen->items, "fw.bin.gz|fw.bin\n");
	CHECK(same(&seen->last, &image));
	free(image.bytes);
}

/* The damaged member is named; nothing of it is given out. */
static void damaged_archive(void)
{
	struct blob image = image_of(SYNTHETIC_FS2, "MT_1090120019", 1), zip;
	struct seen *seen;

	if (no_libarchive())
		return;
	empty_root();
	zip = zip_of("fw.bin", &image, 0, 1);
	put_file("bad.zip", zip.bytes, zip.length);
	seen = walk("bad.zip", 0);
	CHECK_EQ(seen->code, -EBADMSG);
	CHECK_EQ(seen->count, 0);
	CHECK(says(seen, "fw.bin: "));
	put_file("cut.zip", zip.bytes, zip.length / 2);
	seen = walk("cut.zip", 0);
	CHECK(seen->code < 0);
	CHECK_EQ(seen->count, 0);
	free(zip.bytes);
	free(image.bytes);
}

/* Many ends of ZIPs that claim one long directory: not its length times their number. */
static void zip_ends_share_directory(void)
{
	const size_t count = 20000, directory = 4, ends = directory + count * 46;
	struct blob trap = { calloc(1, ends + count * 22), ends + count * 22 };
	struct seen *seen;
	clock_t start;
	size_t i;

	memcpy(trap.bytes, "MZ\1\1", 4);
	for (i = 0; i < count; i++)
		memcpy(trap.bytes + directory + i * 46, "PK\1\2", 4);
	for (i = 0; i < count; i++) {
		uint8_t *end = trap.bytes + ends + i * 22;
		uint32_t length = ends + i * 22 - directory;

		memcpy(end, "PK\5\6\0\0\0\0\1\0\1", 11);
		memcpy(end + 12, &length, 4);
	}
	empty_root();
	put_file("trap.exe", trap.bytes, trap.length);
	start = clock();
	seen = walk("trap.exe", 0);
	CHECK_EQ(seen->code, -ENOENT);
	CHECK((clock() - start) / CLOCKS_PER_SEC < 1);
	free(trap.bytes);
}

/* An XZ stream of 120 MiB that says that its dictionary has 256. */
static struct blob greedy_stream(void)
{
	static uint8_t piece[1 << 16], packed[1 << 16];
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_options_lzma options;
	lzma_filter filters[] = { { LZMA_FILTER_LZMA2, &options }, { LZMA_VLI_UNKNOWN, NULL } };
	struct blob blob = { 0 };
	size_t left = 120 * 16, header;
	lzma_ret result;
	uint32_t crc;

	memset(piece, 1, sizeof(piece));	/* not a text */
	lzma_lzma_preset(&options, 0);
	CHECK_EQ(lzma_stream_encoder(&stream, filters, LZMA_CHECK_CRC32), LZMA_OK);
	do {
		if (!stream.avail_in && left) {
			stream.next_in = piece;
			stream.avail_in = sizeof(piece);
			left--;
		}
		stream.next_out = packed;
		stream.avail_out = sizeof(packed);
		result = lzma_code(&stream, left ? LZMA_RUN : LZMA_FINISH);
		append(&blob, packed, sizeof(packed) - stream.avail_out);
	} while (result == LZMA_OK);
	CHECK_EQ(result, LZMA_STREAM_END);
	lzma_end(&stream);
	/* Block header at 12: its length, flags, the filter's id, 1, the dictionary's size. */
	header = (blob.bytes[12] + 1) * 4;
	CHECK_EQ(blob.bytes[14], 0x21);
	blob.bytes[16] = 32;
	crc = crc32(0, blob.bytes + 12, header - 4);
	memcpy(blob.bytes + 12 + header - 4, &crc, 4);
	return blob;
}

static void dictionary_too_large(void)
{
	struct blob stream = greedy_stream();
	struct seen *seen;

	if (no_libarchive())
		return;
	empty_root();
	put_file("fw.xz", stream.bytes, stream.length);
	seen = walk("fw.xz", 0);
	CHECK_EQ(seen->code, -EFBIG);
	CHECK(says(seen, "72 MiB of memory"));
	free(stream.bytes);
}

/* Which package, and by what else; what stands in the archive unpacked is found all the same. Runs first. */
static void libarchive_missing(void)
{
	struct blob image = image_of(SYNTHETIC_FS2, "MT_1090120019", 1), zip;
	struct seen *seen;

	empty_root();
	setenv("CXCTL_LIBARCHIVE", "no-such-library.so", 1);
	zip = zip_of("text", &image, 0, 0);
	put_file("a.zip", zip.bytes, zip.length);
	seen = walk("a.zip", 0);
	CHECK_EQ(seen->code, 0);
	CHECK_STR(seen->items, "a.zip|at 0x22\n");
	CHECK_EQ(seen->trouble_count, 1);
	CHECK(strstr(seen->troubles, "libarchive13") && strstr(seen->troubles, "unzip"));
	memset(zip.bytes + 0x22, 0, image.length);
	put_file("a.zip", zip.bytes, zip.length);
	seen = walk("a.zip", 0);
	CHECK_EQ(seen->code, -ENOPKG);
	CHECK(says(seen, "libarchive13"));
	unsetenv("CXCTL_LIBARCHIVE");
	free(zip.bytes);
	free(image.bytes);
}

/* ---- directories ---- */

static void directories(void)
{
	struct blob image = image_of(SYNTHETIC_FS2, "MT_1090120019", 1);
	struct seen *seen;

	empty_root();
	put_file("b.bin", image.bytes, image.length);
	put_file("a.bin", image.bytes, image.length);
	put_file(".hidden.bin", image.bytes, image.length);
	put_text("readme", "nothing\n");
	make_directory("c");
	put_file("c/d.bin", image.bytes, image.length);
	CHECK(!symlink("..", path_of("c/up")));
	CHECK(!symlink(".", path_of("self")));
	CHECK(!symlink("gone", path_of("dangling")));
	CHECK(!mkfifo(path_of("pipe"), 0600));
	seen = walk_with(root, 0, (struct seen){ 0 });
	CHECK_EQ(seen->code, 0);
	CHECK_STR(seen->items, "a.bin\nb.bin\n");
	CHECK_EQ(seen->trouble_count, 1);
	CHECK(strstr(seen->troubles, "dangling: "));
	seen = walk_with(root, SOURCE_RECURSE, (struct seen){ 0 });
	CHECK_EQ(seen->code, 0);
	CHECK_STR(seen->items, "a.bin\nb.bin\nc/d.bin\n");
	CHECK(!unlink(path_of("a.bin")));
	CHECK(!unlink(path_of("b.bin")));
	seen = walk_with(root, 0, (struct seen){ 0 });
	CHECK_EQ(seen->code, -ENOENT);
	CHECK(says(seen, "1 file"));
	free(image.bytes);
}

static void put_socket(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%.60s/%.40s", root, name);
	CHECK(!bind(descriptor, (struct sockaddr *)&address, sizeof(address)));
	close(descriptor);
}

static void not_files(void)
{
	struct seen *seen;

	empty_root();
	CHECK(!mkfifo(path_of("pipe"), 0600));
	seen = walk("pipe", 0);
	CHECK(seen->code < 0);
	CHECK(says(seen, "a pipe"));
	put_socket("socket");
	seen = walk("socket", 0);
	CHECK(seen->code < 0);
	CHECK(says(seen, "a socket"));
	seen = walk_with("/dev/zero", 0, (struct seen){ 0 });
	CHECK(seen->code < 0);
	CHECK(says(seen, "device"));
	seen = walk("nothing", 0);
	CHECK_EQ(seen->code, -ENOENT);
	CHECK_EQ(seen->trouble_count, 0);
}

/* ---- what a file without firmware is ---- */

static void guesses(void)
{
	static const struct {
		const char *name, *bytes;
		size_t length;
		const char *says;
	} files[] = {
		{ "empty.bin", "", 0, "empty" },
		{ "source.mlx", "; parameters\nscratchpad.eth.port[0].enable  0x1f99c.23  1\n", 0,
			"cxctl image edit" },
		{ "renamed.txt", "FW.tpt.endpoint_mask 0x1f99c.0 32\n", 0, ".mlx" },
		{ "named.mlx", "no such line\n", 0, ".mlx" },
		{ "board.ini", "; x\n[PS_INFO]\nName = MCX354A\n", 0, "INI" },
		{ "cards.bin", "NVLCINI+\0\1\2", 11, "NVLCINI+" },
		{ "cable.bin", "MTCF\0\1\2\3", 8, "cable" },
		{ "fw.bin", "\r\n<!DOCTYPE html>\n<html>", 0, "web page" },
		{ "rom.bin", "\x55\xaa\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x1c\0\0\0PCIR\xb3\x15", 34,
			"expansion ROM" },
		{ "setup.exe", "MZ\x90\0\3\0\0\0\4", 9, "Windows" },
		{ "notes", "words\n", 0, "text" },
		{ "script", "#!/bin/sh\nexit\n", 0, "script" },
		{ "other.json", "{ \"a\": 1 }\n", 0, "JSON" },
		{ "noise", "\x93\x01\xf7\x42\xee\x07\x88", 7, "no firmware" },
	};
	size_t i;

	empty_root();
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct seen *seen;

		put_file(files[i].name, files[i].bytes,
			 files[i].length ? files[i].length : strlen(files[i].bytes));
		seen = walk(files[i].name, 0);
		CHECK_EQ(seen->code, -ENOENT);
		if (!says(seen, files[i].says))
			ktap_fail(__FILE__, __LINE__, "%s: not \"%s\"", files[i].name, files[i].says);
	}
}

/* ---- catalogues ---- */

static const char *digest_of(const struct blob *blob)
{
	static char hex[4][65];
	static unsigned int turn;
	uint8_t digest[IMAGE_SHA256_LENGTH];
	unsigned int i;

	turn = (turn + 1) % 4;
	image_sha256(blob->bytes, blob->length, digest);
	for (i = 0; i < sizeof(digest); i++)
		snprintf(hex[turn] + 2 * i, 3, "%02x", digest[i]);
	return hex[turn];
}

static void put_catalogue(const char *name, const char *directory, const char *entries)
{
	char text[4096];

	snprintf(text, sizeof(text),
		 "{\n \"format\": \"cxctl-image-index\", \"version\": 1, \"root\": \"%s\",\n \"images\": [ %s ]\n}\n",
		 directory, entries);
	put_text(name, text);
}

/* Only what is wanted is opened; what changed since is told and not given out. */
static void catalogue_walk(void)
{
	static const char *const psids[] = { "MT_0000000010", "DEL0000000004" };
	struct blob image = image_of(SYNTHETIC_FS2, "MT_1090120019", 1);
	struct blob mfa2 = mfa2_of(psids, 2), member = { 0 };
	char entries[2048];
	struct seen *seen;

	empty_root();
	make_directory("fw");
	put_file("fw/a.bin", image.bytes, image.length);
	put_file("fw/b.mfa2", mfa2.bytes, mfa2.length);
	seen = walk_with(path_of("fw/b.mfa2"), 0, (struct seen){ .only = "DEL0000000004" });
	append(&member, seen->last.bytes, seen->last.length);
	snprintf(entries, sizeof(entries),
		 "{ \"psid\": \"MT_1090120019\", \"file\": \"a.bin\", \"member\": null, \"length\": %zu, \"sha256\": \"%s\", \"format\": \"FS2\" },"
		 "{ \"psid\": \"DEL0000000004\", \"file\": \"b.mfa2\", \"member\": 1, \"length\": %zu, \"sha256\": \"%s\", \"format\": \"FS4\", \"container\": \"MFA2\" }",
		 image.length, digest_of(&image), member.length, digest_of(&member));
	put_catalogue("index.json", "fw", entries);
	seen = walk("index.json", 0);
	CHECK_EQ(seen->code, 0);
	CHECK_EQ(seen->trouble_count, 0);
	CHECK_STR(seen->items, "fw/a.bin\nfw/b.mfa2 DEL0000000004 member\n");
	CHECK(same(&seen->last, &member));
	CHECK(!unlink(path_of("fw/a.bin")));
	seen = walk_with(path_of("index.json"), 0, (struct seen){ .only = "DEL0000000004" });
	CHECK_EQ(seen->code, 0);
	CHECK_EQ(seen->trouble_count, 0);
	CHECK_STR(seen->items, "fw/a.bin unread\nfw/b.mfa2 DEL0000000004 member\n");
	seen = walk("index.json", 0);
	CHECK_EQ(seen->code, 0);
	CHECK_EQ(seen->trouble_count, 1);
	image.bytes[image.length - 8] ^= 1;
	put_file("fw/a.bin", image.bytes, image.length);
	seen = walk("index.json", 0);
	CHECK_STR(seen->items, "fw/b.mfa2 DEL0000000004 member\n");
	CHECK(strstr(seen->troubles, "fw/a.bin: ") && strstr(seen->troubles, "catalogue"));
	/* in a directory that is searched it is no source of its own */
	CHECK(!rename(path_of("index.json"), path_of("fw/index.json")));
	seen = walk("fw", 0);
	CHECK_EQ(seen->count, 3);
	free(member.bytes);
	free(mfa2.bytes);
	free(image.bytes);
}

static void catalogue_refusals(void)
{
	static const char digest[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	static const struct {
		const char *entry, *says;
	} bad[] = {
		{ "{ \"psid\": \"A\", \"file\": \"/etc/passwd\", \"length\": 1, \"sha256\": \"%s\" }",
			"\"file\"" },
		{ "{ \"psid\": \"A\", \"file\": \"../a.bin\", \"length\": 1, \"sha256\": \"%s\" }",
			"\"file\"" },
		{ "{ \"psid\": \"A\", \"file\": \"b/../../a.bin\", \"length\": 1, \"sha256\": \"%s\" }",
			"\"file\"" },
		{ "{ \"psid\": \"A\", \"file\": \"b/..\", \"length\": 1, \"sha256\": \"%s\" }", "\"file\"" },
		{ "{ \"psid\": \"A\", \"file\": \"\", \"length\": 1, \"sha256\": \"%s\" }", "\"file\"" },
		{ "{ \"psid\": 7, \"file\": \"a.bin\", \"length\": 1, \"sha256\": \"%s\" }", "\"psid\"" },
		{ "{ \"psid\": \"A\", \"file\": \"a.bin\", \"length\": -1, \"sha256\": \"%s\" }",
			"\"length\"" },
		{ "{ \"psid\": \"A\", \"file\": \"a.bin\", \"length\": 1, \"member\": 70000, \"sha256\": \"%s\" }",
			"\"member\"" },
		{ "{ \"psid\": \"A\", \"file\": \"a.bin\", \"length\": 1, \"sha256\": \"%.60s\" }",
			"\"sha256\"" },
		{ "{ \"psid\": \"A\", \"file\": \"a.bin\", \"length\": 1 }", "\"sha256\"" },
		{ "17", "no object" },
		{ "{", "no JSON" },
	};
	struct catalogue catalogue;
	struct image_error error;
	char entry[512];
	size_t i;

	empty_root();
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(entry, sizeof(entry), bad[i].entry, digest);
		put_catalogue("index.json", ".", entry);
		CHECK_EQ(catalogue_read(path_of("index.json"), &catalogue, &error), -EBADMSG);
		if (!strstr(error.text, bad[i].says))
			ktap_fail(__FILE__, __LINE__, "%s: said \"%s\"", entry, error.text);
	}
	put_text("index.json",
		 "{ \"format\": \"cxctl-image-index\", \"version\": 2, \"root\": \".\", \"images\": [] }");
	CHECK_EQ(catalogue_read(path_of("index.json"), &catalogue, &error), -EOPNOTSUPP);
	put_text("index.json", "{ \"format\": \"another\" }");
	CHECK_EQ(catalogue_read(path_of("index.json"), &catalogue, &error), -EBADMSG);
	put_catalogue("index.json", ".", "");
	CHECK_EQ(catalogue_read(path_of("index.json"), &catalogue, &error), 0);
	CHECK_EQ(catalogue.count, 0);
	CHECK_STR(catalogue.root, root);
	catalogue_free(&catalogue);
}

/* A catalogue of many small things would take a hundred times its size of memory. */
static void catalogue_too_large(void)
{
	static const char head[] =
		"{\"format\":\"cxctl-image-index\",\"version\":1,\"root\":\".\",\"images\":[{}";
	const size_t count = 70000, length = sizeof(head) - 1;
	struct blob blob = { malloc(length + count * 3 + 2), length + count * 3 + 2 };
	struct catalogue catalogue;
	struct image_error error;
	size_t i;

	memcpy(blob.bytes, head, length);
	for (i = 0; i < count; i++)
		memcpy(blob.bytes + length + i * 3, ",{}", 3);
	memcpy(blob.bytes + length + count * 3, "]}", 2);
	empty_root();
	put_file("index.json", blob.bytes, blob.length);
	CHECK_EQ(catalogue_read(path_of("index.json"), &catalogue, &error), -EFBIG);
	CHECK(strstr(error.text, "too large"));
	free(blob.bytes);
}

int main(int argc, char **argv)
{
	static const struct ktap_test tests[] = {
		KTAP_TEST(libarchive_missing),
		KTAP_TEST(plain_images),
		KTAP_TEST(flash_dump),
		KTAP_TEST(masked_magic),
		KTAP_TEST(containers),
		KTAP_TEST(callback_ends_walk),
		KTAP_TEST(hidden_in_junk),
		KTAP_TEST(magic_is_not_enough),
		KTAP_TEST(large_sparse_file),
		KTAP_TEST(zip_behind_program),
		KTAP_TEST(archives_in_archives),
		KTAP_TEST(gzip_stream),
		KTAP_TEST(damaged_archive),
		KTAP_TEST(zip_ends_share_directory),
		KTAP_TEST(dictionary_too_large),
		KTAP_TEST(directories),
		KTAP_TEST(not_files),
		KTAP_TEST(guesses),
		KTAP_TEST(catalogue_walk),
		KTAP_TEST(catalogue_refusals),
		KTAP_TEST(catalogue_too_large),
	};
	int result = ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));

	empty_root();
	rmdir(root);
	return result;
}
