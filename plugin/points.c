// SPDX-License-Identifier: GPL-2.0-only
#include "points.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct range {
	uint64_t start;
	uint64_t end;
	unsigned int kind;
};

struct ranges {
	struct range *items;
	size_t count;
	size_t room;
};

static struct ranges points, functions, entries;
static uint64_t nth_from, nth_to; /* 0: each time counts */

#define NTH 0x80000000u
#define FUNCTION 0
#define ENTRY 0x40000000u

static const struct {
	const char *name;
	unsigned int kind;
} kinds[] = {
	{ "fault", POINT_FAULT }, { "interrupt", POINT_INTERRUPT }, { "thunk", POINT_THUNK },
	{ "switch", POINT_SWITCH }, { "birth", POINT_BIRTH }, { "from", POINT_FROM }, { "to", POINT_TO },
	{ "zone", POINT_ZONE }, { "lock", POINT_LOCK }, { "nameless", POINT_NAMELESS },
	{ "nth_from", NTH | POINT_FROM }, { "nth_to", NTH | POINT_TO }, { "function", FUNCTION },
	{ "entry", ENTRY },
	{ "work_queues", POINT_DEFER(DEFERRED_WORK, ROLE_QUEUES) }, { "work_queued", POINT_DEFER(DEFERRED_WORK, ROLE_QUEUED) },
	{ "work_runs", POINT_DEFER(DEFERRED_WORK, ROLE_RUNS) }, { "work_cancels", POINT_DEFER(DEFERRED_WORK, ROLE_CANCELS) },
	{ "rcu_queues", POINT_DEFER(DEFERRED_RCU, ROLE_QUEUES) }, { "rcu_queued", POINT_DEFER(DEFERRED_RCU, ROLE_QUEUED) },
	{ "rcu_runs", POINT_DEFER(DEFERRED_RCU, ROLE_RUNS) },
	{ "irq_queues", POINT_DEFER(DEFERRED_IRQ_WORK, ROLE_QUEUES) },
	{ "irq_queued", POINT_DEFER(DEFERRED_IRQ_WORK, ROLE_QUEUED) },
	{ "irq_runs", POINT_DEFER(DEFERRED_IRQ_WORK, ROLE_RUNS) },
	{ "timer_queues", POINT_DEFER(DEFERRED_TIMER, ROLE_QUEUES) },
	{ "timer_runs", POINT_DEFER(DEFERRED_TIMER, ROLE_RUNS) },
};

static int add(struct ranges *ranges, struct range range)
{
	if (ranges->count == ranges->room) {
		size_t room = ranges->room ? 2 * ranges->room : 1024;
		struct range *items = realloc(ranges->items, room * sizeof(*items));

		if (!items)
			return -1;
		ranges->items = items;
		ranges->room = room;
	}
	ranges->items[ranges->count++] = range;
	return 0;
}

static struct ranges *list_of(unsigned int kind)
{
	if (kind == FUNCTION)
		return &functions;
	return kind == ENTRY ? &entries : &points;
}

static int read_line(const char *line)
{
	struct range range;
	char name[16];

	if (sscanf(line, "%15s %" SCNx64 " %" SCNx64, name, &range.start, &range.end) != 3)
		return -1;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!strcmp(name, kinds[i].name)) {
			range.kind = kinds[i].kind;
			if (range.kind & NTH) {
				*(range.kind & POINT_FROM ? &nth_from : &nth_to) = range.start;
				return 0;
			}
			return add(list_of(range.kind), range);
		}
	}
	return -1;
}

int points_read(const char *path)
{
	FILE *in = fopen(path, "re");
	char line[128];
	int status = 0;

	if (!in) {
		fprintf(stderr, "kassay-profile: %s: %s\n", path, strerror(errno));
		return -1;
	}
	while (!status && fgets(line, sizeof(line), in))
		status = read_line(line);
	fclose(in);
	if (status)
		fprintf(stderr, "kassay-profile: %s: not KIND START END: %s", path, line);
	return status;
}

unsigned int points_at(uint64_t address)
{
	unsigned int found = 0;

	for (size_t i = 0; i < points.count; i++) {
		if (address >= points.items[i].start && address < points.items[i].end)
			found |= points.items[i].kind;
	}
	return found;
}

bool points_have(unsigned int kind)
{
	for (size_t i = 0; i < points.count; i++) {
		if (points.items[i].kind == kind)
			return true;
	}
	return false;
}

bool points_nth(unsigned int kind, uint64_t number)
{
	uint64_t asked = kind & POINT_FROM ? nth_from : nth_to;

	return !asked || number == asked;
}

/* Start of the one of these, sorted, that @address lies in, or 0. */
static uint64_t find(const struct ranges *sorted, uint64_t address)
{
	size_t low = 0, high = sorted->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (sorted->items[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address >= sorted->items[low - 1].end)
		return 0;
	return sorted->items[low - 1].start;
}

uint64_t points_function(uint64_t address)
{
	return find(&functions, address);
}

bool points_entry(uint64_t address)
{
	return find(&entries, address) != 0;
}
