// SPDX-License-Identifier: GPL-2.0-only
#include "image_proof.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void on_finding(void *context, const struct image_finding *finding)
{
	struct image_proof *proof = context;

	proof->findings++;
	if (*proof->part && finding->verdict <= proof->worst)
		return;
	proof->worst = finding->verdict;
	snprintf(proof->part, sizeof(proof->part), "%s", finding->part);
	snprintf(proof->text, sizeof(proof->text), "%s", finding->text);
	proof->where = finding->where;
	proof->compared = finding->compared;
	proof->expected = finding->expected;
	proof->found = finding->found;
}

int image_prove(const struct image_reader *reader, const struct image_place *place, struct image_proof *proof,
		struct image_error *error)
{
	struct image_listener listener = { .finding = on_finding, .context = proof };
	int code;

	memset(proof, 0, sizeof(*proof));
	code = image_verify(reader, place, &listener, &proof->verdict, error);
	if (code == -EBADMSG || code == -ENOENT) {
		struct image_finding finding = { IMAGE_DAMAGED, _("Image"), error->where,
						 .text = error->text };

		proof->verdict = IMAGE_DAMAGED;
		on_finding(proof, &finding);
		return 0;
	}
	return code;
}

int image_proof_refuse(const char *name, const struct image_proof *proof, struct cxctl_error *error)
{
	error_set(error, CXCTL_BAD_IMAGE, "damaged-image", _("%s is damaged: %s at 0x%llx: %s"), name,
		  proof->part,
		  (unsigned long long)proof->where, proof->text);
	if (proof->compared) {
		error_expected(error, "0x%x", proof->expected);
		error_found(error, "0x%x", proof->found);
	}
	error_next(error, _("get the file again; cxctl image verify tells everything that is wrong with it"));
	return -1;
}

const char *image_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

const char *image_full_name(const char *path, const char *inside, const char *psid, char *text, size_t room)
{
	snprintf(text, room, "%s%s%s%s%s", path, *inside ? ": " : "", inside, *psid ? ": " : "", psid);
	return text;
}
