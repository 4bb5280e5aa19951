/* SPDX-License-Identifier: GPL-2.0-only */
/* How long after an atomic operation the next one begins. */
#ifndef KASSAY_CORE_ATOMIC_H
#define KASSAY_CORE_ATOMIC_H

#include <stdint.h>

/* The cycle in which the one at @address, the instruction @number, begins, from @cycle on. Addresses are physical. */
uint64_t atomic_begin(uint64_t address, uint64_t number, uint64_t cycle);

/* A plain store of the instruction @number, in the order of the program. */
void atomic_store(uint64_t address, uint64_t number);

#endif
