// SPDX-License-Identifier: GPL-2.0-only
#include "lines.h"

#include <stdlib.h>

#include "text.h"

static struct {
	struct line *lines;
	uint32_t count, room;
	uint32_t *slots; /* index of a line and one; 0: free */
	uint32_t size;   /* of slots, a power of two */
} l;

static uint32_t slot_of(uint64_t number)
{
	uint32_t slot = (uint32_t)(number * 0x9e3779b97f4a7c15u >> 32) & (l.size - 1);

	while (l.slots[slot] && l.lines[l.slots[slot] - 1].number != number)
		slot = (slot + 1) & (l.size - 1);
	return slot;
}

static void grow(void)
{
	free(l.slots);
	l.size = l.size ? 2 * l.size : 1 << 12;
	l.room = l.size / 2;
	l.slots = allocate(l.size, sizeof(*l.slots));
	l.lines = realloc(l.lines, l.room * sizeof(*l.lines));
	if (!l.lines)
		exit(3);
	for (uint32_t n = 0; n < l.count; n++)
		l.slots[slot_of(l.lines[n].number)] = n + 1;
}

struct line *lines_find(uint64_t number)
{
	uint32_t slot;

	if (l.count == l.room)
		grow();
	slot = slot_of(number);
	if (!l.slots[slot]) {
		l.lines[l.count] = (struct line){ .number = number };
		l.slots[slot] = ++l.count;
	}
	return &l.lines[l.slots[slot] - 1];
}

uint32_t lines_number(const struct line *line)
{
	return (uint32_t)(line - l.lines);
}

struct line *lines_at(uint32_t number)
{
	return &l.lines[number];
}
