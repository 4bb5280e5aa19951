// SPDX-License-Identifier: GPL-2.0-only
/*
 * First writes to fresh mappings, then unmapping them: what will-it-scale calls
 * page_fault1 (anonymous), page_fault2 (private_file) and page_fault3 (shared_file).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memory.h"
#include "workers.h"

enum part { PART_FAULT, PART_UNMAP, PARTS };

static struct {
	size_t size;
	uint64_t pages;
	unsigned int tasks;
	bool shared;
	int files[MAX_TASKS]; /* -1: anonymous */
	uint64_t audited;
	/* Written by the tasks, also by other processes: a page of its own, mapped shared. */
	struct {
		uint64_t start;
		uint64_t faulted; /* pages written */
		uint64_t unmapped;
	} *task;
} w;

/* What one task does in one part of a round. */
static void add_part(struct script *script, unsigned int task, enum part part)
{
	int fd = w.files[task];
	int flags = (w.shared ? MAP_SHARED : MAP_PRIVATE) | (fd < 0 ? MAP_ANONYMOUS : 0);
	uint64_t *start = &w.task[task].start;

	if (part == PART_FAULT) {
		script_step(script, (struct step){ .run = step_map, .number = SYS_mmap, .start = start, .what = "mmap",
						   .args = { w.size, PROT_READ | PROT_WRITE, (uint64_t)flags, (uint64_t)fd } });
		memory_want_base(script, start, w.size);
		memory_write_byte(script, start, w.size);
		script_step(script, (struct step){ .run = step_add, .start = &w.task[task].faulted, .args = { w.pages } });
	} else {
		script_step(script, (struct step){ .run = step_call, .number = SYS_munmap, .start = start, .what = "munmap",
						   .args = { w.size } });
		script_step(script, (struct step){ .run = step_add, .start = &w.task[task].unmapped, .args = { 1 } });
	}
}

/* A file on the kernel's own tmpfs whose pages all exist, so that every round finds them the same. */
static int make_file(struct run *run, unsigned int task)
{
	size_t bytes = page_bytes();
	char *block = calloc(1, bytes);
	uint64_t page = 0;
	int fd = memfd_create("kassay", MFD_CLOEXEC);

	if (fd < 0 || !block) {
		free(block);
		return fail(run, "memfd_create: %s", strerror(errno));
	}
	w.files[task] = fd;
	block[0] = 1;
	while (page < w.pages && write(fd, block, bytes) == (ssize_t)bytes)
		page++;
	free(block);
	if (page < w.pages)
		return fail(run, "writing a file of %zu bytes on tmpfs: %s", w.size, strerror(errno));
	return 0;
}

/* The tasks' mappings are gone when the state is captured; this one stands for them. */
static int map_audited(struct run *run)
{
	struct script make = { 0 };

	w.audited = memory_reserve(run, w.size);
	if (!w.audited)
		return -1;
	memory_map(&make, &w.audited, w.size, w.shared, w.files[0]);
	memory_want_base(&make, &w.audited, w.size);
	memory_write_byte(&make, &w.audited, w.size);
	if (script_do(run, &make))
		return -1;
	range_set(run, (void *)(uintptr_t)w.audited, w.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.KernelPageSize", "==", page_bytes() / KIB);
	require_both(run, "range.AnonHugePages", "==", 0);
	require_both(run, "range.THPeligible", "==", 0);
	require_both(run, "range.ShmemPmdMapped", "==", 0);
	require_both(run, "pagemap.present", "==", w.pages);
	return 0;
}

/* With one task there are no workers: the program does it itself. */
static int start_workers(struct run *run)
{
	static struct script scripts[MAX_TASKS * PARTS];

	if (w.tasks == 1)
		return 0;
	for (unsigned int task = 0; task < w.tasks; task++) {
		for (enum part part = 0; part < PARTS; part++)
			add_part(&scripts[task * PARTS + part], task, part);
	}
	return workers_start(run, w.tasks, param_is(run, "mode", "thread"), scripts, PARTS);
}

static void make_round(struct run *run)
{
	struct script *round = round_script(run);

	mark(run);
	for (enum part part = 0; part < PARTS; part++) {
		if (w.tasks == 1)
			add_part(round, 0, part);
		else
			workers_do(round, part);
		script_step(round, (struct step){ .run = arch_idle(31) });
		mark(run);
	}
}

static int setup(struct run *run)
{
	w.size = param_number(run, "size");
	w.pages = w.size / page_bytes();
	w.tasks = (unsigned int)param_number(run, "tasks");
	w.shared = param_is(run, "kind", "shared_file");
	w.task = mmap(NULL, page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (w.task == MAP_FAILED)
		return fail(run, "no memory for the tasks: %s", strerror(errno));
	for (unsigned int task = 0; task < w.tasks; task++) {
		w.files[task] = -1;
		if (!param_is(run, "kind", "anonymous") && make_file(run, task))
			return -1;
	}
	phase_add(run, "fault", w.pages * w.tasks);
	phase_add(run, "unmap", w.pages * w.tasks);
	if (map_audited(run) || start_workers(run))
		return -1;
	make_round(run);
	return 0;
}

static void verify(struct run *run)
{
	uint64_t faulted = 0, unmapped = 0, rounds = run_rounds(run);

	for (unsigned int task = 0; task < w.tasks; task++) {
		faulted += w.task[task].faulted;
		unmapped += w.task[task].unmapped;
	}
	if (faulted != rounds * w.tasks * w.pages)
		complain(run, "%" PRIu64 " pages written instead of %" PRIu64, faulted, rounds * w.tasks * w.pages);
	if (unmapped != rounds * w.tasks)
		complain(run, "%" PRIu64 " mappings unmapped instead of %" PRIu64, unmapped, rounds * w.tasks);
}

static void teardown(struct run *run)
{
	(void)run;
	workers_stop();
}

const struct workload workload = {
	.name = "page_fault",
	.summary = "first write to each page of a fresh mapping, then munmap(), by one or more tasks",
	.subject = "Faulting in and unmapping {kind} memory with {tasks} task(s)",
	.state = "base pages (MADV_NOHUGEPAGE); files lie on tmpfs with all their pages; the audited range is one mapping "
		 "of the same kind, made and written the same way by the parent before round 1 and kept",
	.group = "faults",
	.params = {
		{ "kind", PARAM_CHOICE, "word", "anonymous",
		  "private anonymous memory, a private or a shared mapping of a tmpfs file (one file per task)", 0, 0,
		  { "anonymous", "private_file", "shared_file" } },
		{ "size", PARAM_SIZE, "bytes", "16MiB", "mapping of each task, a multiple of the page size", MIN_PAGE_BYTES, 16 * GIB, { 0 } },
		{ "tasks", PARAM_COUNT, "tasks", "1",
		  "tasks that fault at the same time; 1: the program itself, more: workers that it wakes", 1, MAX_TASKS, { 0 } },
		{ "mode", PARAM_CHOICE, "word", "process", "workers with memory of their own, or sharing one (tasks > 1)", 0, 0,
		  { "process", "thread" } },
	},
	.phases = {
		{ "fault", "page",
		  "From before the mmap() until the last task has written one byte to each page of its mapping, divided by the "
		  "pages of all tasks; with several tasks it includes waking them and waiting for them.",
		  true },
		{ "unmap", "page",
		  "From then until the last task has returned from munmap() of its mapping, divided by the pages of all tasks.",
		  false },
		{ "iteration", "page", "One round, fault and unmap, divided by the pages of all tasks.", false },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
