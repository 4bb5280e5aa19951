// SPDX-License-Identifier: GPL-2.0-only
#include "window.h"

#include "issue.h"
#include "params.h"

#define MOST 4096 /* more than there is room for in any of the queues */

struct window window;

/* The reorder buffer: the cycles in which the last micro-ops were retired. */
static struct {
	uint64_t retired[MOST];
	uint64_t next;
} rob;

/* When each of the last buffers was free again. */
struct queue {
	uint64_t free[MOST];
	uint32_t next;
};

static struct queue loads, stores;

void window_redirect(uint64_t cycle, enum cause cause, uint32_t function)
{
	if (cycle <= window.front)
		return;
	window.front = cycle;
	window.dispatched = 0;
	window.cause = cause;
	window.function = function;
}

static void wait_until(uint64_t cycle)
{
	if (cycle <= window.front)
		return;
	window.front = cycle;
	window.dispatched = 0;
}

/* When there is room for @count more in a queue of @size; 0 if none are needed. */
static uint64_t room(const struct queue *queue, uint32_t size, unsigned int count)
{
	uint64_t when = queue->free[(queue->next + (count < size ? count : size) - 1 - size) % MOST];

	return count ? when : 0;
}

uint64_t window_dispatch(unsigned int uops, unsigned int computed, unsigned int load_count,
			 unsigned int store_count)
{
	if (uops <= params.rob)
		wait_until(rob.retired[(rob.next + uops - params.rob - 1) % MOST]);
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

uint64_t window_retire(unsigned int uops, uint64_t done)
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
	rob.retired[rob.next % MOST] = window.retired;
	for (unsigned int n = 1; n < uops; n++)
		rob.retired[(rob.next + n) % MOST] = window.retired;
	rob.next += uops;
	return window.retired;
}

void window_load(uint64_t cycle)
{
	loads.free[loads.next++ % MOST] = cycle;
}

void window_store(uint64_t cycle)
{
	stores.free[stores.next++ % MOST] = cycle;
}
