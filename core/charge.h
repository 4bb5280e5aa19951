/* SPDX-License-Identifier: GPL-2.0-only */
/* The steps of one instruction, and which of them the core waited for. */
#ifndef KASSAY_CORE_CHARGE_H
#define KASSAY_CORE_CHARGE_H

#include <stdint.h>

#include "account.h"

#define MOST_STEPS 12 /* an instruction has ten at most */

struct step {
	uint64_t cycle;
	enum cause cause;
};

struct charge {
	uint32_t function;
	uint32_t count;
	uint64_t dispatched, issued;
	uint64_t addressed; /* when its loads were issued; of a store alone, when its address was ready */
	struct step steps[MOST_STEPS];
};

static inline void charge_begin(struct charge *charge, uint64_t cycle)
{
	charge->count = 1;
	charge->steps[0] = (struct step){ cycle, CAUSE_WIDTH };
}

/* Until @cycle the instruction did, or waited for, @cause; nothing if that is not later than the step before. */
static inline void charge_step(struct charge *charge, uint64_t cycle, enum cause cause)
{
	charge->steps[charge->count++] = (struct step){ cycle, cause };
}

/* It was done in @done; retirement came from @before to @now. */
void charge_retire(const struct charge *charge, uint64_t before, uint64_t now, uint64_t done);

/* The same for an instruction that was done in @done, not after @before: nothing waited for it. */
void charge_passed(uint32_t function, uint64_t before, uint64_t now, uint64_t done);

/* A repeated instruction of @function went on @times from @before to @done. */
void charge_string(uint32_t function, uint64_t before, uint64_t done, uint64_t times);

#endif
