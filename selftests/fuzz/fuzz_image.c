// SPDX-License-Identifier: GPL-2.0-only
/*
 * user/image/ on arbitrary bytes: nothing crashes, nothing runs without end, both kinds of readers
 * tell the same, and whatever calls itself good holds what it promises.
 */
#include "../../user/image/compare.h"
#include "../../user/image/plan.h"
#include "fuzz.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed)
{
	return mutate_image(data, size, most, seed);
}

static int see_section(void *context, const struct image_section *section)
{
	unsigned int *count = context;

	PROMISE(section->name && section->name[0]);
	PROMISE(++*count < 100000);
	return 0;
}

static void try_ini(const struct image_reader *reader, const struct image_place *place)
{
	struct image_error error = { 0 };
	char from[17];
	size_t length;
	char *text;

	if (image_ini(reader, place, &text, &length, &error))
		return;
	PROMISE(length <= IMAGE_INI_MOST && text[length] == 0);
	image_ini_retagged(text, from);
	image_ini_ports(text);
	free(text);
}

static void try_compare(const struct image_reader *reader, const struct image_place *place,
			const struct image_facts *facts)
{
	struct image_compare_listener listener = { 0 };
	struct image_subject subject = { .reader = *reader, .place = *place, .facts = *facts };
	struct image_error error = { 0 };
	bool identical = false;

	if (!image_compare(&subject, &subject, &listener, &identical, &error))
		PROMISE(identical);
}

static void try_place(const struct fuzz_bytes *bytes, const struct image_place *place)
{
	const struct image_reader *reader = &bytes->mapped;
	struct image_facts facts, quick, again;
	struct image_error error = { 0 };
	enum image_verdict verdict;
	unsigned int sections = 0;
	uint8_t *image, *rom;
	size_t length;
	int code = image_facts(reader, place, 0, &facts, &error);

	PROMISE(!code || error.text[0]);
	PROMISE(image_facts(&bytes->aligned, place, 0, &again, &error) == code);
	PROMISE(code || (!strcmp(facts.psid, again.psid) && facts.length == again.length));
	image_facts(reader, place, IMAGE_QUICK_ROM, &quick, &error);
	verdict = fuzz_verify(reader, place);
	PROMISE(fuzz_verify(&bytes->aligned, place) == verdict);
	image_sections(reader, place, see_section, &sections, &error);
	try_ini(reader, place);
	if (verdict == IMAGE_GOOD && !place->misplaced)
		PROMISE(!code);
	if (code)
		return;
	PROMISE(facts.length <= reader->size);
	PROMISE(strlen(facts.psid) <= 16 && facts.rom_count <= IMAGE_ROMS &&
		facts.hw_id_count <= IMAGE_HW_IDS);
	image_security_text(&facts);
	try_compare(reader, place, &facts);
	if (!fs2_read_rom(reader, &facts, &rom, &length, &error))
		free(rom);
	if (!image_load(reader, &facts, &image, &length, &error)) {
		PROMISE(length == facts.length);
		free(image);
	}
}

/* The file as the image, and as the flash that it shall go to. */
static void try_plan(const struct image_reader *reader)
{
	struct image_target target = { .flash = reader, .flash_sector = 4096, .recovery = reader->size & 8 };
	struct image_error error = { 0 };
	struct image_flash_state flash;
	struct image_facts facts;
	struct image_plan plan;
	uint8_t *bytes = NULL;
	size_t length, count, i;
	struct image_area areas[IMAGE_AREAS];
	bool failsafe;
	char window[160];

	if (image_query(reader, IMAGE_LAYOUT_FILE, IMAGE_NO_ROM, &facts, &error))
		return;
	target.format = facts.place.format;
	if (!image_component_bytes(reader, &facts, &bytes, &length, &error))
		PROMISE(length >= facts.length && bytes[0] == 0xff);
	free(bytes);
	if (image_flash_state(&target, &flash, &error))
		return;
	if (!image_device_areas(&target, &flash, areas, &count, &error))
		for (i = 1; i < count; i++)
			PROMISE(areas[i].address >= areas[i - 1].address + areas[i - 1].length);
	/* Its own data: nothing differs. */
	PROMISE(image_plan_device_data(&target, &flash, reader, &bytes, &plan, &failsafe, window, &error));
	if (image_burn_bytes(reader, &facts, &target, &flash, &bytes, &length, &error))
		return;
	PROMISE(length == facts.length);
	if (!image_plan_make(&target, &flash, bytes, length, &facts, &plan, &error)) {
		PROMISE(plan.target_address + (uint64_t)plan.window_length <= reader->size ||
			target.format == IMAGE_FS2);
		PROMISE(plan.image_length <= plan.window_length);
		PROMISE(plan.segment_offset[0] == 16);
		PROMISE(plan.old_address != plan.target_address);
	}
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum image_layout layouts[] = {
		IMAGE_LAYOUT_AUTO, IMAGE_LAYOUT_FILE, IMAGE_LAYOUT_FLASH
	};
	struct image_place places[IMAGE_PLACES], last = { 0 };
	struct image_error error = { 0 };
	struct fuzz_bytes bytes;
	size_t count, i, layout;

	fuzz_bytes(&bytes, data, size);
	for (layout = 0; layout < 3; layout++) {
		if (image_locate(&bytes.mapped, layouts[layout], places, IMAGE_PLACES, &count, &error))
			continue;
		for (i = 0; i < count && i < IMAGE_PLACES; i++) {
			if (memcmp(&places[i], &last, sizeof(last)))
				try_place(&bytes, &places[i]);
			last = places[i];
		}
	}
	try_plan(&bytes.mapped);
	return 0;
}
