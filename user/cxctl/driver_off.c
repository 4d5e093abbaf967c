// SPDX-License-Identifier: GPL-2.0-only
#include "driver_off.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "../base/message.h"
#include "../host/procfs.h"
#include "journal.h"

#define LONGEST	4096	/* bytes of a file that is believed */

bool driver_off_ours(const char *driver)
{
	return !strcmp(driver, "mlx4_core") || !strcmp(driver, "mlx5_core");
}

/* The functions of a slot share the file. */
static void file_name(const char *card, char *name, size_t room)
{
	snprintf(name, room, "%.*s.0.json", (int)strcspn(card, "."), card);
}

static struct json_object *to_json(const struct pci_function *functions, size_t count)
{
	struct json_object *object = json_object_new_object(), *drivers = json_object_new_object();
	char boot[40];
	size_t i;

	boot_id(boot, sizeof(boot));
	json_object_object_add(object, "boot_id", json_object_new_string(boot));
	for (i = 0; i < count; i++)
		if (driver_off_ours(functions[i].driver))
			json_object_object_add(drivers, functions[i].address,
					       json_object_new_string(functions[i].driver));
	json_object_object_add(object, "drivers", drivers);
	return object;
}

static int write_whole(int fd, const char *text)
{
	size_t length = strlen(text);

	errno = ENOSPC;
	return ftruncate(fd, 0) || pwrite(fd, text, length, 0) != (ssize_t)length || fsync(fd) ? -1 : 0;
}

static int cannot(const char *path, struct cxctl_error *error)
{
	int number = errno;

	error_set(error, number == EACCES || number == EPERM ? CXCTL_NO_ACCESS : CXCTL_FAILED, "state",
		  _("cannot write %s: %s"), path, strerror(number));
	error_next(error, _("make the directory writable, or name another with XDG_STATE_HOME"));
	return -1;
}

static int restarting(const char *card, struct cxctl_error *error)
{
	error_set(error, CXCTL_REFUSED, "restarting", _("%s: another cxctl activate restarts this card"), card);
	error_next(error, _("wait until it has ended"));
	return -1;
}

int driver_off_begin(const char *card, const struct pci_function *functions, size_t count,
		     struct cxctl_error *error)
{
	struct json_object *object;
	char path[PATH_MAX], name[32];
	int fd, result;

	file_name(card, name, sizeof(name));
	if (state_path("restart", name, path, sizeof(path), error))
		return -1;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return cannot(path, error);
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		result = errno == EWOULDBLOCK ? restarting(card, error) : cannot(path, error);
		close(fd);
		return result;
	}
	object = to_json(functions, count);
	result = write_whole(fd, json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN));
	json_object_put(object);
	if (!result)
		return fd;
	cannot(path, error);
	unlink(path);
	close(fd);
	return -1;
}

void driver_off_forget(const char *card)
{
	char path[PATH_MAX], name[32];

	file_name(card, name, sizeof(name));
	if (!state_name("restart", name, path, sizeof(path)))
		unlink(path);
}

void driver_off_end(const char *card, int lock, bool every)
{
	if (every)
		driver_off_forget(card);
	close(lock);
}

/* NULL: there is none, or its program lives, or it is of an earlier boot, in which drivers came by themselves. */
static struct json_object *read_file(const char *card)
{
	char path[PATH_MAX], name[32], text[LONGEST], boot[40];
	struct json_object *object, *of_boot;
	ssize_t length;
	bool lives;
	int fd;

	file_name(card, name, sizeof(name));
	fd = state_name("restart", name, path, sizeof(path)) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	lives = flock(fd, LOCK_SH | LOCK_NB);
	length = lives ? -1 : read(fd, text, sizeof(text) - 1);
	close(fd);
	if (length <= 0)
		return NULL;
	text[length] = '\0';
	object = json_tokener_parse(text);
	boot_id(boot, sizeof(boot));
	if (json_object_is_type(object, json_type_object) && *boot &&
	    json_object_object_get_ex(object, "boot_id", &of_boot) &&
	    json_object_is_type(of_boot, json_type_string) && !strcmp(json_object_get_string(of_boot), boot))
		return object;
	json_object_put(object);
	return NULL;
}

/* A file is not believed more than sysfs: the function is of this slot, is there, and has no driver. */
static bool is_left(const char *card, const char *address, struct json_object *driver)
{
	size_t slot = strcspn(card, ".");
	struct pci_function function;

	return json_object_is_type(driver, json_type_string) && driver_off_ours(json_object_get_string(driver)) &&
	       strlen(address) == slot + 2 && !strncmp(card, address, slot + 1) &&
	       !pci_read(address, &function) && !*function.driver;
}

size_t driver_off_left(const char *card, struct driver_off left[DRIVER_OFF_MOST])
{
	struct json_object *object = read_file(card), *drivers;
	size_t count = 0;

	if (json_object_object_get_ex(object, "drivers", &drivers) &&
	    json_object_is_type(drivers, json_type_object)) {
		json_object_object_foreach(drivers, address, driver) {
			if (count == DRIVER_OFF_MOST || !is_left(card, address, driver))
				continue;
			snprintf(left[count].address, sizeof(left[count].address), "%s", address);
			snprintf(left[count].driver, sizeof(left[count].driver), "%s", json_object_get_string(driver));
			count++;
		}
	}
	json_object_put(object);
	return count;
}
