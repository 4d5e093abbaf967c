/* SPDX-License-Identifier: GPL-2.0-only */
/* An entry of the journal in the system's log. */
#ifndef CXCTL_JOURNAL_LOG_H
#define CXCTL_JOURNAL_LOG_H

struct json_object;

/* To journald with a field a key, else to syslog as one line. A log that cannot be reached stops nothing. */
void journal_log(struct json_object *entry);

#endif /* CXCTL_JOURNAL_LOG_H */
