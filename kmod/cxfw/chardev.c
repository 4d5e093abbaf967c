// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/cxfw/<pci-address>: flash content by read, and ioctls whose structs begin with
 * their size and may grow.
 */
#include <linux/capability.h>
#include <linux/cdev.h>
#include <linux/compat.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "component.h"
#include "netlink.h"
#include "reg.h"

#define PIECE		4096	/* bytes read under one hold of the flash lock: well below 100 ms */
#define STRUCT_MAX	4096	/* bytes of an ioctl struct, whatever the caller says */
#define REGISTER_MAX	256
#define STAGE_LEAST	offsetofend(struct cxfw_stage, stage_sha256)
#define COMPONENT_MAX	(64U << 20)	/* bytes of the largest component that is taken in */
#define COMPONENT_PIECE	8192		/* bytes of a component read under one hold of its handle */
#define COMPONENT_READ_MAX (1U << 20)

struct cxfw_file {
	struct cxfw_card *card;		/* referenced */
	struct mutex lock;		/* guards stage and why */
	struct cxfw_held_stage *stage;
	char why[CXFW_WHY_LENGTH];	/* the last failure through this file */
};

static dev_t first;
static struct cdev cdev;
static struct class class = { .name = CXFW_GENL_NAME };

static int fail(struct cxfw_file *file, int error, const char *why)
{
	mutex_lock(&file->lock);
	strscpy(file->why, why, sizeof(file->why));
	mutex_unlock(&file->lock);
	return error;
}

/* ---- open and close ---- */

static int open(struct inode *inode, struct file *filp)
{
	struct cxfw_file *file;

	/* As for netlink: a descriptor of the node alone gives nobody the card. */
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	file = kzalloc(sizeof(*file), GFP_KERNEL);
	if (!file)
		return -ENOMEM;
	file->card = cxfw_card_by_minor(iminor(inode) - MINOR(first));
	if (!file->card) {
		kfree(file);
		return -ENODEV;
	}
	mutex_init(&file->lock);
	filp->private_data = file;
	return 0;
}

static int release(struct inode *inode, struct file *filp)
{
	struct cxfw_file *file = filp->private_data;

	cxfw_stage_free(file->stage);
	cxfw_card_put(file->card);
	mutex_destroy(&file->lock);
	kfree(file);
	return 0;
}

/* ---- flash content ---- */

/*
 * Enters the card for its flash: found out about, and nobody writes it. Not called by a
 * job, so a probe takes the flash lock here.
 */
static int enter_flash(struct cxfw_card *card, char *why)
{
	int error = cxfw_card_enter(card, why);

	if (error)
		return error;
	error = cxfw_job_runs(card, why) ? -EBUSY : 0;
	if (!error) {
		error = cxfw_flash_probe(&card->device);
		if (error)
			strscpy(why, card->device.why, CXFW_WHY_LENGTH);
	}
	if (error)
		cxfw_card_leave(card);
	return error;
}

static int flash_size(struct cxfw_card *card, u32 *size, char *why)
{
	int error = enter_flash(card, why);

	if (error)
		return error;
	*size = card->device.flash.size;
	cxfw_card_leave(card);
	return 0;
}

/* Reads up to PIECE bytes; the number read, 0 at the end, or an error with why. */
static ssize_t read_piece(struct cxfw_card *card, loff_t position, u8 *buffer, size_t length, char *why)
{
	struct cxfw_device *device = &card->device;
	ssize_t error = enter_flash(card, why);
	size_t piece;

	if (error)
		return error;
	if (position >= device->flash.size) {
		cxfw_card_leave(card);
		return 0;
	}
	/* Up to a piece's boundary, so that pieces do not drift across the flash's own units. */
	piece = min_t(u64, PIECE - (position & (PIECE - 1)),
		      min_t(u64, length, device->flash.size - position));
	error = cxfw_flash_lock(device);
	if (!error) {
		error = cxfw_flash_read(device, position, buffer, piece);
		cxfw_flash_unlock(device);
	}
	if (error)
		strscpy(why, device->why, CXFW_WHY_LENGTH);
	else
		card->stale[0] = '\0';
	cxfw_card_leave(card);
	return error ? error : piece;
}

static ssize_t read_pieces(struct cxfw_card *card, char __user *to, size_t length, loff_t *position,
			   u8 *buffer,
			   char *why)
{
	ssize_t done = 0, piece = 0;

	while (done < length) {
		if (signal_pending(current)) {
			piece = -EINTR;
			break;
		}
		piece = read_piece(card, *position, buffer, length - done, why);
		if (piece <= 0)
			break;
		if (copy_to_user(to + done, buffer, piece)) {
			piece = -EFAULT;
			break;
		}
		done += piece;
		*position += piece;
		cond_resched();
	}
	return done ? done : piece;
}

static ssize_t read(struct file *filp, char __user *to, size_t length, loff_t *position)
{
	struct cxfw_file *file = filp->private_data;
	char why[CXFW_WHY_LENGTH] = "";
	ssize_t done;
	u8 *buffer;

	if (cxfw_flash_content_allowed(why))
		return fail(file, -EPERM, why);
	if (*position < 0)
		return -EINVAL;
	buffer = kmalloc(PIECE, GFP_KERNEL);
	if (!buffer)
		return -ENOMEM;
	done = read_pieces(file->card, to, length, position, buffer, why);
	kfree(buffer);
	if (why[0])
		fail(file, 0, why);
	return done;
}

static loff_t llseek(struct file *filp, loff_t offset, int whence)
{
	struct cxfw_file *file = filp->private_data;
	char why[CXFW_WHY_LENGTH] = "";
	u32 size;
	int error;

	error = flash_size(file->card, &size, why);
	if (error)
		return fail(file, error, why);
	return fixed_size_llseek(filp, offset, whence, size);
}

/* ---- ioctls ---- */

/*
 * Copies a struct of the caller's size into one of ours: shorter ones are padded with
 * zeros, longer ones must have a tail of zeros. The size stands first. Gives the caller's.
 */
static int copy_struct_in(void *to, u32 known, const void __user *from, u32 *size)
{
	void *copy;

	if (get_user(*size, (const u32 __user *)from))
		return -EFAULT;
	if (*size < sizeof(u32))
		return -EINVAL;
	if (*size > STRUCT_MAX)
		return -E2BIG;
	copy = memdup_user(from, *size);
	if (IS_ERR(copy))
		return PTR_ERR(copy);
	if (*size > known && memchr_inv(copy + known, 0, *size - known)) {
		kfree(copy);
		return -E2BIG;
	}
	memset(to, 0, known);
	memcpy(to, copy, min(*size, known));
	/* Another thread may have changed it between the two reads. */
	*(u32 *)to = *size;
	kfree(copy);
	return 0;
}

static int copy_struct_out(void __user *to, const void *from, u32 known, u32 size)
{
	return copy_to_user(to, from, min(size, known)) ? -EFAULT : 0;
}

static void complain(struct cxfw_card_info *info, const char *why)
{
	if (!info->why[0])
		strscpy(info->why, why, sizeof(info->why));
}

static void fill_flash(struct cxfw_card *card, struct cxfw_card_info *info)
{
	struct cxfw_device *device = &card->device;
	const struct cxfw_flash *flash = &device->flash;
	char why[CXFW_WHY_LENGTH] = "";
	unsigned int i;

	if (!flash->probed && cxfw_job_runs(card, why)) {
		complain(info, why);
		return;
	}
	if (cxfw_flash_probe(device)) {
		complain(info, device->why);
		return;
	}
	info->flash_access = flash->access;
	info->flash_size = flash->size;
	info->flash_jedec = flash->jedec;
	info->flash_sector = flash->sector;
	info->flash_block = flash->block;
	info->flash_banks = flash->banks;
	info->flash_status_valid = flash->status_valid;
	for (i = 0; i < ARRAY_SIZE(flash->status); i++)
		info->flash_status[i] = flash->status[i];
	strscpy(info->flash_name, cxfw_flash_name(device), sizeof(info->flash_name));
}

static void fill_firmware(struct cxfw_device *device, struct cxfw_card_info *info)
{
	if (device->chip && device->chip->boot_address) {
		info->boot_address_valid = !cxfw_cr_read(device, device->chip->boot_address,
							 &info->boot_address);
		if (!info->boot_address_valid)
			complain(info, device->why);
	}
	if (device->recovery)
		return;
	info->running_valid = !cxfw_running_version(device, info->running, &info->running_date);
	if (!info->running_valid)
		complain(info, device->why);
}

static void fill_identity(const struct cxfw_card *card, struct cxfw_card_info *info)
{
	const struct cxfw_device *device = &card->device;

	if (device->chip)
		info->family = device->chip->family;
	if (device->gateway.ops)
		info->gateway = device->gateway.ops->kind;
	info->config_reads = device->gateway.reads;
	info->config_writes = device->gateway.writes;
	info->semaphore = device->semaphore;
	info->semaphore_value = device->semaphore_value;
	info->capabilities = cxfw_card_capabilities(card);
	if (!card->opened)
		return;
	info->hw_id = device->hw_id;
	info->hw_revision = device->hw_revision;
}

/* A card that does not answer is described as far as it is known; only an unplugged one is an error. */
static int fill_info(struct cxfw_file *file, struct cxfw_card_info *info)
{
	struct cxfw_card *card = file->card;
	char why[CXFW_WHY_LENGTH];
	int error = cxfw_card_enter(card, why);

	if (error) {
		if (READ_ONCE(card->device.gone) || mutex_lock_killable(&card->lock))
			return error;
		info->state = error == -ENODEV ? CXFW_STATE_ABSENT : CXFW_STATE_UNKNOWN;
		complain(info, why);
		fill_identity(card, info);
		info->capabilities &= CXFW_CAP_SEMAPHORE_CLEAR;
		mutex_unlock(&card->lock);
		return 0;
	}
	info->state = card->device.recovery ? CXFW_STATE_RECOVERY : CXFW_STATE_RUNNING;
	fill_flash(card, info);
	fill_firmware(&card->device, info);
	fill_identity(card, info);
	cxfw_card_leave(card);
	mutex_lock(&file->lock);
	complain(info, file->why);
	mutex_unlock(&file->lock);
	return 0;
}

static int card_info(struct cxfw_file *file, void __user *user)
{
	struct cxfw_card_info *info = kmalloc(sizeof(*info), GFP_KERNEL);
	u32 size;
	int error;

	if (!info)
		return -ENOMEM;
	error = copy_struct_in(info, sizeof(*info), user, &size);
	if (!error && info->flags)
		error = -EINVAL;
	if (!error) {
		memset(info, 0, sizeof(*info));
		info->size = sizeof(*info);
		error = fill_info(file, info);
	}
	if (!error)
		error = copy_struct_out(user, info, sizeof(*info), size);
	kfree(info);
	return error;
}

static int check_register(const struct cxfw_register *request)
{
	if (request->flags || request->reserved || !request->length || request->length & 3 ||
	    request->length > REGISTER_MAX)
		return -EINVAL;
	return cxfw_reg_readable(request->id) ? 0 : -EACCES;
}

static int read_register(struct cxfw_file *file, struct cxfw_register *request, __be32 *data)
{
	struct cxfw_reg_status status = {};
	char why[CXFW_WHY_LENGTH];
	int error = cxfw_card_enter(file->card, why);

	if (error)
		return fail(file, error, why);
	error = cxfw_reg(&file->card->device, request->id, CXFW_METHOD_GET, data, request->length,
			 request->length,
			 &status);
	if (error)
		strscpy(why, file->card->device.why, sizeof(why));
	cxfw_card_leave(file->card);
	request->status = status.reg;
	request->icmd_status = status.icmd;
	return error ? fail(file, error, why) : 0;
}

static int access_register(struct cxfw_file *file, void __user *user)
{
	struct cxfw_register request;
	void __user *pointer;
	__be32 *data;
	u32 size;
	int error;

	error = copy_struct_in(&request, sizeof(request), user, &size);
	if (!error)
		error = check_register(&request);
	if (error)
		return error;
	pointer = u64_to_user_ptr(request.data);
	data = memdup_user(pointer, request.length);
	if (IS_ERR(data))
		return PTR_ERR(data);
	error = read_register(file, &request, data);
	if (!error && copy_to_user(pointer, data, request.length))
		error = -EFAULT;
	kfree(data);
	if (!error || error == -EIO) {
		request.size = sizeof(request);
		if (copy_struct_out(user, &request, sizeof(request), size))
			error = -EFAULT;
	}
	return error;
}

/* Reads one piece; the number of bytes read, 0 at the end, or an error with why. */
static ssize_t read_component_piece(struct cxfw_card *card, const struct cxfw_component_read *request,
				    u32 done,
				    u8 *buffer, u32 *total, char *why)
{
	u32 length = min_t(u32, COMPONENT_PIECE, request->length - done);
	int error = cxfw_card_enter(card, why);

	if (error)
		return error;
	error = cxfw_job_runs(card, why) ? -EBUSY : 0;
	if (!error) {
		error = cxfw_component_read(&card->device, request->component,
					    request->flags & CXFW_COMPONENT_PENDING, request->offset + done, buffer,
					    &length, total);
		if (error)
			strscpy(why, card->device.why, CXFW_WHY_LENGTH);
	}
	cxfw_card_leave(card);
	if (error)
		return error;
	return length;
}

/* request->length becomes what was read. An error after the first piece ends the read there. */
static int read_component_pieces(struct cxfw_card *card, struct cxfw_component_read *request, u8 *buffer,
				 char *why)
{
	u8 __user *to = u64_to_user_ptr(request->data);
	ssize_t piece = 0;
	u32 done = 0;

	while (done < request->length) {
		if (signal_pending(current)) {
			piece = -EINTR;
			break;
		}
		piece = read_component_piece(card, request, done, buffer, &request->total, why);
		if (piece > 0 && copy_to_user(to + done, buffer, piece))
			piece = -EFAULT;
		if (piece <= 0)
			break;
		done += piece;
		cond_resched();
	}
	request->length = done;
	return done || piece >= 0 ? 0 : piece;
}

static int read_component(struct cxfw_file *file, void __user *user)
{
	struct cxfw_component_read request;
	char why[CXFW_WHY_LENGTH] = "";
	u8 *buffer;
	u32 size;
	int error;

	error = copy_struct_in(&request, sizeof(request), user, &size);
	if (error)
		return error;
	if (size < sizeof(request) || request.flags & ~CXFW_COMPONENT_PENDING || request.offset & 3 ||
	    request.length & 3 || !request.length || request.length > COMPONENT_READ_MAX ||
	    request.offset > U32_MAX - request.length)
		return -EINVAL;
	if (cxfw_flash_content_allowed(why))
		return fail(file, -EPERM, why);
	buffer = kmalloc(COMPONENT_PIECE, GFP_KERNEL);
	if (!buffer)
		return -ENOMEM;
	request.total = 0;
	error = read_component_pieces(file->card, &request, buffer, why);
	kfree(buffer);
	if (error)
		return fail(file, error, why);
	request.size = sizeof(request);
	return copy_struct_out(user, &request, sizeof(request), size);
}

static void hold_stage(struct cxfw_file *file, struct cxfw_held_stage *stage)
{
	struct cxfw_held_stage *before;

	mutex_lock(&file->lock);
	before = file->stage;
	file->stage = stage;
	mutex_unlock(&file->lock);
	cxfw_stage_free(before);
}

/* How long an image may be: what the flash holds, or the largest component. */
static int stage_room(struct cxfw_card *card, u32 flags, u32 *room, char *why)
{
	int error;

	if (!(flags & CXFW_PLAN_COMPONENT))
		return flash_size(card, room, why);
	error = cxfw_card_enter(card, why);
	if (error)
		return error;
	*room = COMPONENT_MAX;
	error = cxfw_job_runs(card, why) ? -EBUSY : 0;
	if (!error && !cxfw_has_components(&card->device)) {
		strscpy(why, "this card's firmware offers no update of its components (MCAM lists no MCC)",
			CXFW_WHY_LENGTH);
		error = -EOPNOTSUPP;
	}
	cxfw_card_leave(card);
	return error;
}

/* What was staged through this file before is dropped first: a caller has one stage. */
static int stage(struct cxfw_file *file, void __user *user)
{
	char why[CXFW_WHY_LENGTH] = "";
	struct cxfw_held_stage *held;
	struct cxfw_stage head;
	u32 size, room;
	int error;

	error = copy_struct_in(&head, sizeof(head), user, &size);
	/* The digest is an answer: a caller whose struct has no room for it could start nothing. */
	if (!error && size < STAGE_LEAST)
		error = -EINVAL;
	if (error)
		return error;
	error = cxfw_burn_allowed(head.flags, why);
	if (!error)
		error = stage_room(file->card, head.flags, &room, why);
	if (error)
		return fail(file, error, why);
	hold_stage(file, NULL);
	held = cxfw_stage_make(&head, room, why);
	if (IS_ERR(held))
		return fail(file, PTR_ERR(held), why);
	memcpy(head.stage_sha256, held->plan.head.stage_sha256, sizeof(head.stage_sha256));
	head.size = sizeof(head);
	hold_stage(file, held);
	return copy_struct_out(user, &head, sizeof(head), size);
}

struct ioctl_entry {
	unsigned int number;
	int (*handler)(struct cxfw_file *file, void __user *user);
};

/* By number only: the size in the command is that of the struct as the caller knows it. */
static const struct ioctl_entry ioctls[] = {
	{ _IOC_NR(CXFW_IOC_CARD_INFO), card_info },
	{ _IOC_NR(CXFW_IOC_REGISTER), access_register },
	{ _IOC_NR(CXFW_IOC_STAGE), stage },
	{ _IOC_NR(CXFW_IOC_COMPONENT_READ), read_component },
};

static long ioctl(struct file *filp, unsigned int command, unsigned long argument)
{
	unsigned int i;

	if (_IOC_TYPE(command) != CXFW_IOC_MAGIC)
		return -ENOTTY;
	for (i = 0; i < ARRAY_SIZE(ioctls); i++)
		if (ioctls[i].number == _IOC_NR(command))
			return ioctls[i].handler(filp->private_data, (void __user *)argument);
	return -ENOTTY;
}

#ifdef CONFIG_COMPAT
/* Every struct has the same layout for 32-bit callers; only the pointer is theirs. */
static long ioctl_compat(struct file *filp, unsigned int command, unsigned long argument)
{
	return ioctl(filp, command, (unsigned long)compat_ptr(argument));
}
#endif

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.open = open,
	.release = release,
	.read = read,
	.llseek = llseek,
	.unlocked_ioctl = ioctl,
#ifdef CONFIG_COMPAT
	.compat_ioctl = ioctl_compat,
#endif
};

/* ---- starting what is staged ---- */

static int check_stage(const struct cxfw_held_stage *stage, const u8 digest[32], char *why)
{
	if (!stage) {
		strscpy(why, "nothing is staged through this descriptor (a burn takes the stage with it)",
			CXFW_WHY_LENGTH);
		return -ENOENT;
	}
	if (stage->owner != task_tgid(current)) {
		strscpy(why, "another process staged this", CXFW_WHY_LENGTH);
		return -EPERM;
	}
	if (memcmp(digest, stage->plan.head.stage_sha256, 32)) {
		strscpy(why, "what is staged has another digest than the one named", CXFW_WHY_LENGTH);
		return -EBADMSG;
	}
	return cxfw_burn_allowed(stage->plan.head.flags, why);
}

static int burn(struct cxfw_file *file, const u8 digest[32], u64 *id, char *why)
{
	struct cxfw_card *card = file->card;
	int error;

	mutex_lock(&file->lock);
	/* Who burns already is the better answer to a second burn than that its stage is gone. */
	error = cxfw_job_runs(card, why) ? -EBUSY : check_stage(file->stage, digest, why);
	if (!error)
		error = cxfw_card_enter(card, why);
	if (!error) {
		error = cxfw_job_start(card, file->stage, id, why);
		if (!error)
			file->stage = NULL;
		cxfw_card_leave(card);
	}
	mutex_unlock(&file->lock);
	return error;
}

int cxfw_chardev_burn(u32 descriptor, struct cxfw_card *card, const u8 digest[32], u64 *id, char *why)
{
	struct file *filp = descriptor <= INT_MAX ? fget(descriptor) : NULL;
	struct cxfw_file *file;
	int error;

	if (!filp || filp->f_op != &operations) {
		snprintf(why, CXFW_WHY_LENGTH, "descriptor %u is not an open /dev/cxfw/<pci-address>",
			 descriptor);
		error = -EBADF;
	} else {
		file = filp->private_data;
		if (file->card == card) {
			error = burn(file, digest, id, why);
		} else {
			snprintf(why, CXFW_WHY_LENGTH, "the stage was made for %s, not for this card",
				 file->card->address);
			error = -EXDEV;
		}
	}
	if (filp)
		fput(filp);
	return error;
}

/* ---- nodes ---- */

int cxfw_chardev_add(struct pci_dev *pdev, int minor)
{
	struct device *node;

	node = device_create(&class, &pdev->dev, MKDEV(MAJOR(first), MINOR(first) + minor), NULL, "cxfw!%s",
			     pci_name(pdev));
	return PTR_ERR_OR_ZERO(node);
}

void cxfw_chardev_remove(int minor)
{
	device_destroy(&class, MKDEV(MAJOR(first), MINOR(first) + minor));
}

int cxfw_chardev_start(void)
{
	int error;

	error = class_register(&class);
	if (error)
		return error;
	error = alloc_chrdev_region(&first, 0, CXFW_MINORS, CXFW_GENL_NAME);
	if (error)
		goto no_region;
	cdev_init(&cdev, &operations);
	cdev.owner = THIS_MODULE;
	error = cdev_add(&cdev, first, CXFW_MINORS);
	if (error)
		goto no_cdev;
	return 0;

no_cdev:
	unregister_chrdev_region(first, CXFW_MINORS);
no_region:
	class_unregister(&class);
	return error;
}

void cxfw_chardev_stop(void)
{
	cdev_del(&cdev);
	unregister_chrdev_region(first, CXFW_MINORS);
	class_unregister(&class);
}
