// SPDX-License-Identifier: GPL-2.0-only
#include "registers.h"

#include <stdio.h>
#include <string.h>

uint32_t be32_at(const uint8_t *bytes, size_t offset)
{
	return (uint32_t)bytes[offset] << 24 | (uint32_t)bytes[offset + 1] << 16 |
	       (uint32_t)bytes[offset + 2] << 8 | bytes[offset + 3];
}

void be32_put(uint8_t *bytes, size_t offset, uint32_t value)
{
	bytes[offset] = value >> 24;
	bytes[offset + 1] = value >> 16;
	bytes[offset + 2] = value >> 8;
	bytes[offset + 3] = value;
}

/* A fixed field of text: ends at NUL or at its end. */
static void take_text(char *text, const uint8_t *bytes, size_t length)
{
	size_t used = strnlen((const char *)bytes, length);

	memcpy(text, bytes, used);
	text[used] = '\0';
}

static void take_versions(const uint8_t *bytes, struct mgir *mgir)
{
	uint32_t legacy = be32_at(bytes, 0x20);
	int i;

	for (i = 0; i < 3; i++)
		mgir->version[i] = be32_at(bytes, 0x44 + 4 * i);
	if (mgir->version[0] || mgir->version[1] || mgir->version[2])
		return;
	mgir->version_legacy = true;
	mgir->version[0] = legacy >> 16 & 0xff;
	mgir->version[1] = legacy >> 8 & 0xff;
	mgir->version[2] = legacy & 0xff;
}

/* Day, month, year as they stand there, to 0xYYYYMMDD. */
static uint32_t take_date(uint32_t word)
{
	return (word & 0xffff) << 16 | word >> 24 << 8 | (word >> 16 & 0xff);
}

static void take_roms(const uint8_t *bytes, struct mgir *mgir)
{
	uint32_t kinds = be32_at(bytes, 0x64);
	int i;

	for (i = 0; i < MGIR_ROMS; i++) {
		uint32_t word = be32_at(bytes, 0x68 + 4 * i);

		mgir->roms[i].type = kinds >> (24 - 8 * i) & 0xf;
		mgir->roms[i].cpu = kinds >> (28 - 8 * i) & 0xf;
		mgir->roms[i].version[0] = word >> 24;
		mgir->roms[i].version[1] = word >> 16 & 0xff;
		mgir->roms[i].version[2] = word & 0xffff;
	}
}

void mgir_decode(const uint8_t bytes[MGIR_BYTES], struct mgir *mgir)
{
	uint32_t flags = be32_at(bytes, 0x20), cycle = be32_at(bytes, 0x54);

	memset(mgir, 0, sizeof(*mgir));
	mgir->pci_device = be32_at(bytes, 0x00) & 0xffff;
	mgir->hw_revision = be32_at(bytes, 0x00) >> 16;
	mgir->ports = be32_at(bytes, 0x04) >> 16 & 0xfff;
	mgir->hw_id = be32_at(bytes, 0x08) & 0xffff;
	mgir->base_mac = (uint64_t)(be32_at(bytes, 0x10) & 0xffff) << 32 | be32_at(bytes, 0x14);
	mgir->uptime = be32_at(bytes, 0x1c);
	mgir->build_id = be32_at(bytes, 0x24);
	mgir->date = be32_at(bytes, 0x28) ? take_date(be32_at(bytes, 0x28)) : 0;
	take_text(mgir->psid, bytes + 0x30, 16);
	take_text(mgir->branch, bytes + 0x80, 28);
	take_versions(bytes, mgir);
	take_roms(bytes, mgir);
	mgir->secured = flags >> 24 & 1;
	mgir->signed_firmware = flags >> 25 & 1;
	mgir->debug = flags >> 26 & 1;
	mgir->dev = flags >> 27 & 1;
	mgir->life_cycle = (cycle & 3) | (cycle >> 4 & 7) << 2;
	mgir->secure_boot = cycle >> 2 & 1;
	mgir->encrypted = cycle >> 3 & 1;
}

const char *mgir_rom_name(uint32_t type)
{
	static const char *const names[] = {
		[1] = "PXE",
		[2] = "UEFI",
		[3] = "CLP",
		[4] = "NVMe",
		[5] = "FCODE",
		[6] = "UEFI Virtio net",
		[7] = "UEFI Virtio blk",
		[8] = "PXE Virtio net",
	};

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : NULL;
}

const char *mgir_rom_cpu(uint32_t cpu)
{
	static const char *const names[] = { NULL, "AMD64", "AARCH64", "AMD64,AARCH64", "IA32" };

	return cpu < sizeof(names) / sizeof(names[0]) ? names[cpu] : NULL;
}

void mgir_security_text(const struct mgir *mgir, char *text, size_t size)
{
	if (!mgir->secured && !mgir->signed_firmware && !mgir->debug && !mgir->dev) {
		snprintf(text, size, "N/A");
		return;
	}
	snprintf(text, size, "%s%s%s", mgir->secured ? "secure-fw" : mgir->signed_firmware ? "signed-fw" : "",
		 mgir->debug ? mgir->secured || mgir->signed_firmware ? ", debug" : "debug" : "",
		 mgir->dev ? mgir->secured || mgir->signed_firmware || mgir->debug ? ", dev" : "dev" : "");
}

const char *life_cycle_name(uint32_t life_cycle)
{
	/* Only the first was seen on a real card. */
	static const char *const names[] = { "production", "GA secured", "GA non-secured", "RMA", "pre-production" };

	return life_cycle < sizeof(names) / sizeof(names[0]) ? names[life_cycle] : NULL;
}

void mcqi_request(uint8_t bytes[MCQI_BYTES], uint32_t component, uint32_t info_type, bool pending)
{
	memset(bytes, 0, MCQI_BYTES);
	be32_put(bytes, 0x00, (component & 0xffff) | (pending ? 1U << 31 : 0));
	be32_put(bytes, 0x08, info_type);
	be32_put(bytes, 0x14, 0x7c);
}

bool mcqi_version_decode(const uint8_t bytes[MCQI_BYTES], struct mcqi_version *version)
{
	const uint8_t *data = bytes + 0x18;
	uint32_t flags = be32_at(data, 0x00), number = be32_at(data, 0x04);
	size_t length = flags & 0xff;

	memset(version, 0, sizeof(*version));
	if ((be32_at(bytes, 0x08) & 0x1f) != MCQI_VERSION || (be32_at(bytes, 0x14) & 0xffff) < 0x20)
		return false;
	version->version[0] = number >> 24;
	version->version[1] = number >> 16 & 0xff;
	version->version[2] = number & 0xffff;
	if (flags >> 29 & 1) {
		uint32_t time = be32_at(data, 0x08), date = be32_at(data, 0x0c);

		version->time = (time >> 8 & 0xff) << 16 | (time >> 16 & 0xff) << 8 | time >> 24;
		version->date = date;
	}
	if (length > sizeof(version->text) - 1)
		length = sizeof(version->text) - 1;
	take_text(version->text, data + 0x20, length);
	return true;
}

uint32_t mcqs_identifier(const uint8_t bytes[MCQS_BYTES])
{
	return be32_at(bytes, 0x04) & 0xffff;
}

bool mcqs_last(const uint8_t bytes[MCQS_BYTES])
{
	return be32_at(bytes, 0x00) >> 31;
}

uint32_t mcqs_update_state(const uint8_t bytes[MCQS_BYTES])
{
	return be32_at(bytes, 0x08) & 0xf;
}

void mnvda_request(uint8_t bytes[MNVDA_BYTES], uint32_t type)
{
	memset(bytes, 0, MNVDA_BYTES);
	be32_put(bytes, 0x00, MNVDA_BYTES - 0x0c);
	be32_put(bytes, 0x04, type);
}

uint32_t mnvda_length(const uint8_t bytes[MNVDA_BYTES])
{
	return be32_at(bytes, 0x00) & 0x1ff;
}

/* Four mask dwords in descending order: 0x9060 ... 0x907f stand in the first. */
bool mcam_has(const uint8_t bytes[MCAM_BYTES], uint16_t id)
{
	uint32_t bit = id - 0x9000;

	if (bit > 0x7f)
		return false;
	return be32_at(bytes, 0x08 + 4 * (3 - bit / 32)) >> (bit % 32) & 1;
}
