// SPDX-License-Identifier: GPL-2.0-only
/* user/container/: MFA1, MFA2 and PLDM, read, judged and made. firmware-images.md 7. */
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include "../../user/container/container.h"
#include "../../user/container/spool.h"
#include "../../user/image/file.h"
#include "../lib/ktap.h"
#include "../lib/synthetic.h"

#define MEMBERS_MOST 128

/* An archive in memory, and what a pass over it gave. */
struct opened {
	uint8_t *bytes;
	size_t length;
	struct image_memory memory;
	struct image_reader reader;
	struct container *container;
	struct image_error error;
	/* of the pass */
	unsigned int found, troubles, restored, findings;
	unsigned int order[MEMBERS_MOST];
	uint8_t *images[MEMBERS_MOST];	/* by member */
	size_t lengths[MEMBERS_MOST];
	uint64_t done, total;
	const char *wanted_psid;
	int give;			/* what found() gives */
	enum image_verdict verdict;
	char finding[320];
	int taken;			/* a descriptor; 0: none is to be taken */
};

static int open_archive(struct opened *o, uint8_t *bytes, size_t length)
{
	memset(o, 0, sizeof(*o));
	o->bytes = bytes;
	o->length = length;
	o->memory = (struct image_memory){ bytes, length };
	o->reader = image_memory_reader(&o->memory);
	return container_open(&o->reader, &o->container, &o->error);
}

static void forget_images(struct opened *o)
{
	size_t i;

	for (i = 0; i < MEMBERS_MOST; i++) {
		free(o->images[i]);
		o->images[i] = NULL;
	}
	o->found = o->troubles = o->restored = 0;
}

static void close_archive(struct opened *o)
{
	forget_images(o);
	container_close(o->container);
	free(o->bytes);
}

static uint8_t *read_all(const struct image_reader *reader)
{
	uint8_t *bytes = malloc(reader->size + 1);
	uint64_t at, now;

	for (at = 0; at < reader->size; at += now) {
		now = reader->size - at < 0x8000 ? reader->size - at : 0x8000;
		CHECK_EQ(reader->read(reader->context, at, bytes + at, now), 0);
	}
	if (reader->bytes)
		CHECK(!memcmp(bytes, reader->bytes, reader->size));
	return bytes;
}

static int found(void *context, const struct container_member *member, const struct image_reader *reader,
		 bool restored)
{
	struct opened *o = context;

	CHECK_EQ(reader->size, member->size);
	if (o->found < MEMBERS_MOST)
		o->order[o->found] = member->index;
	o->found++;
	o->restored += restored;
	if (member->index < MEMBERS_MOST) {
		free(o->images[member->index]);
		o->images[member->index] = read_all(reader);
		o->lengths[member->index] = reader->size;
	}
	if (o->taken < 0)
		CHECK_EQ(spool_take(reader, &o->taken, &o->error), 0);
	return o->give;
}

static void trouble(void *context, const struct container_member *member, const struct image_error *error)
{
	struct opened *o = context;

	CHECK(member->psid[0] && error->text[0]);
	o->error = *error;
	o->troubles++;
}

static bool wanted(void *context, const struct container_member *member)
{
	const struct opened *o = context;

	return !strcmp(member->psid, o->wanted_psid);
}

static void progress(void *context, uint64_t done, uint64_t total)
{
	struct opened *o = context;

	CHECK(done >= o->done && done <= total && total);
	o->done = done;
	o->total = total;
}

static int pass(struct opened *o)
{
	struct container_pass calls = {
		.found = found, .trouble = trouble, .progress = progress, .context = o,
		.wanted = o->wanted_psid ? wanted : NULL,
	};

	o->done = 0;
	return container_pass(o->container, &calls, &o->error);
}

static void finding(void *context, const struct image_finding *f)
{
	struct opened *o = context;

	o->findings++;
	snprintf(o->finding, sizeof(o->finding), "%s: %s", f->part, f->text);
}

static int verify(struct opened *o)
{
	struct image_listener listener = { .finding = finding, .context = o };

	o->findings = 0;
	return container_verify(o->container, &listener, &o->verdict, &o->error);
}

/* ---- archives ---- */

static uint8_t small_images[3][0x400];

static void make_small(struct synthetic_member members[3])
{
	static const char *const psids[] = { "MT_0000000008", "DEL000000004", "HP_1380110017" };
	size_t i, j;

	memset(members, 0, 3 * sizeof(*members));
	for (i = 0; i < 3; i++) {
		for (j = 0; j < sizeof(small_images[i]); j++)
			small_images[i][j] = j * (i + 3) + (j >> 5) * 7;
		members[i].image = small_images[i];
		members[i].length = 300 + 100 * i;
		members[i].psid = psids[i];
		members[i].version = i ? "14.32.1010" : "16.35.2000";
		members[i].part_number = i == 1 ? "MCX4121A-ACA" : "PN";
		members[i].description = "two ports, 25 Gb/s";
	}
}

enum shape { MFA1_PLAIN, MFA1_XZ, MFA2_NEW, MFA2_OLD, PLDM, SHAPES };

static uint8_t *make_shape(enum shape shape, size_t *length)
{
	struct synthetic_member members[3];
	struct synthetic_archive what = { .members = members, .count = 3 };

	make_small(members);
	what.compressed = shape == MFA1_XZ;
	what.old_packing = shape == MFA2_OLD;
	what.padding = shape == MFA2_OLD ? 64 : 0;
	switch (shape) {
	case MFA1_PLAIN:
	case MFA1_XZ:
		return synthetic_mfa1(&what, length);
	case MFA2_NEW:
	case MFA2_OLD:
		return synthetic_mfa2(&what, length);
	default:
		return synthetic_pldm(&what, length);
	}
}

static int open_shape(struct opened *o, enum shape shape)
{
	size_t length;
	uint8_t *bytes = make_shape(shape, &length);

	return open_archive(o, bytes, length);
}

static void check_images(struct opened *o, size_t masked)
{
	size_t i;

	CHECK_EQ(o->found, 3);
	for (i = 0; i < 3; i++) {
		CHECK_EQ(o->order[i], i);
		CHECK_EQ(o->lengths[i], 300 + 100 * i);
		if (o->images[i])
			CHECK(!memcmp(o->images[i] + masked, small_images[i] + masked,
				      o->lengths[i] - masked));
	}
}

static void every_kind_gives_what_was_put_in(void)
{
	static const enum container_kind kinds[] = {
		CONTAINER_MFA1, CONTAINER_MFA1, CONTAINER_MFA2, CONTAINER_MFA2, CONTAINER_PLDM
	};
	const struct container_member *member;
	enum shape shape;
	struct opened o;
	bool in_place;

	for (shape = 0; shape < SHAPES; shape++) {
		for (in_place = false;; in_place = true) {
			CHECK_EQ(open_shape(&o, shape), 0);
			REQUIRE(o.container);
			if (!in_place)
				o.reader.bytes = NULL;
			CHECK_EQ(container_kind(o.container), kinds[shape]);
			CHECK_EQ(container_kind_of(&o.reader), kinds[shape]);
			CHECK_EQ(container_length(o.container), o.length);
			CHECK_EQ(container_members(o.container), 3);
			CHECK(!container_member(o.container, 3));
			member = container_member(o.container, 1);
			CHECK_STR(member->psid, "DEL000000004");
			CHECK_EQ(member->index, 1);
			CHECK_EQ(member->size, 400);
			CHECK_EQ(member->content, CONTAINER_FIRMWARE);
			CHECK_STR(member->content_name, "FW");
			CHECK_EQ(verify(&o), 0);
			CHECK_EQ(o.verdict, IMAGE_GOOD);
			CHECK_EQ(pass(&o), 0);
			CHECK_EQ(o.troubles, 0);
			CHECK(o.total && o.done);
			check_images(&o, kinds[shape] == CONTAINER_MFA2 ? 16 : 0);
			close_archive(&o);
			if (in_place)
				break;
		}
	}
}

static void directories_tell(void)
{
	const struct container_member *member;
	struct opened o;

	CHECK_EQ(open_shape(&o, MFA1_XZ), 0);
	member = container_member(o.container, 1);
	CHECK_STR(member->part_number, "MCX4121A-ACA");
	CHECK_STR(member->description, "two ports, 25 Gb/s");
	CHECK_STR(member->select_tag, "");
	CHECK(member->version_exact);
	CHECK_EQ(member->version_words, 3);
	CHECK_EQ(member->version[0], 14);
	CHECK_EQ(member->version[1], 32);
	CHECK_EQ(member->version[2], 1010);
	close_archive(&o);
	/* the minor version and, of old, the subminor version are cut to 8 bits */
	CHECK_EQ(open_shape(&o, MFA2_NEW), 0);
	member = container_member(o.container, 1);
	CHECK(!member->version_exact);
	CHECK_EQ(member->version_words, 3);
	CHECK_EQ(member->version[0], 14);
	CHECK_EQ(member->version[1], 32);
	CHECK_EQ(member->version[2], 1010);
	CHECK_EQ(member->date, 0x20221120);
	CHECK_EQ(member->time, 0);
	close_archive(&o);
	CHECK_EQ(open_shape(&o, MFA2_OLD), 0);
	member = container_member(o.container, 1);
	CHECK_EQ(member->version[0], 14);
	CHECK_EQ(member->version[1], 32);
	CHECK_EQ(member->version[2], 1010 & 0xff);
	CHECK_EQ(member->date, 0x20221120);
	close_archive(&o);
	CHECK_EQ(open_shape(&o, PLDM), 0);
	member = container_member(o.container, 1);
	CHECK_STR(member->version_text, "14.32.1010");
	CHECK(member->version_exact);
	CHECK_EQ(member->version_words, 3);
	CHECK_EQ(member->version[2], 1010);
	CHECK_STR(member->description, "PCI vendor 15b3");
	close_archive(&o);
}

static void a_binary_date_counts_months_from_zero(void)
{
	static const uint8_t version[] = { 0, 0x21, 0, 12, 14, 0xf2, 0, 32, 0x07, 0xe3, 3, 22, 18, 5, 9, 0 };
	size_t length, i;
	uint8_t *bytes = make_shape(MFA2_NEW, &length);
	struct opened o;

	/* behind the first component's descriptor */
	for (i = 0x90; memcmp(bytes + i, "\0\4\0\x10", 4); i += 4)
		;
	memcpy(bytes + i + 20, version, sizeof(version));
	CHECK_EQ(open_archive(&o, bytes, length), 0);
	CHECK_EQ(container_member(o.container, 0)->date, 0x20190422);
	CHECK_EQ(container_member(o.container, 0)->version[1], 32);
	CHECK_EQ(container_member(o.container, 0)->version[2], 0xf2);
	close_archive(&o);
	bytes = make_shape(MFA2_NEW, &length);
	memcpy(bytes + i + 20, version, sizeof(version));
	bytes[i + 30] = 12;		/* there is no 13th month */
	CHECK_EQ(open_archive(&o, bytes, length), 0);
	CHECK_EQ(container_member(o.container, 0)->date, 0);
	close_archive(&o);
}

/* ---- one pass ---- */

static void only_what_is_wanted_is_given(void)
{
	enum shape shape;
	struct opened o;

	for (shape = 0; shape < SHAPES; shape++) {
		CHECK_EQ(open_shape(&o, shape), 0);
		o.wanted_psid = "DEL000000004";
		CHECK_EQ(pass(&o), 0);
		CHECK_EQ(o.found, 1);
		CHECK_EQ(o.order[0], 1);
		CHECK(!memcmp(o.images[1] + 16, small_images[1] + 16, 400 - 16));
		forget_images(&o);
		o.wanted_psid = "MT_0000000009";
		CHECK_EQ(pass(&o), 0);
		CHECK_EQ(o.found, 0);
		forget_images(&o);
		o.wanted_psid = NULL;
		o.give = 42;
		CHECK_EQ(pass(&o), 42);
		CHECK_EQ(o.found, 1);
		close_archive(&o);
	}
}

/* The pointer of device 1 names component 0: it stands before the last bytes of the descriptor. */
static void devices_share_a_component(void)
{
	static const uint8_t pointer[] = { 0, 0x22, 0, 8, 0, 1, 0, 1 };
	size_t length, i;
	uint8_t *bytes = make_shape(MFA2_NEW, &length);
	struct opened o;

	for (i = 0x90; memcmp(bytes + i, pointer, sizeof(pointer)); i += 4)
		;
	bytes[i + 7] = 0;
	CHECK_EQ(open_archive(&o, bytes, length), 0);
	REQUIRE(o.container);
	CHECK_EQ(container_member(o.container, 1)->component, container_member(o.container, 0)->component);
	CHECK_EQ(container_member(o.container, 1)->size, 300);
	CHECK_EQ(container_member(o.container, 1)->version[0], 16);
	CHECK_EQ(pass(&o), 0);
	CHECK_EQ(o.found, 3);
	CHECK_EQ(o.order[0], 0);
	CHECK_EQ(o.order[1], 1);
	CHECK_EQ(o.order[2], 2);
	CHECK(!memcmp(o.images[0], o.images[1], 300));
	close_archive(&o);
	bytes = make_shape(MFA2_NEW, &length);
	bytes[i + 7] = 3;
	CHECK_EQ(open_archive(&o, bytes, length), -EBADMSG);
	CHECK(strstr(o.error.text, "component 3 of 3"));
	close_archive(&o);
}

static void a_masked_magic_is_restored(void)
{
	struct synthetic fs3 = { .format = SYNTHETIC_FS3, .psid = "MT_2180110032", .stripped = true };
	struct synthetic fs4 = { .format = SYNTHETIC_FS4, .psid = "MT_0000000008", .stripped = true };
	struct synthetic_member members[3] = { { 0 } };
	struct synthetic_archive what = { .members = members, .count = 3 };
	uint8_t *images[2], *bytes;
	struct opened o;
	size_t length, i;

	images[0] = synthetic_image(&fs3, &members[0].length);
	images[1] = synthetic_image(&fs4, &members[1].length);
	members[0].image = images[0];
	members[1].image = images[1];
	members[2] = (struct synthetic_member){ small_images[0], 300, "MT_0000000001", "16.1.2" };
	bytes = synthetic_mfa2(&what, &length);
	CHECK_EQ(open_archive(&o, bytes, length), 0);
	CHECK_EQ(pass(&o), 0);
	CHECK_EQ(o.found, 3);
	CHECK_EQ(o.restored, 2);
	for (i = 0; i < 2; i++)
		CHECK(o.images[i] && !memcmp(o.images[i], images[i], members[i].length));
	for (i = 0; i < 16; i++)
		CHECK_EQ(o.images[2][i], 0xff);
	close_archive(&o);
	/* also where the bytes are not unpacked */
	memset(images[0], 0xff, 16);
	what.count = 1;
	members[0].psid = "MT_2180110032";
	bytes = synthetic_pldm(&what, &length);
	CHECK_EQ(open_archive(&o, bytes, length), 0);
	CHECK_EQ(pass(&o), 0);
	CHECK_EQ(o.restored, 1);
	CHECK(o.images[0] && !memcmp(o.images[0], "MTFW\x8c\xdf\xd0", 7));
	CHECK(o.images[0] && !memcmp(o.images[0] + 16, images[0] + 16, members[0].length - 16));
	close_archive(&o);
	free(images[0]);
	free(images[1]);
}

/* ---- an MFA1 of one's own: groups, tags, contents, shared and overlapping data ---- */

struct builder {
	uint8_t map[0xc000], toc[0x8000], data[0x20000];
	size_t map_length, toc_length, data_length, board, records;
};

static void store(uint8_t *to, uint64_t value, unsigned int bytes)
{
	while (bytes--)
		*to++ = value >> 8 * bytes;
}

static void add_board(struct builder *b, const char *psid)
{
	static const char metadata[] = "\1\0\0\4PN\0MCX\0BOARD_REV\0A3\0BRANCH\0rel\0ODD\0x\0\0";

	b->board = b->map_length;
	memcpy(b->map + b->board, psid, strlen(psid));
	store(b->map + b->board + 34, sizeof(metadata), 2);
	memcpy(b->map + b->board + 36, metadata, sizeof(metadata));
	b->map_length += 36 + sizeof(metadata);
}

static void add_record(struct builder *b, size_t entry, unsigned int group, const char *tag)
{
	uint8_t *record = b->map + b->map_length;

	store(record, entry * 24, 4);
	store(record + 4, 1, 2);
	record[7] = group;
	memcpy(record + 8, tag, strlen(tag));
	b->map[b->board + 32]++;
	b->map_length += 40;
}

static size_t add_entry(struct builder *b, uint64_t start, uint32_t length, unsigned int subtype)
{
	uint8_t *entry = b->toc + b->toc_length;

	store(entry, start, 4);
	store(entry + 4, length, 4);
	store(entry + 8, subtype, 2);
	entry[11] = 4;
	store(entry + 12, 0x0010002300070003ULL, 8);
	store(entry + 20, start >> 32, 2);
	b->toc_length += 24;
	return b->toc_length / 24 - 1;
}

static size_t add_packed(uint8_t *to, const uint8_t *from, size_t length, uint32_t preset)
{
	size_t done = 0;

	if (lzma_easy_buffer_encode(preset, LZMA_CHECK_CRC32, NULL, from, length, to, &done,
				    0x20000) != LZMA_OK)
		abort();
	return done;
}

static int build(struct opened *o, const struct builder *b, bool packed)
{
	const struct { const uint8_t *bytes; size_t length; } sections[] = {
		{ b->map, b->map_length }, { b->toc, b->toc_length }, { b->data, b->data_length }
	};
	uint8_t *bytes = calloc(1, 0x60000);
	size_t at = 16, i, length;

	memcpy(bytes, "MFAR\0\0\0\1", 8);
	for (i = 0; i < 3; i++) {
		bytes[at] = i + 1;
		bytes[at + 3] = packed;
		length = sections[i].length;
		if (packed)
			length = add_packed(bytes + at + 8, sections[i].bytes, length, 0);
		else
			memcpy(bytes + at + 8, sections[i].bytes, length);
		store(bytes + at + 4, length, 4);
		at += 8 + length;
	}
	store(bytes + at, crc32(0, bytes, at), 4);
	return open_archive(o, bytes, at + 4);
}

static void fill(struct builder *b, size_t length)
{
	size_t i;

	memset(b, 0, sizeof(*b));
	for (i = 0; i < length; i++)
		b->data[i] = i * 11 + (i >> 8) * 5;
	b->data_length = length;
}

static void groups_make_one_image(void)
{
	static const enum container_content contents[] = {
		CONTAINER_FIRMWARE, CONTAINER_CLP, CONTAINER_PXE, CONTAINER_UEFI, CONTAINER_FCODE,
		CONTAINER_OTHER
	};
	static const char *const names[] = { "FW", "CLP", "PXE", "UEFI", "FCODE", "type 0x77" };
	static const unsigned int subtypes[] = { 1, 0x101, 0x110, 0x111, 0x121, 0x77 };
	const struct container_member *member;
	static struct builder b;
	struct opened o;
	unsigned int packed;
	size_t i;

	for (packed = 0; packed < 2; packed++) {
		fill(&b, 0x2003);
		add_board(&b, "MT_0000000008");
		add_record(&b, add_entry(&b, 0x1000, 0x500, 1), 1, "");
		add_record(&b, 0, 1, "");	/* the same group again: once */
		add_record(&b, add_entry(&b, 0x10, 0x101, 1), 2, "");
		add_record(&b, add_entry(&b, 0x1400, 0x20, 1), 1, "");
		add_record(&b, 1, 1, "other");
		for (i = 1; i < 6; i++)
			add_record(&b, add_entry(&b, i, 0x2003 - i, subtypes[i]), 1, "");
		add_board(&b, "MT_0000000009");
		add_record(&b, 1, 7, "");	/* shared with the tagged image above */
		CHECK_EQ(build(&o, &b, packed), 0);
		REQUIRE(o.container);
		CHECK_EQ(container_members(o.container), 8);
		member = container_member(o.container, 0);
		CHECK_EQ(member->size, 0x500 + 0x101 + 0x20);
		CHECK_STR(member->part_number, "MCX");
		CHECK_STR(member->board_revision, "A3");
		CHECK_STR(member->branch, "rel");
		CHECK_EQ(member->version_words, 4);
		CHECK_EQ(member->version[3], 3);
		CHECK_STR(container_member(o.container, 1)->select_tag, "other");
		CHECK_EQ(container_member(o.container, 1)->component,
			 container_member(o.container, 7)->component);
		for (i = 0; i < 6; i++) {
			member = container_member(o.container, i ? i + 1 : 0);
			CHECK_EQ(member->content, contents[i]);
			CHECK_STR(member->content_name, names[i]);
		}
		CHECK_EQ(verify(&o), 0);
		CHECK_EQ(o.verdict, IMAGE_GOOD);
		CHECK_EQ(pass(&o), 0);
		CHECK_EQ(o.found, 8);
		CHECK_EQ(o.troubles, 0);
		CHECK(!memcmp(o.images[0], b.data + 0x1000, 0x500));
		CHECK(!memcmp(o.images[0] + 0x500, b.data + 0x10, 0x101));
		CHECK(!memcmp(o.images[0] + 0x601, b.data + 0x1400, 0x20));
		for (i = 1; i < 6; i++)
			CHECK(!memcmp(o.images[i + 1], b.data + i, 0x2003 - i));
		CHECK(!memcmp(o.images[7], b.data + 0x10, 0x101));
		close_archive(&o);
	}
}

/* More images overlap than are gathered at the same time: some wait for another round. */
static void many_images_overlap(void)
{
	static struct builder b;
	struct opened o;
	size_t i;

	fill(&b, 0x3000);
	for (i = 0; i < 100; i++) {
		add_board(&b, i % 2 ? "MT_0000000008" : "MT_0000000009");
		add_record(&b, add_entry(&b, i % 50 * 3, 0x3000 - i * 3, 1), 1, "");
	}
	CHECK_EQ(build(&o, &b, true), 0);
	REQUIRE(o.container);
	CHECK_EQ(container_members(o.container), 100);
	CHECK_EQ(pass(&o), 0);
	CHECK_EQ(o.found, 100);
	CHECK_EQ(o.troubles, 0);
	for (i = 0; i < 100; i++)
		CHECK(o.images[i] && !memcmp(o.images[i], b.data + i % 50 * 3, 0x3000 - i * 3));
	close_archive(&o);
}

/* No more rounds than a real archive may need: images too many to be gathered are told of. */
static void too_many_overlapping_images_are_told(void)
{
	static struct builder b;
	struct opened o;
	size_t i;

	/* no two with the same bytes, all across the end of the first piece that is unpacked */
	memset(&b, 0, sizeof(b));
	b.data_length = 0xfff0 + 0x40 + 29;
	for (i = 0; i < 1100; i++) {
		if (i % 200 == 0)
			add_board(&b, "MT_0000000008");
		add_record(&b, add_entry(&b, 0xfff0 - i / 30, 0x40 + i % 30, 0x200 + i), 1, "");
	}
	CHECK_EQ(build(&o, &b, true), 0);
	REQUIRE(o.container);
	CHECK_EQ(container_members(o.container), 1100);
	CHECK_EQ(pass(&o), 0);
	CHECK_EQ(o.found, 1024);
	CHECK_EQ(o.troubles, 1100 - 1024);
	CHECK(strstr(o.error.text, "1024 images overlap"));
	close_archive(&o);
}

static void places_beyond_the_data_are_refused(void)
{
	static struct builder b;
	struct opened o;

	fill(&b, 0x100);
	add_board(&b, "MT_0000000008");
	add_record(&b, add_entry(&b, 0x80, 0x81, 1), 1, "");
	CHECK_EQ(build(&o, &b, false), -EBADMSG);
	close_archive(&o);
	/* packed, it is seen when the bytes run out: the member is told of, the others are had */
	add_board(&b, "MT_0000000009");
	add_record(&b, add_entry(&b, 0, 0x80, 1), 1, "");
	CHECK_EQ(build(&o, &b, true), 0);
	CHECK_EQ(pass(&o), 0);
	CHECK_EQ(o.found, 1);
	CHECK_EQ(o.troubles, 1);
	CHECK(strstr(o.error.text, "0x100 bytes only"));
	close_archive(&o);
	/* more than 4 GiB behind the start */
	fill(&b, 0x100);
	add_board(&b, "MT_0000000008");
	add_record(&b, add_entry(&b, 0xffff00000000ULL, 0x80, 1), 1, "");
	CHECK_EQ(build(&o, &b, false), -EBADMSG);
	close_archive(&o);
	CHECK_EQ(build(&o, &b, true), -EBADMSG);
	CHECK(strstr(o.error.text, "cannot be packed into"));
	close_archive(&o);
	/* an entry of the TOC that is not there */
	fill(&b, 0x100);
	add_board(&b, "MT_0000000008");
	add_entry(&b, 0, 0x80, 1);
	add_record(&b, 1, 1, "");
	CHECK_EQ(build(&o, &b, false), -EBADMSG);
	close_archive(&o);
	/* an image without bytes */
	fill(&b, 0x100);
	add_board(&b, "MT_0000000008");
	add_record(&b, add_entry(&b, 0, 0, 1), 1, "");
	CHECK_EQ(build(&o, &b, false), -EBADMSG);
	close_archive(&o);
}

static void more_than_the_directory_says_is_not_unpacked(void)
{
	static struct builder b;
	struct opened o;

	fill(&b, 0x4000);
	memset(b.data, 0, 0x4000);
	add_board(&b, "MT_0000000008");
	add_record(&b, add_entry(&b, 0, 0x40, 1), 1, "");
	CHECK_EQ(build(&o, &b, true), 0);
	CHECK_EQ(pass(&o), 0);
	CHECK_EQ(o.found, 0);
	CHECK_EQ(o.troubles, 1);
	CHECK(strstr(o.error.text, "more than the 0x40 bytes"));
	close_archive(&o);
}

/* ---- XZ ---- */

/* Byte of the component block's XZ block header that says how large the dictionary is. */
static void set_dictionary(uint8_t *stream, unsigned int byte)
{
	uint8_t *header = stream + 12;
	size_t length = 4 * (header[0] + 1U), at = 2;
	unsigned int sizes;
	uint32_t crc;

	/* numbers of 7 bits a byte: sizes, if they are there; then filter, length, dictionary */
	for (sizes = (header[1] >> 6 & 1) + (header[1] >> 7); sizes; sizes--) {
		while (header[at] & 0x80)
			at++;
		at++;
	}
	header[at + 2] = byte;
	crc = crc32(0, header, length - 4);
	header[length - 4] = crc;
	header[length - 3] = crc >> 8;
	header[length - 2] = crc >> 16;
	header[length - 1] = crc >> 24;
}

static size_t block_start(const uint8_t *bytes)
{
	return (size_t)bytes[0x20] << 24 | bytes[0x21] << 16 | bytes[0x22] << 8 | bytes[0x23];
}

static void dictionaries_have_a_limit(void)
{
	size_t length;
	uint8_t *bytes = make_shape(MFA2_NEW, &length);
	struct opened o;

	set_dictionary(bytes + block_start(bytes), 0x1c);	/* 64 MiB: that of the vendor's archives */
	CHECK_EQ(open_archive(&o, bytes, length), 0);
	CHECK_EQ(pass(&o), 0);
	CHECK_EQ(o.found, 3);
	set_dictionary(bytes + block_start(bytes), 0x1e);	/* 128 MiB */
	forget_images(&o);
	CHECK_EQ(pass(&o), 0);
	CHECK_EQ(o.found, 0);
	CHECK_EQ(o.troubles, 3);
	CHECK(strstr(o.error.text, "128 MiB of memory"));
	set_dictionary(bytes + block_start(bytes), 0x28);	/* 4 GiB */
	forget_images(&o);
	CHECK_EQ(pass(&o), 0);
	CHECK_EQ(o.troubles, 3);
	close_archive(&o);
}

static void what_stands_behind_the_stream_is_zero(void)
{
	struct opened o;

	CHECK_EQ(open_shape(&o, MFA2_OLD), 0);
	o.bytes[o.length - 60] = 1;
	CHECK_EQ(verify(&o), 0);
	CHECK_EQ(o.verdict, IMAGE_DAMAGED);
	CHECK_EQ(o.findings, 2);
	CHECK_EQ(pass(&o), -EBADMSG);
	CHECK_EQ(o.found, 3);
	CHECK(strstr(o.error.text, "expected zero padding"));
	close_archive(&o);
}

static void damage_in_the_stream_is_told(void)
{
	struct opened o;
	struct container_pass calls = { .found = found, .context = &o };

	CHECK_EQ(open_shape(&o, MFA2_NEW), 0);
	o.bytes[block_start(o.bytes) + 100] ^= 0x10;
	CHECK_EQ(pass(&o), 0);
	CHECK_EQ(o.troubles + o.found, 3);
	CHECK(o.troubles);
	/* nobody to tell: the pass ends */
	forget_images(&o);
	o.error.text[0] = 0;
	CHECK_EQ(container_pass(o.container, &calls, &o.error), -EBADMSG);
	CHECK(o.error.text[0]);
	close_archive(&o);
	/* a component whose mark is missing, in whole data: its descriptor points one byte too far */
	CHECK_EQ(open_shape(&o, MFA2_NEW), 0);
	REQUIRE(o.container);
	{
		size_t i, length;
		uint8_t *bytes = make_shape(MFA2_NEW, &length);

		for (i = 0x90; memcmp(bytes + i, "\0\4\0\x10", 4); i += 4)
			;
		bytes[i + 15]++;
		close_archive(&o);
		CHECK_EQ(open_archive(&o, bytes, length), 0);
	}
	CHECK_EQ(pass(&o), 0);
	CHECK_EQ(o.found, 2);
	CHECK_EQ(o.troubles, 1);
	CHECK(strstr(o.error.text, "mark is missing"));
	close_archive(&o);
}

/* ---- bounds ---- */

/* 0: it opened, every guard is right and every image was given. */
static int judge(uint8_t *bytes, size_t length)
{
	struct opened o;
	int code = open_archive(&o, bytes, length);

	o.reader.bytes = NULL;
	if (!code)
		code = verify(&o);
	if (!code && o.verdict == IMAGE_DAMAGED) {
		CHECK(o.findings);
		code = -EBADMSG;
	}
	if (!code)
		code = pass(&o);
	if (!code && o.troubles)
		code = -EBADMSG;
	CHECK(!code || o.findings || o.error.text[0]);
	CHECK(code == 0 || code == -EBADMSG || code == -ENOENT || code == -EOPNOTSUPP);
	close_archive(&o);
	return code;
}

static void truncated_at_any_length(void)
{
	enum shape shape;
	size_t length, cut;
	uint8_t *whole, *part;

	for (shape = 0; shape < SHAPES; shape++) {
		whole = make_shape(shape, &length);
		for (cut = 0; cut < length; cut++) {
			part = malloc(cut + 1);
			memcpy(part, whole, cut);
			if (!CHECK(judge(part, cut)))
				ktap_note("shape %d, %zu of %zu bytes", shape, cut, length);
		}
		CHECK_EQ(judge(whole, length), 0);
	}
}

/* Bytes of PLDM components are guarded by nothing: the first image begins behind the header. */
static size_t guarded(enum shape shape, const uint8_t *bytes, size_t length)
{
	return shape == PLDM ? bytes[17] | (size_t)bytes[18] << 8 : length;
}

static void any_flipped_bit_is_seen(void)
{
	enum shape shape;
	size_t length, bit, last;
	uint8_t *whole, *copy;

	for (shape = 0; shape < SHAPES; shape++) {
		whole = make_shape(shape, &length);
		last = 8 * guarded(shape, whole, length);
		/* unpacking takes its time; the archive's CRC32 sees what is left out as well */
		for (bit = 0; bit < last; bit += shape == MFA1_XZ ? 7 : 1) {
			copy = malloc(length);
			memcpy(copy, whole, length);
			copy[bit / 8] ^= 1 << bit % 8;
			if (!CHECK(judge(copy, length)))
				ktap_note("shape %d, bit %zu of byte 0x%zx", shape, bit % 8, bit / 8);
		}
		free(whole);
	}
}

/* Every pair of bytes of a directory as the largest and the smallest number. */
static void huge_and_empty_numbers(void)
{
	enum shape shape;
	size_t length, at, last;
	uint8_t *whole, *copy;
	unsigned int value;

	for (shape = 0; shape < SHAPES; shape++) {
		whole = make_shape(shape, &length);
		last = guarded(shape, whole, length) - 4;
		for (at = 0; at < last; at += shape == MFA1_XZ ? 3 : 1) {
			for (value = 0; value < 512; value += 255) {
				copy = malloc(length);
				memcpy(copy, whole, length);
				memset(copy + at, value, value & 1 ? 2 : 4);
				judge(copy, length);
			}
		}
		free(whole);
	}
}

static void loops_and_counts(void)
{
	size_t length;
	uint8_t *bytes;
	struct opened o;

	/* as many devices as can be counted, of which three are there */
	bytes = make_shape(MFA2_NEW, &length);
	store(bytes + 0x1e, 0xffff, 2);
	CHECK_EQ(open_archive(&o, bytes, length), -EBADMSG);
	close_archive(&o);
	bytes = make_shape(MFA2_NEW, &length);
	store(bytes + 0x1c, 0xffff, 2);
	CHECK_EQ(open_archive(&o, bytes, length), -EBADMSG);
	close_archive(&o);
	/* a block that unpacks to more than can be */
	bytes = make_shape(MFA2_NEW, &length);
	store(bytes + 0x28, 0x7fffffff, 4);
	CHECK_EQ(open_archive(&o, bytes, length), -EBADMSG);
	CHECK(strstr(o.error.text, "cannot be packed into"));
	close_archive(&o);
	/* a multi with fewer members than it says, and one with a wrong total */
	bytes = make_shape(MFA2_NEW, &length);
	store(bytes + 0x94, 0xffff, 2);
	CHECK_EQ(open_archive(&o, bytes, length), -EBADMSG);
	close_archive(&o);
	bytes = make_shape(MFA2_NEW, &length);
	bytes[0x97]++;
	CHECK_EQ(open_archive(&o, bytes, length), -EBADMSG);
	close_archive(&o);
	/* an MFA1 of a version that nobody knows, and a section of another kind */
	bytes = make_shape(MFA1_PLAIN, &length);
	bytes[5] = 1;
	CHECK_EQ(open_archive(&o, bytes, length), -EOPNOTSUPP);
	close_archive(&o);
	bytes = make_shape(MFA1_PLAIN, &length);
	bytes[16] = 2;
	CHECK_EQ(open_archive(&o, bytes, length), -EBADMSG);
	close_archive(&o);
	bytes = make_shape(PLDM, &length);
	bytes[16] = 2;
	CHECK_EQ(open_archive(&o, bytes, length), -EOPNOTSUPP);
	close_archive(&o);
}

static void what_follows_is_not_the_containers(void)
{
	enum shape shape;
	size_t length;
	uint8_t *bytes;
	struct opened o;

	for (shape = 0; shape < SHAPES; shape++) {
		bytes = make_shape(shape, &length);
		bytes = realloc(bytes, length + 100);
		memset(bytes + length, 0x5a, 100);
		CHECK_EQ(open_archive(&o, bytes, length + 100), 0);
		CHECK_EQ(container_length(o.container), length);
		CHECK_EQ(verify(&o), 0);
		CHECK_EQ(o.verdict, IMAGE_GOOD);
		CHECK_EQ(pass(&o), 0);
		CHECK_EQ(o.found, 3);
		close_archive(&o);
	}
	bytes = calloc(1, 64);
	CHECK_EQ(open_archive(&o, bytes, 64), -ENOENT);
	close_archive(&o);
}

static void wrong_sums_are_named(void)
{
	struct opened o;

	CHECK_EQ(open_shape(&o, MFA1_PLAIN), 0);
	o.bytes[o.length - 20] ^= 1;
	CHECK_EQ(verify(&o), 0);
	CHECK_EQ(o.verdict, IMAGE_DAMAGED);
	CHECK(strstr(o.finding, "CRC32"));
	close_archive(&o);
	CHECK_EQ(open_shape(&o, MFA2_NEW), 0);
	o.bytes[0x4c] ^= 1;
	CHECK_EQ(verify(&o), 0);
	CHECK_EQ(o.verdict, IMAGE_DAMAGED);
	CHECK_EQ(o.findings, 1);
	CHECK(strstr(o.finding, "MFA2 archive: its SHA-256 is wrong"));
	o.bytes[0x4c] ^= 1;
	o.bytes[0x70] ^= 1;
	CHECK_EQ(verify(&o), 0);
	CHECK_EQ(o.findings, 1);
	CHECK(strstr(o.finding, "descriptors: its SHA-256 is wrong"));
	close_archive(&o);
	CHECK_EQ(open_shape(&o, PLDM), 0);
	o.bytes[20] ^= 1;
	CHECK_EQ(verify(&o), 0);
	CHECK_EQ(o.verdict, IMAGE_DAMAGED);
	CHECK(strstr(o.finding, "package header"));
	close_archive(&o);
}

/* ---- the temporary file ---- */

static void a_spool_can_be_kept(void)
{
	static const enum shape shapes[] = { MFA1_XZ, MFA1_PLAIN, PLDM };
	struct image_file file;
	struct opened o;
	size_t i;

	for (i = 0; i < 3; i++) {
		CHECK_EQ(open_shape(&o, shapes[i]), 0);
		o.taken = -1;
		CHECK_EQ(pass(&o), 0);
		check_images(&o, 0);
		CHECK(o.taken > 0);
		CHECK_EQ(image_file_of(o.taken, "kept", &file, &o.error), 0);
		CHECK_EQ(file.reader.size, 300);
		CHECK(!memcmp(file.reader.bytes, small_images[0], 300));
		image_file_close(&file);
		o.taken = 0;
		close_archive(&o);
	}
}

static void a_full_disk_is_named(void)
{
	struct rlimit before, none = { 64, 64 };
	struct opened o;

	CHECK_EQ(open_shape(&o, MFA1_XZ), 0);
	getrlimit(RLIMIT_FSIZE, &before);
	none.rlim_max = before.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	fflush(stdout);
	setrlimit(RLIMIT_FSIZE, &none);
	CHECK_EQ(pass(&o), 0);
	setrlimit(RLIMIT_FSIZE, &before);
	signal(SIGXFSZ, SIG_DFL);
	CHECK_EQ(o.found, 0);
	CHECK_EQ(o.troubles, 3);
	CHECK(strstr(o.error.text, "set TMPDIR"));
	close_archive(&o);
}

static void a_useless_tmpdir_does_not_hurt(void)
{
	char *before = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
	struct opened o;

	setenv("TMPDIR", "/nowhere/at/all", 1);
	CHECK_EQ(open_shape(&o, MFA1_XZ), 0);
	CHECK_EQ(pass(&o), 0);
	CHECK_EQ(o.found, 3);
	close_archive(&o);
	if (before)
		setenv("TMPDIR", before, 1);
	else
		unsetenv("TMPDIR");
	free(before);
}

/* ---- packing ---- */

struct output {
	uint8_t *bytes;
	size_t length;
};

static int write_output(void *context, const void *bytes, size_t length)
{
	struct output *output = context;

	output->bytes = realloc(output->bytes, output->length + length);
	memcpy(output->bytes + output->length, bytes, length);
	output->length += length;
	return 0;
}

#define PACKED_MOST 4

struct packed {
	uint8_t *images[PACKED_MOST];
	struct image_memory memories[PACKED_MOST];
	struct image_reader readers[PACKED_MOST];
	struct image_facts facts[PACKED_MOST];
	struct mfa2_source sources[PACKED_MOST];
	size_t count;
	struct output output;
	struct image_error error;
};

static int pack(struct packed *p, const struct synthetic *what, size_t count)
{
	size_t i;

	memset(p, 0, sizeof(*p));
	p->count = count;
	for (i = 0; i < count; i++) {
		p->images[i] = synthetic_image(&what[i], &p->memories[i].length);
		p->memories[i].bytes = p->images[i];
		p->readers[i] = image_memory_reader(&p->memories[i]);
		CHECK_EQ(image_query(&p->readers[i], IMAGE_LAYOUT_FILE, 0, &p->facts[i], &p->error), 0);
		p->sources[i] = (struct mfa2_source){ &p->readers[i], &p->facts[i] };
	}
	return mfa2_write(p->sources, count, write_output, &p->output, &p->error);
}

static void unpack(struct packed *p)
{
	size_t i;

	for (i = 0; i < p->count; i++)
		free(p->images[i]);
}

static const struct synthetic to_pack[] = {
	{ .format = SYNTHETIC_FS3, .psid = "MT_2180110032", .version = "14.32.1010", .rom_size = 0x2000,
	  .date = "2021-03-04", .digest = true },
	{ .format = SYNTHETIC_FS4, .psid = "DEL000000004", .version = "16.35.2000", .date = "2022-12-31",
	  .time = "13:14:15", .digest = true },
	{ .format = SYNTHETIC_FS4, .psid = "MT_00000009", .version = "20.300.1", .date = "2022-11-20",
	  .stripped = true },
};

static void a_packed_file_gives_the_stripped_images(void)
{
	const struct container_member *member;
	struct synthetic stripped;
	enum image_verdict verdict;
	struct image_place place;
	struct image_memory memory;
	struct image_reader reader;
	struct image_error error;
	struct packed p, again;
	struct opened o;
	size_t i, length, count;
	uint8_t *expected;

	CHECK_EQ(pack(&p, to_pack, 3), 0);
	CHECK_EQ(pack(&again, to_pack, 3), 0);
	CHECK_EQ(p.output.length, again.output.length);
	CHECK(!memcmp(p.output.bytes, again.output.bytes, p.output.length));
	CHECK_EQ(open_archive(&o, p.output.bytes, p.output.length), 0);
	REQUIRE(o.container);
	CHECK_EQ(container_length(o.container), p.output.length);
	CHECK_EQ(verify(&o), 0);
	CHECK_EQ(o.verdict, IMAGE_GOOD);
	CHECK_EQ(pass(&o), 0);
	CHECK_EQ(o.restored, 3);
	CHECK_EQ(container_members(o.container), 3);
	for (i = 0; i < 3; i++) {
		member = container_member(o.container, i);
		CHECK_STR(member->psid, to_pack[i].psid);
		CHECK_EQ(member->version[0], p.facts[i].version[0]);
		CHECK_EQ(member->version[1], p.facts[i].version[1] & 0xff);
		CHECK_EQ(member->version[2], p.facts[i].version[2]);
		CHECK_EQ(member->date, p.facts[i].date);
		stripped = to_pack[i];
		stripped.stripped = true;
		expected = synthetic_image(&stripped, &length);
		CHECK_EQ(o.lengths[i], length);
		CHECK(o.images[i] && !memcmp(o.images[i], expected, length));
		free(expected);
		memory = (struct image_memory){ o.images[i], o.lengths[i] };
		reader = image_memory_reader(&memory);
		CHECK_EQ(image_locate(&reader, IMAGE_LAYOUT_FILE, &place, 1, &count, &error), 0);
		CHECK_EQ(image_verify(&reader, &place, NULL, &verdict, &error), 0);
		CHECK_EQ(verdict, IMAGE_GOOD);
	}
	/* the package's date is the newest image's, months from 0 */
	CHECK(!memcmp(p.output.bytes + 0x3c, "\1\0\0\0\x07\xe6\x0b\x1f\x0d\x0e\x0f", 11));
	/* readers of Linux know no other check than CRC32 */
	CHECK_EQ(p.output.bytes[block_start(p.output.bytes) + 7], LZMA_CHECK_CRC32);
	close_archive(&o);
	unpack(&p);
	free(again.output.bytes);
	unpack(&again);
}

static void what_cannot_be_packed_is_refused(void)
{
	static const struct synthetic fs2 = { .format = SYNTHETIC_FS2 };
	struct synthetic twins[2] = { to_pack[1], to_pack[1] };
	struct synthetic encrypted = { .format = SYNTHETIC_FS4, .encrypted = true };
	struct packed p;

	CHECK_EQ(pack(&p, &fs2, 1), -EOPNOTSUPP);
	CHECK(strstr(p.error.text, "FS2"));
	unpack(&p);
	twins[1].version = "16.35.3000";
	CHECK_EQ(pack(&p, twins, 2), -EINVAL);
	CHECK(strstr(p.error.text, "DEL000000004"));
	unpack(&p);
	CHECK_EQ(pack(&p, &encrypted, 1), -EOPNOTSUPP);
	CHECK(strstr(p.error.text, "encrypted"));
	unpack(&p);
	CHECK_EQ(mfa2_write(NULL, 0, write_output, &p.output, &p.error), -EINVAL);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(every_kind_gives_what_was_put_in),
	KTAP_TEST(directories_tell),
	KTAP_TEST(a_binary_date_counts_months_from_zero),
	KTAP_TEST(only_what_is_wanted_is_given),
	KTAP_TEST(devices_share_a_component),
	KTAP_TEST(a_masked_magic_is_restored),
	KTAP_TEST(groups_make_one_image),
	KTAP_TEST(many_images_overlap),
	KTAP_TEST(too_many_overlapping_images_are_told),
	KTAP_TEST(places_beyond_the_data_are_refused),
	KTAP_TEST(more_than_the_directory_says_is_not_unpacked),
	KTAP_TEST(dictionaries_have_a_limit),
	KTAP_TEST(what_stands_behind_the_stream_is_zero),
	KTAP_TEST(damage_in_the_stream_is_told),
	KTAP_TEST(truncated_at_any_length),
	KTAP_TEST(any_flipped_bit_is_seen),
	KTAP_TEST(huge_and_empty_numbers),
	KTAP_TEST(loops_and_counts),
	KTAP_TEST(what_follows_is_not_the_containers),
	KTAP_TEST(wrong_sums_are_named),
	KTAP_TEST(a_spool_can_be_kept),
	KTAP_TEST(a_full_disk_is_named),
	KTAP_TEST(a_useless_tmpdir_does_not_hurt),
	KTAP_TEST(a_packed_file_gives_the_stripped_images),
	KTAP_TEST(what_cannot_be_packed_is_refused),
};

int main(int argc, char **argv)
{
	/* thousands of small files: better in memory */
	if (!access("/dev/shm", W_OK))
		setenv("TMPDIR", "/dev/shm", 0);
	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
