// SPDX-License-Identifier: GPL-2.0-only
#include "message.h"

#include <locale.h>
#include <stdlib.h>

#include "text.h"

#ifndef LOCALEDIR
#define LOCALEDIR "/usr/share/locale"
#endif

void message_init(void)
{
	const char *directory = getenv("CXCTL_LOCALEDIR");

	setlocale(LC_MESSAGES, "");
	setlocale(LC_CTYPE, "");
	bindtextdomain("cxctl", directory ? directory : LOCALEDIR);
	textdomain("cxctl");
	/* strerror() speaks for the C library's catalogue. */
	bind_textdomain_codeset("cxctl", "UTF-8");
	bind_textdomain_codeset("libc", "UTF-8");
	text_init();
}
