// SPDX-License-Identifier: GPL-2.0-only
/* What is to be restored: a backup, or an image that gets the identity that the user gave. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/archive.h"
#include "../image/edit.h"
#include "restore.h"

static int no_bootable_image(const struct restore *restore, const char *why, struct cxctl_error *error)
{
	error_set(error, CXCTL_BAD_IMAGE, "backup-not-bootable", _("the backup %s holds no whole image"),
		  restore->request->file);
	error_found(error, "%s", why);
	error_rule(error, _("a restore never puts on a card what it cannot boot"));
	error_next(error, _("take another backup, or burn an image: cxctl burn %s -i IMAGE"),
		   card_address(restore->card));
	return -1;
}

static bool runs_it(const struct backup_file *backup, const struct image_facts *facts)
{
	char version[48];

	snprintf(version, sizeof(version), "%u.%u.%u", facts->version[0], facts->version[1],
		 facts->version[2]);
	return !strcmp(version, backup->identity.running);
}

/* Of several whole images the one that ran when the backup was taken; else the first. */
static int choose_image(struct restore *restore, enum image_layout layout, struct cxctl_error *error)
{
	struct restore_source *source = &restore->source;
	struct image_place places[IMAGE_PLACES];
	enum image_verdict verdict;
	struct image_error why = { .text = "" };
	struct image_facts facts;
	bool chosen = false;
	size_t count, i;

	if (image_locate(&source->reader, layout, places, IMAGE_PLACES, &count, &why))
		return no_bootable_image(restore, why.text, error);
	for (i = 0; i < count; i++) {
		if (places[i].misplaced || image_verify(&source->reader, &places[i], NULL, &verdict, &why) ||
		    verdict == IMAGE_DAMAGED || image_facts(&source->reader, &places[i], 0, &facts, &why))
			continue;
		if (chosen && !runs_it(&source->backup, &facts))
			continue;
		chosen = true;
		source->facts = facts;
	}
	if (chosen)
		return 0;
	return no_bootable_image(restore, *why.text ? why.text : count ? _("its checksums are wrong") :
				 _("no firmware magic where an image can start"), error);
}

/* ---- an image with a given identity ---- */

static int identity_wanted(const struct restore *restore, struct cxctl_error *error)
{
	error_set(error, CXCTL_REFUSED, "no-identity", _("%s is an image, no backup: it does not say who this card is"),
		  restore->request->file);
	error_rule(error, _("every card needs GUIDs and MACs of its own; two with the same disturb each other on the network"));
	error_next(error, _("give those on the card's label with --guid and --mac, or restore a backup of this very card"));
	return -1;
}

/* The base is the first; the others follow it, as the vendor's tool counts them. */
static void wanted_ids(const struct restore_request *request, struct image_edit *edit)
{
	unsigned int i;

	edit->set_guids = edit->set_macs = true;
	for (i = 0; i < 4; i++)
		edit->guid[i] = request->guid + i;
	edit->mac[0] = request->mac;
	edit->mac[1] = request->mac + 1;
}

/* A file of FS3 ends with its device data, which lie where they lie on the flash: the rest is empty. */
static int as_flash(struct restore *restore, struct image_edit_result *result, struct cxctl_error *error)
{
	uint32_t size = restore->info.flash_size;
	uint8_t *grown;

	if (restore->source.facts.place.format != IMAGE_FS3 || result->length >= size)
		return 0;
	grown = realloc(result->bytes, size);
	if (!grown)
		return error_set(error, CXCTL_FAILED, "memory", _("no memory for the flash's content"));
	memset(grown + result->length, 0xff, size - result->length);
	result->bytes = grown;
	result->length = size;
	return 0;
}

static int dress_image(struct restore *restore, const struct image_file *file, struct cxctl_error *error)
{
	struct restore_source *source = &restore->source;
	struct image_edit edit = { 0 };
	struct image_edit_result result;
	struct image_error why;
	int code;

	wanted_ids(restore->request, &edit);
	if (image_edit(file->reader.bytes, file->reader.size, &edit, &result, &why)) {
		error_set(error, CXCTL_BAD_IMAGE, "identity", _("the identity cannot be put into %s"), restore->request->file);
		error_found(error, "%.250s", why.text);
		error_next(error, _("a stripped image has no device data: restore a backup of this card, or take an image with device data"));
		return -1;
	}
	code = as_flash(restore, &result, error);
	source->edited = result.bytes;
	if (code)
		return -1;
	source->memory.bytes = result.bytes;
	source->memory.length = result.length;
	source->reader = image_memory_reader(&source->memory);
	return choose_image(restore, IMAGE_LAYOUT_FILE, error);
}

/* An image is for a card that lost everything; any other keeps what it has with cxctl burn. */
static int open_image(struct restore *restore, const struct cxctl_error *no_backup, struct cxctl_error *error)
{
	const struct restore_request *request = restore->request;
	struct image_file file;
	struct image_facts *facts = &restore->source.facts;
	struct image_error why;
	int result;

	if (image_file_open(request->file, &file, &why))
		return error_set(error, CXCTL_BAD_IMAGE, "backup-unreadable", "%s", why.text);
	if (image_query(&file.reader, IMAGE_LAYOUT_FILE, IMAGE_NO_ROM, facts, &why)) {
		*error = *no_backup;
		if (!error->exit)
			error_set(error, CXCTL_BAD_IMAGE, "not-an-image", "%s: %s", request->file, why.text);
		result = -1;
	} else if (!restore->recovery) {
		result = error_set(error, CXCTL_REFUSED, "not-a-backup", _("%s is a firmware image, no backup of a card"),
				   request->file);
		error_next(error, _("cxctl burn %s -i %s writes it and keeps the card's identity"),
			   card_address(restore->card), request->file);
	} else if (!request->has_guid || !request->has_mac) {
		result = identity_wanted(restore, error);
	} else {
		restore->source.is_image = true;
		result = dress_image(restore, &file, error);
	}
	image_file_close(&file);
	return result;
}

/* ---- a backup ---- */

static int open_component(struct restore *restore, struct cxctl_error *error)
{
	struct restore_source *source = &restore->source;

	if (!source->backup.component.length) {
		error_set(error, CXCTL_REFUSED, "nothing-to-restore", _("the backup %s holds no firmware"),
			  restore->request->file);
		error_found(error, "%s", _("identity and settings, for the record: the card gave out nothing else"));
		error_next(error, _("burn the image that ran: cxctl burn %s -i IMAGE"), card_address(restore->card));
		return -1;
	}
	source->component = true;
	source->memory = source->backup.component;
	source->reader = image_memory_reader(&source->memory);
	return 0;
}

/* Does the file look like a flash at all? Asked before an image is taken for a backup. */
static bool as_large_as_flash(const struct restore *restore)
{
	return restore->source.backup.flash.length == restore->info.flash_size;
}

/*
 * A vendor's file may be as large as a flash. With an identity that is not the file's own, on a card that
 * lost everything, it is an image to put that into.
 */
static bool is_for_label(const struct restore *restore)
{
	const struct backup_identity *was = &restore->source.backup.identity;
	const struct restore_request *request = restore->request;

	return restore->recovery && request->has_guid && request->has_mac &&
	       (!was->has_guid || was->guid != request->guid || !was->has_mac || was->mac != request->mac);
}

int restore_source_open(struct restore *restore, struct cxctl_error *error)
{
	struct restore_source *source = &restore->source;
	struct cxctl_error why = { 0 };

	if (backup_open(restore->request->file, &source->backup, &why)) {
		if (strcmp(why.id, "not-a-backup")) {
			*error = why;
			return -1;
		}
		return open_image(restore, &why, error);
	}
	source->open = true;
	if (source->backup.plain && is_for_label(restore))
		return open_image(restore, &why, error);
	if (source->backup.plain && !as_large_as_flash(restore)) {
		error_set(&why, CXCTL_REFUSED, "flash-size", _("%s is no backup of this card's flash"),
			  restore->request->file);
		error_found(&why, _("%zu bytes"), source->backup.flash.length);
		error_expected(&why, _("%u bytes, as the card's flash has"), restore->info.flash_size);
		return open_image(restore, &why, error);
	}
	if (!source->backup.flash.length)
		return open_component(restore, error);
	source->memory = source->backup.flash;
	source->reader = image_memory_reader(&source->memory);
	return choose_image(restore, IMAGE_LAYOUT_FLASH, error);
}

void restore_source_close(struct restore_source *source)
{
	if (source->open)
		backup_close(&source->backup);
	source->open = false;
	free(source->edited);
	source->edited = NULL;
}
