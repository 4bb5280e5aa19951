/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The zone lock: who comes first has it first. CPUs ask in the order of their
 * clocks (schedule.c), so one number, when the lock is free, is the whole queue.
 */
#ifndef KASSAY_PCP_LOCK_H
#define KASSAY_PCP_LOCK_H

#include "pcp.h"

/* Work below a lock: what lock_leave() computes its time from. */
struct held {
	struct zone *zone;
	uint64_t arrived, splits, merges;
	bool handover;
};

struct held lock_enter(struct zone *zone, struct cpu *cpu);

/* The CPU's clock goes on to the end of the work, blocks taken and given. */
void lock_leave(const struct held *held, struct cpu *cpu, uint64_t taken, uint64_t given);

#endif
