/* SPDX-License-Identifier: GPL-2.0-only */
/* Code on its way to dispatch: the instruction cache, the micro-op cache, and the bytes of a cycle. */
#ifndef KASSAY_CORE_FRONT_H
#define KASSAY_CORE_FRONT_H

#include <stdint.h>

struct insn;

void front_start(void);

/* The cycle in which @insn can be dispatched, from @cycle on; *@missed: in which one without misses of the cache. */
uint64_t front_supply(const struct insn *insn, uint64_t cycle, uint64_t *missed);

/* Fetch begins anew, at another address, in @cycle. */
void front_redirect(uint64_t cycle);

/* Nothing is asked for ahead before @cycle: the way goes on behind an instruction that must have ended. */
void front_wait(uint64_t cycle);

#endif
