// SPDX-License-Identifier: GPL-2.0-only
/* cxctl image list: what images there are, one entry for every PSID and content. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../container/catalogue.h"
#include "image_list.h"

enum {
	OPTION_FAST,
	OPTION_PSID,
};

static const char *content_of(const struct container_member *member)
{
	switch (member->content) {
	case CONTAINER_FIRMWARE:
		return "firmware";
	case CONTAINER_CLP:
		return "CLP";
	case CONTAINER_PXE:
		return "PXE";
	case CONTAINER_UEFI:
		return "UEFI";
	case CONTAINER_FCODE:
		return "FCODE";
	default:
		return *member->content_name ? member->content_name : "other";
	}
}

static void version_of(const struct container_member *member, char text[72])
{
	size_t used = 0;
	unsigned int i;

	snprintf(text, 72, "%s", member->version_text);
	if (*text)
		return;
	for (i = 0; i < member->version_words && i < 4 && used < 72; i++)
		used += snprintf(text + used, 72 - used,
				 i == 2 && member->version[0] >= 10 ? "%s%04u" : "%s%u",
				 i ? "." : "", member->version[i]);
}

static void by_directory(const struct source_item *item, struct entry *entry)
{
	const struct container_member *member = item->member;

	entry->content = "firmware";
	entry->exact = true;
	if (item->format != IMAGE_NONE)
		entry->format = image_format_name(item->format);
	if (!member) {
		snprintf(entry->psid, sizeof(entry->psid), "%s", item->psid ? item->psid : "");
		snprintf(entry->version, sizeof(entry->version), "%s", item->version ? item->version : "");
		return;
	}
	snprintf(entry->psid, sizeof(entry->psid), "%s", member->psid);
	snprintf(entry->part_number, sizeof(entry->part_number), "%s", member->part_number);
	snprintf(entry->description, sizeof(entry->description), "%s", member->description);
	version_of(member, entry->version);
	entry->exact = member->version_exact || !*entry->version;
	if (member->date)
		snprintf(entry->date, sizeof(entry->date), "%04x-%02x-%02x", member->date >> 16,
			 member->date >> 8 & 0xff, member->date & 0xff);
	entry->content = content_of(member);
	entry->length = member->size;
}

/* The image itself knows better than its container. */
static void by_facts(const struct image_facts *facts, struct entry *entry)
{
	entry->facts = facts;
	entry->format = image_format_name(facts->place.format);
	if (!*entry->psid || (!entry->item->member && *facts->psid))
		snprintf(entry->psid, sizeof(entry->psid), "%s", facts->psid);
	if (facts->has & IMAGE_HAS_VERSION) {
		image_version_text(facts, entry->version);
		entry->exact = true;
	}
	if (facts->has & IMAGE_HAS_DATE)
		image_date_text(facts, entry->date);
	if (!*entry->part_number)
		snprintf(entry->part_number, sizeof(entry->part_number), "%s", facts->name);
	if (!*entry->description)
		snprintf(entry->description, sizeof(entry->description), "%s", facts->description);
}

static void could_not_read(struct list *list, const char *path, const char *inside,
			   const struct image_error *why,
			   int code)
{
	struct cxctl_error error;

	image_failed(path, inside, why, code, &error);
	if (!list->failed++)
		list->error = error;
	error_print(&error);
}

/* Every image of a file or a flash. */
static void by_bytes(struct list *list, const struct source_item *item, const struct image_reader *reader)
{
	struct image_place places[IMAGE_PLACES];
	struct image_error why = { 0 };
	size_t count = 0, i, images = 0;
	struct image_facts facts;
	struct entry entry;
	int code = image_locate(reader, IMAGE_LAYOUT_AUTO, places, IMAGE_PLACES, &count, &why);

	for (i = 0; i < count; i++) {
		if (places[i].misplaced)
			continue;
		images++;
		memset(&entry, 0, sizeof(entry));
		entry.item = item;
		by_directory(item, &entry);
		entry.length = reader->size;
		code = image_facts(reader, &places[i], IMAGE_NO_ROM, &facts, &why);
		if (code) {
			entry.trouble = why.text;
			could_not_read(list, item->path, item->inside, &why, code);
		} else {
			by_facts(&facts, &entry);
			if (!catalogue_is_whole(&facts.place))
				entry.length = facts.length;
		}
		list_write_entry(list, &entry);
	}
	if (images)
		return;
	if (!code)
		snprintf(why.text, sizeof(why.text), "%s", _("no firmware magic where an image can start"));
	memset(&entry, 0, sizeof(entry));
	entry.item = item;
	by_directory(item, &entry);
	entry.trouble = why.text;
	could_not_read(list, item->path, item->inside, &why, code ? code : -EBADMSG);
	list_write_entry(list, &entry);
}

/* Members that share their bytes are one image. */
static void count_image(struct list *list, const struct source_item *item)
{
	char container[2100];

	if (!item->member) {
		list->images++;
		return;
	}
	snprintf(container, sizeof(container), "%s\n%s", item->path, item->inside);
	if (!list->container || strcmp(list->container, container)) {
		free(list->container);
		list->container = image_must(strdup(container));
		memset(list->counted, 0, CONTAINER_MEMBERS * sizeof(*list->counted));
	}
	if (item->member->component < CONTAINER_MEMBERS && !list->counted[item->member->component]) {
		list->counted[item->member->component] = true;
		list->images++;
	}
}

static bool wanted(void *context, const struct source_item *item)
{
	const struct list *list = context;
	const char *psid = item->member ? item->member->psid : item->psid;

	if (list->psid && psid && *psid && strcmp(psid, list->psid))
		return false;
	if (list->fast)
		return item->kind == SOURCE_IMAGE && !item->psid;
	return item->kind == SOURCE_IMAGE || item->member->content == CONTAINER_FIRMWARE;
}

static int on_item(void *context, const struct source_item *item, const struct image_reader *reader)
{
	struct list *list = context;
	struct entry entry = { .item = item };
	size_t rows = list->count;

	if (reader) {
		by_bytes(list, item, reader);
	} else {
		by_directory(item, &entry);
		list_write_entry(list, &entry);
	}
	if (list->count > rows)
		count_image(list, item);
	return 0;
}

static void on_trouble(void *context, const char *path, const char *inside, const struct image_error *why)
{
	could_not_read(context, path, inside, why, -EBADMSG);
}

static void on_progress(void *context, const char *path, uint64_t done, uint64_t total)
{
	const struct list *list = context;

	image_progress(list->options, path, done, total);
}

static void one_path(struct list *list, const char *path)
{
	struct source_walk walk = {
		.wanted = wanted, .item = on_item, .trouble = on_trouble, .progress = on_progress,
		.context = list,
	};
	struct image_error why = { 0 };
	int code = source_walk(path, 0, &walk, &why);

	if (code)
		could_not_read(list, path, "", &why, code);
}

static int finish(struct list *list)
{
	int code = list->failed ? (list->count > list->damaged ? CXCTL_PARTIAL : list->error.exit) :
		CXCTL_DONE;

	if (code == (int)list->error.exit && code)
		output_error(list->output, &list->error);
	list_free(list);
	if (output_close(list->output))
		return command_flush();
	return code;
}

static int take(void *data, size_t index, const char *argument, struct cxctl_error *error)
{
	struct list *list = data;

	if (index == OPTION_PSID)
		return image_take_psid(argument, &list->psid, error);
	list->fast = true;
	return 0;
}

int image_cmd_list(struct options *options, int argc, char **argv)
{
	static const struct option_extra extra[] = {
		[OPTION_FAST] = { "fast", 0, NULL,
				  N_("only what the containers' directories say: nothing is unpacked") },
		[OPTION_PSID] = { "psid", 0, N_("PSID"), N_("only the images for this board") },
	};
	static const struct usage usage = {
		.name = "image list",
		.without_card = true,
		.synopsis = "PATH... [--psid PSID] [--fast]",
		.summary = N_("Lists the images of files, containers, installers, directories and catalogues: one row for every PSID."),
		.details = N_("MFA2 archives cut the version in their directory: it is read from each image, in one pass.\nExit code 9: something was listed and something could not be read."),
		.extra = extra,
		.extra_count = sizeof(extra) / sizeof(extra[0]),
		.take = take,
	};
	struct list list = { .options = options };
	int first, code, i;

	if (command_options(options, &usage, argc, argv, &list, &first, &code))
		return code;
	if (first >= argc)
		return image_no_path(options, "list");
	list.counted = image_must(calloc(CONTAINER_MEMBERS, sizeof(*list.counted)));
	list.output = output_open(stdout, options);
	output_array(list.output, "images");
	for (i = first; i < argc; i++)
		one_path(&list, argv[i]);
	output_end(list.output);
	list_write_table(&list, argc - first, argv[first]);
	if (list.psid && !list.count && !list.failed)
		list_tell_no_such_psid(&list, argv[first]);
	list_write_summary(&list);
	return finish(&list);
}
