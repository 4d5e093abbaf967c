// SPDX-License-Identifier: GPL-2.0-only
/* The file that shall be burned: read whole, understood, verified. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../image/sha256.h"
#include "burn.h"

#define FILE_MOST (64U << 20)	/* the largest flash */

static int read_all(int fd, uint8_t *bytes, size_t length)
{
	ssize_t now;

	while (length) {
		now = read(fd, bytes, length);
		if (now < 0 && errno == EINTR)
			continue;
		if (now <= 0)
			return now ? -errno : -EIO;
		bytes += now;
		length -= now;
	}
	return 0;
}

static int read_file(const char *path, struct burn_image *image, struct cxctl_error *error)
{
	/* O_NONBLOCK: a FIFO is to be refused, not waited for. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), code = 0;
	struct stat status;

	if (fd < 0 || fstat(fd, &status)) {
		code = errno;
		if (fd >= 0)
			close(fd);
		return error_set(error, CXCTL_BAD_IMAGE, "image-unreadable", _("cannot open the image %s: %s"), path,
				 strerror(code));
	}
	if (!S_ISREG(status.st_mode) || status.st_size < 0x40 || status.st_size > FILE_MOST) {
		close(fd);
		error_set(error, CXCTL_BAD_IMAGE, "image-size", _("%s is not a firmware image"), path);
		error_found(error, S_ISREG(status.st_mode) ? _("%lld bytes") : _("not a file of bytes"),
			    (long long)status.st_size);
		error_expected(error, _("a file of 64 bytes to %u MiB"), FILE_MOST >> 20);
		return -1;
	}
	image->file_length = status.st_size;
	image->file = malloc(image->file_length);
	if (image->file)
		code = read_all(fd, image->file, image->file_length);
	close(fd);
	if (!image->file)
		return error_set(error, CXCTL_FAILED, "memory", _("no memory for an image of %zu bytes"),
				 image->file_length);
	if (code)
		return error_set(error, CXCTL_BAD_IMAGE, "image-unreadable", _("cannot read the image %s: %s"), path,
				 strerror(-code));
	return 0;
}

/* What the verifier told, as far as a refusal or a plan shows it. */
struct judgement {
	unsigned int damaged, unusual;
	char damage[256], oddity[256];
};

static void note(void *context, const struct image_finding *finding)
{
	struct judgement *judgement = context;
	bool damage = finding->verdict == IMAGE_DAMAGED;
	char *text = damage ? judgement->damage : judgement->oddity;

	if (damage ? judgement->damaged++ : judgement->unusual++)
		return;
	if (finding->compared)
		snprintf(text, sizeof(judgement->damage), _("%s at 0x%llx: %.160s (expected 0x%x, found 0x%x)"),
			 finding->part, (unsigned long long)finding->where, finding->text, finding->expected,
			 finding->found);
	else
		snprintf(text, sizeof(judgement->damage), _("%s at 0x%llx: %.160s"), finding->part,
			 (unsigned long long)finding->where, finding->text);
}

static int not_an_image(const char *path, const struct image_error *why, struct cxctl_error *error)
{
	error_set(error, CXCTL_BAD_IMAGE, "not-an-image", _("%s is not a firmware image that cxctl knows"), path);
	error_found(error, "%s", why->text);
	error_expected(error, _("a FS2 or FS4 image (.bin), unpacked, or a backup of a whole flash"));
	return -1;
}

/* Of several images in a backup, the first that is whole; else the first. */
static int choose(const struct image_reader *reader, const char *path, struct image_place *chosen,
		  struct cxctl_error *error)
{
	struct image_place places[IMAGE_PLACES];
	enum image_verdict verdict;
	struct image_error why = { 0 };
	size_t count, i;
	bool any = false;

	if (image_locate(reader, IMAGE_LAYOUT_AUTO, places, IMAGE_PLACES, &count, &why))
		return not_an_image(path, &why, error);
	for (i = 0; i < count; i++) {
		if (places[i].misplaced)
			continue;
		if (!any)
			*chosen = places[i];
		any = true;
		if (image_verify(reader, &places[i], NULL, &verdict, &why) || verdict == IMAGE_DAMAGED)
			continue;
		*chosen = places[i];
		return 0;
	}
	if (any)
		return 0;
	snprintf(why.text, sizeof(why.text), "%s", _("no firmware magic where an image can start"));
	return not_an_image(path, &why, error);
}

static int judge(const struct image_reader *reader, const struct image_place *place, struct burn_image *image,
		 struct cxctl_error *error)
{
	struct judgement judgement = { 0 };
	struct image_listener listener = { .finding = note, .context = &judgement };
	enum image_verdict verdict;
	struct image_error why = { 0 };
	int code;

	code = image_verify(reader, place, &listener, &verdict, &why);
	if (code == -EOPNOTSUPP)
		return 0;	/* the guard of formats says it better */
	if (code)
		return error_set(error, CXCTL_FAILED, "verify", "%s: %s", image->path, why.text);
	if (verdict == IMAGE_DAMAGED) {
		error_set(error, CXCTL_BAD_IMAGE, "image-damaged", _("the image %s is damaged"), image->path);
		error_found(error, judgement.damaged > 1 ? _("%s; and %u more findings") : "%s", judgement.damage,
			    judgement.damaged - 1);
		error_next(error, _("get the file again and compare its checksum with the vendor's"));
		return -1;
	}
	image->unusual = judgement.unusual;
	snprintf(image->unusual_text, sizeof(image->unusual_text), "%s", judgement.oddity);
	return 0;
}

static void digest_text(const uint8_t *bytes, size_t length, char text[65])
{
	uint8_t digest[IMAGE_SHA256_LENGTH];
	unsigned int i;

	image_sha256(bytes, length, digest);
	for (i = 0; i < sizeof(digest); i++)
		sprintf(text + 2 * i, "%02x", digest[i]);
}

int burn_image_read(const char *path, struct burn_image *image, struct cxctl_error *error)
{
	struct image_memory memory;
	struct image_reader reader;
	struct image_place place = { 0 };
	struct image_error why = { 0 };
	int code;

	memset(image, 0, sizeof(*image));
	snprintf(image->path, sizeof(image->path), "%s", path);
	if (read_file(path, image, error))
		return -1;
	memory.bytes = image->file;
	memory.length = image->file_length;
	reader = image_memory_reader(&memory);
	if (choose(&reader, path, &place, error) || judge(&reader, &place, image, error))
		return -1;
	image->is_backup = place.layout == IMAGE_LAYOUT_FLASH;
	code = image_facts(&reader, &place, 0, &image->facts, &why);
	if (code == -EOPNOTSUPP)
		return 0;
	if (!code)
		code = image_load(&reader, &image->facts, &image->bytes, &image->length, &why);
	if (code)
		return not_an_image(path, &why, error);
	digest_text(image->bytes, image->length, image->sha256);
	return 0;
}

void burn_image_free(struct burn_image *image)
{
	free(image->file);
	free(image->bytes);
	image->file = NULL;
	image->bytes = NULL;
}
