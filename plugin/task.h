/* SPDX-License-Identifier: GPL-2.0-only */
/* Tasks and CPUs: what each of them is in the middle of. */
#ifndef KASSAY_TASK_H
#define KASSAY_TASK_H

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
	bool further;      /* it began as a further iteration of its string instruction */
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
	bool worker;         /* it has begun a work item: a kworker */
	uint64_t others_item; /* of a kworker: where the function of a foreign work item returns to; 0 while none runs */
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
	bool further;        /* block began as a further iteration of its string instruction */
	bool returned;       /* from an exception, to the block that comes */
	struct queueing queueing;
	size_t traced;       /* if so: where the trace says how far the block before the exception was executed */
	unsigned int switching; /* or of enum switching, from the beginning of a task switch on */
	bool settled; /* since the end of the region: what ran then is known to have been executed or cut short */
};

static inline void count_interrupts(struct task *task)
{
	task->interrupts = 0;
	for (unsigned int i = 0; i < task->depth; i++)
		task->interrupts += task->frames[i].interrupt;
}

/* A pair of registers is moved in two accesses, on arm64; the first of them says which task it is. */
static inline bool second_half(const struct task *task, uint64_t address)
{
	return task->address && address == task->address + sizeof(uint64_t);
}

#endif
