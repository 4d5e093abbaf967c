/* SPDX-License-Identifier: GPL-2.0-only */
/* What the subcommands of "cxctl image" have in common. */
#ifndef CXCTL_IMAGE_H
#define CXCTL_IMAGE_H

#include "../container/source.h"
#include "../image/file.h"
#include "command.h"

/* As cmd_list() and its like; argv[0] is the subcommand's name. */
int image_cmd_info(struct options *options, int argc, char **argv);
int image_cmd_verify(struct options *options, int argc, char **argv);
int image_cmd_list(struct options *options, int argc, char **argv);
int image_cmd_extract(struct options *options, int argc, char **argv);
int image_cmd_diff(struct options *options, int argc, char **argv);
int image_cmd_ini(struct options *options, int argc, char **argv);
int image_cmd_edit(struct options *options, int argc, char **argv);
int image_cmd_pack(struct options *options, int argc, char **argv);
int image_cmd_index(struct options *options, int argc, char **argv);

/* One image, wherever it was: mapped from its file, or from the spool of a container. */
struct image_picked {
	struct image_file file;
	struct image_place place;
	struct image_facts facts;
	char path[1024], inside[1024];
	bool restored;			/* the magic was masked in its container */
};

/*
 * The one image that path names; psid (or NULL) chooses when there are several. Errors are
 * whole: "several-images" lists PSIDs, "no-such-psid" says how many there are, which are
 * nearest, and whose PSID that is; "bad-image" what is damaged. Of the images of a flash it is the
 * one that would boot.
 */
int image_pick(const struct options *options, const char *path, const char *psid, struct image_picked *picked,
	       struct cxctl_error *error);
void image_picked_free(struct image_picked *picked);

/*
 * Facts of the image that would boot: the first place whose image can be read; when none can, what is
 * wrong with the first. flags as for image_facts(). Errors as image_query().
 */
int image_choose(const struct image_reader *reader, unsigned int flags, struct image_facts *facts,
		 struct image_error *error);

/*
 * "bundle.mfa2 has 312 PSIDs, none is HP_2420110034; nearest are ...; this PSID is HPE's": fills error.
 * psids: all that were seen. Returns -1.
 */
int image_no_such_psid(const char *path, const char *psid, const char *const *psids, size_t count,
		       struct cxctl_error *error);

/* Turns an error of the library into one of the tool, with path in its text. Returns -1. */
int image_failed(const char *path, const char *inside, const struct image_error *why, int code,
		 struct cxctl_error *error);

/* pointer, or the end of the program when there is no memory. */
void *image_must(void *pointer);

/* The argument of --psid. */
int image_take_psid(const char *argument, const char **psid, struct cxctl_error *error);

/* Reports that a subcommand was given no PATH. Gives the exit code. */
int image_no_path(const struct options *options, const char *subcommand);

/* "16.35.2000"; "2022-11-20": text of at least 32 bytes. "" when not there. */
const char *image_version_text(const struct image_facts *facts, char text[32]);
const char *image_date_text(const struct image_facts *facts, char text[32]);

/*
 * Shows the facts of an image: text and JSON, with their sources under -v. ini: the text of its INI, or
 * NULL; from: the PSID that it was retagged from, or "".
 */
void image_show_facts(struct output *output, const struct image_facts *facts, const char *ini,
		      const char *from);

/*
 * Writes a file whole or not at all: a temporary one beside it, synced, renamed. What exists is
 * refused ("file-exists") without force. The name "-" is the standard output.
 */
int image_write_file(const char *path, const void *bytes, size_t length, bool force,
		     struct cxctl_error *error);

/* A line of progress on stderr, for a terminal only and not with -q; done == total ends it. */
void image_progress(const struct options *options, const char *what, uint64_t done, uint64_t total);

#endif /* CXCTL_IMAGE_H */
