// SPDX-License-Identifier: GPL-2.0-only
/* MFA2, the archive that the kernel's own flash path reads: firmware-images.md 7.2. */
#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

#include "mfa2.h"
#include "private.h"
#include "xz.h"

/* One TLV of the descriptors. */
struct tlv {
	unsigned int type, length;
	const uint8_t *value;
	uint64_t at, next;
};

struct descriptors {
	struct container *container;
	struct container_bytes bytes;
	struct image_error *error;
	uint64_t at;			/* of the next multi */
	unsigned int devices, components;
	bool old_package;		/* the package's version is that of the older archives */
};

struct component_facts {
	uint32_t version[3];
	bool versioned;
	uint32_t date;
	unsigned int identifier;
};

/* Members of a multi, its base descriptor first. */
struct multi {
	uint64_t at;			/* of the next member */
	unsigned int left;
};

static int read_tlv(struct descriptors *d, uint64_t at, struct tlv *tlv)
{
	const uint8_t *header = d->bytes.bytes + at;

	if (at + MFA2_TLV_HEADER > d->bytes.length)
		return image_fail(d->error, -EBADMSG, at,
				  _("a descriptor is expected at 0x%llx, but the descriptors end at 0x%zx"),
				  (unsigned long long)at, d->bytes.length);
	tlv->at = at;
	tlv->type = header[1];
	tlv->length = be16(header + 2);
	tlv->value = header + MFA2_TLV_HEADER;
	tlv->next = align4(at + MFA2_TLV_HEADER + tlv->length);
	if (at + MFA2_TLV_HEADER + tlv->length > d->bytes.length)
		return image_fail(d->error, -EBADMSG, at,
				  _("the descriptor at 0x%llx has 0x%x bytes, but the descriptors end at 0x%zx"),
				  (unsigned long long)at, tlv->length, d->bytes.length);
	return 0;
}

static int next_member(struct descriptors *d, struct multi *multi, struct tlv *tlv)
{
	int code = read_tlv(d, multi->at, tlv);

	multi->at = tlv->next;
	multi->left--;
	return code;
}

/* Checks the members' number and length; the next multi is then where the last member ends. */
static int begin_multi(struct descriptors *d, const char *what, struct multi *multi)
{
	struct multi walk;
	uint32_t length = 0, expected;
	struct tlv tlv;
	int code = read_tlv(d, d->at, &tlv);

	if (code)
		return code;
	if (tlv.type != MFA2_MULTI || tlv.length < 4)
		return image_fail(d->error, -EBADMSG, d->at,
				  _("the descriptor of a %s is expected at 0x%llx, found type 0x%02x of %u bytes"),
				  what, (unsigned long long)d->at, tlv.type, tlv.length);
	multi->at = tlv.next;
	multi->left = be16(tlv.value) + 1;
	expected = be16(tlv.value + 2);
	for (walk = *multi; walk.left;) {
		code = next_member(d, &walk, &tlv);
		if (code)
			return code;
		length += MFA2_TLV_HEADER + tlv.length;
	}
	if (length != expected)
		return image_fail(d->error, -EBADMSG, d->at,
				  _("the descriptor of a %s at 0x%llx says 0x%x bytes, its parts have 0x%x"),
				  what, (unsigned long long)d->at, expected, length);
	d->at = walk.at;
	return 0;
}

static int wrong_member(struct descriptors *d, const char *what, const struct tlv *tlv)
{
	return image_fail(d->error, -EBADMSG, tlv->at,
			  _("the %s's descriptor at 0x%llx has type 0x%02x and %u bytes: not one of a %s"),
			  what, (unsigned long long)tlv->at, tlv->type, tlv->length, what);
}

/* ---- the package ---- */

static void take_digest(struct container *container, const struct tlv *tlv)
{
	if (tlv->length != MFA2_DIGEST)
		return;
	if (tlv->type != MFA2_SOURCE_FILE && tlv->type != MFA2_SHA256 && tlv->type != MFA2_DESCRIPTORS_SHA256)
		return;
	if (!container->file_digest)
		container->file_digest = tlv->at + MFA2_TLV_HEADER;
	else if (!container->descriptor_digest)
		container->descriptor_digest = tlv->at + MFA2_TLV_HEADER;
}

static int read_package(struct descriptors *d)
{
	struct container *container = d->container;
	struct multi multi;
	struct tlv tlv;
	int code = begin_multi(d, "package", &multi);

	if (!code)
		code = next_member(d, &multi, &tlv);
	if (code)
		return code;
	if (tlv.type != MFA2_PACKAGE || tlv.length < MFA2_PACKAGE_LENGTH)
		return wrong_member(d, "package", &tlv);
	d->components = be16(tlv.value);
	d->devices = be16(tlv.value + 2);
	container->data_start = be32(tlv.value + 4);
	container->data_stored = be32(tlv.value + 8);
	container->data_size = (uint64_t)be32(tlv.value + 12) << 32 | be32(tlv.value + 16);
	while (multi.left) {
		code = next_member(d, &multi, &tlv);
		if (code)
			return code;
		take_digest(container, &tlv);
		if (tlv.type == MFA2_VERSION && tlv.length >= 12)
			d->old_package = tlv.value[0] == 1 && tlv.value[1] == 77;
	}
	return 0;
}

/* The descriptors end where the components begin. */
static int check_block(struct descriptors *d)
{
	struct container *container = d->container;
	uint64_t size = container->reader->size;

	if (container->data_start < d->at || container->data_start > d->bytes.length)
		return image_fail(d->error, -EBADMSG, d->at,
				  _("the component block cannot begin at 0x%llx: the file has 0x%llx bytes, its first descriptor ends at 0x%llx"),
				  (unsigned long long)container->data_start, (unsigned long long)size,
				  (unsigned long long)d->at);
	container->length = container->data_start + container->data_stored;
	if (container->length > size)
		return image_fail(d->error, -EBADMSG, size,
				  _("the component block ends at 0x%llx, but the file has only 0x%llx bytes: it is truncated"),
				  (unsigned long long)container->length, (unsigned long long)size);
	d->bytes.length = container->data_start;
	return 0;
}

/* ---- devices ---- */

static int add_device(struct descriptors *d, const struct tlv *psid, const struct tlv *pointer)
{
	struct container_member *member;
	unsigned int component = be16(pointer->value + 2);

	if (component >= d->components)
		return image_fail(d->error, -EBADMSG, pointer->at,
				  _("a device's descriptor at 0x%llx names component %u of %u"),
				  (unsigned long long)pointer->at, component, d->components);
	member = container_add_member(d->container, d->error);
	if (!member)
		return d->container->member_count >= CONTAINER_MEMBERS ? -EBADMSG : -ENOMEM;
	member->component = component;
	image_text(member->psid, sizeof(member->psid), psid->value, psid->length);
	return 0;
}

static int read_device(struct descriptors *d)
{
	struct tlv tlv, psid = { 0 };
	struct multi multi, again;
	bool found = false;
	int code = begin_multi(d, "device", &multi);

	if (!code)
		code = next_member(d, &multi, &tlv);
	if (code)
		return code;
	if (tlv.type != MFA2_DEVICE)
		return wrong_member(d, "device", &tlv);
	for (again = multi; again.left && !code;) {
		code = next_member(d, &again, &tlv);
		if (!code && tlv.type == MFA2_PSID && !psid.value)
			psid = tlv;
	}
	if (code)
		return code;
	if (!psid.value || !psid.length || psid.length > 32)
		return image_fail(d->error, -EBADMSG, multi.at,
				  _("the device's descriptor at 0x%llx has no PSID"),
				  (unsigned long long)multi.at);
	while (multi.left && !code) {
		code = next_member(d, &multi, &tlv);
		if (code || tlv.type != MFA2_COMPONENT_POINTER)
			continue;
		found = true;
		code = tlv.length < 8 ? wrong_member(d, "device", &tlv) : add_device(d, &psid, &tlv);
	}
	if (!code && !found)
		return image_fail(d->error, -EBADMSG, multi.at,
				  _("the device's descriptor before 0x%llx names no component"),
				  (unsigned long long)multi.at);
	return code;
}

/* ---- components ---- */

static bool is_bcd_date(uint32_t date)
{
	unsigned int i, month = date >> 8 & 0xff, day = date & 0xff;

	for (i = 0; i < 32; i += 4)
		if ((date >> i & 0xf) > 9)
			return false;
	return month >= 1 && month <= 0x12 && day >= 1 && day <= 0x31;
}

static uint32_t bcd(unsigned int number, unsigned int digits)
{
	uint32_t value = 0;
	unsigned int i;

	for (i = 0; i < digits; i++, number /= 10)
		value |= (uint32_t)(number % 10) << 4 * i;
	return value;
}

/*
 * Two orders of the version's bytes and two codings of the date; the time is that of packing, which says
 * nothing of the firmware. The older order goes with binary dates, and with packages of 1.77.
 */
static void take_version(struct component_facts *facts, const uint8_t *value, bool old_package)
{
	uint32_t date = be32(value + 4), year = be16(value + 4);
	bool old = old_package;

	facts->versioned = true;
	if (year >= 1990 && year < 2100) {
		old = true;
		date = bcd(year, 4) << 16 | bcd(value[6] + 1U, 2) << 8 | bcd(value[7], 2);
	}
	if (is_bcd_date(date))
		facts->date = date;
	facts->version[0] = value[0];
	facts->version[1] = old ? value[3] : value[1];
	facts->version[2] = old ? value[1] : be16(value + 2);
}

static int add_component(struct descriptors *d, const struct tlv *tlv, unsigned int number)
{
	uint64_t offset = (uint64_t)be32(tlv->value + 4) << 32 | be32(tlv->value + 8);
	uint32_t size = be32(tlv->value + 12);
	int code;

	if (offset > d->container->data_size ||
	    (uint64_t)size + MFA2_MARKER_LENGTH > d->container->data_size - offset)
		return image_fail(d->error, -EBADMSG, tlv->at,
				  _("component %u of 0x%x bytes at 0x%llx reaches beyond the 0x%llx bytes of the block"),
				  number, size, (unsigned long long)offset,
				  (unsigned long long)d->container->data_size);
	code = container_add_component(d->container, d->error);
	if (!code)
		code = container_add_range(d->container, offset + MFA2_MARKER_LENGTH, size, d->error);
	return code;
}

static int read_component(struct descriptors *d, unsigned int number, struct component_facts *facts)
{
	struct multi multi;
	struct tlv tlv;
	int code = begin_multi(d, "component", &multi);

	if (!code)
		code = next_member(d, &multi, &tlv);
	if (code)
		return code;
	if (tlv.type != MFA2_COMPONENT || tlv.length < MFA2_COMPONENT_LENGTH)
		return wrong_member(d, "component", &tlv);
	facts->identifier = be16(tlv.value + 2);
	code = add_component(d, &tlv, number);
	while (multi.left && !code) {
		code = next_member(d, &multi, &tlv);
		if (!code && tlv.type == MFA2_VERSION && tlv.length >= 12)
			take_version(facts, tlv.value, d->old_package);
	}
	return code;
}

static void give_facts(struct container *container, const struct component_facts *facts)
{
	struct container_member *member;
	size_t i;

	for (i = 0; i < container->member_count; i++) {
		member = &container->members[i];
		member->size = container->components[member->component].size;
		memcpy(member->version, facts[member->component].version, sizeof(facts->version));
		member->version_words = facts[member->component].versioned ? 3 : 0;
		member->date = facts[member->component].date;
		/* 1 is the boot image of the update registers, archives leave it 0 */
		member->content = CONTAINER_FIRMWARE;
		strcpy(member->content_name, "FW");
		if (facts[member->component].identifier <= 1)
			continue;
		member->content = CONTAINER_OTHER;
		snprintf(member->content_name, sizeof(member->content_name), "component 0x%x",
			 facts[member->component].identifier);
	}
}

static int read_descriptors(struct descriptors *d)
{
	struct component_facts *facts;
	unsigned int i;
	int code = read_package(d);

	if (!code)
		code = check_block(d);
	for (i = 0; i < d->devices && !code; i++)
		code = read_device(d);
	if (code)
		return code;
	facts = calloc(d->components + 1, sizeof(*facts));
	if (!facts)
		return container_no_memory(d->error);
	for (i = 0; i < d->components && !code; i++)
		code = read_component(d, i, &facts[i]);
	if (!code)
		give_facts(d->container, facts);
	free(facts);
	return code;
}

int mfa2_open(struct container *container, struct image_error *error)
{
	struct descriptors d = { .container = container, .error = error, .at = MFA2_FINGERPRINT_LENGTH };
	uint64_t length = container->reader->size;
	int code;

	/* Where the descriptors end is known when the first has been read. */
	if (length > CONTAINER_DIRECTORY_MOST)
		length = CONTAINER_DIRECTORY_MOST;
	container->compressed = true;
	container->marked = true;
	code = container_load(container->reader, 0, length, &d.bytes, error);
	if (!code)
		code = read_descriptors(&d);
	container_unload(&d.bytes);
	return code;
}

/* ---- digests ---- */

static int digest_piece(void *context, const uint8_t *bytes, size_t length)
{
	return EVP_DigestUpdate(context, bytes, length) == 1 ? 0 : -ENOMEM;
}

static int digest_zeros(EVP_MD_CTX *sum, uint64_t from, uint64_t to)
{
	static const uint8_t zeros[MFA2_DIGEST];

	return from < to ? digest_piece(sum, zeros, to - from) : 0;
}

/* Both digests count as zeros; the first stands before the second. */
static int digest(const struct container *container, uint64_t length, uint8_t *result,
		  struct image_error *error)
{
	const uint64_t holes[] = { container->file_digest, container->descriptor_digest };
	EVP_MD_CTX *sum = EVP_MD_CTX_new();
	uint64_t at = 0, end;
	size_t i;
	int code = 0;

	if (!sum || EVP_DigestInit_ex(sum, EVP_sha256(), NULL) != 1)
		code = -ENOMEM;
	for (i = 0; i < 2 && !code; i++) {
		if (!holes[i])
			continue;
		code = container_pieces(container->reader, at, holes[i] - at, digest_piece, sum, error);
		end = holes[i] + MFA2_DIGEST;
		if (!code)
			code = digest_zeros(sum, holes[i], end);
		at = end;
	}
	if (!code)
		code = container_pieces(container->reader, at, length - at, digest_piece, sum, error);
	if (!code && EVP_DigestFinal_ex(sum, result, NULL) != 1)
		code = -ENOMEM;
	EVP_MD_CTX_free(sum);
	return code == -ENOMEM ? container_no_memory(error) : code;
}

static void digest_text(char text[2 * MFA2_DIGEST + 1], const uint8_t *bytes)
{
	size_t i;

	for (i = 0; i < MFA2_DIGEST; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
}

static int check_digest(struct container *container, struct container_check *check, const char *name,
			uint64_t at, uint64_t length, struct image_error *error)
{
	struct image_part part = { .name = name, .length = length };
	char expected_text[2 * MFA2_DIGEST + 1], found_text[2 * MFA2_DIGEST + 1];
	uint8_t expected[MFA2_DIGEST], found[MFA2_DIGEST];
	int code;

	if (!at) {
		container_finding(check, IMAGE_UNUSUAL, name, 0, _("there is no SHA-256 of it"));
		return 0;
	}
	code = digest(container, length, expected, error);
	if (!code)
		code = container_read(container->reader, at, found, sizeof(found), error);
	if (code)
		return code;
	part.verdict = memcmp(expected, found, sizeof(found)) ? IMAGE_DAMAGED : IMAGE_GOOD;
	container_part(check, &part);
	if (part.verdict == IMAGE_GOOD)
		return 0;
	digest_text(expected_text, expected);
	digest_text(found_text, found);
	container_finding(check, IMAGE_DAMAGED, name, at, _("its SHA-256 is wrong: expected %s, found %s"),
			  expected_text, found_text);
	return 0;
}

static int check_stream(struct container *container, struct container_check *check, struct image_error *error)
{
	struct image_part part = { .name = "component block", .start = container->data_start,
				   .length = container->data_stored };
	uint64_t stream, unpacked;
	struct image_error why;
	int code = xz_measure(container->reader, container->data_start, container->data_stored, &stream,
			      &unpacked, &why);

	if (code && code != -EBADMSG) {
		if (error)
			*error = why;
		return code;
	}
	part.verdict = code || unpacked != container->data_size ? IMAGE_DAMAGED : IMAGE_GOOD;
	container_part(check, &part);
	if (code)
		container_finding(check, IMAGE_DAMAGED, part.name, why.where, "%s", why.text);
	else if (part.verdict != IMAGE_GOOD)
		container_finding(check, IMAGE_DAMAGED, part.name, container->data_start,
				  _("it unpacks to 0x%llx bytes, the package's descriptor says 0x%llx"),
				  (unsigned long long)unpacked, (unsigned long long)container->data_size);
	return 0;
}

int mfa2_verify(struct container *container, struct container_check *check, struct image_error *error)
{
	int code = check_digest(container, check, "descriptors", container->descriptor_digest,
				container->data_start, error);

	if (!code)
		code = check_digest(container, check, "MFA2 archive", container->file_digest,
				    container->length, error);
	if (!code)
		code = check_stream(container, check, error);
	return code;
}
