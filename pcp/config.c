// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lines "name value", and "pcp CPU ZONE BLOCKS HIGH ORDER TYPE". A line "zone" or "group" begins one: the lines after it
 * are its own. Each name of params.def must be there once in each section.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MOST_NAMES 64

struct name {
	const char *name;
	uint64_t low, high;
};

#define NAME(name, low, high, meaning) { #name, low, high },
#define RUN NAME
static const struct name run_names[] = {
#include "params.def"
};
#undef RUN
#define ZONE NAME
static const struct name zone_names[] = {
#include "params.def"
};
#undef ZONE
#define GROUP NAME
static const struct name group_names[] = {
#include "params.def"
};
#undef GROUP

struct config config;

/* The names of a section, and its values in the same order. */
static struct section {
	const char *title;
	const struct name *names;
	unsigned int count;
	uint64_t *values;
	bool seen[MOST_NAMES];
} section;

static unsigned int line_number;

void stop(int status, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(status);
}

#define PAGE 4096

void *allocate(size_t count, size_t size)
{
	char *memory = calloc(count ? count : 1, size);

	/* What has an entry for each page of a machine is read at random: in huge pages, where the host gives any. */
	if (memory && size && count > (2u << 20) / size)
		madvise(memory + PAGE - (uintptr_t)memory % PAGE, count * size - PAGE, MADV_HUGEPAGE);
	if (!memory)
		stop(3, "no memory for %zu times %zu bytes", count, size);
	return memory;
}

void *reallocate(void *memory, size_t count, size_t size)
{
	memory = realloc(memory, count * size);
	if (!memory)
		stop(3, "no memory for %zu times %zu bytes", count, size);
	return memory;
}

static void section_end(void)
{
	for (unsigned int i = 0; i < section.count; i++)
		if (!section.seen[i])
			stop(2, "config: line %u: %s of the %s is not given", line_number, section.names[i].name, section.title);
}

static void section_begin(const char *title, const struct name *names, unsigned int count, void *values)
{
	section = (struct section){ .title = title, .names = names, .count = count, .values = values };
}

static uint64_t number_of(const char *word, const char *text, uint64_t low, uint64_t high)
{
	char *end;
	uint64_t value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || *end || *text < '0' || *text > '9' || value < low || value > high)
		stop(2, "config: line %u: %s: %s is not a number from %" PRIu64 " to %" PRIu64, line_number, word, text,
		     low, high);
	return value;
}

static void value_read(const char *word, const char *text)
{
	for (unsigned int i = 0; i < section.count; i++) {
		const struct name *name = &section.names[i];

		if (strcmp(name->name, word))
			continue;
		if (section.seen[i])
			stop(2, "config: line %u: %s is given twice", line_number, word);
		section.seen[i] = true;
		section.values[i] = number_of(word, text, name->low, name->high);
		return;
	}
	stop(2, "config: line %u: a %s has no %s", line_number, section.title, word);
}

/* The words after "pcp". */
static void pcp_read(const char *word)
{
	uint64_t values[6] = { 0 };

	for (unsigned int i = 0; i < 6; i++) {
		values[i] = number_of("pcp", word ? word : "", 0, (1u << 28) - 1);
		word = strtok(NULL, " \n");
	}
	config.pcps = reallocate(config.pcps, config.pcp_count + 1, sizeof(*config.pcps));
	config.pcps[config.pcp_count++] =
		(struct pcp_state){ values[0], values[1], values[2], values[3], values[4], values[5] };
}

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static void line_read(const char *word, const char *value)
{
	if (!strcmp(word, "policy")) {
		snprintf(config.policy, sizeof(config.policy), "%s", value);
	} else if (!strcmp(word, "pcp")) {
		pcp_read(value);
	} else if (!strcmp(word, "zone")) {
		section_end();
		if (config.zone_count == MOST_ZONES)
			stop(2, "config: line %u: more than %d zones", line_number, MOST_ZONES);
		section_begin("zone", zone_names, COUNT(zone_names), &config.zones[config.zone_count++]);
	} else if (!strcmp(word, "group")) {
		section_end();
		if (config.group_count == MOST_GROUPS)
			stop(2, "config: line %u: more than %d groups", line_number, MOST_GROUPS);
		section_begin("group", group_names, COUNT(group_names), &config.groups[config.group_count++]);
	} else {
		value_read(word, value);
	}
}

static void zones_check(void)
{
	for (unsigned int i = 0; i < config.zone_count; i++) {
		const struct zone_config *zone = &config.zones[i];

		if (i && zone->start < config.zones[i - 1].start + config.zones[i - 1].pages)
			stop(2, "zone %u: it begins before the end of the zone before", i);
		if (zone->start + zone->pages > 1u << 28)
			stop(2, "zone %u: it ends beyond page frame %u (1 TiB of 4 KiB pages)", i, 1u << 28);
		if (zone->used >= zone->pages)
			stop(2, "zone %u: all of its pages are used", i);
		if (zone->high_min > zone->high_max)
			stop(2, "zone %u: high_min is above high_max", i);
		if (zone->low_watermark > zone->high_watermark)
			stop(2, "zone %u: low_watermark is above high_watermark", i);
		if (zone->cpu_first + zone->cpu_count > config.run.cpus)
			stop(2, "zone %u: its CPUs are not among the %" PRIu64, i, config.run.cpus);
	}
}

static void groups_check(void)
{
	for (unsigned int i = 0; i < config.group_count; i++) {
		const struct group_config *group = &config.groups[i];

		if (group->cpu_first + group->cpu_count > config.run.cpus)
			stop(2, "group %u: its CPUs are not among the %" PRIu64, i, config.run.cpus);
		if (group->depth_min > group->depth_max)
			stop(2, "group %u: depth_min is above depth_max", i);
		if (group->order1 + group->order2 + group->order3 + group->order9 > 1000)
			stop(2, "group %u: the orders are more than 1000 of 1000", i);
		if (group->unmovable + group->reclaimable > 1000)
			stop(2, "group %u: the migrate types are more than 1000 of 1000", i);
		if (group->remote && group->cpu_count == 1)
			stop(2, "group %u: remote needs more than one CPU", i);
	}
}

void config_read(void)
{
	char line[256];

	section_begin("run", run_names, COUNT(run_names), &config.run);
	while (fgets(line, sizeof(line), stdin)) {
		char *word = strtok(line, " \n"), *value = strtok(NULL, " \n");

		line_number++;
		if (word)
			line_read(word, value ? value : "");
	}
	section_end();
	if (!*config.policy || !config.zone_count)
		stop(2, "config: a policy and a zone are needed");
	zones_check();
	groups_check();
	for (unsigned int i = 0; i < config.pcp_count; i++)
		if (config.pcps[i].cpu >= config.run.cpus || config.pcps[i].zone >= config.zone_count)
			stop(2, "config: pcp %u: there is no such CPU, or zone", i);
}
