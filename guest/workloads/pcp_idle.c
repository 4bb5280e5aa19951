// SPDX-License-Identifier: GPL-2.0-only
/*
 * A machine that is idle after a burst: before the first round each CPU has faulted in and freed memory, so that its
 * page lists are long. A round is a sleep; the kernel's vmstat worker gives idle pages back meanwhile.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "memory.h"
#include "workers.h"

#define MS_PER_S 1000
#define NS_PER_MS 1000000

enum part { PART_BURST, PART_SLEEP, PARTS };

static struct {
	size_t size;
	unsigned int tasks;
	bool all; /* every CPU is woken after each sleep, and not the first alone */
	struct timespec sleep;
	uint64_t sleep_at;
	struct script scripts[MAX_TASKS * PARTS];
	/* A page of its own, mapped shared: workers are other processes. */
	struct {
		uint64_t start;
		uint64_t bursts;
	} *task;
	uint64_t slept;
} w;

static void add_burst(struct script *script, unsigned int task, uint64_t cycles)
{
	uint64_t *start = &w.task[task].start;

	script_step(script, (struct step){ .run = step_map, .number = SYS_mmap, .start = start, .what = "mmap",
					   .args = { w.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, UINT64_MAX } });
	script_call(script, madvise, start, w.size, MADV_NOHUGEPAGE);
	memory_write_byte(script, start, w.size);
	script_call(script, munmap, start, w.size);
	script_step(script, (struct step){ .run = step_add, .start = &w.task[task].bursts, .args = { 1 } });
	if (cycles > 1)
		script_repeat(script, 5, cycles);
}

static void add_sleep(struct script *script)
{
	script_call(script, nanosleep, &w.sleep_at, 0);
}

static int burst(struct run *run)
{
	struct script once = { 0 };
	uint64_t cycles = param_number(run, "cycles");

	for (unsigned int task = 0; w.tasks > 1 && task < w.tasks; task++) {
		add_burst(&w.scripts[task * PARTS + PART_BURST], task, cycles);
		add_sleep(&w.scripts[task * PARTS + PART_SLEEP]);
	}
	if (w.tasks > 1) {
		if (workers_start(run, w.tasks, false, w.scripts, PARTS))
			return -1;
		workers_do(&once, PART_BURST);
	} else {
		add_burst(&once, 0, cycles);
	}
	return script_do(run, &once);
}

static int setup(struct run *run)
{
	struct script *round = round_script(run);
	uint64_t ms = param_number(run, "sleep");

	w.size = param_number(run, "size");
	w.tasks = (unsigned int)param_number(run, "tasks");
	w.all = param_is(run, "wake", "all");
	w.sleep = (struct timespec){ (time_t)(ms / MS_PER_S), (long)(ms % MS_PER_S) * NS_PER_MS };
	w.sleep_at = (uintptr_t)&w.sleep;
	w.task = mmap(NULL, page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (w.task == MAP_FAILED)
		return fail(run, "no memory for the tasks: %s", strerror(errno));
	if (burst(run))
		return -1;
	phase_add(run, "idle", 1);
	mark(run);
	if (w.all && w.tasks > 1)
		workers_do(round, PART_SLEEP);
	else
		add_sleep(round);
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &w.slept, .args = { 1 } });
	return 0;
}

static void verify(struct run *run)
{
	uint64_t cycles = param_number(run, "cycles");

	for (unsigned int task = 0; task < w.tasks; task++) {
		if (w.task[task].bursts != cycles)
			complain(run, "task %u filled its memory %" PRIu64 " times instead of %" PRIu64, task, w.task[task].bursts, cycles);
	}
	if (w.slept != run_rounds(run))
		complain(run, "%" PRIu64 " sleeps instead of %" PRIu64, w.slept, run_rounds(run));
}

static void teardown(struct run *run)
{
	(void)run;
	workers_stop();
}

const struct workload workload = {
	.name = "pcp_idle",
	.summary = "sleeps after a burst of page faults, while the kernel gives back the idle pages of its per-CPU lists",
	.subject = "Sleeping after a burst of {size} on {tasks} CPU(s)",
	.state = "before round 1 each task, on a CPU of its own, has written and unmapped its memory {cycles} times; nothing is allocated in the rounds "
		 "but by the kernel's own work",
	.group = "kernel memory",
	.params = {
		{ "size", PARAM_SIZE, "bytes", "8MiB", "memory that each task writes and unmaps before the first round", MIN_PAGE_BYTES, 16 * GIB, { 0 } },
		{ "cycles", PARAM_COUNT, "times", "4", "how often it does", 1, 1024, { 0 } },
		{ "tasks", PARAM_COUNT, "tasks", "1", "CPUs that take part in the burst", 1, MAX_TASKS, { 0 } },
		{ "sleep", PARAM_COUNT, "ms", "1000", "length of one sleep", 1, 60000, { 0 } },
		{ "wake", PARAM_CHOICE, "word", "first", "after each sleep the first CPU alone wakes up, or all that took part in the burst", 0, 0,
		  { "first", "all" } },
	},
	.phases = {
		{ "idle", "sleep",
		  "From before until after one sleep. Guest time that passes without an instruction is part of it: the count is the length of the "
		  "sleep, and the profile says which instructions were executed in it.",
		  true },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
