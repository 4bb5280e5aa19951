// SPDX-License-Identifier: GPL-2.0-only
#include "follow.h"

#include <inttypes.h>
#include <stdlib.h>

#include "birth.h"
#include "deferral.h"
#include "task.h"
#include "trace.h"
#include "vcpu.h"

#define unlikely(condition) __builtin_expect(!!(condition), 0)

bool follow_users;

static struct {
	unsigned int count, interval;
	bool stacks, counting;
	struct task *tasks;
	struct counter halts;
	unsigned int forked; /* tasks that have not run yet */
	uint64_t lost;
	uint64_t switches; /* that began */
	uint64_t missed;   /* of these, with a stack pointer that was not seen saved or not seen loaded */
	unsigned int unsettled; /* CPUs, at the end */
	void (*finished)(void);
} f;

/* What ran before the region began; it leads anywhere. */
static struct block nowhere = { .ending = END_JUMP_INDIRECT };

static struct cpu cpus[MAX_CPUS] = { [0 ... MAX_CPUS - 1] = { .block = &nowhere } };

#define NUMBER_OF(cpu) ((unsigned int)((cpu) - cpus))

static void set_slot(struct cpu *cpu)
{
	cpu->now = (struct when){ f.interval * CONTEXTS + task_context(cpu->task), counters_round() };
}

static struct task *new_task(uint64_t address, enum task_kind kind)
{
	struct task *task = allocate(sizeof(*task));

	task->address = address;
	task->kind = kind;
	task->next = f.tasks;
	f.tasks = task;
	if (f.stacks)
		tree_reset(&task->stack, task_context(task));
	return task;
}

static void set_kind(struct cpu *cpu, enum task_kind kind)
{
	if (cpu->task->kind == kind)
		return;
	cpu->task->kind = kind;
	if (f.stacks && !cpu->task->depth)
		tree_reset(&cpu->task->stack, task_context(cpu->task));
	set_slot(cpu);
}

void follow_start(unsigned int count, unsigned int own, bool stacks, unsigned int interval)
{
	f.count = count;
	f.counting = true;
	f.interval = interval;
	f.stacks = stacks;
	f.halts.id = NO_ID;
	for (unsigned int i = 0; i < count; i++) {
		cpus[i].block = &nowhere;
		cpus[i].task = new_task(0, i == own ? TASK_OWN : TASK_OTHER);
		set_slot(&cpus[i]);
	}
}

/* @block was left before all of it was executed. @executed < 0: it is not known where. */
static void left(struct block *block, struct when when, struct node *node, int64_t executed)
{
	struct event *event = block_event(block, executed < 0 ? 'u' : 's', executed < 0 ? 0 : (uint32_t)executed, NULL);

	counter_add_late(&event->counter, when.round, when.slot, 1);
	if (f.stacks)
		counter_add_late(&node->counter, when.round, when.slot,
				 (executed < 0 ? 0 : executed) - (int64_t)block->count);
}

/*
 * Back from a fault at @block. The instruction that faulted is done again; or the fault came in
 * when the next block was fetched, and nothing was cut short. Returns the block that @block follows on, or NULL.
 */
static struct block *resume(const struct frame *frame, const struct block *block)
{
	struct block *before = frame->before;
	bool inside = block->start - before->start <= before->inner;
	uint32_t executed = inside ? block_index(before, block->start) : 0;

	if (!inside && block_may_fault_behind(before) && block_leads_to(before, block->start)) {
		trace_executed(frame->traced, before->count);
		return before;
	}
	left(before, frame->counted, frame->node, inside ? (int64_t)executed : -1);
	if (frame->further && !inside) /* the kernel gave the rest up: the iteration that faulted is never done */
		counter_add_late(&before->iterations->counter, frame->counted.round, frame->counted.slot, -1);
	trace_executed(frame->traced, executed);
	return NULL;
}

static void enter(struct cpu *cpu, struct block *before, const struct block *block)
{
	struct task *task = cpu->task;
	bool interrupt = block->attention & ATTEND_INTERRUPT;
	struct frame frame = {
		.before = before, .site = cpu->site, .counted = cpu->counted, .node = cpu->node, .cut = !interrupt,
		.further = cpu->further && block_repeats(before), .queueing = cpu->queueing,
		.traced = interrupt && block_repeats(before) ? 0 : trace_leave(NUMBER_OF(cpu), !interrupt),
	};

	if (task->depth && before->ending == END_EXCEPTION_RETURN) {
		/* Just when another one was over: what that came in after is still to be gone on with. */
		if (!interrupt)
			trace_executed(frame.traced, before->count);
		frame = task->frames[--task->depth];
		if (f.stacks)
			tree_leave(&task->stack, frame.place);
	} else if (f.stacks && before->end && code_is_user(before->start)) {
		task->stack.user_depth = task->stack.depth;
	} else if (f.stacks && !interrupt && block_returns(before)) {
		tree_to_user(&task->stack); /* at the first user instruction behind a system call */
	}
	if (task->depth == MAX_FRAMES) {
		f.lost++;
		return;
	}
	frame.interrupt = interrupt;
	if (f.stacks)
		frame.place = tree_enter(&task->stack, block, interrupt);
	task->frames[task->depth++] = frame;
	count_interrupts(task);
	set_slot(cpu);
	if (f.stacks)
		tree_count_entry(&task->stack, block, cpu->now.slot);
}

/* An exception return; one to user mode ends all frames. Returns the block that @block follows on, NULL for none. */
static struct block *leave(struct cpu *cpu, struct block *before, const struct block *block)
{
	struct task *task = cpu->task;
	struct frame *frame;

	if (!task->depth || block->start == before->end)
		return before; /* from a system call; or one that only serves to order what came before it */
	task->depth = code_is_user(block->start) ? 0 : task->depth - 1;
	frame = &task->frames[task->depth];
	count_interrupts(task);
	cpu->site = frame->site;
	cpu->counted = frame->counted;
	cpu->node = frame->node;
	cpu->queueing = frame->queueing;
	cpu->returned = true;
	cpu->traced = frame->traced;
	set_slot(cpu);
	if (f.stacks)
		tree_leave(&task->stack, frame->place);
	while (task->deferring && task->deferrals[task->deferring - 1].interrupts > task->interrupts)
		deferral_leave(task);
	set_slot(cpu);
	return frame->cut ? resume(frame, block) : frame->before;
}

static void note_target(struct cpu *cpu, struct block *before, struct block *block)
{
	struct block *site = before->thunk ? cpu->site : before;

	if (before->ending != END_JUMP_INDIRECT && before->ending != END_CALL_INDIRECT && !before->thunk)
		return;
	if (site && !block->thunk)
		counter_add(&block_event(site, 'e', 0, block)->counter, cpu->now.slot, 1);
}

static inline void count_iteration(struct cpu *cpu, struct block *block)
{
	block->iterations->counter.now[cpu->now.slot]++;
	cpu->further = true;
}

/* Control went from @before to @block without an exception between them. Returns whether @before was executed to its end. */
static bool succeed(struct cpu *cpu, struct block *before, struct block *block)
{
	if (before->ending == END_REPEAT && block->start == before->last) {
		if (block_repeats(block))
			count_iteration(cpu, block);
		return true;
	}
	/*
	 * In its middle and not by its own jump or call: a device access or the page's end ended it. An interrupt may have
	 * come. The call is srso_untrain_ret()'s, whose return lies in an immediate of its first instruction.
	 */
	if (block->start - before->start - 1 < before->inner &&
	    !((before->ending == END_JUMP || before->ending == END_CALL) && before->target == block->start)) {
		uint32_t executed = block_index(before, block->start);

		left(before, cpu->counted, cpu->node, executed);
		trace_executed(cpu->returned ? cpu->traced : trace_leave(NUMBER_OF(cpu), true), executed);
		return false;
	}
	if (before->attention & ATTEND_SUCCESSOR)
		note_target(cpu, before, block);
	return true;
}

/* The function is known by name, what it does by its instructions: where these are others, nothing is saved or loaded. */
static void begin_switch(struct cpu *cpu)
{
	f.switches++;
	f.missed += cpu->switching != 0; /* the one before */
	cpu->switching = SWITCH_SAVES | SWITCH_LOADS;
}

static void mark_settled(struct cpu *cpu)
{
	cpu->settled = true;
	if (!--f.unsettled)
		f.finished();
}

void follow_end(unsigned int own, void (*finished)(void))
{
	f.finished = finished;
	for (unsigned int i = 0; i < f.count; i++) {
		cpus[i].settled = i == own || cpus[i].block == &nowhere || cpus[i].block->ending == END_HALT;
		f.unsettled += !cpus[i].settled;
	}
	if (!f.unsettled)
		finished();
}

/* Returns the block that @block follows on by its own code, NULL when it follows on none. */
static struct block *attend(struct cpu *cpu, struct block *before, struct block *block)
{
	if (block->attention & ATTEND_FRESH)
		block_touch(block);
	if (block->attention & (ATTEND_FAULT | ATTEND_INTERRUPT)) {
		enter(cpu, before, block);
		return NULL;
	}
	cpu->further = false;
	if (block->attention & ATTEND_SWITCH)
		begin_switch(cpu);
	if (before->ending == END_EXCEPTION_RETURN)
		before = leave(cpu, before, block);
	if (unlikely(follow_users) && cpu->task->kind == TASK_OTHER && code_is_user(block->start))
		set_kind(cpu, TASK_OWN);
	before = before && succeed(cpu, before, block) ? before : NULL;
	cpu->returned = false;
	if (block->attention & ATTEND_DEFER) {
		if (deferral_attend(cpu, before, block))
			before = NULL; /* the call tree is back where the deferral began */
		set_slot(cpu);
	}
	if (block->attention & ATTEND_THUNK_CALL)
		cpu->site = block;
	if (block->attention & ATTEND_HALT) {
		if (f.halts.id == NO_ID)
			fputc('\n', counter_define(&f.halts, 'h'));
		counter_add(&f.halts, cpu->now.slot, 1);
		if (cpu->task->kind == TASK_OTHER && !cpu->task->interrupts)
			set_kind(cpu, TASK_IDLE);
	}
	if (unlikely(f.unsettled) && !cpu->settled)
		mark_settled(cpu); /* last: it may end the file, and nothing can be defined in it then */
	return before;
}

static inline bool calls_for_attention(const struct block *before, const struct block *block)
{
	return block->attention | (before->attention & ATTEND_SUCCESSOR) |
	       (block->start - before->start - 1 < before->inner);
}

/* Apart, so that the way of most blocks stays short. */
static __attribute__((noinline)) void attend_and_count(struct cpu *cpu, struct block *block)
{
	attend(cpu, cpu->block, block);
	block->counter.now[cpu->now.slot]++;
	cpu->counted = cpu->now;
	cpu->block = block;
}

/* NULL while nothing is counted. */
static inline struct cpu *running_cpu(unsigned int given)
{
	return f.counting ? &cpus[vcpu_number(given)] : NULL;
}

void follow_block(unsigned int index, void *data)
{
	struct block *block = data;
	struct cpu *cpu = running_cpu(index);

	if (!cpu)
		return;
	if (unlikely(calls_for_attention(cpu->block, block))) {
		attend_and_count(cpu, block);
		return;
	}
	block->counter.now[cpu->now.slot]++;
	cpu->counted = cpu->now;
	cpu->block = block;
}

void follow_repeat(unsigned int index, void *data)
{
	struct block *block = data;
	struct cpu *cpu = running_cpu(index);

	if (!cpu)
		return;
	if (unlikely(cpu->block != block || block->attention)) {
		/* Not through follow_block(): what comes before may be the first of the iterations. */
		attend_and_count(cpu, block);
		return;
	}
	block->counter.now[cpu->now.slot]++;
	count_iteration(cpu, block);
	cpu->counted = cpu->now;
}

void follow_block_and_calls(unsigned int index, void *data)
{
	struct block *block = data;
	struct cpu *cpu = running_cpu(index);
	struct block *before = cpu ? cpu->block : NULL;

	if (!cpu)
		return;
	cpu->block = block;
	if (unlikely(calls_for_attention(before, block) || (block_repeats(block) && before != block)))
		before = attend(cpu, before, block);
	else if (before == block && block_repeats(block))
		count_iteration(cpu, block);
	if (unlikely(!f.counting))
		return; /* since attend() */
	if (before && ((before->attention & ATTEND_SUCCESSOR) || tree_turns(&cpu->task->stack, block)))
		tree_step(&cpu->task->stack, before, block, cpu->now.slot);
	cpu->node = tree_count(&cpu->task->stack, cpu->now.slot, block->count);
	block->counter.now[cpu->now.slot]++;
	cpu->counted = cpu->now;
}

void follow_and_trace(unsigned int index, void *data)
{
	struct block *block = data;

	(block_repeats(block) ? follow_repeat : follow_block)(index, block);
	index = vcpu_same(index);
	if (f.counting)
		trace_block(index, block, cpus[index].now.slot % CONTEXTS);
}

void follow_interval(unsigned int interval)
{
	f.interval = interval;
	for (unsigned int i = 0; i < f.count; i++)
		set_slot(&cpus[i]);
}

void follow_own(unsigned int cpu)
{
	set_kind(&cpus[cpu], TASK_OWN);
}

void follow_fork(void)
{
	f.forked++;
}

void follow_exit(unsigned int cpu)
{
	cpus[cpu].task->exited = true;
}

/* What is known of an address is about a task that is no more. */
static void renew(struct task *task, enum task_kind kind)
{
	task->exited = false;
	task->depth = 0;
	task->interrupts = 0;
	task->deferring = 0;
	deferral_forget(task);
	task->kind = kind;
	if (f.stacks)
		tree_reset(&task->stack, task_context(task));
}

/* The task that a fork has made runs for the first time. */
static struct task *forked_task(struct task *task, uint64_t address)
{
	f.forked--;
	if (!task)
		return new_task(address, TASK_OWN);
	renew(task, TASK_OWN);
	return task;
}

bool follow_is_own(unsigned int cpu)
{
	return cpus[cpu].task->kind == TASK_OWN;
}

void follow_birth(unsigned int cpu, uint64_t address)
{
	bool own = follow_is_own(cpu);
	struct task *task;

	for (task = f.tasks; task && !birth_is_of(task->address, address); task = task->next)
		;
	if (task && !task->born) {
		renew(task, own ? TASK_OWN : TASK_OTHER);
		task->born = true;
		f.forked -= own && f.forked;
	} else if (!task && own) {
		birth_note(address);
	}
}

/* Whether a task that was never seen is one that a measured task made. */
static bool born_own(uint64_t address)
{
	bool found = birth_take(address);

	f.forked -= found && f.forked;
	return found;
}

void follow_save(unsigned int cpu, uint64_t address)
{
	struct task *task = cpus[cpu].task;

	if (second_half(task, address))
		return;
	cpus[cpu].switching &= ~(unsigned int)SWITCH_SAVES;
	if (task->address && task->address != address)
		f.lost++;
	task->address = address;
}

void follow_load(unsigned int index, uint64_t address)
{
	struct cpu *cpu = &cpus[index];
	struct task *task;

	if (second_half(cpu->task, address))
		return;
	cpu->switching &= ~(unsigned int)SWITCH_LOADS;
	deferral_sleep(cpu->task);
	for (task = f.tasks; task && task->address != address; task = task->next)
		;
	if (!task && born_own(address))
		task = new_task(address, TASK_OWN);
	else if (f.forked && (!task || task->exited))
		task = forked_task(task, address);
	if (task)
		task->born = false;
	if (task != cpu->task)
		trace_switch(index);
	cpu->task = task ? task : new_task(address, TASK_OTHER);
	set_slot(cpu);
}

void follow_deferred(unsigned int cpu, unsigned int roles, struct access_seen seen)
{
	deferral_look(&cpus[cpu], roles, seen);
	set_slot(&cpus[cpu]);
}

void follow_access(unsigned int cpu, struct block *block, bool store)
{
	counter_add(&block_event(block, store ? 'w' : 'l', 0, NULL)->counter, cpus[cpu].now.slot, 1);
}

const struct block *follow_running(unsigned int cpu)
{
	return cpus[cpu].block;
}

void follow_totals(void)
{
	static const char *const kinds[] = { "other", "own", "idle" };
	for (const struct task *task = f.tasks; task; task = task->next)
		counters_line("t %" PRIx64 " %s", task->address, kinds[task->kind]);
	counters_line("x lost %" PRIu64, f.lost + tree_lost() + vcpu_unknown());
	counters_line("x switches %" PRIu64, f.switches);
	counters_line("x missed %" PRIu64, f.missed);
	defer_totals();
	f.counting = false;
	blocks_refresh();
}
