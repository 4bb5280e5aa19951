/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Follows each CPU from block to block: what was left in its middle, which
 * interrupt or task runs, where indirect jumps lead.
 */
#ifndef KASSAY_FOLLOW_H
#define KASSAY_FOLLOW_H

#include "block.h"
#include "defer.h"
#include "tree.h"

#define MAX_FRAMES 32
#define MAX_DEFERRALS 8

/* Where a block was counted. */
struct when {
	uint32_t slot;
	uint32_t round;
};

/* An exception or interrupt that has been entered and not returned from. */
struct frame {
	struct block *before; /* what it came in after, or in the middle of */
	struct block *site;
	struct when counted; /* before was */
	struct node *node;   /* and in which place of the call tree */
	bool cut;          /* before may have been left in its middle */
	bool interrupt;
	size_t traced;     /* where the trace says how far before was executed */
	struct queueing queueing; /* what the CPU had seen of an object */
	struct tree_place place;
};

/*
 * Deferred work of a measured task, from the first look at the object that runs to the return of its function; a work
 * item's worker then sleeps, or turns to another item, and its way to there is part of it.
 */
struct deferral {
	enum deferred kind;
	unsigned int interrupts; /* of its task when it began: interrupts that come in later are none of it */
	uint64_t back;           /* where its function returns to; 0 until it is called */
	bool over;               /* it has returned, to a worker */
	struct tree_place place;
};

enum task_kind { TASK_OTHER, TASK_OWN, TASK_IDLE };

struct task {
	struct task *next;
	uint64_t address; /* of its saved stack pointer; 0 until it was switched out */
	enum task_kind kind;
	bool exited; /* its address may come again, as that of another task */
	bool born;   /* and has not run yet */
	unsigned int interrupts; /* frames of interrupts */
	unsigned int depth;
	struct frame frames[MAX_FRAMES];
	unsigned int deferring; /* deferrals that have begun */
	struct deferral deferrals[MAX_DEFERRALS];
	struct tree_stack stack;
};

/* What a task switch has still to do. */
enum switching { SWITCH_SAVES = 1, SWITCH_LOADS = 2 };

struct cpu {
	struct block *block; /* that runs, or ran last */
	struct block *site;  /* that led into a thunk */
	struct when now;     /* for the blocks that come */
	struct when counted; /* block was: another CPU may have gone on to the next interval since */
	struct node *node;   /* block was, in the call tree: its task may have another one since */
	struct task *task;
	bool returned;       /* from an exception, to the block that comes */
	struct queueing queueing;
	size_t traced;       /* if so: where the trace says how far the block before the exception was executed */
	unsigned int switching; /* or of enum switching, from the beginning of a task switch on */
	bool settled; /* since the end of the region: what ran then is known to have been executed or cut short */
};

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
