/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters with one value for each slot (interval of a round x context), and
 * the file they go to: docs/explained/profile.md, "kassay-profile/2". Rounds repeat
 * each other, so only what differs from the round before is written.
 */
#ifndef KASSAY_COUNTER_H
#define KASSAY_COUNTER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The last four: work that the measured task queued, by what runs it (defer.h). */
enum context {
	CONTEXT_OWN, CONTEXT_INTERRUPT, CONTEXT_OTHER, CONTEXT_IDLE, CONTEXT_WORK, CONTEXT_RCU, CONTEXT_IRQ_WORK, CONTEXT_TIMER,
	CONTEXTS,
};

#define MAX_INTERVALS 9
#define NO_ID UINT32_MAX

struct counter {
	uint64_t *now;        /* by slot; NULL until it is touched first, for most blocks never count */
	uint64_t *last;       /* of the round before */
	struct counter *next; /* in the list of this round */
	uint32_t id;          /* in the file; NO_ID until it is defined there */
	bool touched;
	bool listed; /* counted in the round before */
};

/* Opens @path and begins the file. Returns 0, or -1 (errno). */
int counters_open(const char *path, const char *mode, const char *target, unsigned int intervals);

/* Zeroed memory. Never fails: without memory the emulator ends. */
void *allocate(size_t size);

/* Gives the counter its number and writes "@kind ID", to which the caller adds the rest of the line. */
FILE *counter_define(struct counter *counter, char kind);

/* The round that is counted now; 0 before the first. */
uint32_t counters_round(void);

/* Adds to a round that may be over: what happened in it is known only now. */
void counter_add_late(struct counter *counter, uint32_t round, unsigned int slot, int64_t count);

/* Must precede the first count in a round. */
void counter_touch(struct counter *counter);

/* A free line of the file. */
void counters_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes what changed in the round that ends, and begins the next. */
void counters_end_round(void);

/* Ends the file. Returns 0, or -1 when something was not written. */
int counters_close(void);

static inline void counter_add(struct counter *counter, unsigned int slot, uint64_t count)
{
	if (!counter->touched)
		counter_touch(counter);
	counter->now[slot] += count;
}

#endif
