// SPDX-License-Identifier: GPL-2.0-only
#include "string_insn.h"

#include "memory.h"
#include "pages.h"
#include "params.h"
#include "tlb.h"

enum work { STORES, COPIES, COMPARES };

static uint64_t line, page; /* of the destination, the last ones */
static uint64_t part;       /* 1/100 cycles that are not charged yet */
static uint64_t bytes;      /* of the string so far */
static bool is_long;        /* it has paid for more than a short start */
static enum cause source;   /* the slowest level of what was read since the last line was stored */

static enum work work_of(const struct access *accesses, uint32_t count)
{
	bool load = false, store = false;

	for (uint32_t n = 0; n < count; n++) {
		load |= !accesses[n].store;
		store |= accesses[n].store;
	}
	return store ? load ? COPIES : STORES : COMPARES;
}

/* Of a line, in 1/100 cycles: stored to a level; or copied, both from and to it. */
struct line_costs {
	uint32_t stored, copied;
};

static struct line_costs costs_of(enum cause level)
{
	switch (level) {
	case CAUSE_L1:
		return (struct line_costs){ params.rep_store_l1, params.rep_copy_l1 };
	case CAUSE_L2:
		return (struct line_costs){ params.rep_store_l2, params.rep_copy_l2 };
	case CAUSE_L3:
		return (struct line_costs){ params.rep_store_l3, params.rep_copy_l3 };
	default:
		return (struct line_costs){ params.rep_store_memory, params.rep_copy_memory };
	}
}

/* Where a line is copied from one level to another, the store takes the time of its own level. */
static uint32_t line_cost(enum work work, enum cause from, enum cause to)
{
	struct line_costs read = costs_of(from), written = costs_of(to);
	uint32_t least = params.rep_copy_l1, cost = read.copied + written.stored;

	if (work != COPIES)
		return written.stored;
	return cost > read.stored + least ? cost - read.stored : least;
}

/* The elements at these addresses are next; the destination is the last access that is alike. */
static uint64_t touch(enum work work, const uint64_t *addresses, const struct access *accesses, uint32_t count,
		      uint64_t cycle)
{
	enum cause to = CAUSE_L1;
	uint64_t target = 0;

	for (uint32_t n = 0; n < count; n++) {
		uint64_t physical = pages_physical(addresses[n]);
		enum cause level = memory_string(physical >> LINE_SHIFT, accesses[n].store, cycle);

		if (accesses[n].store && level > to)
			to = level;
		if (!accesses[n].store && level > source)
			source = level;
		if (accesses[n].store || work == COMPARES)
			target = addresses[n];
		if (addresses[n] >> PAGE_SHIFT != page)
			cycle = tlb_translate(addresses[n], physical, cycle);
	}
	page = target >> PAGE_SHIFT;
	if (target >> LINE_SHIFT == line || work == COMPARES)
		return cycle;
	line = target >> LINE_SHIFT;
	part += line_cost(work, source, to);
	source = CAUSE_L1;
	cycle += part / 100;
	part %= 100;
	return cycle;
}

/* @more bytes are known of, in elements of @size; the cycles that a start takes more for it. */
static uint32_t start_of(enum work work, unsigned int size, uint64_t more)
{
	bool words = size > 1 && params.rep_word_start;
	bool can_be_short = !words && params.rep_short_bytes && (work != STORES || params.rep_short_stores);
	uint32_t bytes_start = work == STORES ? params.rep_store_start : params.rep_copy_start;
	uint32_t all = (uint32_t)cycles(words ? params.rep_word_start : bytes_start);
	uint32_t least = can_be_short ? (uint32_t)cycles(params.rep_short_start) : all, paid = bytes ? least : 0;

	bytes += more;
	if (is_long)
		return 0;
	if (can_be_short && bytes <= params.rep_short_bytes)
		return least - paid;
	is_long = true;
	return all > paid ? all - paid : 0;
}

static unsigned int size_of(const struct insn *insn)
{
	return insn->store_bytes ? insn->store_bytes : insn->load_bytes;
}

uint64_t string_begin(const struct insn *insn, const struct access *accesses, uint32_t count, bool again,
		      uint64_t cycle)
{
	enum work work = work_of(accesses, count);
	uint64_t addresses[8];

	if (again && !count)
		return cycle; /* the emulator's look at a count that is used up */
	if (!again) {
		line = page = UINT64_MAX;
		source = CAUSE_L1;
		bytes = 0;
		is_long = false;
	}
	cycle += start_of(work, size_of(insn), size_of(insn));
	if (work == COMPARES)
		cycle += cycles(params.rep_compare);
	if (count > 8)
		count = 8;
	for (uint32_t n = 0; n < count; n++)
		addresses[n] = accesses[n].address;
	statistics.string_bytes += size_of(insn);
	return touch(work, addresses, accesses, count, cycle);
}

/* Elements until the address leaves its line, 1 at least. */
static uint64_t to_next_line(uint64_t address, int64_t stride)
{
	uint64_t into = address & 63;

	if (!stride)
		return UINT64_MAX;
	if (stride > 0)
		return (uint64_t)stride >= 64 ? 1 : (64 - into + (uint64_t)stride - 1) / (uint64_t)stride;
	return stride <= -64 ? 1 : into / (uint64_t)-stride + 1;
}

uint64_t string_go_on(const struct insn *insn, const struct access *accesses, const int64_t *strides, uint32_t count,
		      uint64_t times, uint64_t cycle)
{
	enum work work = work_of(accesses, count);
	uint64_t addresses[8];

	statistics.string_bytes += times * size_of(insn);
	cycle += start_of(work, size_of(insn), times * size_of(insn));
	if (work == COMPARES)
		cycle += times * params.rep_compare / 100;
	if (count > 8)
		count = 8;
	for (uint32_t n = 0; n < count; n++)
		addresses[n] = accesses[n].address;
	for (uint64_t left = times; left && count;) {
		uint64_t step = left;

		for (uint32_t n = 0; n < count; n++) {
			uint64_t own = to_next_line(addresses[n], strides[n]);

			if (own < step)
				step = own;
		}
		left -= step;
		for (uint32_t n = 0; n < count; n++)
			addresses[n] += step * (uint64_t)strides[n];
		cycle = touch(work, addresses, accesses, count, cycle);
	}
	return cycle;
}
