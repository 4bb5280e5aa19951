/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Follows each CPU from block to block: what was left in its middle, which
 * interrupt or task runs, where indirect jumps lead.
 */
#ifndef KASSAY_FOLLOW_H
#define KASSAY_FOLLOW_H

#include <stdbool.h>

#include "block.h"
#include "defer.h"

/* From now on what is executed counts; the measured task runs on @own, one of @count CPUs. */
void follow_start(unsigned int count, unsigned int own, bool stacks, unsigned int interval);

/* Each time a block begins: without and with the call tree; and without it, of a block that repeats itself. */
void follow_block(unsigned int cpu, void *block);
void follow_repeat(unsigned int cpu, void *block);
void follow_block_and_calls(unsigned int cpu, void *block);

/* Each time a block begins: without the call tree, and into the trace. */
void follow_and_trace(unsigned int cpu, void *block);

/* The interval of the round that the counts go to from now on. */
void follow_interval(unsigned int interval);

/* The block that runs on this CPU, or ran last. */
const struct block *follow_running(unsigned int cpu);

/* The task on this CPU works for the measured one. */
void follow_own(unsigned int cpu);

/* Whether every task that executes user code works for the measured one: some were born before the region. */
extern bool follow_users;

/* The task on this CPU forks: the next task that was never seen works for the measured one, from its first instruction. */
void follow_fork(void);

/* The task on this CPU exits. */
void follow_exit(unsigned int cpu);

/*
 * The task on this CPU, which makes another one, writes to @address of it: one of such addresses will be where the new
 * task's stack pointer is loaded from. What a measured task makes is measured, from its first instruction.
 */
void follow_birth(unsigned int cpu, uint64_t address);

/* Whether the task on this CPU is measured. */
bool follow_is_own(unsigned int cpu);

/* In a task switch: the stack pointer of the running task goes to, that of the next one comes from, this address. */
void follow_save(unsigned int cpu, uint64_t address);
void follow_load(unsigned int cpu, uint64_t address);

/* An instruction of a function with these @roles accesses memory, but not its stack. */
void follow_deferred(unsigned int cpu, unsigned int roles, struct access_seen seen);

/* A load or store of the block that runs on this CPU. */
void follow_access(unsigned int cpu, struct block *block, bool store);

/*
 * The region is over. What other CPUs are in the middle of is still followed
 * to its end; then, maybe at once, @finished is called.
 */
void follow_end(unsigned int own, void (*finished)(void));

/* Writes tasks and totals, and counts no more. */
void follow_totals(void);

#endif
