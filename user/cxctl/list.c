// SPDX-License-Identifier: GPL-2.0-only
/* One scan of sysfs and one netlink dump: of cxfw, or of devlink where cxfw cannot be asked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "pending.h"

struct row {
	const struct pci_function *pci;
	const struct cxctl_card_facts *facts;		/* NULL: the driver does not tell */
	const struct cxctl_devlink_facts *devlink;	/* NULL */
	unsigned int card;				/* rows of one card have the same number */
	bool first;					/* of its card */
	struct pending pending;				/* of its card; to empty: no burn is remembered */
};

struct listing {
	struct pci_list pci;
	struct row *rows;
	struct cxctl_card_facts *cards;
	size_t card_count;
	struct cxctl_devlink_facts *devlinks;
	size_t devlink_count;
	bool failed;			/* out of memory */
};

static int keep_card(const struct cxctl_card_facts *facts, void *data)
{
	struct listing *listing = data;
	void *grown = realloc(listing->cards, (listing->card_count + 1) * sizeof(*listing->cards));

	if (!grown) {
		listing->failed = true;
		return -1;
	}
	listing->cards = grown;
	listing->cards[listing->card_count++] = *facts;
	return 0;
}

static int keep_devlink(const struct cxctl_devlink_facts *facts, void *data)
{
	struct listing *listing = data;
	void *grown = realloc(listing->devlinks, (listing->devlink_count + 1) * sizeof(*listing->devlinks));

	if (!grown) {
		listing->failed = true;
		return -1;
	}
	listing->devlinks = grown;
	listing->devlinks[listing->devlink_count++] = *facts;
	return 0;
}

static const struct cxctl_card_facts *facts_of(const struct listing *listing, const char *address)
{
	size_t i;
	unsigned int n;

	for (i = 0; i < listing->card_count; i++) {
		if (!strcmp(listing->cards[i].address, address))
			return &listing->cards[i];
		for (n = 0; n < listing->cards[i].function_count; n++)
			if (!strcmp(listing->cards[i].functions[n].address, address))
				return &listing->cards[i];
	}
	return NULL;
}

/* Cards as the driver groups them; without it the functions of a slot are taken for one card. */
static bool same_card(const struct row *a, const struct row *b)
{
	if (a->facts || b->facts)
		return a->facts == b->facts;
	return !a->pci->is_virtual && !b->pci->is_virtual && a->pci->domain == b->pci->domain &&
	       a->pci->bus == b->pci->bus && a->pci->slot == b->pci->slot;
}

static const char *psid_of(const struct row *row, const char **source)
{
	if (row->facts && *row->facts->psid) {
		*source = "cxfw";
		return row->facts->psid;
	}
	if (row->devlink && *row->devlink->psid) {
		*source = "devlink";
		return row->devlink->psid;
	}
	if (*row->pci->board_id) {
		*source = "sysfs";
		return row->pci->board_id;
	}
	*source = NULL;
	return NULL;
}

/* 0: unknown. */
static uint32_t hw_id_of(const struct row *row)
{
	return row->facts && row->facts->hw_id_valid ? row->facts->hw_id : 0;
}

static int build_rows(struct listing *listing, const struct options *options)
{
	struct cxctl_error ignored;
	unsigned int cards = 0;
	const char *source;
	size_t i, j;

	listing->rows = calloc(listing->pci.count + 1, sizeof(*listing->rows));
	if (!listing->rows)
		return -1;
	for (i = 0; i < listing->pci.count; i++) {
		struct row *row = &listing->rows[i];

		row->pci = &listing->pci.functions[i];
		row->facts = facts_of(listing, row->pci->address);
		for (j = 0; j < listing->devlink_count; j++)
			if (!strcmp(listing->devlinks[j].address, row->pci->address))
				row->devlink = &listing->devlinks[j];
		for (j = 0; j < i && !same_card(&listing->rows[j], row); j++)
			;
		row->first = j == i;
		row->card = row->first ? cards++ : listing->rows[j].card;
		if (!row->pci->is_virtual && row->first)
			pending_read_of(row->pci->address, psid_of(row, &source), hw_id_of(row), options,
					&row->pending, &ignored);
		else if (!row->pci->is_virtual)
			row->pending = listing->rows[j].pending;
	}
	return 0;
}

/* The chip's name; NULL when nobody knows it. */
static const char *chip_of(const struct row *row)
{
	const char *name = NULL;

	if (row->facts && row->facts->hw_id == 0x190)
		name = pci_model_by_hw_id(row->facts->hw_id, row->facts->hw_revision);
	if (!name)
		name = pci_model(row->pci->device, NULL);
	if (!name && row->facts && row->facts->hw_id_valid)
		name = pci_model_by_hw_id(row->facts->hw_id, row->facts->hw_revision);
	return name;
}

/* For a person; JSON has the parts. */
static const char *model_of(const struct row *row, char *text, size_t size)
{
	const char *name = chip_of(row);
	bool recovery;

	pci_model(row->pci->device, &recovery);
	if (row->pci->is_virtual)
		snprintf(text, size, _("virtual function"));
	else if (name)
		snprintf(text, size, "%s%s", name, recovery ? _(" (recovery)") : "");
	else
		snprintf(text, size, _("generic (%04x)"), row->pci->device);
	return text;
}

static const char *version_text(const struct cxctl_version *version, char *text, size_t size)
{
	/* Four digits at least for the last part, as the vendor writes it on mlx5; mlx4 has its own habit. */
	snprintf(text, size, version->major >= 10 ? "%u.%u.%04u" : "%u.%u.%u", version->major, version->minor,
		 version->subminor);
	return text;
}

static const char *running_of(const struct row *row, char *text, size_t size, const char **source)
{
	*source = "cxfw";
	if (row->facts && row->facts->running.valid)
		return version_text(&row->facts->running, text, size);
	*source = "devlink";
	if (row->devlink && *row->devlink->running)
		return row->devlink->running;
	*source = "sysfs";
	if (*row->pci->fw_version)
		return row->pci->fw_version;
	*source = NULL;
	return NULL;
}

/* A burn that is remembered and does not run yet. */
static bool waits(const struct row *row)
{
	const char *running, *psid, *source;
	char text[32];

	if (!*row->pending.to)
		return false;
	psid = psid_of(row, &source);
	if (!pending_is_of(&row->pending, psid, hw_id_of(row), NULL))
		return false;
	running = running_of(row, text, sizeof(text), &source);
	return pending_waits(&row->pending, running);
}

static const char *stored_of(const struct row *row, char *text, size_t size, const char **source)
{
	*source = "cxfw";
	if (row->facts && row->facts->stored.valid)
		return version_text(&row->facts->stored, text, size);
	*source = "devlink";
	if (row->devlink && *row->devlink->stored)
		return row->devlink->stored;
	*source = "record of the burn";
	if (waits(row))
		return row->pending.to;
	*source = NULL;
	return NULL;
}

static const char *state_name(const struct row *row)
{
	static const char *const names[] = {
		[CXFW_STATE_UNKNOWN] = "unknown",
		[CXFW_STATE_RUNNING] = "running",
		[CXFW_STATE_RECOVERY] = "recovery",
		[CXFW_STATE_ABSENT] = "absent",
	};
	bool recovery;

	if (row->facts && row->facts->state <= CXFW_STATE_ABSENT && row->facts->state != CXFW_STATE_UNKNOWN)
		return names[row->facts->state];
	pci_model(row->pci->device, &recovery);
	return recovery ? "recovery" : "unknown";
}

/* "8.0 GT/s x8", and what the function could do when that is more. */
static void link_text(const struct pci_function *pci, char *text, size_t size)
{
	char now[48] = "", most[48] = "";
	char speed[32], speed_max[32];

	snprintf(speed, sizeof(speed), "%s", pci->link_speed);
	snprintf(speed_max, sizeof(speed_max), "%s", pci->link_speed_max);
	if (strstr(speed, " PCIe"))
		*strstr(speed, " PCIe") = '\0';
	if (strstr(speed_max, " PCIe"))
		*strstr(speed_max, " PCIe") = '\0';
	if (*speed && strcmp(speed, "Unknown") && *pci->link_width)
		snprintf(now, sizeof(now), "%s x%s", speed, pci->link_width);
	if (*speed_max && strcmp(speed_max, "Unknown") && *pci->link_width_max)
		snprintf(most, sizeof(most), "%s x%s", speed_max, pci->link_width_max);
	if (*now && *most && strcmp(now, most))
		snprintf(text, size, _("%s of %s"), now, most);
	else
		snprintf(text, size, "%s", now);
}

static void join(char *text, size_t size, const char names[][32], unsigned int count)
{
	size_t used = 0;
	unsigned int i;

	text[0] = '\0';
	for (i = 0; i < count && used + 1 < size; i++)
		used += snprintf(text + used, size - used, "%s%s", i ? "," : "", names[i]);
}

static void show_row(struct output *output, const struct row *row)
{
	char model[64], running[32], stored[32], netdev[140], rdma[140], node[16] = "", link[128], address[24];
	const char *source;
	const char *cells[OUTPUT_COLUMNS] = { NULL };

	snprintf(address, sizeof(address), "%s%s", row->first || row->pci->is_virtual ? "" : "+",
		 row->pci->address);
	cells[0] = address;
	cells[1] = row->first || row->pci->is_virtual ? model_of(row, model, sizeof(model)) :
							 _("(same card)");
	if (!row->pci->is_virtual) {
		cells[2] = psid_of(row, &source);
		cells[3] = running_of(row, running, sizeof(running), &source);
		cells[4] = stored_of(row, stored, sizeof(stored), &source);
	}
	if (!cells[3] && !strcmp(state_name(row), "recovery"))
		cells[3] = _("none");
	if (!strcmp(state_name(row), "absent"))
		cells[3] = _("absent");
	join(netdev, sizeof(netdev), row->pci->netdev, row->pci->netdev_count);
	join(rdma, sizeof(rdma), row->pci->rdma, row->pci->rdma_count);
	cells[5] = netdev;
	cells[6] = rdma;
	if (row->pci->numa_node >= 0)
		snprintf(node, sizeof(node), "%d", row->pci->numa_node);
	cells[7] = node;
	cells[8] = row->pci->driver;
	link_text(row->pci, link, sizeof(link));
	cells[9] = link;
	output_row(output, cells);
}

static void string_or_null(struct output *output, const char *key, const char *value)
{
	output_string(output, key, value && *value ? value : NULL);
}

static void write_function(struct output *output, const struct row *row)
{
	unsigned int i;

	output_object(output, NULL);
	output_string(output, "address", row->pci->address);
	output_number(output, "pci_vendor", row->pci->vendor);
	output_number(output, "pci_device", row->pci->device);
	output_bool(output, "virtual", row->pci->is_virtual);
	if (row->pci->is_virtual)
		string_or_null(output, "physical_function", row->pci->physical);
	output_array(output, "netdevs");
	for (i = 0; i < row->pci->netdev_count; i++)
		output_string(output, NULL, row->pci->netdev[i]);
	output_end(output);
	output_array(output, "rdma_devices");
	for (i = 0; i < row->pci->rdma_count; i++)
		output_string(output, NULL, row->pci->rdma[i]);
	output_end(output);
	if (row->pci->numa_node >= 0)
		output_number(output, "numa_node", row->pci->numa_node);
	else
		output_null(output, "numa_node");
	string_or_null(output, "driver", row->pci->driver);
	output_number(output, "virtual_functions", row->pci->virtual_count);
	output_object(output, "link");
	string_or_null(output, "speed", row->pci->link_speed);
	string_or_null(output, "width", row->pci->link_width);
	string_or_null(output, "speed_max", row->pci->link_speed_max);
	string_or_null(output, "width_max", row->pci->link_width_max);
	output_end(output);
	output_end(output);
}

/* PSID and versions belong to the card: the first function that knows them tells. */
static void write_firmware(struct output *output, const struct listing *listing, unsigned int card)
{
	const char *psid = NULL, *running = NULL, *stored = NULL, *action = NULL, *source;
	char running_text[32], stored_text[32];
	size_t i;

	for (i = 0; i < listing->pci.count; i++) {
		const struct row *row = &listing->rows[i];

		if (row->card != card || row->pci->is_virtual)
			continue;
		if (!psid && (psid = psid_of(row, &source)))
			output_source(output, "psid", source);
		if (!running && (running = running_of(row, running_text, sizeof(running_text), &source)))
			output_source(output, "firmware_running", source);
		if (!stored && (stored = stored_of(row, stored_text, sizeof(stored_text), &source)))
			output_source(output, "firmware_stored", source);
		if (!action && waits(row))
			action = pending_action(&row->pending);
	}
	if (!action && running && stored && !version_same(running, stored))
		action = "activate";
	output_string(output, "psid", psid);
	output_string(output, "firmware_running", running);
	output_string(output, "firmware_stored", stored);
	output_string(output, "pending_action", action);
}

static void write_card(struct output *output, const struct listing *listing, const struct row *first)
{
	size_t i;

	output_object(output, NULL);
	output_string(output, "card", first->pci->address);
	output_bool(output, "changed", false);
	output_string(output, "address", first->pci->address);
	output_string(output, "model", chip_of(first));
	output_string(output, "state", state_name(first));
	output_bool(output, "generic", !chip_of(first) && !first->pci->is_virtual);
	if (first->facts && first->facts->hw_id_valid) {
		output_number(output, "hw_id", first->facts->hw_id);
		output_number(output, "hw_revision", first->facts->hw_revision);
	}
	write_firmware(output, listing, first->card);
	string_or_null(output, "trouble", first->facts ? first->facts->trouble : NULL);
	output_array(output, "functions");
	for (i = 0; i < listing->pci.count; i++)
		if (listing->rows[i].card == first->card)
			write_function(output, &listing->rows[i]);
	output_end(output);
	output_end(output);
}

/* Is there a card whose PSID info would find, but no register or driver tells? */
static bool psid_in_flash(const struct listing *listing)
{
	const char *source;
	size_t i;

	for (i = 0; i < listing->pci.count; i++) {
		const struct row *row = &listing->rows[i];

		if (row->first && row->facts && row->facts->family == CXFW_FAMILY_MLX4 && !psid_of(row, &source))
			return true;
	}
	return false;
}

static void write_listing(struct output *output, const struct options *options, const struct listing *listing)
{
	const char *const headers[] = {
		_("PCI"), _("MODEL"), _("PSID"), _("RUNNING"), _("STORED"), _("NETDEV"), _("RDMA"), _("NODE"),
		_("DRIVER"), _("LINK"),
	};
	unsigned int shown = 0, hidden = 0;
	size_t i;

	output_array(output, "cards");
	for (i = 0; i < listing->pci.count; i++) {
		const struct row *row = &listing->rows[i];

		if (row->pci->is_virtual && !options->verbose) {
			hidden++;
			continue;
		}
		if (!shown++)
			output_table(output, headers, sizeof(headers) / sizeof(headers[0]));
		show_row(output, row);
		if (row->first)
			write_card(output, listing, row);
	}
	if (shown)
		output_table_end(output);
	output_end(output);
	if (hidden)
		say(options, ngettext("%u virtual function is not shown; -v shows it",
				      "%u virtual functions are not shown; -v shows them", hidden), hidden);
	if (!shown)
		say(options, hidden ? _("this machine has virtual functions of ConnectX cards only") :
				      _("this machine has no ConnectX card"));
	if (!options->json && psid_in_flash(listing))
		say(options, _("a PSID of ConnectX-2 and 3 stands in the flash, which list does not read: cxctl info CARD"));
	for (i = 0; i < listing->pci.count && !options->json; i++)
		if (listing->rows[i].first && waits(&listing->rows[i]))
			say(options, _("%s: %s was burned and does not run yet: cxctl activate %s"),
			    listing->rows[i].pci->address, listing->rows[i].pending.to,
			    listing->rows[i].pci->address);
	for (i = 0; i < listing->pci.count && !options->json; i++)
		if (listing->rows[i].first && listing->rows[i].facts && *listing->rows[i].facts->trouble)
			say(options, "%s: %s", listing->rows[i].pci->address, listing->rows[i].facts->trouble);
}

static void free_listing(struct listing *listing)
{
	pci_list_free(&listing->pci);
	free(listing->rows);
	free(listing->cards);
	free(listing->devlinks);
}

/* The driver first; where it cannot be asked devlink, which anybody may ask. */
static void ask_kernel(struct output *output, const struct options *options, struct listing *listing)
{
	struct cxctl_error error, ignored;

	if (!listing->pci.count || !cards_each(keep_card, listing, &error))
		return;
	say(options, _("fewer facts: %s"), error.text);
	if (*error.next)
		say_verbose(options, "  %s", error.next);
	output_object(output, "fewer_facts");
	output_string(output, "id", error.id);
	output_string(output, "text", error.text);
	string_or_null(output, "next", error.next);
	output_end(output);
	devlink_each(keep_devlink, listing, &ignored);
}

int cmd_list(struct options *options, int argc, char **argv)
{
	static const struct usage usage = {
		.name = "list",
		.synopsis = "[options]",
		.summary = N_("Lists the ConnectX cards of this machine. Reads no flash and changes nothing."),
		.details = N_("Works without the driver cxfw and without root, then with fewer facts.\n-v shows virtual functions too."),
	};
	struct listing listing = { 0 };
	struct cxctl_error error;
	struct output *output;
	int first, code, result;

	if (command_options(options, &usage, argc, argv, NULL, &first, &code))
		return code;
	if (first < argc || options->device) {
		error_set(&error, CXCTL_USAGE, "too-many-operands", _("cxctl list takes no operand: %s"),
			  first < argc ? argv[first] : options->device);
		error_next(&error, _("cxctl info %s tells about one card"),
			   first < argc ? argv[first] : options->device);
		return command_fail(options, &error);
	}
	result = pci_scan(&listing.pci);
	if (result) {
		error_set(&error, CXCTL_FAILED, "no-sysfs", _("cannot read the PCI devices in sysfs: %s"),
			  strerror(-result));
		return command_fail(options, &error);
	}
	output = output_open(stdout, options);
	ask_kernel(output, options, &listing);
	if (listing.failed || build_rows(&listing, options)) {
		error_set(&error, CXCTL_FAILED, "memory", _("out of memory"));
		output_error(output, &error);
		error_print(&error);
		output_close(output);
		free_listing(&listing);
		return CXCTL_FAILED;
	}
	write_listing(output, options, &listing);
	free_listing(&listing);
	output_close(output);
	return command_flush();
}
