// SPDX-License-Identifier: GPL-2.0-only
#include "issue.h"

#include "params.h"

#define CYCLES 8192 /* that are looked ahead; what is later finds every port free */
#define HINTS 16
#define PORTS 16     /* that early_ports looks at */
#define BOUND_FOR 4  /* cycles from the choice of a port to its first use, less one */
#define TOO_MANY 3   /* more that wait for the second choice */

/* A small number of each port, all of them added up at once. */
typedef uint8_t each_port __attribute__((vector_size(PORTS)));

struct current current;

static struct {
	struct cycle {
		uint32_t busy;
		uint16_t leaving[SCHEDULERS];
	} cycles[CYCLES];
	uint64_t waiting[SCHEDULERS];
	/* For early_ports, of each port: micro-ops that wait for it, now and at the begin of this cycle. */
	unsigned int load;
	each_port queued, before, leaves[CYCLES];
	/* For a mask: no port of it is free in the cycles from @from to before @to. */
	struct hint {
		uint32_t mask;
		uint64_t from, to;
	} hints[HINTS];
} i;

/* What leaves the schedulers and the ports' queues in a cycle. */
static inline void leave(uint64_t k)
{
	for (unsigned int s = 0; s < SCHEDULERS; s++)
		i.waiting[s] -= i.cycles[k].leaving[s];
	i.cycles[k] = (struct cycle){ 0 };
	if (params.early_ports) {
		i.queued -= i.leaves[k];
		i.leaves[k] = (each_port){ 0 };
	}
}

NOINLINE void issue_leave(uint64_t cycle)
{
	uint64_t count = cycle - current.cycle, first = current.cycle;

	current.cycle = cycle;
	if (count > CYCLES)
		count = CYCLES;
	for (uint64_t n = 0; n < count; n++)
		leave((first + n) % CYCLES);
	if (params.early_ports)
		i.before = i.queued;
}

/*
 * The port that a micro-op is bound to. Loads take turns. Others take the port for which the fewest wait, the higher of
 * two, and in every other slot of a cycle the next one, unless many more wait for that. Measured on Haswell to Skylake
 * by A. Abel and J. Reineke, uiCA (ICS 2022), section 4.1.3.
 */
static uint32_t bound(uint32_t mask)
{
	unsigned int first = PORTS, second = PORTS;

	if (!(mask & (mask - 1)) || mask >> PORTS)
		return mask;
	if (mask == params.load_ports) {
		uint32_t low = mask & -mask;

		i.load = !i.load;
		return i.load ? low : mask & ~low & -(mask & ~low);
	}
	for (uint32_t left = mask; left;) {
		unsigned int port = 31u - (unsigned int)__builtin_clz(left);

		left &= ~(UINT32_C(1) << port);
		if (first == PORTS || i.before[port] < i.before[first]) {
			second = first;
			first = port;
		} else if (second == PORTS || i.before[port] < i.before[second]) {
			second = port;
		}
	}
	if (current.slot & 1 && i.before[second] < i.before[first] + TOO_MANY)
		first = second;
	return UINT32_C(1) << first;
}

static void queue(uint32_t mask, uint64_t cycle)
{
	unsigned int port = (unsigned int)__builtin_ctz(mask);

	if (port >= PORTS || cycle + BOUND_FOR >= current.cycle + CYCLES)
		return;
	i.queued[port]++;
	i.leaves[(cycle + BOUND_FOR) % CYCLES][port]++;
}

static struct hint *hint_of(uint32_t mask)
{
	struct hint *hint = &i.hints[(mask * 0x9e3779b1u) >> 28];

	if (hint->mask != mask)
		*hint = (struct hint){ mask, 0, 0 };
	return hint;
}

/* Books @count ports of @mask from @cycle on; the cycle of the last one. */
static NOINLINE uint64_t search(uint32_t mask, unsigned int count, uint64_t cycle)
{
	struct hint *hint = hint_of(mask);

	for (;;) {
		uint64_t begin;
		uint32_t free;

		if (cycle >= hint->from && cycle < hint->to)
			cycle = hint->to;
		begin = cycle;
		if (cycle >= current.cycle + CYCLES)
			return cycle;
		while (cycle < current.cycle + CYCLES && !(free = mask & ~i.cycles[cycle % CYCLES].busy))
			cycle++;
		if (cycle > begin) {
			if (begin != hint->to)
				hint->from = begin;
			hint->to = cycle;
		}
		if (cycle >= current.cycle + CYCLES)
			return cycle;
		for (; free && count; free &= free - 1, count--)
			i.cycles[cycle % CYCLES].busy |= free & -free;
		if (!count)
			return cycle;
	}
}

static inline uint64_t book(uint32_t mask, unsigned int count, uint64_t ready)
{
	uint64_t cycle = later(ready, current.cycle);

	if (count == 1 && cycle < current.cycle + CYCLES) {
		uint32_t free = mask & ~i.cycles[cycle % CYCLES].busy;

		if (free) {
			i.cycles[cycle % CYCLES].busy |= free & -free;
			return cycle;
		}
	}
	return search(mask, count, cycle);
}

INLINE uint64_t issue_book(uint32_t mask, unsigned int count, uint64_t ready)
{
	uint64_t cycle;

	if (!params.early_ports || count > 1) /* several stand in several slots */
		return book(mask, count, ready);
	mask = bound(mask);
	cycle = book(mask, 1, ready);
	queue(mask, cycle);
	return cycle;
}

inline void issue_wait(enum scheduler scheduler, uint64_t cycle, uint64_t issue, unsigned int count)
{
	uint64_t last = current.cycle + CYCLES - 1;

	if (issue <= cycle)
		return;
	i.waiting[scheduler] += count;
	i.cycles[(issue < last ? issue : last) % CYCLES].leaving[scheduler] += (uint16_t)count;
}

inline uint64_t issue_room(enum scheduler scheduler, uint64_t cycle, unsigned int count)
{
	uint32_t size = scheduler == SCHEDULER ? params.scheduler : params.memory_scheduler;
	uint64_t room = count < size ? size - count : 0, waiting = i.waiting[scheduler];

	for (; waiting > room; cycle++)
		waiting -= i.cycles[cycle % CYCLES].leaving[scheduler];
	return cycle;
}
