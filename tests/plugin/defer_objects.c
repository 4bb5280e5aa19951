/* SPDX-License-Identifier: GPL-2.0-only */
/* Queues and runs objects by hand, for a test: prints which of them a measured task is charged with. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "defer.h"
#include "points.h"

static const struct cause own = { .own = true }, foreign = { .own = false };
static struct queueing queueing;

void *allocate(size_t size)
{
	return calloc(1, size);
}

bool points_have(unsigned int kind)
{
	return kind != POINT_DEFER(DEFERRED_IRQ_WORK, ROLE_RUNS);
}

void counters_line(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf(", ");
}

static const char *run(enum deferred kind, uint64_t address)
{
	struct node *node;

	if (!defer_run(kind, address, &node))
		return "foreign";
	defer_end(kind);
	return "own";
}

static void store(enum deferred kind, enum store how, unsigned int bytes, uint64_t address, struct cause cause)
{
	defer_store(&queueing, kind, (struct access_seen){ true, how, bytes, address }, cause);
}

/* queue_work_on(), which calls __queue_work() only when it has claimed the item. */
static void queue_work(uint64_t address, bool claims, struct cause cause)
{
	const struct block caller = { .roles = ROLE_QUEUES }, queue = { .roles = ROLE_QUEUED };

	store(DEFERRED_WORK, STORE_ATOMIC, 8, address, cause);
	if (claims)
		defer_begin(&queueing, &caller, &queue, cause);
}

static void call_rcu(uint64_t head, struct cause cause)
{
	const struct block before = { 0 }, begin = { .roles = ROLE_QUEUED << ROLE_BITS * DEFERRED_RCU };

	defer_begin(&queueing, &before, &begin, cause);
	store(DEFERRED_RCU, STORE_PLAIN, 8, head + 8, cause);
	store(DEFERRED_RCU, STORE_PLAIN, 8, head, cause);
	store(DEFERRED_RCU, STORE_PLAIN, 8, 0xf000, cause); /* the CPU's data */
}

int main(void)
{
	const struct block timer = { 0 }, queue = { .roles = ROLE_QUEUED };

	queue_work(0x1000, true, own);
	printf("queued %s\n", run(DEFERRED_WORK, 0x1000));
	printf("again %s\n", run(DEFERRED_WORK, 0x1000));
	queue_work(0x1000, true, foreign);
	queue_work(0x1000, false, own);
	printf("pending %s\n", run(DEFERRED_WORK, 0x1000));
	queue_work(0x1000, false, own);
	defer_begin(&queueing, &timer, &queue, own);
	printf("of_a_timer %s\n", run(DEFERRED_WORK, 0x1000));
	queue_work(0x1000, true, own);
	queue_work(0x1000, true, foreign);
	printf("taken_over %s\n", run(DEFERRED_WORK, 0x1000));
	queue_work(0x1000, true, own);
	defer_cancel(DEFERRED_WORK, 0x1000);
	printf("cancelled %s\n", run(DEFERRED_WORK, 0x1000));
	call_rcu(0x2000, own);
	call_rcu(0x3000, foreign);
	printf("rcu %s %s %s\n", run(DEFERRED_RCU, 0x2008), run(DEFERRED_RCU, 0x3008), run(DEFERRED_RCU, 0xf000));
	call_rcu(0x2000, own);
	store(DEFERRED_TIMER, STORE_PLAIN, 8, 0x4000, own);
	store(DEFERRED_TIMER, STORE_PLAIN, 4, 0x4020, own);
	printf("timer %s %s\n", run(DEFERRED_TIMER, 0x4000), run(DEFERRED_TIMER, 0x4022));
	printf("totals ");
	defer_totals();
	putchar('\n');
	return 0;
}
