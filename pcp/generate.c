// SPDX-License-Identifier: GPL-2.0-only
/* Page events from tasks: which task of a CPU runs, when a CPU sleeps, and when all is over. */
#include "generate.h"

#include "conserve.h"
#include "path.h"
#include "progress.h"
#include "samples.h"
#include "schedule.h"
#include "tasks.h"

/* When a CPU's worker or sample is next. */
static uint64_t next_stop(const struct cpu *cpu)
{
	return cpu->next_vmstat < cpu->next_sample ? cpu->next_vmstat : cpu->next_sample;
}

/* What is due at the CPU's clock is done. */
static void stops(struct cpu *cpu)
{
	if (cpu->next_sample <= cpu->clock)
		sample_take(cpu);
	if (cpu->next_vmstat <= cpu->clock) {
		cpu->next_vmstat += config.run.vmstat_ns * 1000;
		vmstat_run(cpu);
	}
}

/* The next task in turn that is awake; NULL where all sleep, with the time that the first wakes. */
static struct task *next_task(struct worker *worker, uint64_t *wake)
{
	uint64_t clock = worker->cpu->clock;

	*wake = UINT64_MAX;
	for (unsigned int i = 0; i < worker->count; i++) {
		struct task *task;

		worker->current = worker->current + 1 < worker->count ? worker->current + 1 : 0;
		task = worker->tasks[worker->current];
		if (task->wake <= clock)
			return task;
		if (task->wake < *wake)
			*wake = task->wake;
	}
	return NULL;
}

/* The time at which a worker is looked at again: its clock, or what it sleeps until. */
static uint64_t worker_run(struct worker *worker, uint64_t end)
{
	struct cpu *cpu = worker->cpu;

	while (cpu->clock < cpu->limit && cpu->clock < end) {
		uint64_t stop = next_stop(cpu), until = cpu->limit, wake;
		struct task *task;

		if ((cpu->drain.pcp || cpu->vmstat_zone < config.zone_count) && !path_finish(cpu))
			break;
		if (stop <= cpu->clock) {
			stops(cpu);
			continue;
		}
		until = stop < until ? stop : until;
		until = end < until ? end : until;
		if (worker->inbox.count) {
			inbox_run(worker, until);
			continue;
		}
		task = next_task(worker, &wake);
		if (!task) {
			worker->asleep_from = cpu->clock;
			return stop < wake ? stop : wake;
		}
		if (!task_run(worker, task, until)) {
			/* It goes on with the same one. */
			worker->current = worker->current ? worker->current - 1 : worker->count - 1;
			break;
		}
	}
	return cpu->clock;
}

void generate(void)
{
	uint64_t end = config.run.duration_ns ? config.run.duration_ns * 1000 : UINT64_MAX - 1;
	uint64_t events = config.run.events ? config.run.events : UINT64_MAX, time = 0;
	bool warm = !config.run.warmup_events;

	tasks_start();
	conserve_owned = tasks_owned;
	pcps_fill();
	schedule_start();
	while (events_done < events) {
		struct cpu *cpu = schedule_first();
		struct worker *worker = &workers[cpu->number];

		time = schedule_time(cpu);
		if (time >= end)
			break;
		/* Nothing takes a lock at the end or behind it, however far the other CPUs are. */
		if (cpu->horizon >= end)
			cpu->horizon = end - 1;
		worker_wake(worker, time);
		schedule_moved(cpu, worker_run(worker, end));
		if (!warm && events_done >= config.run.warmup_events) {
			warm = true;
			counters_clear();
		}
		progress(events_done, time);
	}
	if (!warm)
		stop(2, "config: the run ends before its warm-up does");
	for (unsigned int n = 0; n < config.run.cpus; n++)
		worker_wake(&workers[n], time < end ? time : end);
}
