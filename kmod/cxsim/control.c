// SPDX-License-Identifier: GPL-2.0-only
/* The controls in debugfs; Documentation/cxsim.rst describes them. */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "cxsim.h"

#define TEXT_ROOM	1024	/* longest line that a control takes */
#define DELAY_MAX	60000	/* milliseconds until the system notices a pulled card */

static struct dentry *top;

static DEFINE_MUTEX(last_lock);
static unsigned int last_number;	/* the card made last */
static bool last_exists;
static char last_error[CXSIM_WHY];

/* One line from user space, without the white space around it. */
static char *take_line(const char __user *from, size_t count)
{
	char *text, *line;

	if (count >= TEXT_ROOM)
		return ERR_PTR(-E2BIG);
	text = memdup_user_nul(from, count);
	if (IS_ERR(text))
		return text;
	line = strim(text);
	memmove(text, line, strlen(line) + 1);
	return text;
}

/* create, cards, error */

static int create_card(char *line)
{
	struct cxsim_wanted wanted;
	struct cxsim_slot *slot;
	char why[CXSIM_WHY] = "";
	int ret;

	ret = cxsim_parameters_parse(line, &wanted, why);
	slot = ret ? ERR_PTR(ret) : cxsim_slot_create(&wanted, why);
	mutex_lock(&last_lock);
	last_exists = !IS_ERR(slot);
	if (last_exists)
		last_number = slot->number;
	strscpy(last_error, why, sizeof(last_error));
	mutex_unlock(&last_lock);
	if (*why)
		pr_info("cxsim: no card: %s\n", why);
	return PTR_ERR_OR_ZERO(slot);
}

static ssize_t create_write(struct file *file, const char __user *from, size_t count, loff_t *position)
{
	char *line = take_line(from, count);
	int ret;

	if (IS_ERR(line))
		return PTR_ERR(line);
	ret = create_card(line);
	kfree(line);
	return ret ? ret : count;
}

static int create_show(struct seq_file *out, void *unused)
{
	mutex_lock(&last_lock);
	if (last_exists)
		seq_printf(out, "%u\n", last_number);
	mutex_unlock(&last_lock);
	return 0;
}

static int create_open(struct inode *inode, struct file *file)
{
	return single_open(file, create_show, NULL);
}

static const struct file_operations create_fops = {
	.owner = THIS_MODULE,
	.open = create_open,
	.read = seq_read,
	.write = create_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int cards_show(struct seq_file *out, void *unused)
{
	struct cxsim_slot *slot;

	mutex_lock(&cxsim_slots_lock);
	list_for_each_entry(slot, &cxsim_slots, list)
		seq_printf(out, "%u %04x:%02x:00.0\n", slot->number, cxsim_slot_domain(slot),
			   cxsim_slot_bus(slot));
	mutex_unlock(&cxsim_slots_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(cards);

static int error_show(struct seq_file *out, void *unused)
{
	mutex_lock(&last_lock);
	if (*last_error)
		seq_printf(out, "%s\n", last_error);
	mutex_unlock(&last_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(error);

/* facts of one card */

static int address_show(struct seq_file *out, void *unused)
{
	const struct cxsim_slot *slot = out->private;

	seq_printf(out, "%04x:%02x:00.0\n", cxsim_slot_domain(slot), cxsim_slot_bus(slot));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(address);

static int booted_show(struct seq_file *out, void *unused)
{
	struct cxsim_slot *slot = out->private;
	struct cxsim_boot boot;
	unsigned long flags;
	unsigned int i;

	mutex_lock(&slot->lock);
	raw_spin_lock_irqsave(&slot->owner->access, flags);
	boot = *cxsim_booted(slot->card);
	raw_spin_unlock_irqrestore(&slot->owner->access, flags);
	mutex_unlock(&slot->lock);

	seq_printf(out, "recovery=%u\nwhole=%u\naddress=0x%x\n", boot.recovery, boot.whole, boot.address);
	seq_printf(out, "version=%u.%u.%u\n", boot.version[0], boot.version[1], boot.version[2]);
	seq_printf(out, "psid=%.16s\n", boot.psid);
	for (i = 0; i < ARRAY_SIZE(boot.guid); i++)
		seq_printf(out, "guid%u=0x%016llx\n", i, boot.guid[i]);
	for (i = 0; i < ARRAY_SIZE(boot.mac); i++)
		seq_printf(out, "mac%u=0x%012llx\n", i, boot.mac[i]);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(booted);

/* commands to one card */

static ssize_t power_write(struct file *file, const char __user *from, size_t count, loff_t *position)
{
	int ret = cxsim_slot_power(file->private_data);

	return ret ? ret : count;
}

static ssize_t plug_write(struct file *file, const char __user *from, size_t count, loff_t *position)
{
	int ret = cxsim_slot_plug(file->private_data);

	return ret ? ret : count;
}

static ssize_t unplug_write(struct file *file, const char __user *from, size_t count, loff_t *position)
{
	unsigned int milliseconds;
	int ret;

	ret = kstrtouint_from_user(from, count, 0, &milliseconds);
	if (!ret && milliseconds > DELAY_MAX)
		ret = -ERANGE;
	if (!ret)
		ret = cxsim_slot_unplug(file->private_data, milliseconds);
	return ret ? ret : count;
}

static const char *const reset_names[] = {
	[CXSIM_RESET_POWER] = "power",
	[CXSIM_RESET_CHIP] = "chip",
	[CXSIM_RESET_FUNCTION] = "function",
};

static ssize_t reset_write(struct file *file, const char __user *from, size_t count, loff_t *position)
{
	char *line = take_line(from, count);
	int kind;
	int ret;

	if (IS_ERR(line))
		return PTR_ERR(line);
	kind = match_string(reset_names, ARRAY_SIZE(reset_names), line);
	kfree(line);
	ret = kind < 0 ? kind : cxsim_slot_reset(file->private_data, kind);
	return ret ? ret : count;
}

#define COMMAND(name)							\
static const struct file_operations name##_fops = {			\
	.owner = THIS_MODULE,						\
	.open = simple_open,						\
	.write = name##_write,						\
}

COMMAND(power);
COMMAND(plug);
COMMAND(unplug);
COMMAND(reset);

/*
 * The file removes its own directory, and that waits for the users of all files in it
 * except those made "unsafe". So this one must not touch the slot but by its number.
 */
static ssize_t remove_write(struct file *file, const char __user *from, size_t count, loff_t *position)
{
	int ret = cxsim_slot_remove((unsigned long)file->private_data);

	return ret ? ret : count;
}

COMMAND(remove);

/* flash: the cells, as a programmer reads and writes them */

static void copy_cells(struct cxsim_slot *slot, void *to, const void *from, size_t bytes)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&slot->owner->access, flags);
	memcpy(to, from, bytes);
	raw_spin_unlock_irqrestore(&slot->owner->access, flags);
}

static u8 *cells(struct cxsim_slot *slot, loff_t position, u32 *left)
{
	u32 size;
	u8 *first = cxsim_flash(slot->card, &size);

	*left = position < size ? size - position : 0;
	return first + position;
}

static ssize_t flash_read(struct file *file, char __user *to, size_t count, loff_t *position)
{
	struct cxsim_slot *slot = file->private_data;
	size_t bytes;
	u32 left;
	u8 *from = cells(slot, *position, &left);
	void *page;

	bytes = min_t(size_t, min_t(size_t, count, left), PAGE_SIZE);
	if (!bytes)
		return 0;
	page = kmalloc(PAGE_SIZE, GFP_KERNEL);
	if (!page)
		return -ENOMEM;
	copy_cells(slot, page, from, bytes);
	left = copy_to_user(to, page, bytes);
	kfree(page);
	if (left)
		return -EFAULT;
	*position += bytes;
	return bytes;
}

static ssize_t flash_write(struct file *file, const char __user *from, size_t count, loff_t *position)
{
	struct cxsim_slot *slot = file->private_data;
	size_t bytes;
	u32 left;
	u8 *to = cells(slot, *position, &left);
	void *page;

	if (!count)
		return 0;
	if (!left)
		return -ENOSPC;
	bytes = min_t(size_t, min_t(size_t, count, left), PAGE_SIZE);
	page = memdup_user(from, bytes);
	if (IS_ERR(page))
		return PTR_ERR(page);
	copy_cells(slot, to, page, bytes);
	kfree(page);
	*position += bytes;
	return bytes;
}

static loff_t flash_llseek(struct file *file, loff_t offset, int whence)
{
	struct cxsim_slot *slot = file->private_data;
	u32 size;

	cxsim_flash(slot->card, &size);
	return fixed_size_llseek(file, offset, whence, size);
}

static const struct file_operations flash_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = flash_read,
	.write = flash_write,
	.llseek = flash_llseek,
};

/* settings/NAME, counters/NAME, counters/clear */

static int setting_get(void *data, u64 *number)
{
	struct cxsim_value *value = data;
	unsigned long flags;

	raw_spin_lock_irqsave(&value->slot->owner->access, flags);
	*number = cxsim_get(value->slot->card, value->index);
	raw_spin_unlock_irqrestore(&value->slot->owner->access, flags);
	return 0;
}

static int setting_set(void *data, u64 number)
{
	struct cxsim_value *value = data;
	unsigned long flags;
	bool taken;

	raw_spin_lock_irqsave(&value->slot->owner->access, flags);
	taken = cxsim_set(value->slot->card, value->index, number);
	raw_spin_unlock_irqrestore(&value->slot->owner->access, flags);
	return taken ? 0 : -ERANGE;
}
DEFINE_SIMPLE_ATTRIBUTE(setting_fops, setting_get, setting_set, "%llu\n");

static int counter_get(void *data, u64 *number)
{
	struct cxsim_value *value = data;
	unsigned long flags;

	raw_spin_lock_irqsave(&value->slot->owner->access, flags);
	*number = cxsim_count(value->slot->card, value->index);
	raw_spin_unlock_irqrestore(&value->slot->owner->access, flags);
	return 0;
}
DEFINE_SIMPLE_ATTRIBUTE(counter_fops, counter_get, NULL, "%llu\n");

static ssize_t clear_write(struct file *file, const char __user *from, size_t count, loff_t *position)
{
	struct cxsim_slot *slot = file->private_data;
	unsigned long flags;

	raw_spin_lock_irqsave(&slot->owner->access, flags);
	cxsim_counters_clear(slot->card);
	raw_spin_unlock_irqrestore(&slot->owner->access, flags);
	return count;
}

COMMAND(clear);

/* the directories */

static void add_values(struct cxsim_slot *slot)
{
	struct dentry *settings = debugfs_create_dir("settings", slot->directory);
	struct dentry *counters = debugfs_create_dir("counters", slot->directory);
	unsigned int i;

	for (i = 0; i < CXSIM_SETTINGS; i++) {
		slot->settings[i].slot = slot;
		slot->settings[i].index = i;
		debugfs_create_file(cxsim_settings[i].name, 0600, settings, &slot->settings[i],
				    &setting_fops);
	}
	for (i = 0; i < CXSIM_COUNTERS; i++) {
		slot->counters[i].slot = slot;
		slot->counters[i].index = i;
		debugfs_create_file(cxsim_counters[i], 0400, counters, &slot->counters[i], &counter_fops);
	}
	debugfs_create_file("clear", 0200, counters, slot, &clear_fops);
}

/* With its size, so that programs that compare or copy files believe it. */
static void add_flash(struct cxsim_slot *slot)
{
	struct dentry *file = debugfs_create_file("flash", 0600, slot->directory, slot, &flash_fops);
	u32 size;

	cxsim_flash(slot->card, &size);
	if (!IS_ERR_OR_NULL(file))
		i_size_write(d_inode(file), size);
}

/* Called with cxsim_slots_lock held. */
void cxsim_control_add(struct cxsim_slot *slot)
{
	char name[12];

	if (!top)
		return;
	scnprintf(name, sizeof(name), "%u", slot->number);
	slot->directory = debugfs_create_dir(name, top);
	debugfs_create_file("address", 0400, slot->directory, slot, &address_fops);
	debugfs_create_file("booted", 0400, slot->directory, slot, &booted_fops);
	debugfs_create_file("power", 0200, slot->directory, slot, &power_fops);
	debugfs_create_file("reset", 0200, slot->directory, slot, &reset_fops);
	debugfs_create_file("unplug", 0200, slot->directory, slot, &unplug_fops);
	debugfs_create_file("plug", 0200, slot->directory, slot, &plug_fops);
	debugfs_create_file_unsafe("remove", 0200, slot->directory, (void *)(unsigned long)slot->number,
				   &remove_fops);
	add_flash(slot);
	add_values(slot);
}

/* Returns when no file of the slot is in use any more. */
void cxsim_control_remove(struct cxsim_slot *slot)
{
	if (top)
		debugfs_remove_recursive(slot->directory);
}

/* After the cards of the module parameter, before anybody can make more. */
void cxsim_control_init(void)
{
	struct cxsim_slot *slot;

	mutex_lock(&cxsim_slots_lock);
	top = debugfs_create_dir("cxsim", NULL);
	list_for_each_entry(slot, &cxsim_slots, list)
		cxsim_control_add(slot);
	mutex_unlock(&cxsim_slots_lock);
	debugfs_create_file("create", 0600, top, NULL, &create_fops);
	debugfs_create_file("cards", 0400, top, NULL, &cards_fops);
	debugfs_create_file("error", 0400, top, NULL, &error_fops);
}

void cxsim_control_exit(void)
{
	debugfs_remove_recursive(top);
	top = NULL;
}
