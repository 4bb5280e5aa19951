// SPDX-License-Identifier: GPL-2.0-only
#include "front.h"

#include <stdbool.h>

#include "cache.h"
#include "memory.h"
#include "params.h"
#include "program.h"

#define AHEAD 8         /* cycles that fetch is ahead of dispatch at most */
#define MOST_AHEAD 64 /* lines */
#define NO_LIMIT 256
#define LENGTHS 16
#define BLOCK_SHIFT 5
#define PARTS 3 /* of a block, if a way has opcache_uops */
#define PART_SHIFT 60
/* Code is looked up by virtual addresses, apart from all data. */
#define CODE (UINT64_C(1) << 57)

static struct {
	struct cache lines, decoded;
	uint64_t line;
	uint64_t asked, came;         /* when the last line was asked for ahead, and the last missing one came */
	uint64_t entered[MOST_AHEAD]; /* when each of the last lines was entered; all in 1/100 cycles */
	uint32_t turn;                /* of the oldest one */
	uint32_t part, uops; /* where a way of the micro-op cache has a part of a block: which one, its micro-ops so far */
	uint64_t supply; /* 1/100 cycles: when the instructions so far are there */
	bool by_parts;   /* the micro-op cache has opcache_uops */
	bool excludes;   /* it keeps jumps out that touch jump_boundary */
	bool known;      /* this line, or part of a block, is in the micro-op cache */
	uint64_t next;   /* address behind the last instruction */
	uint8_t length;  /* of the last instruction */
	/* Outside of the micro-op cache, if lengths are found by windows: */
	uint64_t window, found;       /* of the last instruction; when its length is known, in 1/100 cycles */
	uint32_t in_window, in_group; /* instructions found in this cycle, decoded in this cycle */
	uint32_t cost[2][LENGTHS]; /* of an instruction by its length: decoded, from the micro-op cache */
} f;

void front_start(void)
{
	f.lines = cache_make(params.l1i_size >> LINE_SHIFT, params.l1i_ways);
	f.decoded = cache_make(params.opcache_size >> (params.opcache_uops ? BLOCK_SHIFT : LINE_SHIFT), params.opcache_ways);
	f.line = f.window = UINT64_MAX;
	f.by_parts = params.opcache_size && params.opcache_uops;
	f.excludes = params.opcache_size && params.jump_boundary;
	for (unsigned int length = 0; length < LENGTHS; length++) {
		f.cost[false][length] = params.decode_bytes < NO_LIMIT ? length * 100 / params.decode_bytes : 0;
		f.cost[true][length] = params.fetch_bytes < NO_LIMIT ? length * 100 / params.fetch_bytes : 0;
	}
}

void front_redirect(uint64_t cycle)
{
	f.supply = f.asked = cycle * 100;
	f.window = UINT64_MAX;
	for (uint32_t n = 0; n < params.code_ahead; n++)
		f.entered[n] = 0;
}

/* One more instruction in this window. */
static inline void find(void)
{
	if (f.in_window == params.predecode) {
		f.in_window = 0;
		f.found += 100;
	}
	f.in_window++;
}

/*
 * The lengths of a window's instructions are found first. One that crosses its end belongs to the next window, and to
 * this one as well if its opcode is here. Then they are decoded. Both stages were measured by A. Abel and J. Reineke,
 * uiCA (ICS 2022), section 4.1.
 */
static NOINLINE void decode(const struct insn *insn, bool joined)
{
	uint64_t window = (insn->address + insn->length - 1) / params.decode_bytes;

	if (window != f.window) {
		if (f.window == UINT64_MAX || f.found + 100u * AHEAD < f.supply)
			f.found = f.supply;
		else if ((insn->address + insn->opcode) / params.decode_bytes == f.window)
			find();
		f.window = window;
		f.in_window = 0;
		f.found += 100;
	}
	find();
	if (insn->traits & PREFIXED)
		f.found += params.prefix_stall;
	if (joined)
		return;
	if (f.in_group == params.decoders || insn->uops > 1 || insn->traits & FIRST_DECODER ||
	    f.found > f.supply) {
		f.in_group = 0;
		f.supply += 100;
		if (f.found > f.supply)
			f.supply = f.found;
	}
	f.in_group++;
}

static uint64_t key_of(uint64_t block, uint64_t part)
{
	return (block & ((UINT64_C(1) << PART_SHIFT) - 1)) | part << PART_SHIFT;
}

/* Takes the code at @address out of the micro-op cache: its line, or all parts of its block. */
static void drop(uint64_t address)
{
	if (!params.opcache_uops) {
		cache_drop(&f.decoded, address >> LINE_SHIFT);
		return;
	}
	for (uint64_t part = 0; part < PARTS; part++)
		cache_drop(&f.decoded, key_of(address >> BLOCK_SHIFT, part));
}

/* Keeps a jump's code out of the micro-op cache. @joined: it is one micro-operation with the instruction before. */
static NOINLINE void exclude(const struct insn *insn, bool joined)
{
	uint64_t start = insn->address - (joined ? f.length : 0), end = insn->address + insn->length;

	if (start / params.jump_boundary == end / params.jump_boundary)
		return;
	statistics.excluded_jumps++;
	f.known = false;
	drop(start);
	drop(end - 1);
}

/*
 * Looks up the part of the block that @insn is in, and puts it into the micro-op cache if it is missing. Parts count
 * from where the block was entered.
 */
static void next_part(const struct insn *insn)
{
	uint64_t block = insn->address >> BLOCK_SHIFT;

	if (insn->address != f.next || block != (f.next - f.length) >> BLOCK_SHIFT) {
		f.part = 0;
	} else if (f.uops + insn->uops > params.opcache_uops) {
		f.part++;
	} else {
		f.uops += insn->uops;
		return;
	}
	f.uops = insn->uops;
	f.known = f.part < PARTS && cache_note(&f.decoded, key_of(block, f.part));
	if (f.part == PARTS)
		drop(insn->address);
}

static void fetch(uint64_t line, uint64_t cycle, bool ahead)
{
	struct entry entry = cache_entry(line, memory_code(CODE | line, cycle).ready, 0);

	statistics.l1i_misses++;
	entry.ahead = ahead;
	cache_put(&f.lines, entry);
}

/* A line that is entered for the first time has those behind it fetched, so that straight code is always ahead. */
static struct entry *find_line(uint64_t line, uint64_t cycle)
{
	struct entry *found = cache_find(&f.lines, line);

	if (found && !found->ahead)
		return found;
	if (found)
		found->ahead = false;
	else
		fetch(line, cycle, false);
	for (uint32_t n = 1; n <= params.l1i_prefetch; n++)
		if (!cache_has(&f.lines, line + n))
			fetch(line + n, cycle, true);
	return cache_find(&f.lines, line);
}

void front_wait(uint64_t cycle)
{
	f.asked = later(f.asked, cycle * 100);
}

/*
 * When @line is there. The way of the program is predicted ahead of fetch, a line a cycle, until code_ahead lines are not
 * entered yet. A line that is missing is asked for when it is predicted.
 */
static uint64_t predicted_line(uint64_t line)
{
	struct entry *found = cache_find(&f.lines, line);
	uint64_t ready;

	f.asked = later(f.asked + 100, f.entered[f.turn]);
	if (f.asked > f.supply)
		f.asked = f.supply;
	if (found) {
		ready = found->ready;
	} else {
		f.came = later(memory_code(CODE | line, f.asked / 100).ready * 100, f.came + params.code_interval);
		ready = f.came / 100;
		statistics.l1i_misses++;
		cache_put(&f.lines, cache_entry(line, ready, 0));
	}
	f.entered[f.turn] = later(f.supply, ready * 100);
	f.turn = (f.turn + 1) % params.code_ahead;
	return ready;
}

/* When code of @line is there, from @cycle on. */
static NOINLINE uint64_t enter(uint64_t line, uint64_t cycle)
{
	uint64_t ready;

	f.line = line;
	if (!params.opcache_size)
		f.known = true;
	else if (!params.opcache_uops)
		f.known = cache_note(&f.decoded, line);
	ready = params.code_ahead ? predicted_line(line) : find_line(line, f.supply / 100)->ready;
	if (ready * 100 <= f.supply)
		return cycle;
	f.supply = ready * 100;
	return ready;
}

INLINE uint64_t front_supply(const struct insn *insn, uint64_t cycle, uint64_t *missed)
{
	uint64_t line = insn->address >> LINE_SHIFT, earliest = cycle > AHEAD ? (cycle - AHEAD) * 100 : 0;
	bool joined = insn->kind == BRANCH && !insn->uops;

	*missed = cycle;
	if (f.supply < earliest)
		f.supply = earliest;
	if (line != f.line || (!f.known && insn->address != f.next)) /* a loop in one line is known the second time */
		*missed = enter(line, cycle);
	if (f.by_parts)
		next_part(insn);
	if (f.known || !params.predecode)
		f.supply += f.cost[f.known][insn->length];
	else
		decode(insn, joined);
	if (f.excludes && jumps(insn))
		exclude(insn, joined);
	f.length = insn->length;
	f.next = insn->address + insn->length;
	return f.supply >= (cycle + 1) * 100 ? f.supply / 100 : cycle;
}
