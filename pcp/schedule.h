/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which CPU goes on. Each CPU has a clock of its own and runs ahead of the others
 * as long as it needs nothing that they have: the zone lock, or tasks' blocks.
 * Then it waits until its clock is the earliest. So all of that happens in the order of time.
 */
#ifndef KASSAY_PCP_SCHEDULE_H
#define KASSAY_PCP_SCHEDULE_H

#include "pcp.h"

/* All CPUs, by their clocks. */
void schedule_start(void);

/* The CPU whose clock is the earliest, with its horizon and limit. */
struct cpu *schedule_first(void);

/* The CPU takes no zone lock after the time of another one. */
void schedule_behind(struct cpu *cpu, const struct cpu *other);

/* When a CPU has its turn. */
uint64_t schedule_time(const struct cpu *cpu);

/* The CPU's clock, or what it sleeps until, is another one now. */
void schedule_moved(const struct cpu *cpu, uint64_t time);

#endif
