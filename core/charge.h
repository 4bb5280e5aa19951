/* SPDX-License-Identifier: GPL-2.0-only */
/* The steps of one instruction, and which of them the core waited for. */
#ifndef KASSAY_CORE_CHARGE_H
#define KASSAY_CORE_CHARGE_H

#include <stdbool.h>
#include <stdint.h>

#include "account.h"

#define MOST_STEPS 12

struct charge {
	uint32_t function;
	uint32_t count;
	uint64_t dispatched, issued;
	uint64_t addressed; /* when its loads were issued; of a store alone, when its address was ready */
	/* Until @cycle the instruction did, or waited for, @cause. */
	struct {
		uint64_t cycle;
		enum cause cause;
	} steps[MOST_STEPS];
};

static inline void charge_begin(struct charge *charge, uint64_t cycle)
{
	charge->count = 1;
	charge->steps[0].cycle = cycle;
	charge->steps[0].cause = CAUSE_WIDTH;
}

static inline bool charge_is_plain(enum cause cause)
{
	return cause == CAUSE_DEPENDENCY || cause == CAUSE_L1;
}

/*
 * The next step lasts until @cycle; none when that is not later than the last. A wait for a port is put behind the
 * execution that it delays: where ports are short, the core waits for them and not for that execution.
 */
static inline void charge_step(struct charge *charge, uint64_t cycle, enum cause cause)
{
	uint32_t last = charge->count - 1;
	uint64_t more = cycle - charge->steps[last].cycle;

	if (cycle <= charge->steps[last].cycle || charge->count == MOST_STEPS)
		return;
	if (charge_is_plain(cause) && charge->steps[last].cause == CAUSE_PORTS) {
		charge->steps[last].cycle = charge->steps[last - 1].cycle + more;
		charge->steps[last].cause = cause;
		cause = CAUSE_PORTS;
	}
	charge->steps[charge->count].cycle = cycle;
	charge->steps[charge->count++].cause = cause;
}

/* It was done in @done; retirement came from @before to @now. */
void charge_retire(const struct charge *charge, uint64_t before, uint64_t now, uint64_t done);

/* A repeated instruction of @function went on @times from @before to @done. */
void charge_string(uint32_t function, uint64_t before, uint64_t done, uint64_t times);

#endif
