/* SPDX-License-Identifier: GPL-2.0-only */
/* The tasks of the generator: each repeats cycles of allocations and frees (params.def, GROUP). */
#ifndef KASSAY_PCP_TASKS_H
#define KASSAY_PCP_TASKS_H

#include "pcp.h"

enum phase { TASK_ALLOC, TASK_HELD, TASK_FREE, TASK_CYCLE };

struct task {
	const struct group_config *group;
	enum phase phase;
	uint64_t wake;   /* asleep up to then */
	uint64_t left;   /* allocations of this cycle */
	uint64_t cycles; /* done */
	struct ring owned;
	bool plain; /* all of its allocations are movable, of order 0, and kept for the cycle */
	/* An allocation that was drawn and is to be made */
	bool drawn, churned;
	uint8_t order, type;
};

/* A CPU with its tasks, and the blocks that others have sent it to free. */
struct worker {
	struct cpu *cpu;
	struct task **tasks;
	unsigned int count, current;
	struct ring inbox;
	const struct group_config *sender; /* of what is in the inbox */
	uint64_t asleep_from;              /* NEVER_ASLEEP: it is awake */
};

#define NEVER_ASLEEP UINT64_MAX

extern struct worker *workers;
extern uint64_t events_done;

/* All groups' tasks, on their CPUs. */
void tasks_start(void);

/* The task goes on up to a time, for at most a slice; false: the CPU has to wait for its turn. */
bool task_run(struct worker *worker, struct task *task, uint64_t until);

/* Blocks of the inbox are freed, in the same way. */
void inbox_run(struct worker *worker, uint64_t until);

/* Every block that a task or an inbox has. */
void tasks_owned(void (*tell)(block_t block));

/* A CPU may be asleep at a time before the one of its next event: it wakes then. */
void worker_wake(struct worker *worker, uint64_t time);

#endif
