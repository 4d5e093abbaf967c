// SPDX-License-Identifier: GPL-2.0-only
/* What the firmware says when it refuses an update of its own. */
#include "../base/message.h"
#include "device.h"

/* device-access.md 4.2; kmod/cxfw/mcc.c says the same to the kernel's log. */
const char *mcc_error_text(uint32_t code)
{
	static const char *const texts[] = {
		[0x01] = N_("general error"),
		[0x02] = N_("the image's digest is wrong: it is damaged (REJECTED_DIGEST_ERR)"),
		[0x03] = N_("the image is not for this card, or has another PSID (REJECTED_NOT_APPLICABLE)"),
		[0x04] = N_("the image is signed with a key that this card does not know (REJECTED_UNKNOWN_KEY)"),
		[0x05] = N_("the image's signature is wrong (REJECTED_AUTH_FAILED)"),
		[0x06] = N_("the image is not signed, and this card takes signed ones only (REJECTED_UNSIGNED)"),
		[0x07] = N_("the key that the image is signed with is not one for this card (REJECTED_KEY_NOT_APPLICABLE)"),
		[0x08] = N_("the image has a wrong format (REJECTED_BAD_FORMAT)"),
		[0x09] = N_("an earlier update waits for a reset of the card (BLOCKED_PENDING_RESET)"),
		[0x0a] = N_("the image is not one for secure firmware (REJECTED_NOT_A_SECURED_FW)"),
		[0x0b] = N_("the image is for cards with other base MACs (REJECTED_MFG_BASE_MAC_NOT_LISTED)"),
		[0x0c] = N_("the image needs a debug token that the card does not have (REJECTED_NO_DEBUG_TOKEN)"),
		[0x0d] = N_("the version does not match (REJECTED_VERSION_NUM_MISMATCH)"),
		[0x0e] = N_("the image's timestamp is older than the one set by the user (REJECTED_USER_TIMESTAMP_MISMATCH)"),
		[0x0f] = N_("this version is forbidden on this card (REJECTED_FORBIDDEN_VERSION)"),
		[0x10] = N_("the firmware could not erase the flash (FLASH_ERASE_ERROR)"),
		[0x11] = N_("the running image is being burned again; try once more (REJECTED_REBURN_RUNNING_AND_RETRY)"),
		[0x12] = N_("this kind of cable or module is not supported (REJECTED_LINKX_TYPE_NOT_SUPPORTED)"),
		[0x13] = N_("the host uses the storage (REJECTED_HOST_STORAGE_IN_USE)"),
		[0x14] = N_("the transfer to the cable or module failed (REJECTED_LINKX_TRANSFER)"),
		[0x15] = N_("the cable or module was not activated (REJECTED_LINKX_ACTIVATE)"),
		[0x16] = N_("the image does not know this card's flash chip (REJECTED_INCOMPATIBLE_FLASH)"),
		[0x17] = N_("the token is applied already (REJECTED_TOKEN_ALREADY_APPLIED)"),
		[0x18] = N_("the card's memory is not available (REJECTED_DRAM_NOT_AVAILABLE)"),
		[0x19] = N_("the image's security version is lower than the card's (REJECTED_INVALID_SECURITY_VERSION)"),
		[0x1a] = N_("the certificate is not one of CER509 (CERT_CER509)"),
		[0x1b] = N_("the certificate's signature is wrong (CERT_SIGNATURE)"),
		[0x1c] = N_("the certificate's metadata is wrong (CERT_METADATA)"),
		[0x1d] = N_("internal error 0 of the firmware"),
		[0x1e] = N_("there is no place for it (NO_PLACE)"),
		[0x1f] = N_("nothing to remove has this id (REMOVAL_NO_MATCH_UIDD)"),
		[0x20] = N_("internal error 1 of the firmware"),
		[0x21] = N_("internal error 2 of the firmware"),
		[0x22] = N_("wrong number of swaps (NUM_OF_SWAP)"),
		[0x23] = N_("internal error 3 of the firmware"),
		[0x24] = N_("internal error 4 of the firmware"),
		[0x25] = N_("the same id is not allowed again (NOT_ALLOWED_SAME_UIDD)"),
		[0x26] = N_("internal error 5 of the firmware"),
		[0x27] = N_("internal error 6 of the firmware"),
		[0x28] = N_("the flash is write protected (FLASH_WRITE_PROTECTED)"),
		[0x29] = N_("internal error 7 of the firmware"),
		[0x2a] = N_("internal error 8 of the firmware"),
		[0x2b] = N_("internal error 9 of the firmware"),
		[0x2c] = N_("the DPA application's ELF file is wrong"),
		[0x2d] = N_("the DPA application's crypto data is wrong"),
		[0x2e] = N_("the DPA application's metadata is wrong"),
		[0x2f] = N_("the removal's signature is wrong"),
		[0x30] = N_("the container does not verify"),
		[0x31] = N_("internal error 10 of the firmware"),
		[0x32] = N_("this is a device image, and the card is a production part"),
	};

	return code < sizeof(texts) / sizeof(texts[0]) && texts[code] ? _(texts[code]) : NULL;
}
