// SPDX-License-Identifier: GPL-2.0-only
#include "info_history.h"

#include <string.h>

#include "driver_off.h"
#include "journal_read.h"
#include "pending.h"

#define FROM_RECORD	"record of the burn"
#define FROM_JOURNAL	"journal"
#define FROM_RESTART	"record of the restart"

static void show_pending(const struct info_history *history, struct output *output, const struct options *options)
{
	struct cxctl_error ignored;
	struct pending pending;

	if (pending_read_of(history->card, history->psid, history->hw_id, options, &pending, &ignored) <= 0 ||
	    !pending_waits(&pending, history->running))
		return;
	output_string(output, "pending_action", pending_action(&pending));
	if (!history->stored_told)
		output_fact(output, "firmware_stored", _("Firmware stored"), FROM_RECORD, "%s", pending.to);
	output_show(output, _("Waits"), FROM_RECORD, _("%s was burned at %s and does not run yet"), pending.to,
		    pending.time);
	if (pending.tried >> LEVEL_REBOOT & 1)
		output_show(output, NULL, FROM_RECORD, "%s", _("a reboot changed nothing: a cold power cycle is next"));
	else
		output_show(output, NULL, NULL, _("next: cxctl activate %s"), history->card);
}

static void show_driver_off(const struct info_history *history, struct output *output)
{
	struct driver_off left[DRIVER_OFF_MOST];
	size_t count = driver_off_left(history->card, left), i;

	if (!count)
		return;
	output_array(output, "driver_taken_off");
	for (i = 0; i < count; i++) {
		output_object(output, NULL);
		output_string(output, "function", left[i].address);
		output_string(output, "driver", left[i].driver);
		output_end(output);
		output_show(output, i ? NULL : _("Without driver"), FROM_RESTART,
			    _("%s: cxctl activate took %s off and was stopped before it put it back; cxctl activate %s puts it back"),
			    left[i].address, left[i].driver, history->card);
	}
	output_end(output);
	output_source(output, "driver_taken_off", FROM_RESTART);
}

static void show_last(const struct info_history *history, const struct deeds *deeds, struct output *output)
{
	static const char *const keys[] = { "from", "to", "level", "by", "reason", "message" };
	const struct deed *deed = deeds_last(deeds, history->card, history->psid);
	const char *time, *from, *to;
	size_t i;

	if (!deed)
		return;
	time = deed_text(deed, "time");
	from = deed_text(deed, "from");
	to = deed_text(deed, "to");
	output_object(output, "last_change");
	output_string(output, "what", deed->what);
	output_string(output, "time", time);
	output_string(output, "result", deed_result(deed));
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (deed_text(deed, keys[i]))
			output_string(output, keys[i], deed_text(deed, keys[i]));
	output_end(output);
	output_source(output, "last_change", FROM_JOURNAL);
	output_show(output, _("Last change"), FROM_JOURNAL, "%s: %s%s%s%s%s, %s", time ? time : "?", deed->what,
		    from ? " " : "", from ? from : "", to ? " -> " : "", to ? to : "", deed_result(deed));
}

void info_history_show(const struct info_history *history, struct output *output,
		       const struct options *options)
{
	struct cxctl_error error;
	struct deeds deeds;

	/* First, since the end of a burn whose program was killed makes a record, too. */
	if (!deeds_read(&deeds, &error) && deeds_reconcile(&deeds)) {
		deeds_free(&deeds);
		deeds_read(&deeds, &error);
	}
	show_pending(history, output, options);
	show_driver_off(history, output);
	show_last(history, &deeds, output);
	if (deeds.damaged)
		say_verbose(options, _("lines of the journal that cannot be read: %u"), deeds.damaged);
	deeds_free(&deeds);
}
