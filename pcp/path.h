/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a CPU does with pages. A zone lock is taken only up to cpu->horizon: false
 * means that nothing was done yet, and that the same call succeeds when the CPU has the
 * earliest clock of all.
 */
#ifndef KASSAY_PCP_PATH_H
#define KASSAY_PCP_PATH_H

#include "pcp.h"

#define NO_BLOCK 0xffffffffu /* an allocation that failed */

/* An allocation; NO_BLOCK where no zone has one. @first: the zone that is asked first. */
bool page_alloc(struct cpu *cpu, struct zone *first, unsigned int order, unsigned int type, block_t *block);

/* A free, of a block of a zone. While cpu->drain.pcp is set then, path_finish() has to be called. */
bool page_free(struct cpu *cpu, struct zone *zone, block_t block, unsigned int type);

/* What was begun goes on: drains, and the zones that the vmstat worker still has to visit; true: it is over. */
bool path_finish(struct cpu *cpu);

/* The vmstat worker runs. */
bool vmstat_run(struct cpu *cpu);

#endif
