/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes or threads that do one part of a round together. The caller waits for all of
 * them asleep, and so do they for the next part: nobody spins.
 */
#ifndef KASSAY_WORKERS_H
#define KASSAY_WORKERS_H

#include "script.h"

#define MAX_TASKS 64
#define MAX_PARTS 4

/* Finds the CPUs that workers are pinned to. Before the process is pinned to one itself. */
void workers_find_cpus(void);

/*
 * Starts @tasks workers (2 .. MAX_TASKS), each pinned to a CPU of its own in turn. @scripts: what task i does in
 * part p is script i * parts + p; it stays where it is and, like all it writes, is shared between processes.
 */
int workers_start(struct run *run, unsigned int tasks, bool threads, struct script *scripts, unsigned int parts);

/* Pins the first worker to the CPU at this place, and the others in turn; before workers_start(). Without it place 0. */
void workers_pin_from(unsigned int cpu);

/* Adds the steps that let every worker do @part, and that end when the last one is done. */
void workers_do(struct script *script, unsigned int part);

/* The two apart: what stands between them the caller does at the same time. */
void workers_release(struct script *script, unsigned int part);
void workers_wait(struct script *script);

void workers_stop(void);

#endif
