// SPDX-License-Identifier: GPL-2.0-only
/* Whose record is it? A slot's next card must not inherit what waits for the card before it. */
#include <stdlib.h>
#include <string.h>

#include "../base/message.h"
#include "../base/output.h"
#include "../host/vpd.h"
#include "pending.h"

void pending_serial(const char *card, char *text, size_t room)
{
	uint8_t *bytes = malloc(VPD_MOST);
	int length = bytes ? vpd_read(card, bytes, VPD_MOST) : -1;

	*text = '\0';
	if (length > 0 && !vpd_keyword(bytes, length, "SN", text, room))
		*text = '\0';
	free(bytes);
}

/* What is not known on either side is no difference. */
static bool differ(const char *one, const char *other)
{
	return *one && other && *other && strcmp(one, other);
}

bool pending_is_of(const struct pending *pending, const char *psid, uint32_t hw_id, const char *serial)
{
	if (hw_id && pending->hw_id && hw_id != pending->hw_id)
		return false;
	/* A burn may change the PSID: the old one runs until the new firmware starts. */
	if (differ(pending->psid, psid) && (!*pending->from_psid || strcmp(pending->from_psid, psid)))
		return false;
	return !differ(pending->serial, serial);
}

int pending_read_of(const char *card, const char *psid, uint32_t hw_id, const struct options *options,
		    struct pending *pending, struct cxctl_error *error)
{
	int result = pending_read(card, pending, error);
	char serial[sizeof(pending->serial)] = "";

	if (result <= 0)
		return result;
	if (*pending->serial)
		pending_serial(card, serial, sizeof(serial));
	if (pending_is_of(pending, psid, hw_id, serial))
		return 1;
	say_verbose(options, _("%s: %s was burned at %s into another card, which stood here then; that record is left aside"),
		    card, pending->to, pending->time);
	memset(pending, 0, sizeof(*pending));
	return 0;
}
