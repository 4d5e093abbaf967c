// SPDX-License-Identifier: GPL-2.0-only
/* MFA1, MFA2 and PLDM out of arbitrary bytes, each member read; and what is read is packed again. */
#include "../../user/container/container.h"
#include "fuzz.h"

#define READ_MOST (4U << 20)

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed)
{
	return mutate_container(data, size, most, seed);
}

struct pass {
	uint64_t read;
	unsigned int found;
};

static bool wanted(void *context, const struct container_member *member)
{
	const struct pass *pass = context;

	PROMISE(strlen(member->psid) <= 32 && strlen(member->part_number) <= 64);
	PROMISE(strlen(member->description) <= 256 && member->version_words <= 4);
	/* A bomb is refused or unpacked, but here not often. */
	return pass->read + member->size < READ_MOST;
}

static int ignore_bytes(void *context, const void *bytes, size_t length)
{
	(void)context;
	PROMISE(bytes && length);
	return 0;
}

static void pack_again(const struct image_reader *reader)
{
	struct image_error error = { 0 };
	struct image_facts facts;
	struct mfa2_source source = { reader, &facts };

	if (!image_query(reader, IMAGE_LAYOUT_FILE, IMAGE_NO_ROM, &facts, &error))
		mfa2_write(&source, 1, ignore_bytes, NULL, &error);
}

static int found(void *context, const struct container_member *member, const struct image_reader *reader,
		 bool restored)
{
	struct pass *pass = context;
	uint8_t first[16];

	(void)restored;
	PROMISE(reader->size == member->size);
	pass->read += reader->size;
	if (reader->size >= sizeof(first))
		PROMISE(!reader->read(reader->context, 0, first, sizeof(first)));
	if (!pass->found++)
		pack_again(reader);
	return 0;
}

static void trouble(void *context, const struct container_member *member, const struct image_error *error)
{
	(void)context;
	PROMISE(member && error->text[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pass seen = { 0 };
	struct container_pass pass = { wanted, found, trouble, NULL, &seen };
	enum image_verdict verdict = IMAGE_GOOD;
	struct container *container = NULL;
	struct image_error error = { 0 };
	struct fuzz_bytes bytes;
	size_t i;

	fuzz_bytes(&bytes, data, size);
	if (container_open(size & 1 ? &bytes.mapped : &bytes.read, &container, &error)) {
		PROMISE(error.text[0]);
		return 0;
	}
	PROMISE(container_members(container) <= CONTAINER_MEMBERS && container_length(container) <= size);
	for (i = 0; i < container_members(container); i++)
		PROMISE(container_member(container, i));
	container_verify(container, &fuzz_listener, &verdict, &error);
	container_pass(container, &pass, &error);
	container_close(container);
	return 0;
}
