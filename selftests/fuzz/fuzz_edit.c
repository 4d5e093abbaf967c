// SPDX-License-Identifier: GPL-2.0-only
/*
 * image_edit() on arbitrary images with arbitrary wishes: of an image that is not damaged it makes
 * one that is not damaged and says what was wished, or it refuses with a reason. The first 16
 * bytes are the wishes.
 */
#include "../../user/image/edit.h"
#include "../../user/image/ini.h"
#include "fuzz.h"

#define WISHES 16

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed)
{
	if (size < WISHES || most <= WISHES)
		return LLVMFuzzerMutate(data, size, most);
	if (seed % 3 == 0) {
		LLVMFuzzerMutate(data, WISHES, WISHES);
		return size;
	}
	return WISHES + mutate_image(data + WISHES, size - WISHES, most - WISHES, seed);
}

static const char ini_text[] = "[PS_INFO]\nName = fuzz\n[ADAPTER]\nPSID = FUZ0000000001\n"
			       "[image_info]\npsid = FUZ0000000001\nname = fuzz\n";

/* A ROM as small as one can be, with a marker and a sum that is right. */
static size_t make_rom(uint8_t rom[1024], uint8_t number)
{
	static const uint8_t marker[] = "mlxsign:\3\0\x10\0\xf0\2\4\0\xff\1\0\0";
	uint8_t sum = 0;
	unsigned int i;

	memset(rom, number, 1024);
	memcpy(rom, "\x55\xaa\1", 3);
	memcpy(rom + 0x18, "\x1c\0", 2);
	memcpy(rom + 0x1c, "PCIR\xb3\x15\7\x10\0\0\x18\0\0\0\0\2\1\0\1\0\0\x80\0\0", 24);
	memcpy(rom + 512, marker, 20);
	for (i = 0; i < 512; i++)
		sum += rom[i];
	rom[511] -= sum;
	return number & 1 ? 532 : 1024;
}

static void make_wishes(const uint8_t *wishes, struct image_edit *edit, char text[32], uint8_t rom[1024])
{
	memset(edit, 0, sizeof(*edit));
	memset(text, 0, 32);
	memcpy(text, wishes + 4, 12);
	edit->set_guids = wishes[0] & 1;
	edit->set_macs = wishes[0] & 2;
	memcpy(&edit->guid, wishes + 4, 8);
	memcpy(&edit->mac, wishes + 8, 6);
	edit->guid[1] = edit->guid[0] + 1;
	edit->mac[1] = edit->mac[0] + 1;
	edit->uid_count = wishes[0] & 4 ? wishes[1] : 0;
	edit->uid_step = wishes[0] & 4 ? wishes[2] : 0;
	edit->vsd = wishes[0] & 8 ? text : NULL;
	edit->image_vsd = wishes[0] & 16 ? text + 1 : NULL;
	edit->psid = wishes[0] & 32 ? text : NULL;
	edit->name = wishes[0] & 64 ? text + 2 : NULL;
	edit->allow_rom_change = wishes[0] & 128;
	edit->rom_edit = wishes[3] % 3;
	edit->rom = rom;
	edit->rom_length = make_rom(rom, wishes[2]);
	if (wishes[1] & 1) {
		edit->ini = ini_text;
		edit->ini_length = sizeof(ini_text) - 1;
	}
}

static void judge(const struct image_edit *edit, const struct image_edit_result *result,
		  const struct image_place *place)
{
	struct image_memory memory = { result->bytes, result->length };
	struct image_reader reader = image_memory_reader(&memory);
	struct image_error error = { 0 };
	struct image_facts facts;

	PROMISE(!image_facts(&reader, place, 0, &facts, &error));
	PROMISE(fuzz_verify(&reader, place) != IMAGE_DAMAGED);
	if (edit->psid)
		PROMISE(!strcmp(facts.psid, edit->psid));
	if (edit->rom_edit == IMAGE_ROM_REMOVE)
		PROMISE(!facts.rom_length);
	if (edit->rom_edit == IMAGE_ROM_REPLACE)
		PROMISE(facts.rom_length == edit->rom_length);
	if (edit->set_guids)
		PROMISE((place->format == IMAGE_FS2 ? facts.guid[0] : facts.base_guid.base) == edit->guid[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct image_place places[IMAGE_PLACES];
	struct image_edit_result result = { 0 };
	struct image_error error = { 0 };
	struct image_edit edit;
	struct fuzz_bytes bytes;
	uint8_t rom[1024];
	char text[32];
	size_t count;

	if (size < WISHES)
		return 0;
	make_wishes(data, &edit, text, rom);
	fuzz_bytes(&bytes, data + WISHES, size - WISHES);
	if (image_edit(data + WISHES, size - WISHES, &edit, &result, &error)) {
		PROMISE(error.text[0]);
		return 0;
	}
	if (!image_locate(&bytes.mapped, IMAGE_LAYOUT_FILE, places, IMAGE_PLACES, &count, &error) && count &&
	    fuzz_verify(&bytes.mapped, &places[0]) != IMAGE_DAMAGED)
		judge(&edit, &result, &places[0]);
	free(result.bytes);
	return 0;
}
