// SPDX-License-Identifier: GPL-2.0-only
/* The image that shall be burned: found wherever it is, understood, verified, and given the card's PSID. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/archive.h"
#include "../image/edit.h"
#include "../image/sha256.h"
#include "burn.h"

/* What the verifier told, as far as a refusal or a plan shows it. */
struct judgement {
	struct burn_verdict verdict;
	unsigned int unusual;
	char oddity[256];
};

static void note(void *context, const struct image_finding *finding)
{
	struct judgement *judgement = context;
	bool damage = finding->verdict == IMAGE_DAMAGED;
	char *text = damage ? judgement->verdict.first : judgement->oddity;

	if (damage ? judgement->verdict.damaged++ : judgement->unusual++)
		return;
	if (finding->compared)
		snprintf(text, sizeof(judgement->oddity), _("%s at 0x%llx: %.160s (expected 0x%x, found 0x%x)"),
			 finding->part, (unsigned long long)finding->where, finding->text, finding->expected,
			 finding->found);
	else
		snprintf(text, sizeof(judgement->oddity), _("%s at 0x%llx: %.160s"), finding->part,
			 (unsigned long long)finding->where, finding->text);
}

static int not_an_image(const struct burn_image *image, const struct image_error *why, struct cxctl_error *error)
{
	error_set(error, CXCTL_BAD_IMAGE, "not-an-image", _("%s is not a firmware image that cxctl can burn"),
		  image->path);
	error_found(error, "%s", why->text);
	return -1;
}

/* Of several images in a copy of a flash, the first that is whole; else the first. */
static int choose(struct burn_image *image, struct image_place *chosen, struct cxctl_error *error)
{
	struct image_place places[IMAGE_PLACES];
	enum image_verdict verdict;
	struct image_error why = { 0 };
	size_t count, i;
	bool any = false;

	if (image_locate(&image->reader, IMAGE_LAYOUT_AUTO, places, IMAGE_PLACES, &count, &why))
		return not_an_image(image, &why, error);
	for (i = 0; i < count; i++) {
		if (places[i].misplaced)
			continue;
		if (!any)
			*chosen = places[i];
		any = true;
		if (image_verify(&image->reader, &places[i], NULL, &verdict, &why) || verdict == IMAGE_DAMAGED)
			continue;
		*chosen = places[i];
		return 0;
	}
	if (any)
		return 0;
	snprintf(why.text, sizeof(why.text), "%s", _("no firmware magic where an image can start"));
	return not_an_image(image, &why, error);
}

static int judge(struct burn_image *image, const struct image_place *place, struct cxctl_error *error)
{
	struct judgement judgement = { 0 };
	struct image_listener listener = { .finding = note, .context = &judgement };
	enum image_verdict verdict;
	struct image_error why = { 0 };
	int code;

	code = image_verify(&image->reader, place, &listener, &verdict, &why);
	if (code == -EOPNOTSUPP)
		return 0;	/* the guard of formats says it better */
	if (code)
		return error_set(error, CXCTL_FAILED, "verify", "%s: %s", image->path, why.text);
	image->unusual = judgement.unusual;
	snprintf(image->unusual_text, sizeof(image->unusual_text), "%s", judgement.oddity);
	return burn_guard_image(image->path, &judgement.verdict, error);
}

static void digest_text(const uint8_t *bytes, size_t length, char text[65])
{
	uint8_t digest[IMAGE_SHA256_LENGTH];
	unsigned int i;

	image_sha256(bytes, length, digest);
	for (i = 0; i < sizeof(digest); i++)
		sprintf(text + 2 * i, "%02x", digest[i]);
}

/* Facts and bytes of what image->reader holds. */
static int understand(struct burn_image *image, struct cxctl_error *error)
{
	struct image_place place = { 0 };
	struct image_error why = { 0 };
	int code;

	if (choose(image, &place, error) || judge(image, &place, error))
		return -1;
	image->is_backup = place.layout == IMAGE_LAYOUT_FLASH;
	code = image_facts(&image->reader, &place, 0, &image->facts, &why);
	if (code == -EOPNOTSUPP)
		return 0;
	free(image->bytes);
	image->bytes = NULL;
	if (!code)
		code = image_load(&image->reader, &image->facts, &image->bytes, &image->length, &why);
	if (code)
		return not_an_image(image, &why, error);
	digest_text(image->bytes, image->length, image->sha256);
	return 0;
}

/* A backup of cxctl is an archive with the flash in it. */
static int open_backup(const char *path, struct burn_image *image, struct cxctl_error *error)
{
	if (backup_open(path, &image->backup, error))
		return -1;
	image->has_backup = true;
	if (!image->backup.flash.length) {
		error_set(error, CXCTL_BAD_IMAGE, "no-flash-in-backup", _("the backup %s holds no flash"), path);
		error_next(error, _("cxctl restore puts back what a backup of a closed card holds"));
		return -1;
	}
	image->reader = image_memory_reader(&image->backup.flash);
	return 0;
}

/*
 * One image of another PSID is taken: the guard of PSIDs says more about it than "not there". Of many
 * the one is named that comes nearest.
 */
static int pick(const struct options *options, const char *path, const char *psid, struct burn_image *image,
		struct cxctl_error *error)
{
	struct options quiet = *options;
	struct cxctl_error other;

	/* Another thread may show a table. */
	quiet.quiet = true;
	if (image_pick(&quiet, path, psid, &image->picked, error)) {
		if (!psid || !error->id || strcmp(error->id, "no-such-psid"))
			return -1;
		if (image_pick(&quiet, path, NULL, &image->picked, &other))
			return -1;
	}
	image->has_picked = true;
	image->reader = image->picked.file.reader;
	snprintf(image->path, sizeof(image->path), "%.2000s%s%.2000s", image->picked.path,
		 *image->picked.inside ? ": " : "", image->picked.inside);
	return 0;
}

static bool is_archive(const char *path)
{
	struct image_error why;
	struct image_file file;
	bool archive;

	if (image_file_open(path, &file, &why))
		return false;
	archive = file.reader.size >= ARCHIVE_BLOCK && archive_begins(file.reader.bytes, file.reader.size);
	image_file_close(&file);
	return archive;
}

int burn_image_read(const struct options *options, const char *path, const char *psid, struct burn_image *image,
		    struct cxctl_error *error)
{
	int result;

	memset(image, 0, sizeof(*image));
	snprintf(image->path, sizeof(image->path), "%s", path);
	if (is_archive(path))
		result = open_backup(path, image, error);
	else
		result = pick(options, path, psid, image, error);
	return result ? -1 : understand(image, error);
}

int burn_image_retag(struct burn_image *image, const char *psid, struct cxctl_error *error)
{
	struct image_edit edit = { .psid = psid };
	struct image_edit_result result;
	struct image_error why = { 0 };
	int code;

	if (!strcmp(image->facts.psid, psid))
		return 0;
	if (image->is_backup)
		return error_set(error, CXCTL_REFUSED, "retag", _("--retag takes an image file: %s is a copy of a flash"),
				 image->path);
	if (!image->reader.bytes)
		return error_set(error, CXCTL_FAILED, "retag", _("%s cannot be edited"), image->path);
	snprintf(image->retagged_from, sizeof(image->retagged_from), "%s", image->facts.psid);
	code = image_edit(image->reader.bytes, image->reader.size, &edit, &result, &why);
	if (code) {
		error_set(error, code == -EPERM ? CXCTL_REFUSED : CXCTL_FAILED, "retag",
			  _("the image cannot be given the PSID %s: %s"), psid, why.text);
		error_found(error, _("an image for %s"), image->facts.psid);
		return -1;
	}
	free(image->file);
	image->file = result.bytes;
	image->memory.bytes = result.bytes;
	image->memory.length = result.length;
	image->reader = image_memory_reader(&image->memory);
	image->retagged = true;
	return understand(image, error);
}

void burn_image_free(struct burn_image *image)
{
	free(image->file);
	free(image->bytes);
	if (image->has_picked)
		image_picked_free(&image->picked);
	if (image->has_backup)
		backup_close(&image->backup);
	memset(image, 0, sizeof(*image));
}
