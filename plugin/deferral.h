/* SPDX-License-Identifier: GPL-2.0-only */
/* Deferred work of measured tasks as CPUs do it: when it begins and ends. After each call the context may be another. */
#ifndef KASSAY_DEFERRAL_H
#define KASSAY_DEFERRAL_H

#include "task.h"

/* The context in which the task runs. */
enum context task_context(struct task *task);

/* A block of a function that queues or runs deferred work. Returns whether the call tree is back where a deferral began. */
bool deferral_attend(struct cpu *cpu, const struct block *before, const struct block *block);

/* An instruction of a function with these @roles accesses memory, but not its stack. */
void deferral_look(struct cpu *cpu, unsigned int roles, struct access_seen seen);

/* The deferral that began last ends. */
void deferral_leave(struct task *task);

/* The task is no kworker that is known. */
void deferral_forget(struct task *task);

/* The task leaves the CPU. */
void deferral_sleep(struct task *task);

#endif
