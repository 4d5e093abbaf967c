/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * cxfw: the interface between the driver and user space.
 *
 * Generic netlink carries what concerns cards and jobs; the character device
 * /dev/cxfw/<pci-address> carries bulk data: flash content, access registers and
 * staged images. Documentation/netlink/specs/cxfw.yaml describes the netlink half
 * in the kernel's YNL form. Numbers here are never reused or changed.
 *
 * All integers are in host byte order unless a comment says otherwise. Every
 * struct has the same layout for 32- and 64-bit callers.
 */
#ifndef _UAPI_CXFW_H
#define _UAPI_CXFW_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define CXFW_GENL_NAME		"cxfw"
#define CXFW_GENL_VERSION	1
#define CXFW_GENL_MCGRP_EVENTS	"events"

/*
 * Capability word (CXFW_A_CAPABILITIES, struct cxfw_card_info). Old kernels ignore
 * unknown attributes in silence, so a client sends an attribute or sets a flag only
 * after it has seen the bit that announces it.
 */
#define CXFW_CAP_FLASH_READ	(1ULL << 0)	/* read() on the character device */
#define CXFW_CAP_REGISTERS	(1ULL << 1)	/* CXFW_IOC_REGISTER */
#define CXFW_CAP_BURN_PLAN	(1ULL << 2)	/* CXFW_IOC_STAGE, CXFW_CMD_BURN */
#define CXFW_CAP_BURN_FS2	(1ULL << 3)	/* plans of format CXFW_FORMAT_FS2 */
#define CXFW_CAP_SEMAPHORE_CLEAR (1ULL << 4)	/* CXFW_CMD_SEMAPHORE_CLEAR */
#define CXFW_CAP_BURN_FS3	(1ULL << 5)	/* plans of format CXFW_FORMAT_FS3 */
#define CXFW_CAP_BURN_FS4	(1ULL << 6)	/* plans of format CXFW_FORMAT_FS4 */
#define CXFW_CAP_BURN_FS5	(1ULL << 7)	/* plans of format CXFW_FORMAT_FS5 */
#define CXFW_CAP_DEVICE_DATA	(1ULL << 8)	/* plans with CXFW_PLAN_DEVICE_DATA */
#define CXFW_CAP_COMPONENT	(1ULL << 9)	/* plans with CXFW_PLAN_COMPONENT: the firmware updates itself */
#define CXFW_CAP_COMPONENT_READ	(1ULL << 10)	/* CXFW_IOC_COMPONENT_READ */
#define CXFW_CAP_ACTIVATE	(1ULL << 11)	/* CXFW_CMD_ACTIVATE */
#define CXFW_CAP_CLEAR_PROTECTION (1ULL << 12)	/* CXFW_PLAN_CLEAR_PROTECTION; told once the flash was probed */

/*
 * Commands. Every one needs CAP_SYS_ADMIN in the initial user namespace and works in
 * the initial network namespace only. A refusal carries an extended acknowledgement.
 */
enum cxfw_cmd {
	CXFW_CMD_UNSPEC,
	/* do: ADDRESS -> one card; dump: every card. No flash access. */
	CXFW_CMD_CARD_GET,
	/* do: ADDRESS, STAGE_FD, STAGE_SHA256 -> JOB_ID */
	CXFW_CMD_BURN,
	/* do: JOB_ID -> one job; dump: running and finished jobs */
	CXFW_CMD_JOB_GET,
	/* do: JOB_ID. EBUSY between commit and the end of a job. */
	CXFW_CMD_JOB_CANCEL,
	/* do: ADDRESS, SEMAPHORE, SEMAPHORE_VALUE. ESTALE when it no longer holds that value. */
	CXFW_CMD_SEMAPHORE_CLEAR,
	/* notification on the multicast group "events" */
	CXFW_CMD_EVENT,
	/*
	 * do: ADDRESS, RESET_LEVEL -> the card resets and comes back, when the answer comes. Only while no
	 * function of it is bound to a driver (EBUSY names the function and the driver).
	 */
	CXFW_CMD_ACTIVATE,

	__CXFW_CMD_MAX,
};
#define CXFW_CMD_MAX (__CXFW_CMD_MAX - 1)

enum cxfw_attr {
	CXFW_A_UNSPEC,
	CXFW_A_PAD,
	CXFW_A_ADDRESS,		/* string: PCI address "0000:03:00.0" of a function */
	CXFW_A_CAPABILITIES,	/* u64: CXFW_CAP_* of this card */
	CXFW_A_CARD_INDEX,	/* u32: the same for all functions of one card while it is plugged in */
	CXFW_A_FUNCTION,	/* nest, multi: ADDRESS, PCI_DEVICE of one function */
	CXFW_A_PCI_DEVICE,	/* u32: PCI device id */
	CXFW_A_HW_ID,		/* u32: device id at CR 0xf0014 bits 15:0 */
	CXFW_A_HW_REVISION,	/* u32: chip revision at CR 0xf0014 bits 23:16 */
	CXFW_A_FAMILY,		/* u32: enum cxfw_family */
	CXFW_A_GATEWAY,		/* u32: enum cxfw_gateway_kind */
	CXFW_A_STATE,		/* u32: enum cxfw_state */
	CXFW_A_GENERIC,		/* flag: an id that the driver does not know, reached by its VSC */
	CXFW_A_PSID,		/* string, up to 16 characters; absent when no register tells it */
	CXFW_A_RUNNING,		/* nest: VERSION_* of the running firmware */
	CXFW_A_STORED,		/* nest: VERSION_* of the pending firmware; absent when nothing is pending or unknown */
	CXFW_A_VERSION_MAJOR,	/* u32 */
	CXFW_A_VERSION_MINOR,	/* u32 */
	CXFW_A_VERSION_SUBMINOR, /* u32 */
	CXFW_A_TROUBLE,		/* string: why a part of the answer is missing */
	CXFW_A_STAGE_FD,	/* u32: descriptor of the character device that holds the stage */
	CXFW_A_STAGE_SHA256,	/* binary, 32 bytes: struct cxfw_stage.stage_sha256 */
	CXFW_A_JOB_ID,		/* u64, never reused while the module is loaded */
	CXFW_A_JOB_STATE,	/* u32: enum cxfw_job_state */
	CXFW_A_JOB_PHASE,	/* u32: enum cxfw_job_phase */
	CXFW_A_JOB_DONE,	/* u64: bytes of this phase */
	CXFW_A_JOB_TOTAL,	/* u64: bytes of this phase */
	CXFW_A_JOB_ERROR,	/* u32: positive errno of a job that ended badly */
	CXFW_A_JOB_MESSAGE,	/* string: what happened, for a person */
	CXFW_A_JOB_OWNER,	/* u32: process id of who started it */
	CXFW_A_JOB_ERASED,	/* u64: bytes erased so far */
	CXFW_A_JOB_PROGRAMMED,	/* u64: bytes programmed so far */
	CXFW_A_JOB_SKIPPED,	/* u64: bytes that already were right */
	CXFW_A_EVENT_SEQ,	/* u64: rises by one with every event; a gap means lost events */
	CXFW_A_EVENT_KIND,	/* u32: enum cxfw_event_kind */
	CXFW_A_SEMAPHORE,	/* u32: enum cxfw_semaphore */
	CXFW_A_SEMAPHORE_VALUE,	/* u32: value the caller saw; the semaphore is cleared only if it still holds it */
	CXFW_A_JOB_KIND,	/* u32: enum cxfw_job_kind */
	CXFW_A_JOB_CARD_ERROR,	/* u32: error code of MCC that ended the job (device-access.md 4.2); absent: none */
	CXFW_A_RESET_LEVEL,	/* u32: enum cxfw_reset_level */

	__CXFW_A_MAX,
};
#define CXFW_A_MAX (__CXFW_A_MAX - 1)

enum cxfw_family {
	CXFW_FAMILY_UNKNOWN,
	CXFW_FAMILY_MLX4,	/* ConnectX-2, 3, 3 Pro */
	CXFW_FAMILY_MLX5,	/* ConnectX-4 and later */
};

enum cxfw_gateway_kind {
	CXFW_GATEWAY_NONE,
	CXFW_GATEWAY_CONF,	/* configuration space 0x58/0x5c */
	CXFW_GATEWAY_VSC,	/* vendor specific capability */
};

enum cxfw_state {
	CXFW_STATE_UNKNOWN,
	CXFW_STATE_RUNNING,	/* firmware answers */
	CXFW_STATE_RECOVERY,	/* booted without firmware */
	CXFW_STATE_ABSENT,	/* all-ones: unplugged, in reset or powered off */
};

enum cxfw_event_kind {
	CXFW_EVENT_UNSPEC,
	CXFW_EVENT_CARD_ADDED,
	CXFW_EVENT_CARD_REMOVED,
	CXFW_EVENT_JOB_PROGRESS,
	CXFW_EVENT_JOB_END,
};

enum cxfw_job_state {
	CXFW_JOB_UNSPEC,
	CXFW_JOB_RUNNING,
	CXFW_JOB_DONE,
	CXFW_JOB_FAILED,
	CXFW_JOB_CANCELLED,
};

enum cxfw_job_kind {
	CXFW_JOB_KIND_UNSPEC,
	CXFW_JOB_KIND_PLAN,		/* an image, by writes to the flash */
	CXFW_JOB_KIND_DEVICE_DATA,	/* CXFW_PLAN_DEVICE_DATA */
	CXFW_JOB_KIND_COMPONENT,	/* CXFW_PLAN_COMPONENT */
};

/* How deep a reset goes: device-access.md 4.4, 7. */
enum cxfw_reset_level {
	CXFW_RESET_UNSPEC,
	CXFW_RESET_CHIP,		/* mlx4: CR 0xf0010, as its driver does */
	CXFW_RESET_LIVE_PATCH,		/* mlx5: MFRL level 0 */
	CXFW_RESET_LINK,		/* mlx5: MFRL level 3, then the PCIe link above the card is toggled */
};

/*
 * A component update goes through the same phases: PREPARE locks the update handle and names the
 * component, WRITE downloads it, VERIFY is the firmware's own, COMMIT activates, END releases.
 */
enum cxfw_job_phase {
	CXFW_PHASE_UNSPEC,
	CXFW_PHASE_CHECK,	/* card and flash are what the plan was built from */
	CXFW_PHASE_PREPARE,	/* stale magics go, the first sector is erased */
	CXFW_PHASE_WRITE,	/* erase, program and read back, sector by sector */
	CXFW_PHASE_VERIFY,	/* the whole window again, against its SHA-256 */
	CXFW_PHASE_COMMIT,	/* the magic is programmed: no cancel from here on */
	CXFW_PHASE_INVALIDATE,	/* the old image's magic goes */
	CXFW_PHASE_END,
};

/* Where: Documentation/reference/device-access.md 3.1, 3.3, 5.3 */
enum cxfw_semaphore {
	CXFW_SEMAPHORE_NONE,
	CXFW_SEMAPHORE_VSC,		/* configuration space, VSC + 0xc */
	CXFW_SEMAPHORE_ICMD,		/* 0xa:0x0 */
	CXFW_SEMAPHORE_FLASH_ICMD,	/* 0xa:0x10, flash programming through firmware */
	CXFW_SEMAPHORE_FLASH_GATEWAY,	/* mlx4: CR 0xf03fc; mlx5: lock bit of the gateway's command register */
	CXFW_SEMAPHORE_FLASH_HCR,	/* mlx4: CR 0xf03a0, flash programming */
	CXFW_SEMAPHORE_UPDATE_HANDLE,	/* the firmware's update handle (MCC): 4.2 */
};

/*
 * The character device. read(), pread() and lseek() give the flash content from 0 to
 * the flash size; EBUSY while a job writes it. Reads may be of any length and position.
 *
 * Every ioctl takes a struct that begins with its size as the caller knows it: a longer
 * one is accepted when the unknown tail is zero (else E2BIG), a shorter one is padded
 * with zeros. An unknown flag is EINVAL.
 */
#define CXFW_IOC_MAGIC		0xcf

#define CXFW_FLASH_ACCESS_NONE	0
#define CXFW_FLASH_ACCESS_SPI	1	/* SPI gateway */
#define CXFW_FLASH_ACCESS_MFBA	2	/* firmware, access registers MFPA, MFBA, MFBE */

#define CXFW_WHY_LENGTH		192	/* bytes of a failure text, NUL included */

struct cxfw_card_info {
	__u32 size;
	__u32 flags;			/* in: 0 */
	__u64 capabilities;		/* CXFW_CAP_* */
	__u32 hw_id;
	__u32 hw_revision;
	__u32 family;			/* enum cxfw_family */
	__u32 gateway;			/* enum cxfw_gateway_kind */
	__u32 state;			/* enum cxfw_state */
	__u32 flash_access;		/* CXFW_FLASH_ACCESS_* */
	__u32 flash_size;		/* bytes, all banks */
	__u32 flash_jedec;		/* manufacturer 23:16, type 15:8, capacity 7:0 */
	__u32 flash_sector;		/* bytes of the smallest erase unit */
	__u32 flash_block;		/* bytes of the largest erase unit */
	__u32 flash_banks;
	__u32 flash_status_valid;	/* bit n: flash_status[n] was read */
	__u32 flash_status[3];		/* status registers 0x05, 0x35, 0x15 */
	__u32 boot_address;		/* mlx4: CR 0xf0000; valid when boot_address_valid */
	__u32 boot_address_valid;
	__u32 running_valid;		/* running[] holds the version; it comes from CR-space on mlx4, MGIR on mlx5 */
	__u32 running[3];		/* major, minor, subminor */
	__u32 running_date;		/* 0xYYYYMMDD, packed BCD; 0 when unknown */
	__u32 semaphore;		/* enum cxfw_semaphore that the last failure waited for, or NONE */
	__u32 semaphore_value;		/* what it held */
	__u64 config_reads;		/* configuration space reads by this driver on this card */
	__u64 config_writes;
	char flash_name[24];		/* from the chip table; empty when unknown */
	char why[CXFW_WHY_LENGTH];	/* why something above is missing; empty when nothing is */
};

/*
 * Reads one access register (method GET) from the driver's allow list. data is the
 * register as it stands in the mailbox: big-endian dwords, request in, answer out.
 * EACCES: not on the list; EOPNOTSUPP: no command interface here; EIO: the firmware
 * refused, and status says how (device-access.md 3.2).
 */
struct cxfw_register {
	__u32 size;
	__u32 flags;		/* in: 0 */
	__u16 id;
	__u16 length;		/* bytes of data, a multiple of 4, at most 256 */
	__u32 status;		/* out: register status */
	__u64 data;		/* pointer */
	__u32 icmd_status;	/* out: status of the command itself */
	__u32 reserved;		/* 0 */
};

/* A range of a window, in bytes from its start. Both are multiples of 4. */
struct cxfw_segment {
	__u32 offset;
	__u32 length;
};

#define CXFW_FORMAT_FS2		2
#define CXFW_FORMAT_FS3		3
#define CXFW_FORMAT_FS4		4
#define CXFW_FORMAT_FS5		5

#define CXFW_SEGMENTS_MAX	128
#define CXFW_NO_ADDRESS		0xffffffffU

/* The flash holds no bootable image: there is nothing to keep and nothing to invalidate. */
#define CXFW_PLAN_RECOVERY	(1U << 0)
/*
 * Device data (identity, VPD, NV configuration), not firmware: image[] is what the flash shall hold
 * from target_address on, whole flash sectors outside every image that may boot. Segments are whole
 * sectors in the order in which they are written; sectors that are right already are skipped, and
 * bytes that no segment covers stay. A sector with the only valid DEV_INFO (firmware-images.md 4.4) is
 * not written before another valid copy stands. Not failsafe where only one copy of something exists.
 * format says whose layout it is; old_address, old_sha256, target_slot, log2_chunk are 0;
 * window_length equals image_length.
 */
#define CXFW_PLAN_DEVICE_DATA	(1U << 1)
/*
 * The firmware's own component update (MCC): image[] is sent as it is, from its first byte on. There
 * is one segment, which is all of it; component is its identifier; format, flash_size, log2_chunk,
 * target_slot, window_length, old_sha256 are 0 and old_address is CXFW_NO_ADDRESS.
 */
#define CXFW_PLAN_COMPONENT	(1U << 2)

/*
 * The flash chip's block protect bits go to zero before the first write of a plan of an image, and stay
 * so; every other bit of its status registers is kept (device-access.md 5.6). EROFS when they do not go.
 */
#define CXFW_PLAN_CLEAR_PROTECTION (1U << 3)

#define CXFW_COMPONENT_BOOT_IMG	1	/* identifier: device-access.md 4.2 */

/*
 * An image and the plan to write it. The window is the target slot: slot s of a flash
 * with chunks of c = 1 << log2_chunk bytes is chunks s, s + 2, s + 4, ... (firmware-images.md
 * 0.4); an image of FS3 and later lies in one chunk. image[] is what the window shall hold,
 * from its first byte on (gaps between sections included, as 0xff); image[0..15] is the
 * magic, which no segment may touch: the driver programs it last. Segments follow each
 * other and cover the image from byte 16 to its end. FS3 and later: the window ends at the
 * lowest device data above its start, which the driver finds out for itself.
 *
 * The plan names what it was built from. When the card or the flash is another now, the
 * job ends before its first write. What the target slot holds does not matter: the driver
 * clears a stale magic there itself. The slot that is kept must show its magic in every
 * one of several reads (cells of an interrupted operation read unsteadily), and when both
 * slots show one, the kept image must be whole.
 */
struct cxfw_stage {
	__u32 size;
	__u32 flags;			/* CXFW_PLAN_* */
	__u64 image;			/* pointer */
	__u64 segments;			/* pointer to struct cxfw_segment */
	__u32 image_length;		/* bytes, a multiple of 4 */
	__u32 segment_count;
	__u32 format;			/* CXFW_FORMAT_* */
	__u32 hw_id;
	__u32 hw_revision;
	__u32 flash_size;
	__u32 log2_chunk;		/* FS2: 16 ... 23; FS3, FS4: ... 24; FS5: ... 25 */
	__u32 target_slot;		/* 0 or 1 */
	__u32 window_length;		/* bytes of the window that may be written */
	__u32 old_address;		/* physical address of the image to invalidate, or CXFW_NO_ADDRESS */
	__u8 segments_sha256[32];	/* of the bytes of all segments, in order */
	__u8 old_sha256[32];		/* of 4096 bytes of flash at old_address; zero in recovery */
	__u8 stage_sha256[32];		/* out: seals image and plan; CXFW_CMD_BURN names it */
	__u32 target_address;		/* CXFW_PLAN_DEVICE_DATA: physical, of image[0]; else 0 */
	__u32 component;		/* CXFW_PLAN_COMPONENT: identifier; else 0 */
};

/*
 * Reads a part of a component through the firmware (MCC READ_COMPONENT), where its capabilities allow it:
 * EOPNOTSUPP where not, EBUSY while a job runs or somebody else holds the update handle, EPERM under
 * confidentiality lockdown. What is read lacks the magic when the firmware masks it.
 */
struct cxfw_component_read {
	__u32 size;
	__u32 flags;		/* 0, or CXFW_COMPONENT_PENDING */
	__u32 component;	/* identifier */
	__u32 offset;		/* bytes, a multiple of 4 */
	__u32 length;		/* bytes, a multiple of 4; in: room, at most 1 MiB; out: bytes read, less at the end */
	__u32 total;		/* out: bytes of the whole component */
	__u64 data;		/* pointer */
};
#define CXFW_COMPONENT_PENDING	(1U << 0)	/* the one that waits for a reset, not the one that runs */

#define CXFW_IOC_CARD_INFO	_IOWR(CXFW_IOC_MAGIC, 0x01, struct cxfw_card_info)
#define CXFW_IOC_REGISTER	_IOWR(CXFW_IOC_MAGIC, 0x02, struct cxfw_register)
#define CXFW_IOC_STAGE		_IOWR(CXFW_IOC_MAGIC, 0x03, struct cxfw_stage)
#define CXFW_IOC_COMPONENT_READ	_IOWR(CXFW_IOC_MAGIC, 0x04, struct cxfw_component_read)

#endif /* _UAPI_CXFW_H */
