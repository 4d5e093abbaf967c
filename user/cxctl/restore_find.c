// SPDX-License-Identifier: GPL-2.0-only
/* Backups of the state directory that may be a card's, for who stands before a card without firmware. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "journal.h"
#include "restore.h"

#define LOOKED_AT_MOST 256

struct candidate {
	char path[PATH_MAX];
	char time[32];
	struct backup_identity identity;
	bool proven;
};

static bool may_be(const struct restore *restore, const struct backup_file *backup, bool *proven)
{
	const struct backup_identity *was = &backup->identity, *now = &restore->now;

	if (!backup->plain && was->hw_id != now->hw_id)
		return false;
	if (backup->flash.length && backup->flash.length != restore->info.flash_size)
		return false;
	*proven = (now->has_guid && was->has_guid && now->guid == was->guid) ||
		  (now->has_mac && was->has_mac && now->mac == was->mac) ||
		  (*now->serial && !strcmp(now->serial, was->serial));
	/* A card that says who it is has no use for another's. */
	return *proven || (!now->has_guid && !now->has_mac);
}

static void show(struct output *output, const struct candidate *candidate)
{
	const struct backup_identity *identity = &candidate->identity;
	char guid[32], mac[32];

	snprintf(guid, sizeof(guid), "%016" PRIx64, identity->guid);
	snprintf(mac, sizeof(mac), "%012" PRIx64, identity->mac);
	output_object(output, NULL);
	output_string(output, "file", candidate->path);
	output_string(output, "time", *candidate->time ? candidate->time : NULL);
	output_string(output, "psid", *identity->psid ? identity->psid : NULL);
	output_string(output, "running_version", *identity->running ? identity->running : NULL);
	output_string(output, "guid", identity->has_guid ? guid : NULL);
	output_string(output, "mac", identity->has_mac ? mac : NULL);
	output_bool(output, "proven", candidate->proven);
	output_end(output);
	output_line(output, "  %s", candidate->path);
	output_line(output, _("    %s, PSID %s, GUID %s, MAC %s%s"), *candidate->time ? candidate->time : _("date unknown"),
		    *identity->psid ? identity->psid : _("unknown"), identity->has_guid ? guid : _("unknown"),
		    identity->has_mac ? mac : _("unknown"), candidate->proven ? _(": of this card") : "");
}

static bool look_at(const struct restore *restore, const char *directory, const char *name)
{
	struct candidate candidate = { 0 };
	struct backup_file backup;
	struct cxctl_error error;
	bool fits;

	if (*name == '.' || snprintf(candidate.path, sizeof(candidate.path), "%s%s", directory, name) >=
	    (int)sizeof(candidate.path) || backup_open(candidate.path, &backup, &error))
		return false;
	fits = may_be(restore, &backup, &candidate.proven);
	if (fits) {
		memcpy(candidate.time, backup.time, sizeof(candidate.time));
		candidate.identity = backup.identity;
		show(restore->output, &candidate);
	}
	backup_close(&backup);
	return fits;
}

unsigned int restore_candidates(const struct restore *restore)
{
	struct dirent **names = NULL;
	char directory[PATH_MAX];
	struct cxctl_error error;
	unsigned int found = 0;
	int count = -1, i;

	if (!state_path("backups", "", directory, sizeof(directory), &error))
		count = scandir(directory, &names, NULL, alphasort);
	output_array(restore->output, "candidates");
	for (i = 0; i < count; i++) {
		if (i < LOOKED_AT_MOST)
			found += look_at(restore, directory, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	output_end(restore->output);
	return found;
}
