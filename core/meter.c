// SPDX-License-Identifier: GPL-2.0-only
#include "meter.h"

#define SPAN (100u << METER_SHIFT)

uint64_t meter_book(struct meter *meter, uint64_t cycle, uint32_t time)
{
	uint64_t number = cycle >> METER_SHIFT, earliest = cycle * 100;

	if (!time)
		return cycle;
	for (;; number++) {
		uint64_t *span = &meter->spans[number % METER_SPANS], taken = 0, at;

		if (*span >> 32 == (number & UINT32_MAX))
			taken = *span & UINT32_MAX;
		if (taken >= SPAN)
			continue;
		/* A thing that takes longer than what is left of its span takes the rest from the next. */
		at = number * SPAN + taken;
		*span = number << 32 | (taken + time);
		for (uint64_t over = taken + time, next = number + 1; over > SPAN; next++) {
			span = &meter->spans[next % METER_SPANS];
			taken = *span >> 32 == (next & UINT32_MAX) ? *span & UINT32_MAX : 0;
			over += taken - SPAN;
			*span = next << 32 | over;
		}
		return (at > earliest ? at : earliest) / 100;
	}
}
