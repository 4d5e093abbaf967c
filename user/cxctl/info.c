// SPDX-License-Identifier: GPL-2.0-only
/*
 * Everything that can be known of one card. mlx5 with running firmware answers by access
 * registers; mlx4, and any card in recovery, by the few bytes of its flash that tell.
 * Without the driver sysfs and devlink tell what they can.
 */
#include <string.h>

#include "info.h"
#include "info_history.h"

static void show_without_driver(struct info_subject *subject)
{
	const struct cxctl_devlink_facts *devlink = card_devlink(subject->card);
	const struct pci_function *pci = subject->pci;
	const char *running = NULL;

	if (!subject->psid_told && *devlink->psid)
		info_show_psid(subject, devlink->psid, FROM_DEVLINK);
	else if (!subject->psid_told && *pci->board_id)
		info_show_psid(subject, pci->board_id, FROM_SYSFS);
	if (!subject->running_told) {
		running = *devlink->running ? devlink->running : *pci->fw_version ? pci->fw_version : NULL;
		if (running)
			info_show_running(subject, running, *devlink->running ? FROM_DEVLINK : FROM_SYSFS);
	}
	if (running && *devlink->stored)
		info_show_stored(subject, devlink->stored, running, FROM_DEVLINK);
	if (*devlink->board_serial)
		output_fact(subject->output, "board_serial", _("Board serial"), FROM_DEVLINK, "%s",
			    devlink->board_serial);
}

static void show_proof(struct info_subject *subject)
{
	output_bool(subject->output, "confirmed_on_hardware", false);
	output_show(subject->output, _("Proven on"), NULL, "%s",
		    _("simulated cards only: cxctl was never confirmed on a real card of this chip"));
}

/*
 * Where registers tell everything, a flash that cannot be recognised is no trouble. A stuck
 * semaphore is: each further question would wait for it as long again.
 */
static void judge_no_flash(struct info_subject *subject, bool registers)
{
	struct cxctl_error error;

	card_no_flash(subject->card, &subject->info, &error);
	if (!registers || !strcmp(error.id, "semaphore-stuck") || !strcmp(error.id, "card-gone"))
		info_trouble(subject, &error);
}

static void show_history(const struct info_subject *subject)
{
	struct info_history history = {
		.card = subject->pci->address,
		.psid = *subject->psid ? subject->psid : NULL,
		.running = *subject->running ? subject->running : NULL,
		.hw_id = subject->facts->hw_id_valid ? subject->facts->hw_id : 0,
		.stored_told = subject->stored_told,
	};

	info_history_show(&history, subject->output, subject->options);
}

static int info_one(struct cxctl_card *card, struct output *output, const struct options *options, void *data,
		    struct cxctl_error *error)
{
	struct info_subject subject = { .card = card, .output = output, .options = options };
	struct cxctl_error no_driver;
	bool driver = !card_access(card, &no_driver), registers;
	char text[32];

	(void)data;
	subject.pci = card_pci(card);
	subject.facts = card_facts(card);
	subject.mlx4 = subject.facts->valid ? subject.facts->family == CXFW_FAMILY_MLX4 :
					       pci_is_mlx4(subject.pci->device);
	if (driver)
		subject.has_info = !card_info(card, &subject.info, &subject.trouble);

	if (subject.has_info)
		say_debug(options, "the driver has made %llu configuration accesses on this card so far",
			  (unsigned long long)(subject.info.config_reads + subject.info.config_writes));
	info_show_place(&subject);
	info_show_chip(&subject);
	info_show_state(&subject);
	registers = driver && !subject.mlx4 && !subject.recovery;
	if (subject.has_info && !subject.info.flash_size)
		judge_no_flash(&subject, registers);
	if (subject.trouble.exit)
		info_running(&subject, text, sizeof(text));
	else if (registers)
		info_show_registers(&subject);
	else if (driver)
		info_show_by_flash(&subject);
	if (!subject.psid_told || !subject.running_told)
		show_without_driver(&subject);
	if (subject.has_info)
		info_show_flash(&subject);
	show_history(&subject);
	show_proof(&subject);

	if (!driver)
		*error = no_driver;
	else if (subject.trouble.exit)
		*error = subject.trouble;
	else
		return CXCTL_DONE;
	return -1;
}

int cmd_info(struct options *options, int argc, char **argv)
{
	static const struct usage usage = {
		.name = "info",
		.synopsis = "[CARD ...] [options]",
		.summary = N_("Tells everything that is known of a card and its firmware. Changes nothing."),
		.details = N_("-v tells where each fact was read from. Without the driver cxfw the facts of sysfs and\ndevlink are shown, and the exit code is 5. CARD may be left out when there is only one."),
	};
	int first, code;

	if (command_options(options, &usage, argc, argv, NULL, &first, &code))
		return code;
	return command_cards(options, argc, argv, first, 256, info_one, NULL);
}
