// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recorded page events, in the order of the file. Allocations and frees drive the
 * model. Where a page of the trace is in the model is kept by page: parts of a
 * block may be freed by themselves. A page that the trace frees first, without
 * having allocated it, was allocated before the begin: it is where the trace has it.
 */
#define _GNU_SOURCE /* memmem() */
#include "replay.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buddy.h"
#include "conserve.h"
#include "path.h"
#include "progress.h"
#include "samples.h"

#define FIRST_LINE "kassay-pages/1\n"
#define MOST_NS UINT64_C(1000000000000000) /* as of a generated run: in ps it must fit into 64 bits, with samples ahead */

enum kind { ALLOC, FREE, REFILL_PAGE, DRAIN_PAGE, VMSTAT, RECLAIM, KINDS };

struct record {
	uint64_t time_ns;
	uint8_t kind_order, type;
	uint16_t cpu;
	uint32_t pfn;
};

static const char *file;
static const struct record *records;
static uint64_t record_count;

/*
 * By page of each zone: 1 + its page in the model; 0: not allocated; UNKNOWN: no
 * event so far; NOWHERE: the model had no block for the allocation, and so has no free.
 */
static uint32_t *where[MOST_ZONES];
#define UNKNOWN UINT32_MAX
#define NOWHERE (UINT32_MAX - 1)

static uint32_t *where_is(const struct zone *zone, uint32_t pfn)
{
	return &where[zone->number][pfn - zone->start];
}

static void file_open(const char *path)
{
	struct stat status;
	int descriptor = open(path, O_RDONLY);
	const char *bytes, *end;

	file = path;
	if (descriptor < 0 || fstat(descriptor, &status))
		stop(2, "%s: %s", path, strerror(errno));
	if (status.st_size < (off_t)sizeof(FIRST_LINE))
		stop(2, "%s: no page events", path);
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
	if (bytes == MAP_FAILED)
		stop(3, "%s: %s", path, strerror(errno));
	close(descriptor);
	end = memmem(bytes, (size_t)status.st_size, "\n\n", 2);
	if (memcmp(bytes, FIRST_LINE, sizeof(FIRST_LINE) - 1) || !end)
		stop(2, "%s: no page events: it does not begin with " FIRST_LINE, path);
	end += 2;
	if ((bytes + status.st_size - end) % (long)sizeof(struct record))
		stop(2, "%s: it ends within a record", path);
	record_count = (uint64_t)(bytes + status.st_size - end) / sizeof(struct record);
	/* The header has any length: records need not be aligned. */
	records = (const struct record *)end;
}

static struct record record_at(uint64_t index)
{
	struct record record;

	memcpy(&record, (const char *)records + index * sizeof(record), sizeof(record));
	return record;
}

static void record_check(const struct record *record, uint64_t index, uint64_t before_ns)
{
	unsigned int kind = record->kind_order >> 4, order = record->kind_order & 15;
	struct zone *zone = zone_of(record->pfn);

	if (kind >= KINDS)
		stop(2, "%s: record %" PRIu64 ": kind %u is not known", file, index, kind);
	if (record->time_ns > MOST_NS)
		stop(2, "%s: record %" PRIu64 ": its time is above %" PRIu64 " ns", file, index, MOST_NS);
	if (record->time_ns < before_ns)
		stop(2, "%s: record %" PRIu64 ": its time is before that of the record before", file, index);
	if (record->cpu >= config.run.cpus)
		stop(2, "%s: record %" PRIu64 ": CPU %u is not among the %" PRIu64, file, index, record->cpu, config.run.cpus);
	if (kind > FREE)
		return;
	if (order >= NR_ORDERS || record->pfn & ((1u << order) - 1))
		stop(2, "%s: record %" PRIu64 ": page frame %u begins no block of order %u", file, index, record->pfn, order);
	if (!zone || record->pfn + (1u << order) > zone->end)
		stop(2, "%s: record %" PRIu64 ": page frame %u is in no zone", file, index, record->pfn);
}

/* Pages that are freed before they are allocated are taken out before the begin. */
static void take_unknown(void)
{
	uint64_t before_ns = 0;

	for (uint64_t i = 0; i < record_count; i++) {
		struct record record = record_at(i);
		unsigned int kind = record.kind_order >> 4, order = record.kind_order & 15;
		struct zone *zone = zone_of(record.pfn);

		record_check(&record, i, before_ns);
		before_ns = record.time_ns;
		if (kind > FREE)
			continue;
		for (uint32_t pfn = record.pfn; pfn < record.pfn + (1u << order); pfn++) {
			uint32_t *page = where_is(zone, pfn);

			if (*page != UNKNOWN)
				continue;
			*page = 0;
			if (kind == FREE) {
				buddy_take_pages(zone, block_of(pfn, 0));
				*page = pfn + 1;
			}
		}
	}
}

/* The trace has the page free although no event freed it: it goes back unseen. */
static void free_unseen(struct zone *zone, uint32_t pfn)
{
	uint32_t *page = where_is(zone, pfn);

	if (*page != NOWHERE)
		buddy_give(zone_of(*page - 1), block_of(*page - 1, 0));
	*page = 0;
	counters.unseen++;
}

static void replay_alloc(struct cpu *cpu, const struct record *record, struct zone *zone, unsigned int order)
{
	block_t block;

	for (uint32_t pfn = record->pfn; pfn < record->pfn + (1u << order); pfn++)
		if (*where_is(zone, pfn))
			free_unseen(zone, pfn);
	page_alloc(cpu, zone, order, record->type < PCP_TYPES ? record->type : MOVABLE, &block);
	for (uint32_t i = 0; i < 1u << order; i++)
		*where_is(zone, record->pfn + i) = block == NO_BLOCK ? NOWHERE : block_pfn(block) + i + 1;
}

/* The page of the model that a page of the trace is; one of the free ones where the trace has not allocated it. */
static bool page_in_model(struct zone *zone, uint32_t pfn, uint32_t *model)
{
	uint32_t *page = where_is(zone, pfn);
	block_t block;

	if (*page == NOWHERE) {
		*page = 0;
		return false;
	}
	if (!*page) {
		counters.unseen++;
		if (!buddy_take(zone, 0, MOVABLE, &block))
			return false;
		*page = block_pfn(block) + 1;
	}
	*model = *page - 1;
	*page = 0;
	return true;
}

static void replay_free(struct cpu *cpu, const struct record *record, struct zone *zone, unsigned int order)
{
	uint32_t first = *where_is(zone, record->pfn), count = 1u << order, model;
	bool whole = first && first < NOWHERE && !((first - 1) & (count - 1));

	for (uint32_t i = 1; i < count && whole; i++)
		whole = *where_is(zone, record->pfn + i) == first + i;
	if (!whole)
		order = 0;
	for (uint32_t i = 0; i < count; i += 1u << order) {
		struct zone *of;

		if (!page_in_model(zone, record->pfn + i, &model))
			continue;
		for (uint32_t j = 1; j < 1u << order; j++)
			*where_is(zone, record->pfn + i + j) = 0;
		of = zone_of(model);
		page_free(cpu, of, block_of(model, order), record->type < PCP_TYPES ? record->type : buddy_type(of, model));
	}
}

/* All CPUs have the same clock here; what is due at it is done, CPU by CPU. */
static void time_passes(uint64_t time_ps)
{
	static uint64_t next;

	if (time_ps < next)
		return;
	next = UINT64_MAX;
	for (unsigned int n = 0; n < config.run.cpus; n++) {
		struct cpu *cpu = &cpus[n];

		while (cpu->next_sample <= time_ps || cpu->next_vmstat <= time_ps) {
			bool sample = cpu->next_sample <= cpu->next_vmstat;
			uint64_t due = sample ? cpu->next_sample : cpu->next_vmstat;

			if (cpu->clock < due)
				cpu->clock = due;
			if (sample) {
				sample_take(cpu);
			} else {
				cpu->next_vmstat += config.run.vmstat_ns * 1000;
				vmstat_run(cpu);
			}
		}
		next = cpu->next_sample < next ? cpu->next_sample : next;
		next = cpu->next_vmstat < next ? cpu->next_vmstat : next;
	}
}

static void replay_record(const struct record *record)
{
	struct cpu *cpu = &cpus[record->cpu];
	struct zone *zone = zone_of(record->pfn);
	unsigned int kind = record->kind_order >> 4, order = record->kind_order & 15;

	time_passes(record->time_ns * 1000);
	if (cpu->clock < record->time_ns * 1000)
		cpu->clock = record->time_ns * 1000;
	if (kind == ALLOC) {
		replay_alloc(cpu, record, zone, order);
	} else if (kind == FREE) {
		replay_free(cpu, record, zone, order);
	} else if (kind == VMSTAT && !config.run.vmstat_ns) {
		vmstat_run(cpu);
	} else if (kind == RECLAIM && zone) {
		zone->reclaim_given = true;
		zone->reclaim_active = order;
	}
}

static void replay_owned(void (*tell)(block_t block))
{
	for (unsigned int i = 0; i < config.zone_count; i++)
		for (uint32_t frame = 0; frame < zones[i].end - zones[i].start; frame++)
			if (where[i][frame] && where[i][frame] < NOWHERE)
				tell(block_of(where[i][frame] - 1, 0));
}

void replay(const char *path)
{
	file_open(path);
	for (unsigned int i = 0; i < config.zone_count; i++) {
		uint32_t frames = zones[i].end - zones[i].start;

		where[i] = allocate(frames, sizeof(**where));
		memset(where[i], 0xff, frames * sizeof(**where));
	}
	conserve_owned = replay_owned;
	take_unknown();
	pcps_fill();
	for (uint64_t i = 0; i < record_count; i++) {
		struct record record = record_at(i);

		replay_record(&record);
		progress(i, record.time_ns * 1000);
	}
}
