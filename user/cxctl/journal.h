/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The record of what cxctl did to cards: one JSON object a line, on the disk before the
 * deed. It stands in journal.jsonl of the state directory: $XDG_STATE_HOME/cxctl, else
 * /var/lib/cxctl. Backups go to backups/ there. Each entry also goes to journald with a field a key
 * (CXCTL_CARD, CXCTL_EVENT ...), or to syslog as one line.
 */
#ifndef CXCTL_JOURNAL_H
#define CXCTL_JOURNAL_H

#include <stddef.h>
#include <stdint.h>

#include "../base/error.h"

struct journal_entry;

/*
 * Begins an entry that says what happens: "time", "event", "by" (who logged in), "as" (who this runs as,
 * when that is another), "pid" and "boot_id" are in it.
 */
struct journal_entry *journal_begin(const char *event);
void journal_string(struct journal_entry *entry, const char *key, const char *value);
void journal_number(struct journal_entry *entry, const char *key, int64_t value);
/* Appends the line whole or not at all, waits for the disk, tells the system log, frees the entry. */
int journal_write(struct journal_entry *entry, struct cxctl_error *error);

/* Name of a file in the state directory (or one below it), made when it is missing. */
int state_path(const char *below, const char *name, char *path, size_t room, struct cxctl_error *error);
/* The same, but nothing is made: to read what may not be there. name NULL: the directory. -1: too long. */
int state_name(const char *below, const char *name, char *path, size_t room);

#endif /* CXCTL_JOURNAL_H */
