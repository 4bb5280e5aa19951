// SPDX-License-Identifier: GPL-2.0-only
#include "issue.h"

#include <string.h>

#include "params.h"

#define CYCLES 8192 /* that are looked ahead; what is later finds every port free */
#define HINTS 16
#define SOON 8

static struct {
	uint64_t now;
	uint64_t waiting;
	uint32_t busy[CYCLES];
	uint16_t leaving[CYCLES];
	/* For a mask: no port of it is free in the cycles from @from to before @to. */
	struct hint {
		uint32_t mask;
		uint64_t from, to;
	} hints[HINTS];
} i;

static void forget(uint64_t from, uint64_t count)
{
	uint64_t sum = 0;

	for (uint64_t k = from; k < from + count; k++)
		sum += i.leaving[k];
	i.waiting -= sum;
	memset(i.leaving + from, 0, count * sizeof(*i.leaving));
	memset(i.busy + from, 0, count * sizeof(*i.busy));
}

void issue_advance(uint64_t cycle)
{
	uint64_t from = i.now % CYCLES, count = cycle - i.now;

	if (cycle <= i.now)
		return;
	if (count <= SOON) {
		for (; i.now < cycle; i.now++) {
			i.waiting -= i.leaving[i.now % CYCLES];
			i.leaving[i.now % CYCLES] = 0;
			i.busy[i.now % CYCLES] = 0;
		}
		return;
	}
	i.now = cycle;
	if (count >= CYCLES) {
		forget(0, CYCLES);
		return;
	}
	if (from + count > CYCLES) {
		forget(from, CYCLES - from);
		count -= CYCLES - from;
		from = 0;
	}
	forget(from, count);
}

static struct hint *hint_of(uint32_t mask)
{
	struct hint *hint = &i.hints[(mask * 0x9e3779b1u) >> 28];

	if (hint->mask != mask)
		*hint = (struct hint){ mask, 0, 0 };
	return hint;
}

uint64_t issue_book(uint32_t mask, unsigned int count, uint64_t ready)
{
	uint64_t cycle = ready < i.now ? i.now : ready, begin;
	struct hint *hint;

	if (count == 1 && cycle < i.now + CYCLES) {
		uint32_t free = mask & ~i.busy[cycle % CYCLES];

		if (free) {
			i.busy[cycle % CYCLES] |= free & -free;
			return cycle;
		}
	}
	hint = hint_of(mask);
	for (;;) {
		uint32_t free;

		if (cycle >= hint->from && cycle < hint->to)
			cycle = hint->to;
		begin = cycle;
		if (cycle >= i.now + CYCLES)
			return cycle;
		while (cycle < i.now + CYCLES && !(free = mask & ~i.busy[cycle % CYCLES]))
			cycle++;
		if (cycle > begin) {
			if (begin != hint->to)
				hint->from = begin;
			hint->to = cycle;
		}
		if (cycle >= i.now + CYCLES)
			return cycle;
		for (; free && count; free &= free - 1, count--)
			i.busy[cycle % CYCLES] |= free & -free;
		if (!count)
			return cycle;
	}
}

void issue_wait(uint64_t cycle, uint64_t issue, unsigned int count)
{
	uint64_t last = i.now + CYCLES - 1;

	if (issue <= cycle)
		return;
	i.waiting += count;
	i.leaving[(issue < last ? issue : last) % CYCLES] += (uint16_t)count;
}

uint64_t issue_room(uint64_t cycle, unsigned int count)
{
	uint64_t room = count < params.scheduler ? params.scheduler - count : 0, waiting = i.waiting;

	for (; waiting > room; cycle++)
		waiting -= i.leaving[cycle % CYCLES];
	return cycle;
}
