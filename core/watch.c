// SPDX-License-Identifier: GPL-2.0-only
#include "watch.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "text.h"
#include "window.h"

#define MOST_HELD 16
#define MOST_CALLS 64

enum role { NONE, TAKES, GIVES, ATOMIC };
#define NOBODY UINT32_MAX

struct seen {
	char kind;
	uint32_t round, interval, block, index, from;
	uint32_t number; /* from 1 on */
	uint64_t begin, end, address;
	uint32_t count, room, *touched; /* of a hold: lines, in the table of lines.c */
};

bool watching;

static struct {
	uint8_t **roles;    /* by block, and instruction in it */
	uint64_t low, high; /* kernel's own data: a store there is seen */
	struct seen **seen;
	uint32_t count, room;
	struct seen *held[MOST_HELD];
	uint32_t depth;
	bool *passes;               /* by function: a thunk, which is nobody's caller */
	uint32_t calls[MOST_CALLS]; /* functions that have not returned, as far as blocks tell; the last one runs */
	uint32_t call_count;
	uint32_t round, interval, context;
	uint64_t others, since; /* cycles of what is not the measured task's */
} w;

void watch_read(const char *path)
{
	struct text text = text_open(path);

	watching = true;
	w.roles = allocate(program.count, sizeof(*w.roles));
	w.passes = allocate(program.functions, sizeof(*w.passes));
	while (text_line(&text)) {
		const char *word = text_word(&text);
		uint64_t block, index;

		if (*word == 's') {
			w.low = text_number(&text, 0, UINT64_MAX);
			w.high = text_number(&text, 0, UINT64_MAX);
			continue;
		}
		if (*word == 't') {
			w.passes[text_number(&text, 0, program.functions - 1)] = true;
			continue;
		}
		block = text_number(&text, 0, program.count - 1);
		if (!program.blocks[block].known)
			text_wrong(&text, "block %u is not in the program", (unsigned int)block);
		index = text_number(&text, 0, program.blocks[block].count - 1);
		if (!w.roles[block])
			w.roles[block] = allocate(program.blocks[block].count, 1);
		w.roles[block][index] = *word == 'a' ? TAKES : *word == 'r' ? GIVES : ATOMIC;
	}
	text_close(&text);
}

static uint64_t now(void)
{
	return window.retired - w.others;
}

/* @list with room for one more than @count elements of @size bytes. */
static void *grown(void *list, uint32_t count, uint32_t *room, size_t size)
{
	if (count < *room)
		return list;
	*room = *room ? 2 * *room : 16;
	list = realloc(list, *room * size);
	if (!list)
		exit(3);
	return list;
}

static struct seen *note(char kind, uint32_t block, uint32_t index, uint64_t address)
{
	struct seen *seen = allocate(1, kind == 'x' ? offsetof(struct seen, count) : sizeof(*seen));

	w.seen = grown(w.seen, w.count, &w.room, sizeof(*w.seen));
	w.seen[w.count++] = seen;
	seen->number = w.count;
	seen->kind = kind;
	seen->round = w.round;
	seen->interval = w.interval;
	seen->block = block;
	seen->index = index;
	seen->from = w.call_count > 1 ? w.calls[w.call_count - 2] : NOBODY;
	seen->begin = now();
	seen->address = address;
	return seen;
}

static uint32_t held_at(uint64_t address)
{
	uint32_t n = 0;

	while (n < w.depth && w.held[n]->address != address)
		n++;
	return n;
}

static void forget(uint32_t n)
{
	w.depth--;
	for (; n < w.depth; n++)
		w.held[n] = w.held[n + 1];
}

static void take(uint32_t block, uint32_t index, uint64_t address)
{
	uint32_t n = held_at(address);

	/* An attempt that failed, or whose end was not seen. */
	if (n < w.depth)
		forget(n);
	else if (w.depth == MOST_HELD)
		forget(0);
	w.held[w.depth++] = note('h', block, index, address);
}

/* A line of the kernel's memory belongs to the lock under which it was touched first, until it is touched without. */
static void touch(uint64_t address, bool store)
{
	struct seen *inner = w.depth ? w.held[w.depth - 1] : NULL;
	struct line *line = lines_find(address >> 6);
	uint32_t number = lines_number(line), n;

	if (!line->touched) {
		line->touched = true;
		line->lock = inner ? inner->address : 0;
	}
	line->stored |= store;
	if (!line->lock)
		return;
	n = held_at(line->lock);
	if (n == w.depth) {
		line->lock = 0;
		return;
	}
	inner = w.held[n];
	if (line->last == inner->number) {
		inner->touched[line->place] |= !store;
	} else {
		inner->touched = grown(inner->touched, inner->count, &inner->room, sizeof(*inner->touched));
		line->last = inner->number;
		line->place = inner->count;
		inner->touched[inner->count++] = number << 1 | !store;
		line->holds++;
	}
}

/* @function runs: one that has been called, or one that was returned to. */
static void follow(uint32_t function)
{
	if (w.passes[function] || (w.call_count && w.calls[w.call_count - 1] == function))
		return;
	for (uint32_t n = w.call_count; n > 0; n--) {
		if (w.calls[n - 1] != function)
			continue;
		w.call_count = n;
		return;
	}
	if (w.call_count == MOST_CALLS) {
		w.call_count--;
		memmove(w.calls, w.calls + 1, w.call_count * sizeof(*w.calls));
	}
	w.calls[w.call_count++] = function;
}

static enum role role_of(uint32_t block, uint32_t index)
{
	return w.roles[block] ? w.roles[block][index] : NONE;
}

/* An access of an instruction that does not give back a lock here. */
static void look(uint32_t block, uint32_t index, uint64_t address, bool store)
{
	enum role role = role_of(block, index);

	if (!(address >> 63))
		return;
	touch(address, store);
	if ((role == NONE || role == GIVES) && store && address >= w.low && address < w.high && held_at(address) == w.depth)
		note('x', block, index, address);
}

void watch_insn(const struct block *block, uint32_t n, const struct access *accesses, uint32_t count)
{
	uint32_t id = (uint32_t)(block - program.blocks), at;
	enum role role = role_of(id, n);

	if (w.context)
		return;
	follow(block->function);
	if (!count)
		return;
	if (role == TAKES)
		take(id, n, accesses->address);
	at = role == GIVES ? held_at(accesses->address) : w.depth;
	if (at < w.depth) {
		w.held[at]->end = now();
		forget(at);
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		look(id, n, accesses[i].address, accesses[i].store);
	if (role == ATOMIC)
		note('x', id, n, accesses->address);
}

void watch_repeat(const struct block *block, const struct access *accesses, const int64_t *strides, uint32_t count,
		  uint64_t times)
{
	uint32_t id = (uint32_t)(block - program.blocks), last = block->count - 1;

	for (uint32_t i = 0; i < count && !w.context; i++) {
		uint64_t address = accesses[i].address;

		for (uint64_t left = strides[i] ? times : 0; left; left--) {
			uint64_t before = address;

			address += (uint64_t)strides[i];
			if (address >> 6 != before >> 6)
				look(id, last, address, accesses[i].store);
		}
	}
}

void watch_turn(uint32_t round, uint32_t interval)
{
	w.round = round;
	w.interval = interval;
}

void watch_context(uint32_t context)
{
	if (context && !w.context)
		w.since = window.retired;
	if (!context && w.context)
		w.others += window.retired - w.since;
	w.context = context;
}

/* Lines that move with the lock: touched under it alone, more than once, and written. */
static bool moves(const struct line *line, uint64_t lock)
{
	return line->lock == lock && line->stored && line->holds > 1 && line->number != lock >> 6;
}

void watch_end(void)
{
	for (uint32_t n = 0; n < w.count; n++) {
		const struct seen *seen = w.seen[n];
		uint32_t loads = 0, stores = 0;

		for (uint32_t i = 0; seen->kind == 'h' && i < seen->count; i++) {
			if (!moves(lines_at(seen->touched[i] >> 1), seen->address))
				continue;
			loads += seen->touched[i] & 1;
			stores += !(seen->touched[i] & 1);
		}
		printf("%c %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu32 " %" PRIu32 " %" PRId64 " %" PRIu64
		       " %" PRIu32 " %" PRIu32 "\n", seen->kind, seen->round, seen->interval, seen->begin, seen->end,
		       seen->block, seen->index, seen->from == NOBODY ? -1 : (int64_t)seen->from, seen->address, loads,
		       stores);
	}
}
