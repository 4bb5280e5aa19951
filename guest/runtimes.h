/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Run times of all tasks next to the measured region. Reading them takes time in
 * which other tasks may run too, so they are looked up before, read with one call
 * each, and turned into text afterwards.
 */
#ifndef KASSAY_RUNTIMES_H
#define KASSAY_RUNTIMES_H

#include "run.h"

void runtimes_open(void);
void runtimes_read_before(void);
void runtimes_read_after(void);

/*
 * "pid comm<TAB>schedstat" of each task, before and after, which pids are the workload's own, where there are several
 * CPUs on which each was last, and of how many tasks nothing is known because there are more than the table holds.
 */
void runtimes_emit(struct run *run);

#endif
