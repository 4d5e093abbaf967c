// SPDX-License-Identifier: GPL-2.0-only
/* The simulated card as a whole: life, resets, time, counters. */
#include "card.h"
#include "boot.h"

const char *const cxsim_counters[CXSIM_COUNTERS] = {
	[CXSIM_CONFIG_READS] = "config_reads",
	[CXSIM_CONFIG_WRITES] = "config_writes",
	[CXSIM_GATEWAY_READS] = "gateway_reads",
	[CXSIM_GATEWAY_WRITES] = "gateway_writes",
	[CXSIM_SEMAPHORE_HOLDS] = "semaphore_holds",
	[CXSIM_ICMD_COMMANDS] = "icmd_commands",
	[CXSIM_SPI_READS] = "spi_reads",
	[CXSIM_SPI_READ_BYTES] = "spi_read_bytes",
	[CXSIM_SPI_ERASES] = "spi_erases",
	[CXSIM_SPI_ERASED_BYTES] = "spi_erased_bytes",
	[CXSIM_SPI_PROGRAMS] = "spi_programs",
	[CXSIM_SPI_PROGRAMMED_BYTES] = "spi_programmed_bytes",
	[CXSIM_FLASH_OPERATIONS] = "flash_operations",
	[CXSIM_LONGEST_HOLD] = "longest_hold",
	[CXSIM_CHIP_TIME] = "chip_time",
	[CXSIM_FOUL] = "foul",
};

u32 cxsim_random(struct cxsim_card *card)
{
	card->random += 0x9e3779b97f4a7c15ULL;
	return (u32)(cxsim_derive(card->random, 0) >> 32);
}

u32 cxsim_random_below(struct cxsim_card *card, u32 limit)
{
	return limit ? cxsim_random(card) % limit : 0;
}

void cxsim_add(struct cxsim_card *card, enum cxsim_counter counter, u64 value)
{
	card->counters[counter] += value;
}

void cxsim_foul(struct cxsim_card *card)
{
	cxsim_add(card, CXSIM_FOUL, 1);
}

void cxsim_hold_ends(struct cxsim_card *card, u64 since)
{
	u64 held = cxsim_time(card) - since;

	if (held > card->counters[CXSIM_LONGEST_HOLD])
		card->counters[CXSIM_LONGEST_HOLD] = held;
}

u64 cxsim_count(const struct cxsim_card *card, enum cxsim_counter counter)
{
	return counter < CXSIM_COUNTERS ? card->counters[counter] : 0;
}

void cxsim_counters_clear(struct cxsim_card *card)
{
	memset(card->counters, 0, sizeof(card->counters));
}

u64 cxsim_time(const struct cxsim_card *card)
{
	u64 now = card->host.now ? card->host.now(card->host.context) : 0;

	return now + card->added;
}

void cxsim_advance(struct cxsim_card *card, u64 nanoseconds)
{
	card->added += nanoseconds;
}

unsigned int cxsim_functions(const struct cxsim_card *card)
{
	return card->function_count;
}

unsigned int cxsim_second_functions(const struct cxsim_card *card)
{
	return card->second_count;
}

u32 cxsim_generation(const struct cxsim_card *card)
{
	return card->generation;
}

bool cxsim_is_virtual(const struct cxsim_card *card, unsigned int function)
{
	return function < ARRAY_SIZE(card->functions) && card->functions[function].is_virtual;
}

const struct cxsim_boot *cxsim_booted(const struct cxsim_card *card)
{
	return &card->boot;
}

bool cxsim_firmware_runs(const struct cxsim_card *card)
{
	return card->powered && !card->hung && !card->boot.recovery;
}

bool cxsim_guarded(const struct cxsim_card *card)
{
	return cxsim_firmware_runs(card) && card->model->guards->address && !card->settings[CXSIM_GUARD_OFF];
}

u32 cxsim_boot_register_address(const struct cxsim_card *card)
{
	return card->boot_register >> card->model->boot_shift;
}

void cxsim_power_cut(struct cxsim_card *card)
{
	card->powered = false;
}

void cxsim_hang(struct cxsim_card *card)
{
	card->hung = true;
}

void cxsim_unplug(struct cxsim_card *card, bool unplugged)
{
	/* Pulling a card out of its slot takes its power too. */
	if (card->unplugged && !unplugged)
		cxsim_reset(card, CXSIM_RESET_POWER);
	card->unplugged = unplugged;
}

bool cxsim_is_unplugged(const struct cxsim_card *card)
{
	return card->unplugged;
}

void cxsim_hot_reset(struct cxsim_card *card, unsigned int host)
{
	unsigned int first = host ? CXSIM_SECOND_HOST : 0, i;
	unsigned int count = host ? card->second_count : card->function_count;

	for (i = first; i < first + count; i++) {
		cxsim_config_reset(card, &card->functions[i]);
		card->functions[i].absent_until = cxsim_time(card) + card->settings[CXSIM_ABSENCE_TIME];
	}
}

static void function_resets(struct cxsim_card *card)
{
	cxsim_hot_reset(card, 0);
	cxsim_hot_reset(card, 1);
}

static void boots(struct cxsim_card *card, bool power)
{
	bool was_recovery = card->boot.recovery;
	unsigned int was_functions = card->function_count;

	if (power) {
		card->powered = true;
		card->hung = false;
		card->boot_register = 0;
		cxsim_chip_power(card);
	}
	cxsim_cr_reset(card, power);
	cxsim_icmd_reset(card);
	cxsim_hcr_reset(card);
	memset(&card->mcc, 0, sizeof(card->mcc));
	memset(&card->actor, 0, sizeof(card->actor));
	card->settings[CXSIM_STUCK_SEMAPHORE] = 0;
	cxsim_boot_run(card);
	cxsim_spi_reset(card);
	cxsim_config_build(card);
	card->booted_at = cxsim_time(card);
	if (card->boot.recovery != was_recovery || card->function_count != was_functions)
		card->generation++;
}

void cxsim_reset(struct cxsim_card *card, enum cxsim_reset kind)
{
	switch (kind) {
	case CXSIM_RESET_POWER:
		boots(card, true);
		break;
	case CXSIM_RESET_CHIP:
		/* A card without power, or hung, does not come back by a reset of the link. */
		if (card->powered && !card->hung)
			boots(card, false);
		break;
	case CXSIM_RESET_FUNCTION:
		function_resets(card);
		break;
	}
	card->absent_until = cxsim_time(card) + card->settings[CXSIM_ABSENCE_TIME];
}

static bool keep_text(struct cxsim_card *card, unsigned int slot, const char **text)
{
	size_t length = strlen(*text);

	if (length >= sizeof(card->text[0]))
		return false;
	memcpy(card->text[slot], *text, length + 1);
	*text = card->text[slot];
	return true;
}

/* The caller's strings may go away: keep copies. */
static bool keep_texts(struct cxsim_card *card)
{
	struct cxsim_parameters *p = &card->parameters;

	return keep_text(card, 0, &p->psid) && keep_text(card, 1, &p->version) &&
	       keep_text(card, 2, &p->vsd) && keep_text(card, 3, &p->chip);
}

static bool load_image(struct cxsim_card *card, char *why)
{
	struct cxsim_parameters parameters = card->parameters;
	size_t length, placed;
	u8 *image, *cells;
	u32 size;
	bool done;

	cells = cxsim_flash(card, &size);
	parameters.flash_size = size;
	length = cxsim_image_make(&parameters, NULL, 0, why);
	if (!length)
		return false;
	image = card->host.alloc(length);
	if (!image) {
		scnprintf(why, CXSIM_WHY, "no memory for an image of %lu bytes", (unsigned long)length);
		return false;
	}
	placed = cxsim_image_make(&parameters, image, length, why);
	done = placed && cxsim_image_place(card->model->name, image, placed, cells, size, 0);
	if (placed && !done)
		scnprintf(why, CXSIM_WHY, "an image of %lu bytes does not fit into a flash of %lu",
			  (unsigned long)placed, (unsigned long)size);
	card->host.free(image);
	return done;
}

struct cxsim_card *cxsim_card_create(const struct cxsim_parameters *parameters, const struct cxsim_host *host,
				     char *why)
{
	struct cxsim_card *card = host->alloc(sizeof(*card));

	if (!card) {
		scnprintf(why, CXSIM_WHY, "no memory for a card");
		return NULL;
	}
	card->host = *host;
	if (!cxsim_parameters_complete(parameters, &card->parameters, &card->model, why))
		goto no_card;
	if (!keep_texts(card)) {
		scnprintf(why, CXSIM_WHY, "a text parameter is too long");
		goto no_card;
	}
	if (card->parameters.virtual_functions + card->model->functions > CXSIM_FUNCTIONS_MAX) {
		scnprintf(why, CXSIM_WHY, "too many virtual functions: %u, at most %u",
			  card->parameters.virtual_functions, CXSIM_FUNCTIONS_MAX - card->model->functions);
		goto no_card;
	}
	card->random = card->parameters.seed;
	cxsim_settings_default(card);
	cxsim_port_reset(&card->ports[0]);
	cxsim_port_reset(&card->ports[1]);
	if (cxsim_chip_init(card, card->parameters.chip, card->parameters.flash_size, why))
		goto no_card;
	if (!card->parameters.empty && !load_image(card, why))
		goto no_image;
	cxsim_reset(card, CXSIM_RESET_POWER);
	card->absent_until = 0;
	card->generation = 0;
	return card;

no_image:
	cxsim_chip_free(card);
no_card:
	host->free(card);
	return NULL;
}

void cxsim_card_destroy(struct cxsim_card *card)
{
	void (*release)(void *memory);

	if (!card)
		return;
	release = card->host.free;
	cxsim_chip_free(card);
	release(card);
}
