/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What only so much of passes in a time: lines of a cache, stores, walks. Requests
 * come in the order of the program, not of time: each takes what is left free.
 */
#ifndef KASSAY_CORE_METER_H
#define KASSAY_CORE_METER_H

#include <stdint.h>

#define METER_SPANS 1024
#define METER_SHIFT 6 /* cycles of a span: 64 */

struct meter {
	uint64_t spans[METER_SPANS]; /* number of the span << 32 | 1/100 cycles of it that are taken */
};

/* Books @time, in 1/100 cycles, from @cycle on; when it begins. */
uint64_t meter_book(struct meter *meter, uint64_t cycle, uint32_t time);

#define POOL_MOST 512

/* Things of which @count exist, each taken for a time: fill buffers, walkers. */
struct pool {
	uint32_t count;
	uint64_t free[POOL_MOST]; /* from which cycle on */
};

/* The first free one from @cycle on: *@when says when. Its taker sets the cycle in which it is free again. */
static inline uint64_t *pool_take(struct pool *pool, uint64_t cycle, uint64_t *when)
{
	uint64_t *best = pool->free;

	for (uint32_t i = 0; i < pool->count; i++) {
		if (pool->free[i] <= cycle) {
			*when = cycle;
			return &pool->free[i];
		}
		if (pool->free[i] < *best)
			best = &pool->free[i];
	}
	*when = *best;
	return best;
}

#endif
