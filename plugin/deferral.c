// SPDX-License-Identifier: GPL-2.0-only
#include "deferral.h"

/* The deferred work that the task does now, not one that an interrupt came in on; or NULL. */
static struct deferral *deferral_of(struct task *task)
{
	struct deferral *last = task->deferring ? &task->deferrals[task->deferring - 1] : NULL;

	return last && last->interrupts == task->interrupts ? last : NULL;
}

enum context task_context(struct task *task)
{
	const struct deferral *deferral = deferral_of(task);

	if (deferral)
		return CONTEXT_WORK + (enum context)deferral->kind;
	if (task->interrupts)
		return CONTEXT_INTERRUPT;
	if (task->kind == TASK_OWN)
		return CONTEXT_OWN;
	if (task->worker && !task->others_item && defer_waits(DEFERRED_WORK))
		return CONTEXT_WORK; /* on its way to an item */
	return task->kind == TASK_IDLE ? CONTEXT_IDLE : CONTEXT_OTHER;
}

static bool has_tree(const struct task *task)
{
	return task->stack.levels[0].node;
}

void deferral_leave(struct task *task)
{
	struct deferral *deferral = &task->deferrals[--task->deferring];

	if (!deferral->over)
		defer_end(deferral->kind);
	if (has_tree(task))
		tree_leave(&task->stack, deferral->place);
}

void deferral_sleep(struct task *task)
{
	if (task->deferring && task->deferrals[task->deferring - 1].over)
		deferral_leave(task);
}

void deferral_forget(struct task *task)
{
	task->worker = false;
	task->others_item = 0;
}

static struct cause cause_of(struct task *task)
{
	enum context context = task_context(task);
	bool own = context == CONTEXT_OWN || context >= CONTEXT_WORK;

	return (struct cause){ own, own && has_tree(task) ? tree_cause(&task->stack) : NULL };
}

static bool calls_through(const struct block *block)
{
	return block->ending == END_CALL_INDIRECT || (block->ending == END_CALL && block->attention & ATTEND_THUNK_CALL);
}

static bool runs_items(const struct block *block)
{
	return roles_of(block->roles, DEFERRED_WORK) & ROLE_RUNS;
}

/* A block of the function that runs work items, for no item of a measured task. */
static void attend_worker(struct task *task, const struct block *block)
{
	task->worker = true;
	if (task->others_item == block->start)
		task->others_item = 0;
	if (calls_through(block))
		task->others_item = block->end;
}

bool deferral_attend(struct cpu *cpu, const struct block *before, const struct block *block)
{
	struct task *task = cpu->task;
	struct deferral *deferral = deferral_of(task);

	if (roles_have(block->roles, ROLE_QUEUED))
		defer_begin(&cpu->queueing, before, block, cause_of(task));
	if (!deferral && !task->interrupts && runs_items(block))
		attend_worker(task, block);
	if (!deferral || !(roles_of(block->roles, deferral->kind) & ROLE_RUNS))
		return false;
	if (deferral->back == block->start && !deferral->over && deferral->kind == DEFERRED_WORK) {
		deferral->over = true;
		defer_end(deferral->kind);
		return false;
	}
	if (deferral->back == block->start || (deferral->over && calls_through(block))) {
		deferral_leave(task);
		if (runs_items(block))
			attend_worker(task, block);
		return true;
	}
	if (calls_through(block))
		deferral->back = block->end;
	return false;
}

static void begin_deferral(struct cpu *cpu, enum deferred kind, struct node *node)
{
	struct task *task = cpu->task;
	struct deferral *last = deferral_of(task), *deferral;

	if (last && last->over)
		deferral_leave(task);
	if (task->deferring == MAX_DEFERRALS) {
		defer_end(kind); /* its function is counted as what it came in on */
		return;
	}
	task->others_item = 0;
	deferral = &task->deferrals[task->deferring++];
	*deferral = (struct deferral){
		.kind = kind, .interrupts = task->interrupts, .back = calls_through(cpu->block) ? cpu->block->end : 0,
	};
	if (has_tree(task))
		deferral->place = tree_defer(&task->stack, node, cpu->block);
}

void deferral_look(struct cpu *cpu, unsigned int roles, struct access_seen seen)
{
	bool plain = seen.how == STORE_PLAIN;
	struct node *node;

	for (enum deferred kind = 0; kind < DEFERRED_KINDS; kind++) {
		unsigned int role = roles_of(roles, kind);

		if (role & ROLE_QUEUES && seen.store)
			defer_store(&cpu->queueing, kind, seen, cause_of(cpu->task));
		if (role & ROLE_CANCELS && seen.store && plain)
			defer_cancel(kind, seen.address);
		/* A worker looks at an item before it leaves it to another one, too; what it stores is final. Timers are only read. */
		if (role & ROLE_RUNS && plain && seen.store != (kind == DEFERRED_TIMER) && defer_run(kind, seen.address, &node))
			begin_deferral(cpu, kind, node);
	}
}
