// SPDX-License-Identifier: GPL-2.0-only
/* backup.json: the description of a card and of what was saved, and how it is read back. */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../base/hexadecimal.h"
#include "backup.h"

#define FORMAT		"cxctl-backup"
#define FORMAT_VERSION	1

static void put_text(struct json_object *object, const char *key, const char *text)
{
	char *clean = text && *text ? text_utf8(text, strlen(text)) : NULL;

	json_object_object_add(object, key, clean ? json_object_new_string(clean) : NULL);
	free(clean);
}

static void put_id(struct json_object *object, const char *key, bool known, int digits, uint64_t id)
{
	char text[32];

	snprintf(text, sizeof(text), "%0*" PRIx64, digits, id);
	put_text(object, key, known ? text : NULL);
}

static void put_card(struct json_object *card, const char *address, const struct backup_identity *identity)
{
	put_text(card, "address", address);
	put_id(card, "hw_id", true, 4, identity->hw_id);
	put_id(card, "hw_revision", true, 2, identity->hw_revision);
	put_text(card, "psid", identity->psid);
	put_id(card, "guid", identity->has_guid, 16, identity->guid);
	put_id(card, "mac", identity->has_mac, 12, identity->mac);
	put_text(card, "serial", identity->serial);
	put_text(card, "part_number", identity->part);
	put_text(card, "running_version", identity->running);
	put_text(card, "stored_version", identity->stored);
	json_object_object_add(card, "flash_size", json_object_new_int64(identity->flash_size));
	put_id(card, "flash_jedec", identity->flash_jedec, 6, identity->flash_jedec);
}

char *backup_describe(const char *address, const struct backup_result *result, uint64_t seconds)
{
	struct json_object *object = json_object_new_object(), *card = json_object_new_object();
	time_t when = seconds;
	char text[32], *copy;
	struct tm utc;

	gmtime_r(&when, &utc);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
	put_text(object, "format", FORMAT);
	json_object_object_add(object, "version", json_object_new_int(FORMAT_VERSION));
	put_text(object, "time", text);
	put_text(object, "cxctl_version", CXCTL_VERSION);
	put_card(card, address, &result->identity);
	json_object_object_add(object, "card", card);
	put_text(object, "missing", result->missing);
	copy = strdup(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY |
						     JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
	return copy;
}

static const char *get_text(struct json_object *object, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, key, &value) || !json_object_is_type(value, json_type_string))
		return "";
	return json_object_get_string(value);
}

static void copy_text(char *to, size_t room, struct json_object *object, const char *key)
{
	snprintf(to, room, "%s", get_text(object, key));
}

/* False also for text that is no such number. */
static bool get_id(struct json_object *object, const char *key, unsigned int bits, uint64_t *value)
{
	const char *text = get_text(object, key), *end = hexadecimal_parse(text, bits, value);

	return end && !*end;
}

static int64_t get_number(struct json_object *object, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, key, &value) || !json_object_is_type(value, json_type_int))
		return -1;
	return json_object_get_int64(value);
}

static int read_card(struct json_object *card, struct backup_identity *identity)
{
	int64_t size = get_number(card, "flash_size");
	uint64_t id, revision, jedec = 0;

	if (!get_id(card, "hw_id", 16, &id) || !get_id(card, "hw_revision", 8, &revision) || size < 0 ||
	    size > UINT32_MAX)
		return -1;
	identity->hw_id = id;
	identity->hw_revision = revision;
	identity->flash_size = size;
	identity->flash_jedec = get_id(card, "flash_jedec", 24, &jedec) ? jedec : 0;
	copy_text(identity->psid, sizeof(identity->psid), card, "psid");
	copy_text(identity->serial, sizeof(identity->serial), card, "serial");
	copy_text(identity->part, sizeof(identity->part), card, "part_number");
	copy_text(identity->running, sizeof(identity->running), card, "running_version");
	copy_text(identity->stored, sizeof(identity->stored), card, "stored_version");
	identity->has_guid = get_id(card, "guid", 64, &identity->guid);
	identity->has_mac = get_id(card, "mac", 48, &identity->mac);
	return 0;
}

int backup_describe_read(const uint8_t *text, size_t length, struct backup_file *backup)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *object = NULL, *card;
	int result = -1;

	if (tokener && length <= INT_MAX)
		object = json_tokener_parse_ex(tokener, (const char *)text, length);
	if (object && json_object_is_type(object, json_type_object) &&
	    !strcmp(get_text(object, "format"), FORMAT) && get_number(object, "version") == FORMAT_VERSION &&
	    json_object_object_get_ex(object, "card", &card) && json_object_is_type(card, json_type_object)) {
		copy_text(backup->time, sizeof(backup->time), object, "time");
		result = read_card(card, &backup->identity);
	}
	json_object_put(object);
	if (tokener)
		json_tokener_free(tokener);
	return result;
}
