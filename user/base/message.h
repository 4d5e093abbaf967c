/* SPDX-License-Identifier: GPL-2.0-only */
/* One catalogue of messages: gettext, domain "cxctl". JSON keys and ids are never translated. */
#ifndef CXCTL_MESSAGE_H
#define CXCTL_MESSAGE_H

#include <libintl.h>

#define _(text)		gettext(text)
#define N_(text)	(text)		/* marks a text that is translated where it is shown */

/* Locale and catalogue; called once by main(). */
void message_init(void);

#endif /* CXCTL_MESSAGE_H */
