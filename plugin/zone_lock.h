/* SPDX-License-Identifier: GPL-2.0-only */
/* How often the page allocator takes the lock of a zone of memory, and how often it goes to another CPU. */
#ifndef KASSAY_ZONE_LOCK_H
#define KASSAY_ZONE_LOCK_H

#include "block.h"

/* @cpu begins to take some lock; @before: the block that asked for it. */
void zone_lock_taken(unsigned int cpu, const struct block *before);

/* Writes the totals, if the lock of any zone was taken. */
void zone_lock_totals(void);

#endif
