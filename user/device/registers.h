/* SPDX-License-Identifier: GPL-2.0-only */
/* What access registers say: pure functions from their bytes. Documentation/reference/device-access.md 4 */
#ifndef CXCTL_REGISTERS_H
#define CXCTL_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REGISTER_MGIR		0x9020
#define REGISTER_MNVDA		0x9024
#define REGISTER_MPIR		0x9059
#define REGISTER_MCQS		0x9060
#define REGISTER_MCQI		0x9061
#define REGISTER_MQIS		0x9064
#define REGISTER_MCAM		0x907f
#define REGISTER_MLOCK		0x402d

#define MGIR_BYTES		0xa0
#define MNVDA_BYTES		0x4c	/* header and 0x40 bytes of data */
#define MPIR_BYTES		0x10
#define MCQS_BYTES		0x10
#define MCQI_BYTES		0x94
#define MQIS_BYTES		0x18
#define MCAM_BYTES		0x48
#define MLOCK_BYTES		0x10

#define MGIR_ROMS		4

struct mgir {
	uint32_t pci_device, hw_id, hw_revision;
	uint32_t ports;
	uint32_t version[3];
	bool version_legacy;		/* the three bytes of old firmware: the extended triple was zero */
	uint64_t base_mac;		/* of manufacture; 0 when not told */
	uint32_t uptime;		/* seconds */
	uint32_t date;			/* 0xYYYYMMDD, packed BCD; 0 when not told */
	uint32_t build_id;
	char psid[17];
	bool secured, signed_firmware, debug, dev;
	uint32_t life_cycle;		/* 0 ... 31 */
	bool secure_boot, encrypted;
	struct {
		uint32_t type, cpu;	/* type 0: none */
		uint32_t version[3];
	} roms[MGIR_ROMS];
	char branch[29];
};

void mgir_decode(const uint8_t bytes[MGIR_BYTES], struct mgir *mgir);
/* "FlexBoot" prints as "PXE", as the vendor's tools do; NULL: unknown. */
const char *mgir_rom_name(uint32_t type);
const char *mgir_rom_cpu(uint32_t cpu);		/* NULL: not told */
/* "secure-fw, debug"; "N/A" */
void mgir_security_text(const struct mgir *mgir, char *text, size_t size);
const char *life_cycle_name(uint32_t life_cycle);	/* NULL: a value without a name */

struct mcqi_version {
	uint32_t version[3];
	uint32_t date, time;		/* packed BCD, 0xYYYYMMDD and 0xHHMMSS; 0 when not told */
	char text[93];			/* product version; may be empty */
};

void mcqi_request(uint8_t bytes[MCQI_BYTES], uint32_t component, uint32_t info_type, bool pending);
/* false: the answer is no VERSION. */
bool mcqi_version_decode(const uint8_t bytes[MCQI_BYTES], struct mcqi_version *version);
#define MCQI_CAPABILITIES	0
#define MCQI_VERSION		1

#define MCQS_BOOT_IMAGE		1	/* identifier of the whole firmware */
uint32_t mcqs_identifier(const uint8_t bytes[MCQS_BYTES]);
bool mcqs_last(const uint8_t bytes[MCQS_BYTES]);
uint32_t mcqs_update_state(const uint8_t bytes[MCQS_BYTES]);

void mnvda_request(uint8_t bytes[MNVDA_BYTES], uint32_t type);
uint32_t mnvda_length(const uint8_t bytes[MNVDA_BYTES]);

bool mcam_has(const uint8_t bytes[MCAM_BYTES], uint16_t id);	/* of group 0 */

uint32_t be32_at(const uint8_t *bytes, size_t offset);
void be32_put(uint8_t *bytes, size_t offset, uint32_t value);

#endif /* CXCTL_REGISTERS_H */
