// SPDX-License-Identifier: GPL-2.0-only
#include "memory.h"

#include <string.h>

#include "cache.h"
#include "meter.h"
#include "params.h"
#include "prefetch.h"
#include "program.h"

#define IN_PAGE (PAGE_SHIFT - LINE_SHIFT)

/* Lines of the second and the third level are scattered ones. */
static struct {
	struct cache l1, l2, l3;
	struct meter l2_lines, l3_lines, memory_lines;
	struct pool l1_fills, l2_fills;
	uint32_t placement;
} m;

void memory_start(uint32_t placement)
{
	m.placement = placement * 0x9e3779b9u;
	m.l1 = cache_make(params.l1d_size >> LINE_SHIFT, params.l1d_ways);
	m.l2 = cache_make(params.l2_size >> LINE_SHIFT, params.l2_ways);
	m.l3 = cache_make(params.l3_size >> LINE_SHIFT, params.l3_ways);
	m.l1_fills.count = params.fill_buffers;
	m.l2_fills.count = params.l2_fills;
}

/*
 * Where the second and the third level have a line. A machine that has run for a while has its pages anywhere; those of a
 * guest that has just booted lie side by side, and would spread over the sets as evenly as they never do.
 */
static uint64_t scattered(uint64_t line)
{
	uint32_t frame = (uint32_t)(line >> IN_PAGE) ^ m.placement;

	frame = (frame ^ frame >> 15) * 0x2c1b3c6du;
	frame = (frame ^ frame >> 12) * 0x297a2d39u;
	frame ^= frame >> 15;
	return line >> (32 + IN_PAGE) << (32 + IN_PAGE) | (uint64_t)frame << IN_PAGE | (line & ((1u << IN_PAGE) - 1));
}

/* Whether the third level has the line. Others who share it push out what was not used for a time. */
static bool in_l3(uint64_t line, uint64_t cycle)
{
	struct entry *found = cache_find(&m.l3, line);
	bool fresh;

	if (!found)
		return false;
	fresh = !params.l3_lifetime || found->ready + params.l3_lifetime > cycle;
	found->ready = cycle;
	return fresh;
}

static void put_l3(uint64_t line, uint64_t cycle, bool dirty)
{
	struct entry entry = cache_entry(line, cycle, CAUSE_L3), *found = cache_find(&m.l3, line);

	if (found) {
		found->ready = cycle;
		found->dirty |= dirty;
		return;
	}
	entry.dirty = dirty;
	entry = cache_put(&m.l3, entry);
	if (entry.key && entry.dirty)
		meter_book(&m.memory_lines, cycle, params.memory_write);
}

static void put_l2(uint64_t line, struct arrival arrival, bool dirty, uint64_t cycle)
{
	struct entry entry = cache_entry(line, arrival.ready, (uint8_t)arrival.level);

	entry.dirty = dirty;
	entry = cache_put(&m.l2, entry);
	if (entry.key && (entry.dirty || params.l3_victim))
		put_l3(entry.key - 1, cycle, entry.dirty);
}

static void put_l1(uint64_t line, struct arrival arrival, bool dirty, bool ahead, uint64_t cycle)
{
	struct entry entry = cache_entry(line, arrival.ready, (uint8_t)arrival.level), *below;

	entry.dirty = dirty;
	entry.ahead = ahead;
	entry = cache_put(&m.l1, entry);
	if (!entry.key || !entry.dirty)
		return;
	meter_book(&m.l2_lines, cycle, params.l2_write);
	line = scattered(entry.key - 1);
	below = cache_find(&m.l2, line);
	if (below)
		below->dirty = true;
	else
		put_l2(line, (struct arrival){ 0, CAUSE_L2 }, true, cycle);
}

/* A line that the second level does not have, asked for in @cycle. */
static struct arrival beyond_l2(uint64_t line, uint64_t cycle)
{
	struct arrival arrival;
	uint64_t begin, *fill = pool_take(&m.l2_fills, cycle, &begin);

	statistics.l2_misses++;
	if (in_l3(line, cycle)) {
		arrival.ready = meter_book(&m.l3_lines, begin, params.l3_interval) + cycles(params.l3_latency);
		arrival.level = CAUSE_L3;
	} else {
		statistics.l3_misses++;
		arrival.ready = meter_book(&m.memory_lines, begin, params.memory_interval) + cycles(params.memory_latency);
		arrival.level = CAUSE_MEMORY;
		if (!params.l3_victim)
			put_l3(line, begin, false);
	}
	*fill = arrival.ready;
	put_l2(line, arrival, false, begin);
	return arrival;
}

/* A line that nobody asked for, as far as it is not there. */
static void bring(uint64_t line, uint64_t cycle)
{
	if (cache_has(&m.l2, line))
		return;
	statistics.prefetches++;
	beyond_l2(line, cycle);
}

static void fetch_ahead(uint64_t line, uint64_t cycle)
{
	bring(scattered(line), cycle);
}

static struct arrival from_l2(uint64_t asked, uint64_t cycle)
{
	uint64_t line = scattered(asked);
	struct entry *found = cache_find(&m.l2, line);
	struct arrival arrival = { cycle + cycles(params.l2_latency), CAUSE_L2 };

	if (!found) {
		arrival = beyond_l2(line, cycle);
		if (params.prefetch_adjacent)
			bring(line ^ 1, cycle); /* the other one of a pair */
	} else if (found->ready > arrival.ready) {
		arrival = (struct arrival){ found->ready, (enum cause)found->level };
	} else {
		arrival.ready = meter_book(&m.l2_lines, cycle, params.l2_interval) + cycles(params.l2_latency);
	}
	return arrival;
}

/* The program asks for a line that the first level does not have, or has because it was fetched ahead. */
static void train(uint64_t line, uint64_t cycle)
{
	if (params.prefetch_streams && params.prefetch_distance)
		prefetch_stream(line, cycle, fetch_ahead);
}

struct arrival memory_access(uint64_t line, uint64_t cycle, bool store)
{
	struct entry *found = cache_find(&m.l1, line);
	struct arrival arrival = { cycle + cycles(params.l1d_latency), CAUSE_L1 };
	uint64_t begin, *fill;

	if (found) {
		found->dirty |= store;
		if (found->ahead) {
			found->ahead = false;
			train(line, cycle);
		}
		if (found->ready > arrival.ready)
			return (struct arrival){ found->ready, (enum cause)found->level };
		return arrival;
	}
	statistics.l1_misses++;
	fill = pool_take(&m.l1_fills, cycle, &begin);
	arrival = from_l2(line, begin);
	*fill = arrival.ready;
	put_l1(line, arrival, store, false, begin);
	train(line, cycle);
	return arrival;
}

struct arrival memory_walk(uint64_t line, uint64_t cycle)
{
	statistics.walk_reads++;
	if (!params.walk_from_l2)
		return memory_access(line, cycle, false);
	return from_l2(line, cycle);
}

struct arrival memory_code(uint64_t line, uint64_t cycle)
{
	return from_l2(line, cycle);
}

enum cause memory_string(uint64_t line, bool store, uint64_t cycle)
{
	struct entry *found = cache_find(&m.l1, line);
	enum cause level = CAUSE_L2;
	uint64_t below = scattered(line);

	if (found) {
		found->dirty |= store;
		return CAUSE_L1;
	}
	if (!cache_find(&m.l2, below)) {
		level = in_l3(below, cycle) ? CAUSE_L3 : CAUSE_MEMORY;
		if (level == CAUSE_MEMORY && !params.l3_victim)
			put_l3(below, cycle, false);
		put_l2(below, (struct arrival){ cycle, level }, false, cycle);
	}
	put_l1(line, (struct arrival){ cycle, level }, store, false, cycle);
	return level;
}

void memory_stride(struct habit *habit, uint64_t address, uint64_t cycle)
{
	uint64_t line, begin, *fill;
	struct arrival arrival;

	if (!prefetch_stride(habit, address, &line) || cache_has(&m.l1, line))
		return;
	statistics.prefetches++;
	fill = pool_take(&m.l1_fills, cycle, &begin);
	arrival = from_l2(line, begin);
	*fill = arrival.ready;
	put_l1(line, arrival, false, true, begin);
}
