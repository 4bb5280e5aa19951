/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes or threads that do one step together. The caller waits for all of
 * them asleep, and so do they for the next step: nobody spins. With one task
 * there are no workers: the caller does the step itself.
 */
#ifndef KASSAY_WORKERS_H
#define KASSAY_WORKERS_H

#include "workload.h"

#define MAX_TASKS 64

/* A step of one task (0 <= task < tasks). Returns 0 or an errno. */
typedef int (*worker_step)(unsigned int task, unsigned int step);

/* Starts @tasks workers, each pinned to a CPU of its own in turn. */
int workers_start(struct run *run, unsigned int tasks, bool threads, worker_step step);

/* Lets every task do @step; returns when the last one is done. */
int workers_do(struct run *run, unsigned int step);

void workers_stop(void);

#endif
