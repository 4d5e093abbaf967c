// SPDX-License-Identifier: GPL-2.0-only
/* Another identity in the device data of a flash: firmware-images.md 3.6, 3.7, 4.4. */
#include <errno.h>

#include "edit_parts.h"
#include "plan_private.h"

static int refuse_format(enum image_format format, struct image_error *error)
{
	if (format == IMAGE_FS4 || format == IMAGE_FS5)
		return 0;
	if (format == IMAGE_FS3)
		return image_fail(error, -EOPNOTSUPP, 0,
				  _("FS3 has one copy of DEV_INFO, whose checksum stands in the image that the card boots: both cannot be changed together so that the card boots at every instant"));
	return image_fail(error, -EOPNOTSUPP, 0,
			  _("the identity of this format is a part of the image, not of device data"));
}

/* Addresses of both copies: [1] of the one that counts, [0] of the other. */
static int find_copies(const struct image_target *target, const struct toc *dtoc, uint32_t address[2],
		       uint8_t valid[DEV_INFO_LENGTH], struct image_error *error)
{
	unsigned int i, valid_count = 0, other_count = 0;
	uint8_t info[DEV_INFO_LENGTH];
	int code;

	for (i = 0; i < dtoc->count; i++) {
		const struct toc_section *entry = &dtoc->sections[i];

		if (entry->type != SECTION_DEV_INFO || entry->size < DEV_INFO_LENGTH ||
		    !plan_is_device_entry(target->format, entry, target->flash->size))
			continue;
		code = reader_read(target->flash, entry->address, info, sizeof(info), error);
		if (code)
			return code;
		if (dev_info_valid(info)) {
			valid_count++;
			address[1] = entry->address;
			memcpy(valid, info, sizeof(info));
		} else {
			other_count++;
			address[0] = entry->address;
		}
	}
	if (valid_count == 1 && other_count == 1)
		return 0;
	return image_fail(error, -EBADMSG, dtoc->address,
			  _("the device data has not one valid and one other copy of DEV_INFO"));
}

int image_device_edit(const struct image_target *target, const struct image_flash_state *state,
		      const struct image_edit *edit, struct image_device_edit *edited, struct image_error *error)
{
	struct editor e = { .edit = edit, .facts = &state->old_facts, .error = error };
	uint8_t *made = edited->bytes[0], *old = edited->bytes[1];
	struct toc dtoc;
	int code = refuse_format(target->format, error);

	memset(edited, 0, sizeof(*edited));
	edited->flash = target->flash;
	if (code)
		return code;
	if (!state->has_old || !state->has_facts || !state->whole[state->old])
		return image_fail(error, -EINVAL, 0, _("the flash holds no whole image"));
	if (edit_of_firmware(edit) || !edit_of_device_data(edit))
		return image_fail(error, -EINVAL, 0, _("only GUID, MAC and VSD stand in device data"));
	code = edit_check(&e);
	if (!code)
		code = plan_device_table(target, state, &dtoc, error);
	if (code)
		return code;
	if (!dtoc.present)
		return image_fail(error, -EBADMSG, 0, _("the flash has no readable table of device data"));
	code = find_copies(target, &dtoc, edited->address, old, error);
	if (code)
		return code;
	memcpy(made, old, DEV_INFO_LENGTH);
	code = edit_dev_info(&e, made, edited->address[0]);
	if (code)
		return code;
	put32(made + 0x1fc, image_crc16(made, 0x1fc));
	if (!memcmp(made, old, DEV_INFO_LENGTH))
		return image_fail(error, -ENOENT, 0, _("the card has this identity already"));
	put32(old, 0);
	return 0;
}

/* What of [start, start + length) the copy covers. */
static void lay_over(uint64_t offset, uint8_t *buffer, size_t length, uint32_t start, const uint8_t *copy)
{
	uint64_t from = offset > start ? offset : start;
	uint64_t to = offset + length, end = (uint64_t)start + DEV_INFO_LENGTH;

	if (to > end)
		to = end;
	if (from < to)
		memcpy(buffer + (from - offset), copy + (from - start), to - from);
}

static int read_edited(void *context, uint64_t offset, void *buffer, size_t length)
{
	const struct image_device_edit *edited = context;
	int code = edited->flash->read(edited->flash->context, offset, buffer, length);
	unsigned int i;

	for (i = 0; i < 2 && !code; i++)
		lay_over(offset, buffer, length, edited->address[i], edited->bytes[i]);
	return code;
}

struct image_reader image_device_edit_reader(const struct image_device_edit *edited)
{
	return (struct image_reader){ read_edited, (void *)edited, edited->flash->size, NULL };
}
