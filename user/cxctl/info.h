/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of cxctl info. */
#ifndef CXCTL_INFO_H
#define CXCTL_INFO_H

#include "../image/image.h"
#include "command.h"

/* Names of where a fact was read from: stable, English. */
#define FROM_SYSFS	"sysfs"
#define FROM_DEVLINK	"devlink"
#define FROM_CXFW	"cxfw"
#define FROM_MGIR	"register MGIR"
#define FROM_MCQI	"register MCQI"
#define FROM_MQIS	"register MQIS"
#define FROM_MNVDA	"register MNVDA"
#define FROM_MLOCK	"register MLOCK"
#define FROM_MCAM	"register MCAM"
#define FROM_MPIR	"register MPIR"
#define FROM_CR		"CR-space"
#define FROM_CHIP	"flash chip"
#define FROM_FLASH	"flash image"
#define FROM_DEVICE_DATA "flash device data"

struct info_subject {
	struct cxctl_card *card;
	struct output *output;
	const struct options *options;
	const struct pci_function *pci;
	const struct cxctl_card_facts *facts;
	struct cxfw_card_info info;
	bool has_info;
	bool mlx4;
	bool recovery;
	bool psid_told, running_told, stored_told;
	char psid[17], running[32];	/* as told */
	struct cxctl_error trouble;	/* the first thing that should have worked and did not */
};

/* Keeps the first trouble for the end, tells each with -v. */
void info_trouble(struct info_subject *subject, const struct cxctl_error *error);
void info_version_text(const uint32_t version[3], char *text, size_t size);

/* Shown alike whoever tells; source is one of FROM_*. */
void info_show_psid(struct info_subject *subject, const char *psid, const char *source);
void info_show_running(struct info_subject *subject, const char *version, const char *source);
/* stored: NULL when unknown. */
void info_show_stored(struct info_subject *subject, const char *stored, const char *running, const char *source);
void info_pending(struct info_subject *subject, const char *action);
void info_show_date(struct output *output, uint32_t date, const char *source);
/* label: was it shown already? */
void info_show_rom(struct info_subject *subject, bool *label, const char *type, const uint32_t version[3],
		   const char *cpu, const char *protocol, const char *source);
/* count 0: not told. */
void info_show_uid(struct info_subject *subject, const char *key, const char *label, uint64_t uid, int digits,
		   uint32_t count, const char *source);

/* Sysfs and the driver. */
void info_show_place(struct info_subject *subject);
void info_show_chip(struct info_subject *subject);
void info_show_state(struct info_subject *subject);

/* mlx5 with running firmware. */
void info_show_registers(struct info_subject *subject);

/* The version that runs as the driver tells, when there is one; else NULL. */
const char *info_running(struct info_subject *subject, char *text, size_t size);
/* The image on the flash. */
void info_show_by_flash(struct info_subject *subject);
void info_show_image(struct info_subject *subject, const struct image_facts *facts, const char *running);
void info_show_no_image(struct info_subject *subject, int result, const struct image_error *why);
/* The flash chip. */
void info_show_flash(struct info_subject *subject);

#endif /* CXCTL_INFO_H */
