// SPDX-License-Identifier: GPL-2.0-only
/* Signatures, encryption and life cycle: what the chip would not boot, and its firmware not take. */
#include <stdio.h>
#include <string.h>

#include "../base/message.h"
#include "burn_guard.h"

#define LIFE_CYCLE_GA_SECURED 1		/* device-access.md 4.1, 5.8 */

void burn_security_of_mgir(const struct mgir *mgir, struct burn_security *security)
{
	memset(security, 0, sizeof(*security));
	security->known = true;
	security->secure_firmware = mgir->secured;
	security->signed_firmware = mgir->signed_firmware;
	security->debug = mgir->debug || mgir->dev;
	security->life_cycle = mgir->life_cycle;
	security->life_cycle_known = true;
	security->secure_boot = mgir->secure_boot;
	security->encrypted = mgir->encrypted;
}

/* "secure firmware, life cycle GA secured, secure boot" */
static void describe(const struct burn_security *security, char *text, size_t room)
{
	const char *cycle = security->life_cycle_known ? life_cycle_name(security->life_cycle) : NULL;

	snprintf(text, room, _("%s, life cycle %s%s%s"),
		 security->secure_firmware ? _("secure firmware") :
		 security->signed_firmware ? _("signed firmware") : _("firmware that is not secure"),
		 cycle ? cycle : _("unknown"), security->secure_boot ? _(", secure boot") : "",
		 security->encrypted ? _(", encrypted") : "");
}

static int refuse(const char *id, const char *text, const char *found, const struct burn_security *security,
		  struct cxctl_error *error)
{
	char card[160];

	describe(security, card, sizeof(card));
	error_set(error, CXCTL_REFUSED, id, "%s", text);
	error_found(error, "%s", found);
	error_expected(error, _("an image for a card with %s"), card);
	error_next(error, _("get the image that the vendor made for this PSID; no option lifts this, since the chip itself would refuse"));
	return -1;
}

/* Fused in the chip, not a setting. FS5 chooses by itself: firmware-images.md 5.5. */
static int guard_encryption(const struct image_facts *image, const struct burn_security *security,
			    struct cxctl_error *error)
{
	if (image->place.format != IMAGE_FS4 || image->encrypted == security->encrypted)
		return 0;
	if (image->encrypted)
		refuse("encrypted-image", _("the image is encrypted, and the card is not made for that"),
		       _("an encrypted image"), security, error);
	else
		refuse("plain-image", _("the card boots encrypted images only"), _("an image in clear"), security, error);
	error_rule(error, _("the chip's: encrypted images need its key, and a chip that has one boots nothing else"));
	return -1;
}

static bool guards_itself(const struct burn_security *security)
{
	return security->secure_firmware || security->secure_boot ||
	       (security->life_cycle_known && security->life_cycle == LIFE_CYCLE_GA_SECURED);
}

static int guard_signature(const struct image_facts *image, const struct burn_security *security,
			   struct cxctl_error *error)
{
	if (!image->security_keys && !image->signed_by) {
		refuse("unsigned-image", _("the card takes signed images only, and this one is not"),
		       _("no section with a signature or a digest"), security, error);
		error_rule(error, _("the firmware's: REJECTED_UNSIGNED (device-access.md 4.2)"));
		return -1;
	}
	if (image->security_flags & IMAGE_SECURITY_SECURE || !security->secure_firmware)
		return 0;
	refuse("not-secure-image", _("the card runs secure firmware, and the image is not of that kind"),
	       image_security_text(image) ? image_security_text(image) : _("nothing on security"), security, error);
	error_rule(error, _("the firmware's: REJECTED_NOT_A_SECURED_FW (device-access.md 4.2)"));
	return -1;
}

static int guard_debug(const struct image_facts *image, const struct burn_security *security,
		       struct cxctl_error *error)
{
	if (!(image->security_flags & IMAGE_SECURITY_DEBUG) || security->debug)
		return 0;
	refuse("debug-image", _("the image is a development build, and the card takes released ones"),
	       image_security_text(image) ? image_security_text(image) : "debug", security, error);
	error_rule(error, _("the firmware's: without a debug token REJECTED_NO_DEBUG_TOKEN (device-access.md 4.2)"));
	return -1;
}

int burn_guard_security(const struct image_facts *image, const struct burn_security *security,
			enum burn_method method, struct cxctl_error *error)
{
	(void)method;
	if (!security->known || image->place.format < IMAGE_FS3)
		return 0;
	if (guard_encryption(image, security, error))
		return -1;
	if (!guards_itself(security))
		return 0;
	if (guard_signature(image, security, error) || guard_debug(image, security, error))
		return -1;
	return 0;
}

int burn_guard_security_version(const struct image_facts *image, const struct burn_security *security,
				struct cxctl_error *error)
{
	if (!security->version_known || image->place.format < IMAGE_FS4 ||
	    image->security_version >= security->version)
		return 0;
	error_set(error, CXCTL_REFUSED, "security-version",
		  _("the image's security version is lower than the one that is fused into the card"));
	error_found(error, _("security version %u"), image->security_version);
	error_expected(error, _("%u or higher"), security->version);
	error_rule(error, _("the chip's: fuses only go up, and what is below them does not boot (REJECTED_INVALID_SECURITY_VERSION)"));
	error_next(error, _("take a newer image: this one was withdrawn for its security, and nothing brings the card back below"));
	return -1;
}
