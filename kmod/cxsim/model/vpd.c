// SPDX-License-Identifier: GPL-2.0-only
/* Vital product data as the cards of each generation carry it [10.3]. */
#include "card.h"

struct vpd {
	u8 *data;
	u32 at, room;
};

static void vpd_byte(struct vpd *vpd, u8 byte)
{
	if (vpd->at < vpd->room)
		vpd->data[vpd->at] = byte;
	vpd->at++;
}

static void vpd_tag(struct vpd *vpd, u8 tag, u32 length)
{
	vpd_byte(vpd, tag);
	vpd_byte(vpd, (u8)length);
	vpd_byte(vpd, (u8)(length >> 8));
}

/* width 0: as long as the text; a longer width is padded with pad */
static void vpd_field(struct vpd *vpd, const char *keyword, const char *text, u32 width, u8 pad)
{
	u32 length = (u32)strlen(text), i;

	if (!width)
		width = length;
	vpd_byte(vpd, (u8)keyword[0]);
	vpd_byte(vpd, (u8)keyword[1]);
	vpd_byte(vpd, (u8)width);
	for (i = 0; i < width; i++)
		vpd_byte(vpd, i < length ? (u8)text[i] : pad);
}

static void vpd_name(struct vpd *vpd, const char *name)
{
	u32 length = (u32)strlen(name), i;

	vpd_tag(vpd, 0x82, length);
	for (i = 0; i < length; i++)
		vpd_byte(vpd, (u8)name[i]);
}

/* The checksum: everything up to and with it sums to zero. */
static void vpd_checksum(struct vpd *vpd)
{
	u8 sum = 0;
	u32 i;

	vpd_byte(vpd, 'R');
	vpd_byte(vpd, 'V');
	vpd_byte(vpd, 1);
	for (i = 0; i < vpd->at; i++)
		sum += vpd->data[i];
	vpd_byte(vpd, (u8)-sum);
}

static void vpd_serial(const struct cxsim_card *card, char *serial, size_t room)
{
	u64 random = cxsim_derive(card->parameters.seed, 2);

	scnprintf(serial, room, "MT%02u%02uX%05u", 12 + (unsigned int)(random & 7),
		  1 + (unsigned int)(random >> 8 & 31), (unsigned int)(random >> 16 & 0xffff));
}

static void vpd_uuid(const struct cxsim_card *card, char *uuid, size_t room)
{
	u64 high = cxsim_derive(card->parameters.seed, 3), low = cxsim_derive(card->parameters.seed, 4);

	scnprintf(uuid, room, "%08x%08x%08x%08x", (unsigned int)(high >> 32), (unsigned int)high,
		  (unsigned int)(low >> 32), (unsigned int)low);
}

static void vpd_old_read_only(struct vpd *vpd, const struct cxsim_model *model, const char *serial)
{
	vpd_tag(vpd, 0x90, 79);
	vpd_field(vpd, "PN", model->part_number, 21, ' ');
	vpd_field(vpd, "EC", model->engineering, 2, ' ');
	vpd_field(vpd, "SN", serial, 24, ' ');
	vpd_field(vpd, "V0", model->pcie_text, 16, ' ');
	vpd_checksum(vpd);
}

/* Up to the end of the resource, whose length is what remains before end. */
static void vpd_old_read_write(struct vpd *vpd, u32 end, u32 asset)
{
	u32 rest, n;

	vpd_tag(vpd, 0x91, end - vpd->at - 3);
	vpd_field(vpd, "V1", "N/A", 6, ' ');
	vpd_field(vpd, "YA", "N/A", asset, ' ');
	/* A short one first, then full ones, then one that is a byte shorter. */
	while (vpd->at < end) {
		rest = end - vpd->at;
		n = rest <= 256 ? rest : (rest - 255) % 256;
		vpd_field(vpd, "RW", "", (n ? n : 256) - 3, 0);
	}
}

static void vpd_new(struct vpd *vpd, const struct cxsim_card *card, const char *serial)
{
	const struct cxsim_model *model = card->model;
	u32 start = vpd->at, length;
	char uuid[33], vendor[80];

	vpd_uuid(card, uuid, sizeof(uuid));
	scnprintf(vendor, sizeof(vendor), "MLX:MODL=%.6s:MN=MLNX:CSKU=V2:UUID=V3:PCI=V0", model->part_number + 1);
	vpd_tag(vpd, 0x90, 0);
	vpd_field(vpd, "PN", model->part_number, 0, 0);
	vpd_field(vpd, "EC", model->engineering, 0, 0);
	vpd_field(vpd, "V2", model->part_number, 0, 0);
	vpd_field(vpd, "SN", serial, 0, 0);
	vpd_field(vpd, "V3", uuid, 0, 0);
	vpd_field(vpd, "VA", vendor, 0, 0);
	vpd_field(vpd, "V0", model->pcie_text, 0, 0);
	/* The length is part of what the checksum covers. */
	length = vpd->at + 4 - start - 3;
	vpd->data[start + 1] = (u8)length;
	vpd->data[start + 2] = (u8)(length >> 8);
	vpd_checksum(vpd);
}

void cxsim_vpd_build(struct cxsim_card *card)
{
	const struct cxsim_model *model = card->model;
	struct vpd vpd = { .data = card->vpd, .room = sizeof(card->vpd) };
	char serial[25];

	memset(card->vpd, 0, sizeof(card->vpd));
	vpd_serial(card, serial, sizeof(serial));
	vpd_name(&vpd, model->board);
	if (model->family == CXSIM_MLX5) {
		vpd_new(&vpd, card, serial);
	} else {
		vpd_old_read_only(&vpd, model, serial);
		if (model->hw_id == 0x190)
			vpd_old_read_write(&vpd, 255, 32);
		else
			vpd_old_read_write(&vpd, 4095, 24);
	}
	vpd_byte(&vpd, 0x78);
	card->vpd_length = vpd.at;
}
