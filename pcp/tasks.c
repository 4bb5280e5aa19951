// SPDX-License-Identifier: GPL-2.0-only
#include "tasks.h"

#include "buddy.h"
#include "draw.h"
#include "path.h"
#include "ring.h"
#include "schedule.h"

#define RETRY_PS 100000000ULL /* a full backlog is looked at again */

struct worker *workers;
uint64_t events_done;

void tasks_start(void)
{
	workers = allocate(config.run.cpus, sizeof(*workers));
	for (unsigned int n = 0; n < config.run.cpus; n++) {
		workers[n] = (struct worker){ .cpu = &cpus[n], .asleep_from = NEVER_ASLEEP };
		cpus[n].draws = config.run.seed * 1000003 + n;
	}
	for (unsigned int g = 0; g < config.group_count; g++) {
		const struct group_config *group = &config.groups[g];
		struct task *tasks = allocate(group->tasks, sizeof(*tasks));

		for (uint64_t i = 0; i < group->tasks; i++) {
			struct worker *worker = &workers[group->cpu_first + i % group->cpu_count];

			tasks[i] = (struct task){ .group = group, .phase = TASK_CYCLE, .type = MOVABLE };
			tasks[i].plain = !(group->order1 + group->order2 + group->order3 + group->order9 + group->unmovable +
					   group->reclaimable + group->churn);
			worker->tasks = reallocate(worker->tasks, worker->count + 1, sizeof(*worker->tasks));
			worker->tasks[worker->count++] = &tasks[i];
		}
	}
}

/* A mean time in ns, as the group wants it, in ps. */
static inline uint64_t pause_of(struct cpu *cpu, const struct group_config *group, uint64_t mean_ns)
{
	if (!mean_ns || !group->jitter)
		return mean_ns * 1000;
	return draw_below(&cpu->draws, mean_ns * 2000 + 1);
}

static uint64_t depth_of(struct cpu *cpu, const struct group_config *group)
{
	uint64_t low = group->depth_min, high = group->depth_max;

	if (low == high)
		return low;
	if (group->depth_log) {
		/*
		 * Draw a doubling, then a depth in it, and accept that with least / depth. The probability of a depth is
		 * then proportional to 1 / depth.
		 */
		unsigned int doublings = 0;
		uint64_t least, depth;

		while (low << (doublings + 1) <= high)
			doublings++;
		do {
			least = low << draw_below(&cpu->draws, doublings + 1);
			depth = least + draw_below(&cpu->draws, least);
		} while (depth > high || draw_below(&cpu->draws, depth) >= least);
		return depth;
	}
	return low + draw_below(&cpu->draws, high - low + 1);
}

/* What the next allocation is. */
static inline void task_draw(struct cpu *cpu, struct task *task)
{
	const struct group_config *group = task->group;
	uint64_t chance;
	unsigned int order, type;

	task->drawn = true;
	if (task->plain)
		return;
	chance = draw(&cpu->draws);
	order = chance % 1000;
	type = chance / 1000 % 1000;
	task->churned = chance / 1000000 % 1000 < group->churn;
	task->type = type < group->unmovable ? UNMOVABLE : type < group->unmovable + group->reclaimable ? RECLAIMABLE : MOVABLE;
	if (order < group->order1)
		task->order = 1;
	else if ((order -= group->order1) < group->order2)
		task->order = 2;
	else if ((order -= group->order2) < group->order3)
		task->order = 3;
	else
		task->order = order - group->order3 < group->order9 ? THP_ORDER : 0;
}

static inline void free_one(struct cpu *cpu, const struct group_config *group, block_t block)
{
	struct zone *zone = zone_of(block_pfn(block));
	uint64_t time;

	/* All of the generator's orders have lists: this never waits. */
	page_free(cpu, zone, block, buddy_type(zone, block_pfn(block)));
	time = config.run.free_ps + pause_of(cpu, group, group->free_ns);
	if (cpu->drain.pcp)
		cpu->drain.after_ps = time;
	else
		cpu->clock += time;
	events_done++;
}

/* false: it must wait for the zone lock. */
static bool allocate_some(struct cpu *cpu, struct task *task, uint64_t until, uint64_t slice)
{
	const struct group_config *group = task->group;

	while (task->left && slice-- && cpu->clock < until && !cpu->drain.pcp) {
		block_t block;

		if (!task->drawn)
			task_draw(cpu, task);
		if (!page_alloc(cpu, cpu->zone, task->order, task->type, &block))
			return false;
		task->drawn = false;
		task->left--;
		events_done++;
		cpu->clock += config.run.alloc_ps + pause_of(cpu, group, group->alloc_ns);
		if (block == NO_BLOCK)
			continue;
		if (task->churned)
			free_one(cpu, group, block);
		else
			ring_push_tail(&task->owned, block);
	}
	return true;
}

static void free_some(struct cpu *cpu, struct task *task, uint64_t until, uint64_t slice)
{
	const struct group_config *group = task->group;

	while (task->owned.count > group->keep && slice-- && cpu->clock < until && !cpu->drain.pcp)
		free_one(cpu, group, group->newest_first ? ring_pop_tail(&task->owned) : ring_pop_head(&task->owned));
}

static struct worker *target_of(const struct worker *worker, const struct group_config *group)
{
	uint64_t own = worker->cpu->number - group->cpu_first, offset = group->remote_offset;

	if (!offset)
		offset = 1 + draw_below(&worker->cpu->draws, group->cpu_count - 1);
	return &workers[group->cpu_first + (own + offset) % group->cpu_count];
}

void worker_wake(struct worker *worker, uint64_t time)
{
	if (worker->asleep_from == NEVER_ASLEEP)
		return;
	if (time > worker->asleep_from) {
		worker->cpu->asleep_ps += time - worker->asleep_from;
		worker->cpu->clock = time;
	}
	worker->asleep_from = NEVER_ASLEEP;
}

/* The blocks above what is kept go to another CPU's inbox. false: not yet. */
static bool send_away(struct worker *worker, struct task *task)
{
	struct cpu *cpu = worker->cpu;
	struct worker *target;

	if (cpu->clock > cpu->horizon)
		return false;
	target = target_of(worker, task->group);
	if (target->inbox.count >= task->group->backlog) {
		task->wake = cpu->clock + RETRY_PS;
		return true;
	}
	while (task->owned.count > task->group->keep)
		ring_push_tail(&target->inbox, ring_pop_head(&task->owned));
	target->sender = task->group;
	if (target->asleep_from != NEVER_ASLEEP) {
		worker_wake(target, cpu->clock);
		schedule_moved(target->cpu, target->cpu->clock);
		schedule_behind(cpu, target->cpu);
	}
	task->phase = TASK_CYCLE;
	return true;
}

static void cycle_end(struct cpu *cpu, struct task *task)
{
	const struct group_config *group = task->group;

	if (task->cycles) {
		task->wake = cpu->clock + group->idle_ns * 1000;
		if (group->burst_cycles && task->cycles % group->burst_cycles == 0)
			task->wake = cpu->clock + group->burst_idle_ns * 1000;
	}
	task->cycles++;
	task->left = depth_of(cpu, group);
	task->phase = TASK_ALLOC;
}

bool task_run(struct worker *worker, struct task *task, uint64_t until)
{
	struct cpu *cpu = worker->cpu;
	const struct group_config *group = task->group;

	switch (task->phase) {
	case TASK_ALLOC:
		if (!allocate_some(cpu, task, until, group->slice))
			return false;
		if (!task->left && !cpu->drain.pcp) {
			bool remote = group->remote && draw_below(&cpu->draws, 1000) < group->remote;

			task->phase = remote ? TASK_HELD : TASK_FREE;
			task->wake = cpu->clock + group->hold_ns * 1000;
		}
		return true;
	case TASK_HELD:
		return send_away(worker, task);
	case TASK_FREE:
		free_some(cpu, task, until, group->slice);
		if (task->owned.count <= group->keep)
			task->phase = TASK_CYCLE;
		return true;
	default:
		cycle_end(cpu, task);
		return true;
	}
}

void inbox_run(struct worker *worker, uint64_t until)
{
	const struct group_config *group = worker->sender;
	uint64_t slice = group->slice;

	while (worker->inbox.count && slice-- && worker->cpu->clock < until && !worker->cpu->drain.pcp)
		free_one(worker->cpu, group, ring_pop_head(&worker->inbox));
}

static void tell_all(const struct ring *ring, void (*tell)(block_t block))
{
	for (uint32_t i = 0; i < ring->count; i++)
		tell(ring_at(ring, i));
}

void tasks_owned(void (*tell)(block_t block))
{
	for (unsigned int n = 0; n < config.run.cpus; n++) {
		tell_all(&workers[n].inbox, tell);
		for (unsigned int i = 0; i < workers[n].count; i++)
			tell_all(&workers[n].tasks[i]->owned, tell);
	}
}
