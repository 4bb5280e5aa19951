// SPDX-License-Identifier: GPL-2.0-only
#include "window.h"

#include "issue.h"
#include "params.h"
#include "text.h"

struct window window;

/* The cycles in which the last micro-ops were retired, or the last buffers of a queue were free again. */
struct ring {
	uint64_t *cycles;
	uint32_t mask, next; /* mask: its size less one, as small as it can be: the host's first level cache is */
};

static struct ring rob, loads, stores;

static struct ring ring_make(uint32_t least)
{
	uint32_t size = 1;

	while (size < least)
		size *= 2;
	return (struct ring){ .cycles = allocate(size, sizeof(uint64_t)), .mask = size - 1 };
}

void window_start(void)
{
	rob = ring_make(params.rob + 1);
	loads = ring_make(params.load_queue);
	stores = ring_make(params.store_queue);
}

static inline void ring_put(struct ring *ring, uint64_t cycle)
{
	ring->cycles[ring->next++ & ring->mask] = cycle;
}

void window_redirect(uint64_t cycle, enum cause cause, uint32_t function)
{
	if (cycle <= window.front)
		return;
	window.front = cycle;
	window.dispatched = 0;
	window.cause = cause;
	window.function = function;
}

static inline void wait_until(uint64_t cycle)
{
	if (cycle <= window.front)
		return;
	window.front = cycle;
	window.dispatched = 0;
}

/* When there is room for @count more in a queue of @size; 0 if none are needed. */
static inline uint64_t room(const struct ring *queue, uint32_t size, unsigned int count)
{
	return count ? queue->cycles[(queue->next + (count < size ? count : size) - 1 - size) & queue->mask] : 0;
}

INLINE uint64_t window_dispatch(unsigned int uops, unsigned int computed, unsigned int load_count,
			 unsigned int store_count)
{
	if (uops <= params.rob)
		wait_until(rob.cycles[(rob.next + uops - params.rob - 1) & rob.mask]);
	else
		wait_until(window.retired);
	wait_until(room(&loads, params.load_queue, load_count));
	wait_until(room(&stores, params.store_queue, store_count));
	issue_advance(window.front, 0);
	if (!params.memory_scheduler) {
		computed = uops;
	} else if (load_count + store_count) {
		wait_until(issue_room(MEMORY_SCHEDULER, window.front, load_count + store_count));
		issue_advance(window.front, 0); /* what leaves until then has left the other scheduler */
	}
	if (computed)
		wait_until(issue_room(SCHEDULER, window.front, computed));
	window.dispatched += uops;
	while (window.dispatched > params.width) {
		window.dispatched -= params.width;
		window.front++;
	}
	issue_advance(window.front, window.dispatched - 1);
	return window.front;
}

INLINE uint64_t window_retire(unsigned int uops, uint64_t done)
{
	if (done > window.retired) {
		window.retired = done;
		window.retired_ops = 0;
	}
	window.retired_ops += uops;
	while (window.retired_ops > params.retire) {
		window.retired_ops -= params.retire;
		window.retired++;
	}
	for (unsigned int n = 0; n < uops; n++)
		ring_put(&rob, window.retired);
	return window.retired;
}

void window_load(uint64_t cycle)
{
	ring_put(&loads, cycle);
}

void window_store(uint64_t cycle)
{
	ring_put(&stores, cycle);
}
