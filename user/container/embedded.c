// SPDX-License-Identifier: GPL-2.0-only
/*
 * Archives in files, unpacked member by member. libarchive is loaded when the first one is met: it
 * brings many libraries with it, which a tool that burns firmware should not need to start.
 */
#include <archive.h>
#include <archive_entry.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "private.h"
#include "search.h"
#include "spool.h"

#define READ_STEP	(1U << 20)
#define MEMBER_LEAST	64		/* no firmware is shorter */
#define HEADER_COST	512		/* what a member counts for, even an empty one */
#define MEMORY_MOST	(72ULL << 20)	/* of the unpacker: dictionaries rarely have more than 64 MiB */
#define MEMORY_STEP	(4U << 20)	/* unpacked bytes from one look at it to the next */

#define LIBRARY "libarchive.so.13"
#define FUNCTIONS(f) \
	f(archive_read_new) f(archive_read_free) f(archive_error_string) f(archive_format) \
	f(archive_read_set_read_callback) f(archive_read_set_skip_callback) \
	f(archive_read_set_seek_callback) f(archive_read_set_callback_data) f(archive_read_open1) \
	f(archive_read_next_header) f(archive_read_data_block) f(archive_read_data_skip) \
	f(archive_entry_filetype) f(archive_entry_hardlink) f(archive_entry_is_data_encrypted) \
	f(archive_entry_pathname) f(archive_entry_pathname_utf8) f(archive_entry_size) f(archive_entry_size_is_set) \
	f(archive_read_support_filter_gzip) f(archive_read_support_filter_bzip2) \
	f(archive_read_support_filter_xz) f(archive_read_support_filter_lzma) \
	f(archive_read_support_filter_zstd) f(archive_read_support_filter_lz4) \
	f(archive_read_support_filter_rpm) f(archive_read_support_format_zip) \
	f(archive_read_support_format_cab) f(archive_read_support_format_7zip) \
	f(archive_read_support_format_cpio) f(archive_read_support_format_ar) \
	f(archive_read_support_format_tar) f(archive_read_support_format_iso9660) \
	f(archive_read_support_format_raw)

#define AS_POINTER(name) __typeof__(name) *name;
static struct {
	FUNCTIONS(AS_POINTER)
} call;

#define AS_NAME(name) { #name, (void **)&call.name },
static const struct {
	const char *name;
	void **function;
} functions[] = { FUNCTIONS(AS_NAME) };

static const struct {
	const char *name, *unpacker;
} kinds[] = {
	[EMBEDDED_ZIP] = { "ZIP", "unzip" },
	[EMBEDDED_CAB] = { N_("cabinet"), "cabextract" },
	[EMBEDDED_7Z] = { "7z", "7z" },
	[EMBEDDED_RPM] = { "RPM", "rpm2cpio" },
	[EMBEDDED_AR] = { "ar", "ar, dpkg-deb" },
	[EMBEDDED_TAR] = { "tar", "tar" },
	[EMBEDDED_CPIO] = { "cpio", "cpio" },
	[EMBEDDED_ISO] = { "ISO 9660", "7z, bsdtar" },
	[EMBEDDED_STREAM] = { N_("compressed"), "gunzip, xz, zstd, tar" },
};

/* One archive that is read. */
struct embedded {
	struct search *search;
	const struct image_file *file;
	uint64_t start, length, at;	/* the archive in the file; what is read next, from start */
	struct archive *archive;
	struct archive_entry *entry;
	const char *inside;
	unsigned int nested;
	char where[SEARCH_INSIDE];	/* of the member at hand */
	uint64_t looked;		/* unpacked bytes when its memory was looked at */
	bool end;			/* nothing more can be read of it */
};

static bool library_there(void)
{
	static void *library;
	size_t i;

	if (library)
		return true;
	library = dlopen(secure_getenv("CXCTL_LIBARCHIVE") ?: LIBRARY, RTLD_NOW | RTLD_LOCAL);
	for (i = 0; library && i < sizeof(functions) / sizeof(functions[0]); i++) {
		*functions[i].function = dlsym(library, functions[i].name);
		if (*functions[i].function)
			continue;
		dlclose(library);
		library = NULL;
	}
	return library;
}

__attribute__((format(printf, 4, 5)))
static int trouble(struct embedded *embedded, const char *where, int code, const char *format, ...)
{
	struct image_error error = { .where = embedded->start };
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error.text, sizeof(error.text), format, arguments);
	va_end(arguments);
	return search_trouble(embedded->search, where, code, &error);
}

static const char *archive_says(const struct embedded *embedded)
{
	const char *text = call.archive_error_string(embedded->archive);

	return text ? text : _("it is damaged");
}

/* ---- the archive's bytes ---- */

static la_ssize_t read_step(struct archive *archive, void *context, const void **bytes)
{
	struct embedded *embedded = context;
	uint64_t left = embedded->length - embedded->at, at = embedded->start + embedded->at;
	size_t length = left < READ_STEP ? left : READ_STEP;

	(void)archive;
	if (at > 2 * READ_STEP)
		search_forget(embedded->file, at - 2 * READ_STEP, at - READ_STEP);
	*bytes = embedded->file->reader.bytes + at;
	embedded->at += length;
	return length;
}

static la_int64_t skip_step(struct archive *archive, void *context, la_int64_t request)
{
	struct embedded *embedded = context;
	uint64_t left = embedded->length - embedded->at;

	(void)archive;
	if (request < 0)
		return 0;
	if ((uint64_t)request > left)
		request = left;
	embedded->at += request;
	return request;
}

static la_int64_t seek_step(struct archive *archive, void *context, la_int64_t offset, int whence)
{
	struct embedded *embedded = context;
	la_int64_t base = whence == SEEK_END ? (la_int64_t)embedded->length :
			  whence == SEEK_CUR ? (la_int64_t)embedded->at : 0, to;

	(void)archive;
	if (__builtin_add_overflow(base, offset, &to) || to < 0 || (uint64_t)to > embedded->length)
		return ARCHIVE_FATAL;
	embedded->at = to;
	return to;
}

/* Only what the magic promised: fewer readers that a crafted file could reach. */
static void support(struct archive *archive, enum embedded_kind kind)
{
	if (kind == EMBEDDED_STREAM || kind == EMBEDDED_RPM) {
		call.archive_read_support_filter_gzip(archive);
		call.archive_read_support_filter_bzip2(archive);
		call.archive_read_support_filter_xz(archive);
		call.archive_read_support_filter_lzma(archive);
		call.archive_read_support_filter_zstd(archive);
		call.archive_read_support_filter_lz4(archive);
	}
	switch (kind) {
	case EMBEDDED_ZIP:
		call.archive_read_support_format_zip(archive);
		break;
	case EMBEDDED_CAB:
		call.archive_read_support_format_cab(archive);
		break;
	case EMBEDDED_7Z:
		call.archive_read_support_format_7zip(archive);
		break;
	case EMBEDDED_AR:
		call.archive_read_support_format_ar(archive);
		break;
	case EMBEDDED_ISO:
		call.archive_read_support_format_iso9660(archive);
		break;
	case EMBEDDED_RPM:
		call.archive_read_support_filter_rpm(archive);
		call.archive_read_support_format_cpio(archive);
		break;
	case EMBEDDED_CPIO:
		call.archive_read_support_format_cpio(archive);
		break;
	case EMBEDDED_TAR:
		call.archive_read_support_format_tar(archive);
		break;
	case EMBEDDED_STREAM:
		call.archive_read_support_format_tar(archive);
		call.archive_read_support_format_cpio(archive);
		call.archive_read_support_format_raw(archive);
		break;
	}
}

static bool open_archive(struct embedded *embedded, enum embedded_kind kind)
{
	struct archive *archive = call.archive_read_new();

	embedded->archive = archive;
	if (!archive)
		return false;
	support(archive, kind);
	call.archive_read_set_read_callback(archive, read_step);
	call.archive_read_set_skip_callback(archive, skip_step);
	call.archive_read_set_seek_callback(archive, seek_step);
	call.archive_read_set_callback_data(archive, embedded);
	return call.archive_read_open1(archive) == ARCHIVE_OK;
}

/* ---- members ---- */

/* What is in fw.mfa2.xz is called fw.mfa2. */
static void stream_name(const struct embedded *embedded, char name[256])
{
	static const char *const suffixes[] = { ".gz", ".xz", ".bz2", ".zst", ".lz4" };
	const char *whole = *embedded->inside ? embedded->inside : embedded->search->path;
	const char *base = strrchr(whole, '/');
	size_t i, length;

	snprintf(name, 256, "%s", base ? base + 1 : whole);
	length = strlen(name);
	for (i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t suffix = strlen(suffixes[i]);

		if (length > suffix && !strcasecmp(name + length - suffix, suffixes[i])) {
			name[length - suffix] = 0;
			return;
		}
	}
}

static void name_member(struct embedded *embedded, unsigned int number)
{
	const char *name = call.archive_entry_pathname(embedded->entry);
	char made[256];

	if (!name)
		name = call.archive_entry_pathname_utf8(embedded->entry);
	if (call.archive_format(embedded->archive) == ARCHIVE_FORMAT_RAW) {
		stream_name(embedded, made);
		name = made;
	} else if (!name) {
		snprintf(made, sizeof(made), "member %u", number);
		name = made;
	}
	while (!strncmp(name, "./", 2) || *name == '/')
		name += *name == '/' ? 1 : 2;
	search_join(embedded->where, embedded->inside, name);
}

static bool is_filled_with(const uint8_t *bytes, size_t length, uint8_t byte)
{
	return length && bytes[0] == byte && !memcmp(bytes, bytes + 1, length - 1);
}

static bool is_text(const uint8_t *bytes, size_t length)
{
	size_t i;

	for (i = 0; i < length && i < 512; i++)
		if ((bytes[i] < 0x20 && bytes[i] != '\n' && bytes[i] != '\r' && bytes[i] != '\t') ||
		    bytes[i] == 0x7f)
			return false;
	return true;
}

/* By its first bytes: pictures, texts and what begins with nothing are not worth the unpacking. */
static bool may_hold_firmware(const uint8_t *bytes, size_t length)
{
	static const char *const never[] = { "\x89PNG", "\xff\xd8\xff", "GIF8", "%PDF" };
	size_t i;

	for (i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		if (length >= 4 && !memcmp(bytes, never[i], strlen(never[i])))
			return false;
	if (length >= 8 && (!memcmp(bytes, "#!", 2) || !memcmp(bytes, "!<arch>\n", 8)))
		return true;
	return !is_filled_with(bytes, length, 0) && !is_text(bytes, length);
}

static bool too_much(struct embedded *embedded, uint64_t more)
{
	embedded->search->unpacked += more;
	if (embedded->search->unpacked <= SEARCH_UNPACKED_MOST)
		return false;
	embedded->end = true;
	trouble(embedded, embedded->inside, -EFBIG, _("it unpacks to more than %llu GiB: unpack it by hand"),
		SEARCH_UNPACKED_MOST >> 30);
	return true;
}

/* Bytes of memory that are no file's; 0: the system does not say. */
static uint64_t memory_used(void)
{
	unsigned long long resident, shared;
	FILE *file = fopen("/proc/self/statm", "re");
	bool known = file && fscanf(file, "%*u %llu %llu", &resident, &shared) == 2 && resident > shared;

	if (file)
		fclose(file);
	return known ? (resident - shared) * sysconf(_SC_PAGESIZE) : 0;
}

/* libarchive obeys whatever dictionary an archive asks for, up to 4 GiB: it fills as data is unpacked. */
static bool too_large(struct embedded *embedded)
{
	struct search *search = embedded->search;

	if (search->unpacked - embedded->looked < MEMORY_STEP)
		return false;
	embedded->looked = search->unpacked;
	return memory_used() > search->memory + MEMORY_MOST;
}

/*
 * Offsets of a ZIP and an ISO are known: nothing is unpacked to get past a member. Others must be read
 * through.
 */
static bool is_seekable(const struct embedded *embedded)
{
	int format = call.archive_format(embedded->archive) & ARCHIVE_FORMAT_BASE_MASK;

	return format == ARCHIVE_FORMAT_ZIP || format == ARCHIVE_FORMAT_ISO9660;
}

/*
 * Reads a member's data, into the spool unless that is NULL. *wanted (in: may it be wanted?) becomes false
 * when its first bytes say that it holds no firmware. ARCHIVE_OK, or what libarchive or errno said.
 */
static int read_data(struct embedded *embedded, struct spool *spool, bool *wanted, struct image_error *error)
{
	uint64_t size = 0;
	la_int64_t offset;
	const void *block;
	size_t length;
	int code = 0, result;

	for (;;) {
		result = call.archive_read_data_block(embedded->archive, &block, &length, &offset);
		if (result == ARCHIVE_EOF)
			break;
		/* A warning here is a CRC or a length that does not fit. */
		if (result < ARCHIVE_OK)
			return image_fail(error, -EBADMSG, 0, "%s", archive_says(embedded));
		if (too_much(embedded, length) || embedded->search->over) {
			*wanted = false;
			return 0;
		}
		if (too_large(embedded)) {
			embedded->end = true;
			return image_fail(error, -EFBIG, 0,
					  _("its packing needs more than %llu MiB of memory: unpack it by hand"),
					  MEMORY_MOST >> 20);
		}
		if (!length || offset < 0)
			continue;
		if (!size)
			*wanted = *wanted && may_hold_firmware(block, length);
		size = offset + length;
		if (size > SEARCH_MEMBER_MOST)
			return image_fail(error, -EFBIG, 0, _("it has more than %llu GiB"),
					  SEARCH_MEMBER_MOST >> 30);
		if (!*wanted && (is_seekable(embedded) ||
				 call.archive_format(embedded->archive) == ARCHIVE_FORMAT_RAW))
			return 0;
		/* Zeros become holes: a bomb of them does not fill the disk. */
		if (*wanted && !is_filled_with(block, length, 0))
			code = spool_write(spool, offset, block, length, error);
		if (code)
			return code;
	}
	if (*wanted && size > spool->size)
		code = spool_write(spool, size - 1, "", 1, error);
	*wanted = *wanted && size >= MEMBER_LEAST;
	return code;
}

static int search_spool(struct embedded *embedded, struct spool *spool)
{
	struct image_file file;
	struct image_error error;
	int descriptor = spool->descriptor, code;

	spool->descriptor = -1;
	code = image_file_of(descriptor, embedded->where, &file, &error);
	if (code)
		return search_trouble(embedded->search, embedded->where, code, &error);
	code = search_file(embedded->search, &file, embedded->where, embedded->nested + 1);
	image_file_close(&file);
	return code;
}

/* A regular file with bytes of its own, which its size does not rule out. */
static bool may_be_wanted(const struct embedded *embedded)
{
	return call.archive_entry_filetype(embedded->entry) == AE_IFREG &&
	       !call.archive_entry_hardlink(embedded->entry) &&
	       (!call.archive_entry_size_is_set(embedded->entry) ||
		call.archive_entry_size(embedded->entry) >= MEMBER_LEAST);
}

static int take_member(struct embedded *embedded)
{
	struct spool spool = { .descriptor = -1 };
	struct image_error error;
	bool wanted = may_be_wanted(embedded);
	int code;

	if (!wanted && is_seekable(embedded))
		return 0;
	if (wanted && call.archive_entry_is_data_encrypted(embedded->entry))
		return trouble(embedded, embedded->where, -EACCES, "%s", _("it is locked with a password"));
	code = spool_open(&spool, &error);
	if (!code)
		code = read_data(embedded, &spool, &wanted, &error);
	if (embedded->search->over)
		code = 1;
	else if (code)
		code = search_trouble(embedded->search, embedded->where, code, &error);
	else if (wanted)
		code = search_spool(embedded, &spool);
	spool_close(&spool);
	return code;
}

static int take_members(struct embedded *embedded, bool *read)
{
	unsigned int number = 0;
	int result, code = 0;

	while (!code && !embedded->end) {
		result = call.archive_read_next_header(embedded->archive, &embedded->entry);
		if (result == ARCHIVE_EOF)
			break;
		if (result == ARCHIVE_RETRY || result == ARCHIVE_FAILED || result == ARCHIVE_FATAL) {
			code = trouble(embedded, embedded->inside, -EBADMSG, "%s", archive_says(embedded));
			if (result == ARCHIVE_FATAL)
				break;
			continue;
		}
		*read = true;
		name_member(embedded, number++);
		if (!too_much(embedded, HEADER_COST))
			code = take_member(embedded);
		code = embedded->search->over ? 1 : code;
	}
	return code;
}

int search_archive(struct search *search, const struct image_file *file, uint64_t start, uint64_t length,
		   enum embedded_kind kind, const char *inside, unsigned int nested, bool *read)
{
	struct embedded embedded = {
		.search = search,
		.file = file,
		.start = start,
		.length = length,
		.inside = inside,
		.nested = nested,
	};
	int code;

	if (!nested)
		search->memory = memory_used();
	embedded.looked = search->unpacked;
	*read = nested >= SEARCH_NESTED;
	if (*read)
		return trouble(&embedded, inside, -ELOOP, "%s",
			       _("archives in archives, too deep: unpack it by hand"));
	if (!library_there())
		return trouble(&embedded, inside, -ENOPKG,
			       _("a %s archive is in it, but the library that unpacks it, %s, is not installed: install the package libarchive13 (Debian, Ubuntu, UOS) or libarchive (others), or unpack it with %s"),
			       _(kinds[kind].name), LIBRARY, kinds[kind].unpacker);
	if (open_archive(&embedded, kind))
		code = take_members(&embedded, read);
	else
		code = trouble(&embedded, inside, -EBADMSG,
			       _("a %s archive is in it that cannot be read: %s"),
			       _(kinds[kind].name),
			       embedded.archive ? archive_says(&embedded) : strerror(ENOMEM));
	call.archive_read_free(embedded.archive);
	return code;
}
