// SPDX-License-Identifier: GPL-2.0-only
/* A burn whose power fails: powercut.h. */
#include "powercut.h"

#define BOOTS	      3 /* unsteady cells may read so, and then so */
#define FAILURES_TOLD 3
#define ALWAYS_FIRST  2 /* operations that no sample leaves out */
#define ALWAYS_LAST   4 /* commit and invalidation */
#define NEW_SEED      1000 /* no section of one image is that of another */

#define SMALL_CODE 1024

static const struct burning_kind small_fs2 = {
	"connectx3pro", "MT_1200111023", "W25QxxBV",  CXFW_FORMAT_FS2, BURNING_FLASH,
	SMALL_CODE,	"2.36.5000",	 "2.42.5000", "2.30.3000",
};

static const struct burning_kind small_fs3 = {
	"connectx4lx", "MT_2420110034", "W25QxxBV",   CXFW_FORMAT_FS3, BURNING_FLASH,
	SMALL_CODE,    "14.24.1000",	"14.32.1010", "14.20.1010",
};

static const struct burning_kind small_fs4 = {
	"connectx5", "MT_0000000011", "W25QxxBV",   CXFW_FORMAT_FS4, BURNING_FLASH,
	SMALL_CODE,  "16.33.1048",    "16.35.2000", "16.32.1010",
};

/* Long enough for erase blocks of 64 KiB. */
static const struct burning_kind large_fs4 = {
	"connectx5",  "MT_0000000011", "W25QxxBV",   CXFW_FORMAT_FS4, BURNING_FLASH, 0xa800,
	"16.33.1048", "16.35.2000",    "16.32.1010",
};

const struct powercut_way powercut_large = {"FS4 over SPI, 64 KiB blocks", &large_fs4, true};

const struct powercut_way powercut_ways[POWERCUT_WAYS] = {
	{"FS2 over SPI", &small_fs2, true}, {"FS3 over MFBA", &small_fs3, false},
	{"FS3 over SPI", &small_fs3, true}, {"FS4 over MFBA", &small_fs4, false},
	{"FS4 over SPI", &small_fs4, true},
};

const struct powercut_scenario powercut_scenarios[POWERCUT_SCENARIOS] = {
	{"update", POWERCUT_UP, POWERCUT_BLANK, 1},
	{"downgrade", POWERCUT_DOWN, POWERCUT_DEAD, 1},
	{"same version", POWERCUT_SAME_VERSION, POWERCUT_ALIVE, 1},
	{"PSID change", POWERCUT_PSID, POWERCUT_HALF, 1},
	{"ROM change", POWERCUT_ROM, POWERCUT_DEAD, 0},
	{"slot restore", POWERCUT_DOWN, POWERCUT_SAME, 0},
	{"update among stale magics", POWERCUT_UP, POWERCUT_STALE, 1},
};

/* ---- images ---- */

static struct cxsim_parameters parameters_of(const struct powercut *cut, const char *version, u64 seed)
{
	return burning_parameters_of(cut->way->kind, version, ktap_seed() + seed);
}

static u8 *make_file(const struct cxsim_parameters *parameters, size_t *length)
{
	char why[160] = "";
	u8 *file;

	*length = cxsim_image_make(parameters, NULL, 0, why);
	file = *length ? malloc(*length) : NULL;
	if (!file || cxsim_image_make(parameters, file, *length, why) != *length) {
		ktap_fail(__FILE__, __LINE__, "no image: %s", why);
		abort();
	}
	return file;
}

static void place(struct powercut *cut, u8 *cells, const struct cxsim_parameters *parameters,
		  unsigned int slot)
{
	size_t length;
	u8 *file = make_file(parameters, &length);

	CHECK(cxsim_image_place(parameters->model, file, length, cells, cut->way->kind->flash, slot));
	free(file);
}

static struct cxsim_parameters new_parameters(const struct powercut *cut)
{
	const struct burning_kind *kind = cut->way->kind;
	struct cxsim_parameters parameters = parameters_of(cut, kind->new_version, NEW_SEED);

	switch (cut->scenario->change) {
	case POWERCUT_UP:
		break;
	case POWERCUT_DOWN:
		parameters.version = kind->third_version;
		break;
	case POWERCUT_SAME_VERSION:
		parameters.version = kind->old_version;
		break;
	case POWERCUT_PSID:
		parameters.psid = "OEM1080111023";
		break;
	case POWERCUT_ROM:
		parameters = parameters_of(cut, kind->old_version, 0);
		parameters.rom_size = 1500;
		break;
	}
	return parameters;
}

/* FS3: an image names the card's data as the image does that is kept. */
static void keep_device_entries(u8 *image, const u8 *kept)
{
	u8 *entry = image + burning_toc(image) + 0x20;
	const u8 *other;

	for (; entry[0] != 0xff; entry += 0x20) {
		if (!(entry[0x19] & 2))
			continue;
		for (other = kept + burning_toc(kept) + 0x20; other[0] != 0xff; other += 0x20)
			if (other[0] == entry[0] && other[0x19] & 2)
				memcpy(entry, other, 0x20);
	}
}

static void make_new(struct powercut *cut, const u8 *kept)
{
	struct cxsim_parameters parameters = new_parameters(cut);

	cut->new.bytes = burning_image(&parameters, &cut->new.length);
	cut->new.version = parameters.version;
	cut->new.psid = parameters.psid;
	cut->new.rom = parameters.rom_size;
	if (cut->way->kind->format == CXFW_FORMAT_FS3)
		keep_device_entries(cut->new.bytes, kept);
}

/* ---- the flash before the burn ---- */

static u32 slot_start(const struct powercut *cut, unsigned int slot)
{
	return slot ? 1U << burning_log2(cut->new.bytes) : 0;
}

static void put_target(struct powercut *cut, u8 *cells)
{
	u32 start = slot_start(cut, cut->scenario->slot);
	int i;

	switch (cut->scenario->target) {
	case POWERCUT_BLANK:
	case POWERCUT_ALIVE:
		break;
	case POWERCUT_SAME:
		memcpy(cells + start, cut->new.bytes, cut->new.length);
		memset(cells + start, 0, 4);
		break;
	case POWERCUT_DEAD:
		memset(cells + start, 0, 4);
		break;
	case POWERCUT_HALF:
		memset(cells + start + 0x60, 0, 0x40);
		break;
	case POWERCUT_STALE:
		for (i = 1; i < CXFW_MAGIC_PLACES; i++)
			if (cxfw_magic_places[i] < cut->way->kind->flash)
				memcpy(cells + cxfw_magic_places[i], cut->new.bytes, CXFW_MAGIC_BYTES);
	}
}

static void lay_out(struct powercut *cut)
{
	const struct burning_kind *kind = cut->way->kind;
	struct cxsim_parameters old = parameters_of(cut, kind->old_version, 0);
	struct cxsim_parameters third = parameters_of(cut, kind->third_version, 2 * NEW_SEED);
	unsigned int slot = cut->scenario->slot;
	u8 *cells = malloc(kind->flash);
	u32 log2;

	memset(cells, 0xff, kind->flash);
	if (cut->scenario->target != POWERCUT_BLANK)
		place(cut, cells, &third, slot);
	place(cut, cells, &old, !slot);
	cut->old.version = old.version;
	cut->old.psid = old.psid;
	log2 = burning_log2(slot ? cells
				 : cells + (kind->format == CXFW_FORMAT_FS2 ? 0x80000 : kind->flash / 2));
	make_new(cut, cells + (slot ? 0 : 1U << log2));
	put_target(cut, cells);
	cut->device_data = kind->format == CXFW_FORMAT_FS2
				   ? kind->flash
				   : burning_device_data(cells, kind->flash, slot ? 0 : 1U << log2);
	cut->before.bytes = cells;
}

/* ---- the card ---- */

void powercut_save(struct powercut *cut, struct powercut_cells *cells)
{
	struct cxsim_chip *chip = &cut->burning.card->chip;

	if (!cells->bytes)
		cells->bytes = malloc(chip->size);
	memcpy(cells->bytes, chip->cells, chip->size);
	memcpy(cells->unstable, chip->unstable, sizeof(cells->unstable));
	cells->unstable_count = chip->unstable_count;
}

void powercut_load(struct powercut *cut, const struct powercut_cells *cells, unsigned int policy)
{
	struct cxsim_chip *chip = &cut->burning.card->chip;
	int i;

	for (i = 0; i < CXSIM_SETTINGS; i++)
		cxsim_set(cut->burning.card, i, cxsim_settings[i].minimum);
	cxsim_set(cut->burning.card, CXSIM_BOOT_POLICY, policy);
	cxsim_set(cut->burning.card, CXSIM_GUARD_OFF,
		  cut->way->spi && cut->way->kind->format != CXFW_FORMAT_FS2);
	/* What the running driver had under way ends before the cells are exchanged. */
	cxsim_reset(cut->burning.card, CXSIM_RESET_POWER);
	memcpy(chip->cells, cells->bytes, chip->size);
	memcpy(chip->unstable, cells->unstable, sizeof(chip->unstable));
	chip->unstable_count = cells->unstable_count;
	cxsim_reset(cut->burning.card, CXSIM_RESET_POWER);
	cxsim_counters_clear(cut->burning.card);
}

void powercut_free(struct powercut_cells *cells)
{
	free(cells->bytes);
	cells->bytes = NULL;
}

static bool boots_image(const struct powercut *cut, const struct powercut_image *image)
{
	const struct cxsim_boot *boot = cxsim_booted(cut->burning.card);
	char text[40];

	snprintf(text, sizeof(text), "%u.%u.%u", boot->version[0], boot->version[1], boot->version[2]);
	return !strcmp(text, image->version) && !strcmp(boot->psid, image->psid) &&
	       image->rom == (cut->burning.card->facts.rom_count != 0);
}

static bool boots_well(const struct powercut *cut, bool only_new)
{
	const struct cxsim_boot *boot = cxsim_booted(cut->burning.card);

	return !boot->recovery && boot->whole && boot->guid[0] == BURNING_GUID &&
	       boot->mac[0] == BURNING_MAC &&
	       (boots_image(cut, &cut->new) || (!only_new && boots_image(cut, &cut->old)));
}

static unsigned int first_policy(const struct powercut *cut)
{
	unsigned int policy = 0;

	while (policy < CXSIM_BOOT_POLICIES - 1 && !(cut->policies & 1U << policy))
		policy++;
	return policy;
}

bool powercut_begin(struct powercut *cut, const struct powercut_way *way,
		    const struct powercut_scenario *scenario)
{
	struct cxsim_parameters parameters;
	unsigned int policy;
	u32 size;

	memset(cut, 0, sizeof(*cut));
	cut->way = way;
	cut->scenario = scenario;
	shim_reset(ktap_seed());
	lay_out(cut);
	parameters = parameters_of(cut, way->kind->old_version, 0);
	if (ktap_failed() || !burning_start(&cut->burning, &parameters))
		return false;
	cut->flash = cxsim_flash(cut->burning.card, &size);
	for (policy = 0; policy < CXSIM_BOOT_POLICIES; policy++) {
		powercut_load(cut, &cut->before, policy);
		if (boots_well(cut, false) &&
		    cxsim_booted(cut->burning.card)->address == slot_start(cut, !scenario->slot))
			cut->policies |= 1U << policy;
	}
	return CHECK(cut->policies & (1U << CXSIM_BOOT_CHECKED_FIRST | 1U << CXSIM_BOOT_CHECKED_LAST));
}

void powercut_end(struct powercut *cut)
{
	if (cut->burning.card)
		burning_end(&cut->burning);
	powercut_free(&cut->before);
	free(cut->old.bytes);
	free(cut->new.bytes);
}

/* ---- burns ---- */

static int burn_into(struct powercut *cut, unsigned int slot)
{
	burning_plan(&cut->burning, cut->new.bytes, cut->new.length, slot, cut->flash);
	return burning_run(&cut->burning);
}

int powercut_burn(struct powercut *cut)
{
	int error = burning_open(&cut->burning);

	return error ? error : burn_into(cut, cut->scenario->slot);
}

int powercut_burn_again(struct powercut *cut)
{
	int error = burning_open(&cut->burning);
	unsigned int running = cxsim_booted(cut->burning.card)->address != 0;

	if (!error)
		error = burn_into(cut, !running);
	/* What boots now may have an unsteady magic: then the other slot is the one to keep. */
	return error == -ESTALE ? burn_into(cut, running) : error;
}

static bool complain(struct powercut *cut, const char *when, u64 operation, unsigned int policy)
{
	const struct cxsim_boot *boot = cxsim_booted(cut->burning.card);

	if (cut->bricks++ < FAILURES_TOLD)
		ktap_fail(__FILE__, __LINE__,
			  "%s, %s, policy %u, %s, operation %llu: recovery %d, whole %d, %u.%u.%u at %#x",
			  cut->way->name, cut->scenario->name, policy, when, (unsigned long long)operation,
			  boot->recovery, boot->whole, boot->version[0], boot->version[1], boot->version[2],
			  boot->address);
	return false;
}

bool powercut_boots(struct powercut *cut, const char *when, u64 operation, bool only_new, int seen[2])
{
	unsigned int boots = cut->burning.card->chip.unstable_count ? BOOTS : 1, policy, i;
	bool good = true;

	if (seen)
		seen[0] = seen[1] = -1;
	if (memcmp(cut->flash + cut->device_data, cut->before.bytes + cut->device_data,
		   cut->way->kind->flash - cut->device_data)) {
		ktap_fail(__FILE__, __LINE__, "%s, %s, %s, operation %llu: device data changed",
			  cut->way->name, cut->scenario->name, when, (unsigned long long)operation);
		return false;
	}
	for (policy = 0; policy < CXSIM_BOOT_POLICIES; policy++) {
		if (!(cut->policies & 1U << policy))
			continue;
		cxsim_set(cut->burning.card, CXSIM_BOOT_POLICY, policy);
		for (i = 0; i < boots; i++) {
			cxsim_reset(cut->burning.card, CXSIM_RESET_POWER);
			if (!boots_well(cut, only_new)) {
				good = complain(cut, when, operation, policy);
				break;
			}
			if (seen)
				seen[cxsim_booted(cut->burning.card)->address != 0] = policy;
		}
	}
	return good;
}

/* The whole burn, to count its operations. */
static bool burn_uncut(struct powercut *cut)
{
	unsigned int access = cut->way->spi ? CXFW_FLASH_ACCESS_SPI : CXFW_FLASH_ACCESS_MFBA;
	int error;

	powercut_load(cut, &cut->before, first_policy(cut));
	error = powercut_burn(cut);
	if (error) {
		ktap_fail(__FILE__, __LINE__, "%s, %s: %d, %s", cut->way->name, cut->scenario->name, error,
			  cut->burning.device.why);
		return false;
	}
	cut->operations = cxsim_count(cut->burning.card, CXSIM_FLASH_OPERATIONS);
	CHECK_EQ(cxsim_count(cut->burning.card, CXSIM_FOUL), 0);
	CHECK_EQ(cut->burning.device.flash.access, access);
	/* Not a power cycle: the boot register counts. */
	cxsim_set(cut->burning.card, CXSIM_BOOT_POLICY, CXSIM_BOOT_REGISTER);
	cxsim_reset(cut->burning.card, CXSIM_RESET_CHIP);
	if (!boots_well(cut, true))
		return complain(cut, "after the reset of an uncut burn", 0, CXSIM_BOOT_REGISTER);
	return powercut_boots(cut, "after an uncut burn", 0, true, NULL);
}

static bool again_from(struct powercut *cut, u64 operation)
{
	int error = powercut_burn_again(cut);

	if (!error)
		return powercut_boots(cut, "after the second burn", operation, true, NULL);
	if (cut->bricks++ < FAILURES_TOLD)
		ktap_fail(__FILE__, __LINE__, "%s, %s, operation %llu: second burn: %d, %s", cut->way->name,
			  cut->scenario->name, (unsigned long long)operation, error, cut->burning.device.why);
	return false;
}

/* Cuts; what the flash then holds is left in *after. */
static bool cut_at(struct powercut *cut, u64 operation, bool torn, struct powercut_cells *after)
{
	cxsim_set(cut->burning.card, CXSIM_CUT_TORN, torn);
	cxsim_set(cut->burning.card, CXSIM_CUT_AFTER, operation);
	if (!powercut_burn(cut) && operation < cut->operations)
		ktap_fail(__FILE__, __LINE__, "%s, %s, operation %llu: the cut burn succeeds", cut->way->name,
			  cut->scenario->name, (unsigned long long)operation);
	cxsim_set(cut->burning.card, CXSIM_CUT_AFTER, 0);
	powercut_save(cut, after);
	cut->cuts++;
	return true;
}

static bool is_tried(const struct powercut *cut, u64 operation, unsigned int sample)
{
	return getenv("POWERCUT") || operation <= ALWAYS_FIRST || operation + ALWAYS_LAST > cut->operations ||
	       !((operation + ktap_seed()) % sample);
}

void powercut_everywhere(struct powercut *cut, bool torn, unsigned int sample)
{
	struct powercut_cells after = {0};
	u64 operation;
	int seen[2], slot;

	if (!cut->operations && !burn_uncut(cut))
		return;
	for (operation = 1; operation <= cut->operations; operation++) {
		if (!is_tried(cut, operation, sample))
			continue;
		powercut_load(cut, &cut->before, first_policy(cut));
		cut_at(cut, operation, torn, &after);
		if (!powercut_boots(cut, torn ? "after a torn cut" : "after a clean cut", operation, false,
				    seen))
			continue;
		for (slot = 0; slot < 2; slot++) {
			if (seen[slot] < 0)
				continue;
			powercut_load(cut, &after, seen[slot]);
			again_from(cut, operation);
		}
	}
	powercut_free(&after);
}

void powercut_pairs(struct powercut *cut, bool torn, unsigned int sample)
{
	struct powercut_cells first = {0}, second = {0};
	unsigned int policy = first_policy(cut);
	u64 one, two;
	int error;

	if (!cut->operations && !burn_uncut(cut))
		return;
	for (one = 1; one <= cut->operations; one++) {
		if (!is_tried(cut, one, sample))
			continue;
		powercut_load(cut, &cut->before, policy);
		cut_at(cut, one, torn, &first);
		for (two = 1, error = -EIO; error; two++) {
			powercut_load(cut, &first, policy);
			cxsim_set(cut->burning.card, CXSIM_CUT_TORN, torn);
			cxsim_set(cut->burning.card, CXSIM_CUT_AFTER, two);
			error = powercut_burn_again(cut);
			cxsim_set(cut->burning.card, CXSIM_CUT_AFTER, 0);
			cut->cuts += error != 0;
			powercut_save(cut, &second);
			if (!powercut_boots(cut, "after the second cut", one * 1000 + two, false, NULL) ||
			    two > 3 * cut->operations)
				break;
			again_from(cut, one * 1000 + two);
		}
	}
	powercut_free(&first);
	powercut_free(&second);
}
