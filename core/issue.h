/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a core can do in each cycle from the current one on: which ports are taken, how many
 * micro-ops leave the schedulers. Later instructions take what earlier ones left
 * free, as in an out-of-order core.
 */
#ifndef KASSAY_CORE_ISSUE_H
#define KASSAY_CORE_ISSUE_H

#include <stdint.h>

extern struct current {
	uint64_t cycle;
	unsigned int slot; /* micro-ops that were dispatched in it so far */
} current;

/* Removes what leaves the ports and the schedulers before @cycle. */
void issue_leave(uint64_t cycle);

/* No instruction is dispatched before this cycle any more. */
static inline void issue_advance(uint64_t cycle, unsigned int slot)
{
	current.slot = slot;
	if (cycle > current.cycle)
		issue_leave(cycle);
}

/* Books @count micro-ops on ports of @mask from @ready on; the cycle in which the last one issues. */
uint64_t issue_book(uint32_t mask, unsigned int count, uint64_t ready);

/* Two schedulers if memory_scheduler is set, else only the first. */
enum scheduler { SCHEDULER, MEMORY_SCHEDULER, SCHEDULERS };

/* @count micro-ops dispatched in @cycle wait in a scheduler until @issue. */
void issue_wait(enum scheduler scheduler, uint64_t cycle, uint64_t issue, unsigned int count);

/* The first cycle from @cycle on in which a scheduler has room for @count more. */
uint64_t issue_room(enum scheduler scheduler, uint64_t cycle, unsigned int count);

#endif
