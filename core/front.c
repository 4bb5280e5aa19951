// SPDX-License-Identifier: GPL-2.0-only
#include "front.h"

#include <stdbool.h>

#include "cache.h"
#include "memory.h"
#include "params.h"
#include "program.h"

#define AHEAD 8         /* cycles that fetch is ahead of dispatch at most */
#define NO_LIMIT 256
#define LENGTHS 16
/* Code is looked up by virtual addresses, apart from all data. */
#define CODE (UINT64_C(1) << 57)

static struct {
	struct cache lines, decoded;
	uint64_t line;
	uint64_t supply; /* 1/100 cycles: when the bytes so far are there */
	bool known;      /* this line is in the micro-op cache */
	uint32_t cost[2][LENGTHS]; /* of an instruction by its length: decoded, from the micro-op cache */
} f;

void front_start(void)
{
	f.lines = cache_make(params.l1i_size >> LINE_SHIFT, params.l1i_ways);
	f.decoded = cache_make(params.opcache_size >> LINE_SHIFT, params.opcache_ways);
	f.line = UINT64_MAX;
	for (unsigned int length = 0; length < LENGTHS; length++) {
		f.cost[false][length] = params.decode_bytes < NO_LIMIT ? length * 100 / params.decode_bytes : 0;
		f.cost[true][length] = params.fetch_bytes < NO_LIMIT ? length * 100 / params.fetch_bytes : 0;
	}
}

void front_redirect(uint64_t cycle)
{
	f.supply = cycle * 100;
}

static void fetch(uint64_t line, uint64_t cycle)
{
	statistics.l1i_misses++;
	cache_put(&f.lines, cache_entry(line, memory_code(CODE | line, cycle).ready, 0));
}

static uint64_t enter(uint64_t line, uint64_t cycle)
{
	const struct entry *found;

	f.line = line;
	if (!params.opcache_size) {
		f.known = true;
	} else {
		f.known = cache_find(&f.decoded, line);
		if (!f.known)
			cache_put(&f.decoded, cache_entry(line, 0, 0));
	}
	if (!cache_find(&f.lines, line)) {
		fetch(line, cycle);
		for (uint32_t n = 1; n <= params.l1i_prefetch; n++)
			if (!cache_has(&f.lines, line + n))
				fetch(line + n, cycle);
	}
	found = cache_find(&f.lines, line);
	return found->ready;
}

uint64_t front_supply(const struct insn *insn, uint64_t cycle, uint64_t *missed)
{
	uint64_t line = insn->address >> LINE_SHIFT, earliest = cycle > AHEAD ? (cycle - AHEAD) * 100 : 0;

	*missed = cycle;
	if (f.supply < earliest)
		f.supply = earliest;
	if (line != f.line) {
		uint64_t ready = enter(line, f.supply / 100);

		if (ready * 100 > f.supply) {
			f.supply = ready * 100;
			*missed = ready;
		}
	}
	f.supply += f.cost[f.known][insn->length % LENGTHS];
	return f.supply >= (cycle + 1) * 100 ? f.supply / 100 : cycle;
}
