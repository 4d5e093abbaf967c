// SPDX-License-Identifier: GPL-2.0-only
/* Writes a synthetic firmware image, or a whole flash that holds one, to a file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../kmod/cxsim/model/card.h"

#define EXIT_USAGE	2

enum argument_kind { ARGUMENT_TEXT, ARGUMENT_U32, ARGUMENT_U64 };

struct arguments {
	struct cxsim_parameters parameters;
	unsigned int slot;
	bool dump;
};

static struct arguments arguments;

static const struct argument {
	const char *name;
	enum argument_kind kind;
	void *value;
} argument_table[] = {
	{ "psid", ARGUMENT_TEXT, &arguments.parameters.psid },
	{ "version", ARGUMENT_TEXT, &arguments.parameters.version },
	{ "vsd", ARGUMENT_TEXT, &arguments.parameters.vsd },
	{ "chip", ARGUMENT_TEXT, &arguments.parameters.chip },
	{ "guid", ARGUMENT_U64, &arguments.parameters.guid },
	{ "mac", ARGUMENT_U64, &arguments.parameters.mac },
	{ "rom", ARGUMENT_U32, &arguments.parameters.rom_size },
	{ "code", ARGUMENT_U32, &arguments.parameters.code_size },
	{ "flash", ARGUMENT_U32, &arguments.parameters.flash_size },
	{ "log2_chunk", ARGUMENT_U32, &arguments.parameters.log2_chunk },
	{ "signature", ARGUMENT_U32, &arguments.parameters.signature },
	{ "seed", ARGUMENT_U64, &arguments.parameters.seed },
	{ "slot", ARGUMENT_U32, &arguments.slot },
};

static void usage(FILE *to)
{
	const struct cxsim_model *model;

	fprintf(to,
		"Usage: cxsim-image MODEL OUT.bin [psid=TEXT] [version=A.B.C] [vsd=TEXT] [guid=N] [mac=N]\n"
		"                   [rom=BYTES] [code=BYTES] [flash=BYTES] [log2_chunk=N] [chip=NAME]\n"
		"                   [signature=0|1|2] [seed=N] [flash-dump [slot=0|1]]\n"
		"Writes a synthetic firmware image; with flash-dump a whole flash with it in that slot.\n"
		"Numbers may be decimal or hexadecimal with 0x. Models:");
	for (model = cxsim_models; model->name; model++)
		fprintf(to, " %s", model->name);
	fprintf(to, "\n");
}

static bool set_number(const struct argument *argument, const char *text)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (errno || end == text || *end || (argument->kind == ARGUMENT_U32 && value > 0xffffffffULL))
		return false;
	if (argument->kind == ARGUMENT_U32)
		*(u32 *)argument->value = (u32)value;
	else
		*(u64 *)argument->value = value;
	return true;
}

static bool set_argument(char *text)
{
	char *equals = strchr(text, '=');
	size_t i;

	if (!strcmp(text, "flash-dump")) {
		arguments.dump = true;
		return true;
	}
	for (i = 0; equals && i < ARRAY_SIZE(argument_table); i++) {
		const struct argument *argument = &argument_table[i];

		if (strlen(argument->name) != (size_t)(equals - text) ||
		    memcmp(argument->name, text, (size_t)(equals - text)))
			continue;
		if (argument->kind == ARGUMENT_TEXT) {
			*(const char **)argument->value = equals + 1;
			return true;
		}
		if (set_number(argument, equals + 1))
			return true;
		fprintf(stderr, "cxsim-image: \"%s\": expected a number\n", text);
		return false;
	}
	fprintf(stderr, "cxsim-image: \"%s\" is not an argument\n", text);
	return false;
}

static u8 *allocate(size_t bytes)
{
	u8 *memory = calloc(1, bytes);

	if (!memory) {
		fprintf(stderr, "cxsim-image: no memory for %zu bytes\n", bytes);
		exit(EXIT_FAILURE);
	}
	return memory;
}

static u8 *make_image(size_t *length)
{
	char why[CXSIM_WHY] = "";
	u8 *image;

	*length = cxsim_image_make(&arguments.parameters, NULL, 0, why);
	if (*length) {
		image = allocate(*length);
		*length = cxsim_image_make(&arguments.parameters, image, *length, why);
		if (*length)
			return image;
		free(image);
	}
	fprintf(stderr, "cxsim-image: %s\n", why);
	return NULL;
}

static u8 *make_dump(u8 *image, size_t *length)
{
	const struct cxsim_model *model = cxsim_model_find(arguments.parameters.model);
	size_t size = arguments.parameters.flash_size;
	u8 *flash;

	if (!size)
		size = model->flash_size ? model->flash_size : 1U << 24;
	flash = allocate(size);
	memset(flash, 0xff, size);
	if (!cxsim_image_place(model->name, image, *length, flash, size, arguments.slot)) {
		fprintf(stderr, "cxsim-image: an image of %zu bytes does not fit into slot %u of a flash of %zu bytes\n",
			*length, arguments.slot, size);
		free(flash);
		flash = NULL;
	}
	free(image);
	*length = size;
	return flash;
}

static bool write_file(const char *name, const u8 *data, size_t length)
{
	FILE *file = fopen(name, "wb");
	bool written;

	if (!file) {
		fprintf(stderr, "cxsim-image: %s: %s\n", name, strerror(errno));
		return false;
	}
	written = fwrite(data, 1, length, file) == length;
	if (fclose(file) || !written) {
		fprintf(stderr, "cxsim-image: %s: %s\n", name, strerror(errno));
		remove(name);
		return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	size_t length;
	bool written;
	u8 *data;
	int i;

	if (argc < 3) {
		usage(stderr);
		return EXIT_USAGE;
	}
	arguments.parameters.model = argv[1];
	if (!cxsim_model_find(argv[1])) {
		fprintf(stderr, "cxsim-image: no such model: %s\n", argv[1]);
		usage(stderr);
		return EXIT_USAGE;
	}
	for (i = 3; i < argc; i++)
		if (!set_argument(argv[i]))
			return EXIT_USAGE;
	data = make_image(&length);
	if (data && arguments.dump)
		data = make_dump(data, &length);
	if (!data)
		return EXIT_FAILURE;
	written = write_file(argv[2], data, length);
	free(data);
	return written ? EXIT_SUCCESS : EXIT_FAILURE;
}
