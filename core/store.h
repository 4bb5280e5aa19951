/* SPDX-License-Identifier: GPL-2.0-only */
/* Stores after they are retired, and loads that get their value from them. */
#ifndef KASSAY_CORE_STORE_H
#define KASSAY_CORE_STORE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A store of @bytes to @physical whose value is there in @value is retired in @retired. @name: of the registers that
 * its address is made of, with what they hold.
 * Returns the cycle in which it is in the first level cache: its buffer is free again.
 */
uint64_t store_drain(uint64_t physical, unsigned int bytes, uint64_t name, uint64_t value, uint64_t retired);

/* The same for an atomic operation, which has written its line in @done. A later load has the value in @reload. */
void store_atomic(uint64_t physical, unsigned int bytes, uint64_t done, uint64_t reload);

/* When all stores so far are in the cache. */
uint64_t store_drained(void);

/* When a full fence may begin. */
uint64_t store_fenced(void);

/* Of a load that takes its value as one by the store's registers does. */
#define NAME_OF_ANY UINT64_MAX

/*
 * A load issued in @cycle: whether an earlier store has the value (or a part of it), which is then usable in *@ready.
 * @name: of its address, as that of a store; 0: the load of an atomic operation.
 */
bool store_forwards(uint64_t physical, unsigned int bytes, uint64_t name, uint64_t cycle, uint64_t *ready);

#endif
