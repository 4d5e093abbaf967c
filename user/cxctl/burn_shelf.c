// SPDX-License-Identifier: GPL-2.0-only
/* Images that several cards share. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "burn.h"

struct item {
	struct item *next;
	char psid[40], retag[40];	/* that were asked for; "": none */
	struct burn_image image;	/* readers point in here, so it never moves */
	int result;
	struct cxctl_error error;
};

struct burn_shelf {
	/* Unpacking is one thread's work at a time: the others find what it found. */
	pthread_mutex_t lock;
	struct item *items;
};

struct burn_shelf *burn_shelf_open(void)
{
	struct burn_shelf *shelf = calloc(1, sizeof(*shelf));

	if (shelf)
		pthread_mutex_init(&shelf->lock, NULL);
	return shelf;
}

static struct item *find(struct burn_shelf *shelf, const char *psid, const char *retag)
{
	struct item *item;

	for (item = shelf->items; item; item = item->next)
		if (!strcmp(item->psid, psid) && !strcmp(item->retag, retag))
			return item;
	return NULL;
}

static struct item *make(struct burn_shelf *shelf, const struct options *options, const char *path,
			 const char *psid, const char *retag)
{
	struct item *item = calloc(1, sizeof(*item));

	if (!item)
		return NULL;
	snprintf(item->psid, sizeof(item->psid), "%s", psid);
	snprintf(item->retag, sizeof(item->retag), "%s", retag);
	item->result = burn_image_read(options, path, *psid ? psid : NULL, &item->image, &item->error);
	if (!item->result && *retag)
		item->result = burn_image_retag(&item->image, retag, &item->error);
	item->next = shelf->items;
	shelf->items = item;
	return item;
}

int burn_shelf_take(struct burn_shelf *shelf, const struct options *options, const char *path, const char *psid,
		    const char *retag, struct burn_image *image, struct cxctl_error *error)
{
	struct item *item;

	if (!psid)
		psid = "";
	if (!retag)
		retag = "";
	pthread_mutex_lock(&shelf->lock);
	item = find(shelf, psid, retag);
	if (!item)
		item = make(shelf, options, path, psid, retag);
	pthread_mutex_unlock(&shelf->lock);
	if (!item)
		return error_set(error, CXCTL_FAILED, "memory", _("no memory"));
	*image = item->image;
	if (item->result)
		*error = item->error;
	return item->result;
}

void burn_shelf_close(struct burn_shelf *shelf)
{
	struct item *item;

	while (shelf->items) {
		item = shelf->items;
		shelf->items = item->next;
		burn_image_free(&item->image);
		free(item);
	}
	pthread_mutex_destroy(&shelf->lock);
	free(shelf);
}
