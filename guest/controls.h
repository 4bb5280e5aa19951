/* SPDX-License-Identifier: GPL-2.0-only */
/* What a run asks of its machine besides the workload: settings of the kernel, a memory cgroup, a scheduling policy. */
#ifndef KASSAY_CONTROLS_H
#define KASSAY_CONTROLS_H

#include <stdint.h>
#include <sys/types.h>

/* Each returns NULL, or a sentence about what went wrong. */

/* @text: "PATH VALUE"; writes the value to the kernel's file. */
const char *control_set(const char *text);

/* Makes a cgroup of its own with @limit bytes of memory at most. */
const char *memcg_make(uint64_t limit);

/* Moves the calling process there. */
const char *memcg_enter(void);

/*
 * Gives each task of user space but init SCHED_FIFO, as to servers that were started already; what they start inherits
 * it. Such a task runs until it waits.
 */
const char *sched_fifo_all(void);

/* Gives it to one task; 0 is the calling one. */
const char *sched_fifo(pid_t pid);

#endif
