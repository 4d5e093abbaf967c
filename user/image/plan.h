/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Plans: what stands on a card's flash, and which writes make it another. The driver enforces a
 * plan's grammar on its own (kmod/cxfw/plan.h); here it is only built.
 * Documentation/reference/firmware-images.md 2.8, 5.
 */
#ifndef IMAGE_PLAN_H
#define IMAGE_PLAN_H

#include "image.h"

/* What the planner knows of the card. */
struct image_target {
	const struct image_reader *flash;
	enum image_format format;	/* of the chip: by hardware id, never by what the flash holds */
	uint32_t hw_id, hw_revision;
	uint32_t flash_sector;		/* bytes of the smallest erase unit */
	uint32_t flash_block;		/* of the largest; 0: there is only one */
	bool running_valid;
	uint32_t running[3];		/* version that runs, to tell two live images apart */
	bool boot_address_valid;
	uint32_t boot_address;		/* physical start that the boot register names */
	bool recovery;			/* the card booted without firmware */
};

/* What stands on the flash, as the planner sees it. */
struct image_flash_state {
	struct image_place places[IMAGE_PLACES];
	size_t place_count;		/* live magics */
	bool whole[IMAGE_PLACES];	/* the image behind places[i] passed every check */
	unsigned int whole_count;	/* two: an earlier burn was cut between commit and invalidation */
	bool has_old;			/* an image that may boot is there */
	size_t old;			/* index of the image to keep until the commit */
	bool has_facts;			/* also of a damaged image, when nothing else is there */
	struct image_facts old_facts;
};

int image_flash_state(const struct image_target *target, struct image_flash_state *state,
		      struct image_error *error);

/*
 * Whether an image passes every check that is the image's: device data, which belongs to the card, may
 * be damaged or (burn bytes) not there. What a card boots is judged so.
 */
int image_is_sound(const struct image_reader *reader, const struct image_place *place, bool *sound,
		   struct image_error *error);

/* NV configuration area of FS2 and the room for an image: firmware-images.md 2.8. */
struct fs2_room {
	uint32_t config_area;		/* bytes of one slot's area */
	uint32_t config_pad;		/* bytes behind it */
	uint32_t limit;			/* logical bytes of a slot that an image may use */
};
int fs2_room(uint64_t flash_size, const struct image_facts *device, const struct image_facts *image,
	     struct fs2_room *room, struct image_error *error);

/* The numbers of struct cxfw_stage; image and segments are its payload. */
struct image_plan {
	uint32_t flags;			/* CXFW_PLAN_* */
	enum image_format format;
	uint32_t image_length;
	uint32_t flash_size;
	uint32_t log2_chunk;
	uint32_t target_slot;
	uint32_t target_address;	/* physical start of the window, or of the device data */
	uint32_t window_length;
	uint32_t old_address;		/* or CXFW_NO_ADDRESS */
	uint32_t component;		/* CXFW_PLAN_COMPONENT */
	uint32_t segment_count;
	uint32_t segment_offset[128];	/* CXFW_SEGMENTS_MAX */
	uint32_t segment_length[128];
	uint32_t bytes_to_erase;	/* at most: what already is right is skipped */
	uint32_t bytes_to_program;
	uint8_t segments_sha256[32];
	uint8_t old_sha256[32];
};

/*
 * image: contiguous, already carrying the card's identity; FS3 and later: from the magic to the end of
 * the last section (what image_burn_bytes() gives). state may say that nothing is bootable.
 * -EINVAL, -EOPNOTSUPP or -EBADMSG with the reason when no safe plan exists.
 */
int image_plan_make(const struct image_target *target, const struct image_flash_state *state,
		    const uint8_t *image, size_t length, const struct image_facts *facts,
		    struct image_plan *plan, struct image_error *error);

/*
 * What of a file goes into a slot: firmware-images.md 4.5. FS2: the image. FS3 and later: without device
 * data, gaps as 0xff; FS3: the device entries of the ITOC are those of the image that state keeps, or of the
 * file when there is none. Of two that name the same place, the one is taken whose CRC is that of
 * what the flash holds there: device data of a backup are written back before its image. *bytes is malloc()ed.
 */
int image_burn_bytes(const struct image_reader *file, const struct image_facts *facts,
		     const struct image_target *target, const struct image_flash_state *state,
		     uint8_t **bytes, size_t *length, struct image_error *error);

/*
 * What the firmware's own update takes, byte for byte what the vendor's tools send: magic masked, no device
 * data, FS3's entries for it masked, gaps as 0xff (5.8). *bytes is malloc()ed.
 */
int image_component_bytes(const struct image_reader *file, const struct image_facts *facts,
			  uint8_t **bytes, size_t *length, struct image_error *error);
/* The plan of sending them: CXFW_PLAN_COMPONENT. */
void image_plan_component(const uint8_t *bytes, size_t length, uint32_t component, struct image_plan *plan);

/* Where device data and NV configuration lie on a flash: outside all that an image may use. */
struct image_area {
	uint32_t address, length;	/* whole flash sectors */
	const char *name;		/* "DEV_INFO", "NV_DATA", "DTOC" */
	bool failsafe;			/* a second valid copy exists while this one is written */
};
#define IMAGE_AREAS 64
int image_device_areas(const struct image_target *target, const struct image_flash_state *state,
		       struct image_area areas[IMAGE_AREAS], size_t *count, struct image_error *error);

/*
 * Makes the device data of the flash be that of a backup (of the same geometry): *bytes, malloc()ed, is
 * the content from plan->target_address on; only areas that differ become segments. *failsafe is false
 * when a single copy of something is rewritten; window then names it (text for a person). -ENOENT:
 * nothing differs.
 */
int image_plan_device_data(const struct image_target *target, const struct image_flash_state *state,
			   const struct image_reader *backup, uint8_t **bytes, struct image_plan *plan,
			   bool *failsafe, char window[160], struct image_error *error);

/*
 * Another base GUID, base MAC or VSD in the device data of a flash. FS4 and FS5: the whole valid copy of
 * DEV_INFO, changed and with its CRC, stands over the other copy, and the old one has lost its signature
 * (firmware-images.md 4.4). Of the edit only guid[0], mac[0], number, step and vsd count.
 */
struct image_edit;
struct image_device_edit {
	const struct image_reader *flash;
	uint32_t address[2];		/* of the copy that will count, and of the one that did */
	uint8_t bytes[2][0x200];
};
/*
 * -ENOENT: the card has that identity already. -EOPNOTSUPP: FS2 and FS3, the text says why. -EINVAL: an
 * impossible request, or no whole image on the flash. -EBADMSG: damaged device data. *edited refers to
 * target->flash.
 */
int image_device_edit(const struct image_target *target, const struct image_flash_state *state,
		      const struct image_edit *edit, struct image_device_edit *edited, struct image_error *error);
/* The flash as it will be: the backup that image_plan_device_data() takes. Good as long as *edited is. */
struct image_reader image_device_edit_reader(const struct image_device_edit *edited);

#endif /* IMAGE_PLAN_H */
