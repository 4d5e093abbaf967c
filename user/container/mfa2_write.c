// SPDX-License-Identifier: GPL-2.0-only
/* Makes an MFA2 of images: firmware-images.md 5.8, 7.2. */
#include <errno.h>
#include <lzma.h>
#include <openssl/evp.h>
#include <stdlib.h>

#include "mfa2.h"
#include "private.h"
#include "spool.h"

#define PIECE 0x10000
#define ENTRY_LENGTH 0x20		/* of an FS3 table of contents */
#define ENTRIES_MOST 64
#define SOURCES_MOST 0xffff
#define MULTI_LENGTH (MFA2_TLV_HEADER + 4)

/* An image as the running firmware takes it. */
struct payload {
	const struct mfa2_source *source;
	/* FS3: the table's entries, those of device data taken out, replace [table, table + table_length) */
	uint64_t table;
	size_t table_length;
	uint8_t entries[ENTRIES_MOST * ENTRY_LENGTH];
	uint64_t entry_at[ENTRIES_MOST];	/* logical, of those that stay */
	unsigned int entry_count;
	uint64_t table_end;
};

struct packing {
	const struct mfa2_source *sources;
	size_t count;
	struct image_error *error;
	/* descriptors */
	uint8_t *head;
	size_t head_length, at;
	/* component block */
	lzma_stream stream;
	uint64_t unpacked;
	struct spool spool;
	uint8_t in[PIECE], out[PIECE];
};

/* ---- what is asked for ---- */

static int check_source(struct packing *packing, size_t number)
{
	const struct image_facts *facts = packing->sources[number].facts;
	const char *name = image_format_name(facts->place.format);

	if (facts->place.format != IMAGE_FS3 && facts->place.format != IMAGE_FS4)
		return image_fail(packing->error, -EOPNOTSUPP, 0,
				  _("image %zu (%s) is %s: only FS3 and FS4 images are updated by way of an MFA2"),
				  number + 1, facts->psid, name);
	if (facts->encrypted)
		return image_fail(packing->error, -EOPNOTSUPP, 0,
				  _("image %zu (%s) is encrypted: where its sections end cannot be seen, so it cannot be packed"),
				  number + 1, facts->psid);
	if (!(facts->has & IMAGE_HAS_PSID) || !facts->psid[0])
		return image_fail(packing->error, -EINVAL, 0, _("image %zu has no PSID"), number + 1);
	return 0;
}

static int by_psid(const void *one, const void *other)
{
	const struct mfa2_source *const *a = one, *const *b = other;

	return strcmp((*a)->facts->psid, (*b)->facts->psid);
}

static int check_twins(struct packing *packing)
{
	const struct mfa2_source **order = calloc(packing->count, sizeof(*order));
	size_t i;
	int code = 0;

	if (!order)
		return container_no_memory(packing->error);
	for (i = 0; i < packing->count; i++)
		order[i] = &packing->sources[i];
	qsort(order, packing->count, sizeof(*order), by_psid);
	for (i = 1; i < packing->count && !code; i++)
		if (!by_psid(&order[i - 1], &order[i]))
			code = image_fail(packing->error, -EINVAL, 0,
					  _("two images are for PSID %s: a card would get the first of them"),
					  order[i]->facts->psid);
	free(order);
	return code;
}

static int check_sources(struct packing *packing)
{
	size_t i;
	int code = 0;

	if (!packing->count || packing->count > SOURCES_MOST)
		return image_fail(packing->error, -EINVAL, 0, _("an MFA2 has 1 to %d images, not %zu"),
				  SOURCES_MOST, packing->count);
	for (i = 0; i < packing->count && !code; i++)
		code = check_source(packing, i);
	return code ? code : check_twins(packing);
}

/* ---- stripping ---- */

/* Notes an entry of the table of contents; device data come last. */
static int note_entry(void *context, const struct image_section *section)
{
	struct payload *payload = context;
	uint64_t at = section->described_at;

	if (!section->type)
		return 0;		/* BOOT2 has no entry */
	if (section->device_data)
		at -= payload->source->facts->place.address;
	if (at < payload->table)
		payload->table = at;
	if (at + ENTRY_LENGTH > payload->table_end)
		payload->table_end = at + ENTRY_LENGTH;
	if (section->device_data)
		return 0;
	if (payload->entry_count == ENTRIES_MOST)
		return -E2BIG;
	payload->entry_at[payload->entry_count++] = at;
	return 0;
}

/* The end of the table stands right behind the last entry that stays; what was behind is blank. */
static int strip_fs3(struct payload *payload, struct image_error *error)
{
	const struct image_facts *facts = payload->source->facts;
	unsigned int i;
	int code;

	payload->table = UINT64_MAX;
	code = image_sections(payload->source->reader, &facts->place, note_entry, payload, error);
	if (code)
		return code;
	if (payload->table == UINT64_MAX || payload->table_end - payload->table > sizeof(payload->entries) ||
	    payload->table_end > facts->length)
		return image_fail(error, -EBADMSG, 0,
				  _("the table of contents of %s is not where an image has it"),
				  facts->psid);
	payload->table_length = payload->table_end - payload->table;
	memset(payload->entries, 0xff, payload->table_length);
	for (i = 0; i < payload->entry_count && !code; i++)
		code = container_read(payload->source->reader, facts->place.address + payload->entry_at[i],
				      payload->entries + (size_t)i * ENTRY_LENGTH, ENTRY_LENGTH, error);
	return code;
}

static int strip(struct payload *payload, const struct mfa2_source *source, struct image_error *error)
{
	memset(payload, 0, sizeof(*payload));
	payload->source = source;
	return source->facts->place.format == IMAGE_FS3 ? strip_fs3(payload, error) : 0;
}

static void overlay(uint8_t *bytes, uint64_t at, size_t length, uint64_t start, const uint8_t *with,
		    size_t width)
{
	uint64_t from = start > at ? start : at;
	uint64_t to = start + width < at + length ? start + width : at + length;

	if (from < to)
		memcpy(bytes + (from - at), with + (from - start), to - from);
}

static int read_payload(const struct payload *payload, uint64_t at, uint8_t *bytes, size_t length,
			struct image_error *error)
{
	static const uint8_t masked[16] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
					    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	const struct image_facts *facts = payload->source->facts;
	int code = container_read(payload->source->reader, facts->place.address + at, bytes, length, error);

	if (code)
		return code;
	overlay(bytes, at, length, 0, masked, sizeof(masked));
	overlay(bytes, at, length, payload->table, payload->entries, payload->table_length);
	return 0;
}

/* ---- the component block ---- */

static int encode(struct packing *packing, const void *bytes, size_t length, lzma_action action)
{
	lzma_ret result;
	int code;

	packing->unpacked += length;
	packing->stream.next_in = bytes;
	packing->stream.avail_in = length;
	do {
		packing->stream.next_out = packing->out;
		packing->stream.avail_out = sizeof(packing->out);
		result = lzma_code(&packing->stream, action);
		if (result != LZMA_OK && result != LZMA_STREAM_END)
			return result == LZMA_MEM_ERROR ? container_no_memory(packing->error) :
			       image_fail(packing->error, -EIO, 0, _("packing failed (%d)"), (int)result);
		code = spool_write(&packing->spool, packing->spool.size, packing->out,
				   sizeof(packing->out) - packing->stream.avail_out, packing->error);
		if (code)
			return code;
	} while (action == LZMA_FINISH ? result != LZMA_STREAM_END : packing->stream.avail_in > 0);
	return 0;
}

static int encode_image(struct packing *packing, const struct mfa2_source *source)
{
	struct payload payload;
	uint64_t at, now;
	int code = strip(&payload, source, packing->error);

	if (!code)
		code = encode(packing, MFA2_MARKER, MFA2_MARKER_LENGTH, LZMA_RUN);
	for (at = 0; at < source->facts->length && !code; at += now) {
		now = source->facts->length - at;
		if (now > PIECE)
			now = PIECE;
		code = read_payload(&payload, at, packing->in, now, packing->error);
		if (!code)
			code = encode(packing, packing->in, now, LZMA_RUN);
	}
	return code;
}

/*
 * CRC32 is the check that every reader knows, Linux's among them. The dictionary of preset 6, 8 MiB, reaches
 * into the image before; hash chains need two thirds of the memory that preset 6 takes for it.
 */
static int begin_stream(struct packing *packing)
{
	lzma_options_lzma options;
	const lzma_filter filters[] = {
		{ .id = LZMA_FILTER_LZMA2, .options = &options }, { .id = LZMA_VLI_UNKNOWN }
	};

	if (lzma_lzma_preset(&options, 6))
		return image_fail(packing->error, -EOPNOTSUPP, 0, _("liblzma does not know preset 6"));
	options.mf = LZMA_MF_HC4;
	if (lzma_stream_encoder(&packing->stream, filters, LZMA_CHECK_CRC32) != LZMA_OK)
		return container_no_memory(packing->error);
	return 0;
}

static int encode_block(struct packing *packing)
{
	size_t i;
	int code = spool_open(&packing->spool, packing->error);

	if (!code)
		code = begin_stream(packing);
	for (i = 0; i < packing->count && !code; i++)
		code = encode_image(packing, &packing->sources[i]);
	return code ? code : encode(packing, NULL, 0, LZMA_FINISH);
}

/* ---- descriptors ---- */

static void put(struct packing *packing, uint64_t value, unsigned int bytes)
{
	while (bytes--)
		packing->head[packing->at++] = value >> 8 * bytes;
}

static void put_bytes(struct packing *packing, const void *bytes, size_t length)
{
	memcpy(packing->head + packing->at, bytes, length);
	packing->at += length;
}

static void put_header(struct packing *packing, enum mfa2_type type, unsigned int length)
{
	put(packing, 0, 1);
	put(packing, type, 1);
	put(packing, length, 2);
}

static void put_multi(struct packing *packing, unsigned int members, unsigned int length)
{
	put_header(packing, MFA2_MULTI, 4);
	put(packing, members - 1, 2);
	put(packing, length, 2);
}

static unsigned int from_bcd(uint32_t value)
{
	unsigned int number = 0;
	int shift;

	for (shift = 28; shift >= 0; shift -= 4)
		number = 10 * number + (value >> shift & 0xf);
	return number;
}

static const struct image_facts *newest(const struct packing *packing)
{
	const struct image_facts *best = packing->sources[0].facts, *facts;
	size_t i;

	for (i = 1; i < packing->count; i++) {
		facts = packing->sources[i].facts;
		if (facts->date > best->date || (facts->date == best->date && facts->time > best->time))
			best = facts;
	}
	return best;
}

/* Version of the package, 1.0.0, and its date: that of the newest image, months from 0. */
static void put_package_version(struct packing *packing)
{
	const struct image_facts *facts = newest(packing);
	unsigned int month = from_bcd(facts->date >> 8 & 0xff);

	put_header(packing, MFA2_VERSION, MFA2_VERSION_LENGTH);
	put(packing, 0x01000000, 4);
	put(packing, from_bcd(facts->date >> 16), 2);
	put(packing, month ? month - 1 : 0, 1);
	put(packing, from_bcd(facts->date & 0xff), 1);
	put(packing, from_bcd(facts->time >> 16 & 0xff), 1);
	put(packing, from_bcd(facts->time >> 8 & 0xff), 1);
	put(packing, from_bcd(facts->time & 0xff), 1);
	put(packing, 0, 1);
}

/* Places of the digests are given back; they are zeros as long as digests are computed. */
static void put_package(struct packing *packing, size_t digests[2])
{
	static const uint8_t zeros[MFA2_DIGEST];
	size_t i;

	put_bytes(packing, MFA2_FINGERPRINT, MFA2_FINGERPRINT_LENGTH);
	put_multi(packing, 4,
		  4 * MFA2_TLV_HEADER + MFA2_PACKAGE_LENGTH + MFA2_VERSION_LENGTH + 2 * MFA2_DIGEST);
	put_header(packing, MFA2_PACKAGE, MFA2_PACKAGE_LENGTH);
	put(packing, packing->count, 2);
	put(packing, packing->count, 2);
	put(packing, packing->head_length, 4);
	put(packing, packing->spool.size, 4);
	put(packing, packing->unpacked, 8);
	put(packing, 0x01000000, 4);		/* XZ */
	put(packing, 0, 4);
	put_package_version(packing);
	for (i = 0; i < 2; i++) {
		put_header(packing, MFA2_SOURCE_FILE, MFA2_DIGEST);
		digests[i] = packing->at;
		put_bytes(packing, zeros, sizeof(zeros));
	}
}

static void put_device(struct packing *packing, size_t number)
{
	const char *psid = packing->sources[number].facts->psid;
	size_t length = strlen(psid), padding = align4(length) - length;

	put_multi(packing, 3, 3 * MFA2_TLV_HEADER + length + MFA2_POINTER_LENGTH);
	put_header(packing, MFA2_DEVICE, 0);
	put_header(packing, MFA2_PSID, length);
	put_bytes(packing, psid, length);
	put(packing, 0, padding);
	put_header(packing, MFA2_COMPONENT_POINTER, MFA2_POINTER_LENGTH);
	put(packing, 1, 2);
	put(packing, number, 2);
	put(packing, 0, 4);
}

static void put_component(struct packing *packing, size_t number, uint64_t offset)
{
	const struct image_facts *facts = packing->sources[number].facts;

	put_multi(packing, 2, 2 * MFA2_TLV_HEADER + MFA2_COMPONENT_LENGTH + MFA2_VERSION_LENGTH);
	put_header(packing, MFA2_COMPONENT, MFA2_COMPONENT_LENGTH);
	put(packing, 0, 4);
	put(packing, offset, 8);
	put(packing, facts->length, 4);
	put_header(packing, MFA2_VERSION, MFA2_VERSION_LENGTH);
	put(packing, facts->version[0], 1);
	put(packing, facts->version[1], 1);
	put(packing, facts->version[2], 2);
	put(packing, facts->date, 4);
	put(packing, 0x0c000000, 4);		/* as the vendor's, whatever the time */
}

static size_t measure_head(const struct packing *packing)
{
	size_t length = MFA2_FINGERPRINT_LENGTH + MULTI_LENGTH + 4 * MFA2_TLV_HEADER + MFA2_PACKAGE_LENGTH +
			MFA2_VERSION_LENGTH + 2 * MFA2_DIGEST, i;

	for (i = 0; i < packing->count; i++)
		length += 2 * MULTI_LENGTH + 5 * MFA2_TLV_HEADER + MFA2_POINTER_LENGTH +
			  MFA2_COMPONENT_LENGTH + MFA2_VERSION_LENGTH +
			  align4(strlen(packing->sources[i].facts->psid));
	return length;
}

/* ---- the whole file ---- */

static int sum_piece(void *context, const uint8_t *bytes, size_t length)
{
	return EVP_DigestUpdate(context, bytes, length) == 1 ? 0 : -ENOMEM;
}

/* Over the descriptors, and the components as well when there are any. */
static int sum(struct packing *packing, const struct image_reader *block, uint8_t digest[MFA2_DIGEST])
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	int code = 0;

	if (!context || EVP_DigestInit_ex(context, EVP_sha256(), NULL) != 1 ||
	    sum_piece(context, packing->head, packing->head_length))
		code = container_no_memory(packing->error);
	if (!code && block)
		code = container_pieces(block, 0, block->size, sum_piece, context, packing->error);
	if (!code && EVP_DigestFinal_ex(context, digest, NULL) != 1)
		code = container_no_memory(packing->error);
	EVP_MD_CTX_free(context);
	return code;
}

static int make_head(struct packing *packing)
{
	struct image_reader block = spool_reader(&packing->spool);
	uint8_t both[2][MFA2_DIGEST];
	uint64_t offset = 0;
	size_t digests[2], i;
	int code;

	packing->head_length = measure_head(packing);
	if (packing->head_length + block.size > UINT32_MAX)
		return image_fail(packing->error, -EFBIG, 0, _("the images are too many for one MFA2"));
	packing->head = calloc(1, packing->head_length);
	if (!packing->head)
		return container_no_memory(packing->error);
	put_package(packing, digests);
	for (i = 0; i < packing->count; i++)
		put_device(packing, i);
	for (i = 0; i < packing->count; i++) {
		put_component(packing, i, offset);
		offset += MFA2_MARKER_LENGTH + packing->sources[i].facts->length;
	}
	code = sum(packing, &block, both[0]);
	if (!code)
		code = sum(packing, NULL, both[1]);
	for (i = 0; i < 2 && !code; i++)
		memcpy(packing->head + digests[i], both[i], MFA2_DIGEST);
	return code;
}

struct output {
	int (*write)(void *context, const void *bytes, size_t length);
	void *context;
};

static int write_piece(void *context, const uint8_t *bytes, size_t length)
{
	const struct output *output = context;

	return output->write(output->context, bytes, length);
}

int mfa2_write(const struct mfa2_source *sources, size_t count,
	       int (*write)(void *context, const void *bytes, size_t length), void *context,
	       struct image_error *error)
{
	struct packing *packing = calloc(1, sizeof(*packing));
	struct output output = { write, context };
	struct image_reader block;
	int code;

	if (!packing)
		return container_no_memory(error);
	packing->sources = sources;
	packing->count = count;
	packing->error = error;
	packing->stream = (lzma_stream)LZMA_STREAM_INIT;
	packing->spool.descriptor = -1;
	code = check_sources(packing);
	if (!code)
		code = encode_block(packing);
	lzma_end(&packing->stream);
	if (!code)
		code = make_head(packing);
	if (!code)
		code = write(context, packing->head, packing->head_length);
	if (!code) {
		block = spool_reader(&packing->spool);
		code = container_pieces(&block, 0, block.size, write_piece, &output, error);
	}
	spool_close(&packing->spool);
	free(packing->head);
	free(packing);
	return code;
}
