/* SPDX-License-Identifier: GPL-2.0-only */
/* The steps of one instruction, and which of them the core waited for. */
#ifndef KASSAY_CORE_CHARGE_H
#define KASSAY_CORE_CHARGE_H

#include <stdint.h>

#include "account.h"

#define MOST_STEPS 12

struct charge {
	uint32_t function;
	uint32_t count;
	uint64_t dispatched, issued;
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

/* The next step lasts until @cycle; none when that is not later than the last. */
static inline void charge_step(struct charge *charge, uint64_t cycle, enum cause cause)
{
	if (cycle <= charge->steps[charge->count - 1].cycle || charge->count == MOST_STEPS)
		return;
	charge->steps[charge->count].cycle = cycle;
	charge->steps[charge->count++].cause = cause;
}

/* It was done in @done; retirement came from @before to @now. */
void charge_retire(const struct charge *charge, uint64_t before, uint64_t now, uint64_t done);

/* A repeated instruction of @function went on @times from @before to @done. */
void charge_string(uint32_t function, uint64_t before, uint64_t done, uint64_t times);

#endif
