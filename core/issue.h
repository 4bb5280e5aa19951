/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a core can do in each cycle from now on: which ports are taken, how many
 * micro-ops leave the schedulers. Later instructions take what earlier ones left
 * free, as in an out-of-order core.
 */
#ifndef KASSAY_CORE_ISSUE_H
#define KASSAY_CORE_ISSUE_H

#include <stdint.h>

/* No instruction is dispatched before this cycle any more. @slot: micro-ops that were dispatched in it so far. */
void issue_advance(uint64_t cycle, unsigned int slot);

/* Books @count micro-ops on ports of @mask from @ready on; the cycle in which the last one issues. */
uint64_t issue_book(uint32_t mask, unsigned int count, uint64_t ready);

/* @count micro-ops dispatched in @cycle wait in the schedulers until @issue. */
void issue_wait(uint64_t cycle, uint64_t issue, unsigned int count);

/* The first cycle from @cycle on in which the schedulers have room for @count more. */
uint64_t issue_room(uint64_t cycle, unsigned int count);

#endif
