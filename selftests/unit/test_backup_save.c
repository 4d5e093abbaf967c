// SPDX-License-Identifier: GPL-2.0-only
/* Saving a closed card: a firmware that changes its mind about sizes, and two programs that save to one name. */
#include <sys/wait.h>

#include "../../user/cxctl/backup_save.c"
#include "../lib/ktap.h"

static char home[] = "/tmp/cxctl-backup-XXXXXX";
static char file[sizeof(home) + 16];
static uint32_t first_total, next_total;	/* what the firmware says with its first answer, and then */
static void (*meanwhile)(void);			/* called once while the card is read */

/* ---- the other floors ---- */

const struct cxctl_card_facts *card_facts(const struct cxctl_card *card)
{
	static const struct cxctl_card_facts facts = { .valid = true };

	return &facts;
}

const char *card_address(const struct cxctl_card *card)
{
	return "0000:03:00.0";
}

int card_no_flash(struct cxctl_card *card, const struct cxfw_card_info *info, struct cxctl_error *error)
{
	return error_set(error, CXCTL_CARD_ERROR, "no-flash", "closed");
}

int card_read(struct cxctl_card *card, uint64_t offset, void *buffer, size_t length, struct cxctl_error *error)
{
	return error_set(error, CXCTL_CARD_ERROR, "no-flash", "closed");
}

int card_register(struct cxctl_card *card, uint16_t id, void *data, size_t length, uint32_t *status,
		  struct cxctl_error *error)
{
	*status = 0;
	return error_set(error, CXCTL_CARD_ERROR, "no-register", "none");
}

int card_component_read(struct cxctl_card *card, uint32_t component, bool pending, uint32_t offset, void *buffer,
			uint32_t length, uint32_t *got, uint32_t *total, struct cxctl_error *error)
{
	void (*now)(void) = meanwhile;

	meanwhile = NULL;
	if (now)
		now();
	/* As the driver does it: never more than there was room for. */
	memset(buffer, 0x5a, length);
	*got = length;
	*total = offset ? next_total : first_total;
	return 0;
}

void backup_identify(struct cxctl_card *card, const struct cxfw_card_info *info, struct flash_reader *flash,
		     struct backup_identity *identity, uint8_t *vpd, int *vpd_length)
{
	memset(identity, 0, sizeof(*identity));
	*vpd_length = 0;
}

void backup_identify_image(const struct image_reader *flash, struct backup_identity *identity)
{
}

char *backup_describe(const char *address, const struct backup_result *result, uint64_t seconds)
{
	return strdup("{}");
}

int flash_reader_open(struct flash_reader *flash, struct cxctl_card *card, uint64_t size)
{
	return -1;
}

void flash_reader_close(struct flash_reader *flash)
{
}

int state_path(const char *below, const char *name, char *path, size_t room, struct cxctl_error *error)
{
	return error_set(error, CXCTL_FAILED, "state", "not here");
}

/* ---- */

static int save_closed(struct backup_result *result, struct cxctl_error *error)
{
	const struct cxfw_card_info info = {
		.capabilities = CXFW_CAP_COMPONENT | CXFW_CAP_COMPONENT_READ,
		.family = CXFW_FAMILY_MLX5, .state = CXFW_STATE_RUNNING,
	};
	const struct backup_request request = { .file = file };
	const struct options options = { .quiet = true };

	memset(error, 0, sizeof(*error));
	return backup_save((struct cxctl_card *)home, &info, NULL, &options, &request, result, error);
}

/* As long as the first answer says, whatever comes later; a size that none has is none. */
static void a_size_that_changes_writes_over_nothing(void)
{
	struct backup_result result;
	struct cxctl_error error;

	unlink(file);
	first_total = 100000;
	next_total = COMPONENT_MOST;
	CHECK_EQ(save_closed(&result, &error), 0);
	CHECK_EQ(result.component_bytes, 100000);
	unlink(file);
	first_total = next_total = 100002;
	CHECK_EQ(save_closed(&result, &error), 0);
	CHECK_EQ(result.component_bytes, 0);
	CHECK(strstr(result.missing, "firmware"));
}

static bool is_whole(const char *path)
{
	static uint8_t bytes[1 << 20];
	struct archive_member member = { .name = "" };
	FILE *stream = fopen(path, "r");
	size_t length, offset = 0;
	int more = 0;

	if (!stream)
		return false;
	length = fread(bytes, 1, sizeof(bytes), stream);
	fclose(stream);
	while (length && (more = archive_next(bytes, length, &offset, &member)) > 0)
		;
	return !more && !strcmp(member.name, "SHA256SUMS");
}

static int begun[2], go_on[2];
static pid_t other;

/* In the other program, in the middle of its backup. */
static void hold(void)
{
	char byte = 0;

	if (write(begun[1], &byte, 1) != 1 || read(go_on[0], &byte, 1) != 1)
		_exit(9);
}

static void begin_another(void)
{
	struct backup_result result;
	struct cxctl_error error;
	char byte;

	other = fork();
	if (!other) {
		meanwhile = hold;
		_exit(save_closed(&result, &error) ? 1 : 0);
	}
	CHECK_EQ(read(begun[0], &byte, 1), 1);
}

static void of_two_at_once_one_is_whole_and_one_is_told(void)
{
	struct backup_result result;
	struct cxctl_error error;
	int status = 0;

	unlink(file);
	first_total = next_total = 4096;
	REQUIRE(!pipe(begun) && !pipe(go_on));
	meanwhile = begin_another;
	CHECK_EQ(save_closed(&result, &error), 0);
	/* The other one still is in the middle of it. */
	CHECK(is_whole(file));
	CHECK_EQ(write(go_on[1], "", 1), 1);
	waitpid(other, &status, 0);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
	CHECK(is_whole(file));
}

int main(int argc, char **argv)
{
	static const struct ktap_test tests[] = {
		KTAP_TEST(a_size_that_changes_writes_over_nothing),
		KTAP_TEST(of_two_at_once_one_is_whole_and_one_is_told),
	};
	int result;

	if (!mkdtemp(home))
		return 1;
	snprintf(file, sizeof(file), "%s/card.tar", home);
	result = ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
	unlink(file);
	rmdir(home);
	return result;
}
