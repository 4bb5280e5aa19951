/* SPDX-License-Identifier: GPL-2.0-only */
/* Which frame each virtual page has now. */
#ifndef KASSAY_CORE_PAGES_H
#define KASSAY_CORE_PAGES_H

#include <stdint.h>

/* Goes up with each change: what was looked up before may be wrong. */
extern uint64_t pages_generation;

void pages_put(uint64_t page, uint64_t frame);

/* Its frame; itself when it is not known. */
uint64_t pages_find(uint64_t page);

/* Where the byte at a virtual address is in physical memory now; itself when its page is not known. */
uint64_t pages_physical(uint64_t address);

#endif
