// SPDX-License-Identifier: GPL-2.0-only
/*
 * First writes to fresh mappings, then unmapping them: what will-it-scale calls
 * page_fault1 (anonymous), page_fault2 (private_file) and page_fault3 (shared_file).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memory.h"
#include "workers.h"

enum step { STEP_FAULT, STEP_UNMAP };

static struct {
	size_t size;
	uint64_t pages;
	unsigned int tasks;
	bool shared;
	int files[MAX_TASKS]; /* -1: anonymous */
	char *audited;
	/* Written by the tasks, also by other processes: a page of its own, mapped shared. */
	struct {
		char *start;
		uint64_t faulted; /* pages that held what was just written */
		uint64_t unmapped;
	} *task;
} w;

static int map(unsigned int task, char **ret)
{
	int fd = w.files[task];
	int flags = (w.shared ? MAP_SHARED : MAP_PRIVATE) | (fd < 0 ? MAP_ANONYMOUS : 0);

	*ret = mmap(NULL, w.size, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (*ret == MAP_FAILED)
		return errno;
	/* EINVAL: the kernel was built without huge pages. */
	if (madvise(*ret, w.size, MADV_NOHUGEPAGE) && errno != EINVAL)
		return errno;
	return 0;
}

static int step_fault(unsigned int task)
{
	int error = map(task, &w.task[task].start);

	if (error)
		return error;
	for (char *page = w.task[task].start; page < w.task[task].start + w.size; page += PAGE_BYTES)
		*(volatile char *)page = 1;
	w.task[task].faulted += w.pages;
	return 0;
}

static int step_unmap(unsigned int task)
{
	if (munmap(w.task[task].start, w.size))
		return errno;
	w.task[task].unmapped++;
	return 0;
}

static int step(unsigned int task, unsigned int which)
{
	return which == STEP_FAULT ? step_fault(task) : step_unmap(task);
}

/* A file on the kernel's own tmpfs whose pages all exist, so that every round finds them the same. */
static int make_file(struct run *run, unsigned int task)
{
	static const char block[PAGE_BYTES] = { 1 };
	int fd = memfd_create("kassay", MFD_CLOEXEC);

	if (fd < 0)
		return fail(run, "memfd_create: %s", strerror(errno));
	w.files[task] = fd;
	for (uint64_t page = 0; page < w.pages; page++) {
		if (write(fd, block, sizeof(block)) != (ssize_t)sizeof(block))
			return fail(run, "writing a file of %zu bytes on tmpfs: %s", w.size, strerror(errno));
	}
	return 0;
}

/* The tasks' mappings are gone when the state is captured; this one stands for them. */
static int map_audited(struct run *run)
{
	w.audited = memory_reserve(run, w.size);
	if (!w.audited || memory_map(run, w.audited, w.size, w.shared, w.files[0]))
		return -1;
	if (memory_want_base(run, w.audited, w.size))
		return -1;
	for (char *page = w.audited; page < w.audited + w.size; page += PAGE_BYTES)
		*(volatile char *)page = 1;
	range_set(run, w.audited, w.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.KernelPageSize", "==", 4);
	require_both(run, "range.AnonHugePages", "==", 0);
	require_both(run, "range.ShmemPmdMapped", "==", 0);
	require_both(run, "pagemap.present", "==", w.pages);
	return 0;
}

static int setup(struct run *run)
{
	w.size = param_number(run, "size");
	w.pages = w.size / PAGE_BYTES;
	w.tasks = (unsigned int)param_number(run, "tasks");
	w.shared = param_is(run, "kind", "shared_file");
	w.task = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (w.task == MAP_FAILED)
		return fail(run, "no memory for the tasks: %s", strerror(errno));
	for (unsigned int task = 0; task < w.tasks; task++) {
		w.files[task] = -1;
		if (!param_is(run, "kind", "anonymous") && make_file(run, task))
			return -1;
	}
	phase_add(run, "fault", w.pages * w.tasks);
	phase_add(run, "unmap", w.pages * w.tasks);
	if (map_audited(run))
		return -1;
	return workers_start(run, w.tasks, param_is(run, "mode", "thread"), step);
}

static int run_round(struct run *run, uint64_t index)
{
	(void)index;
	mark(run);
	if (workers_do(run, STEP_FAULT))
		return -1;
	mark(run);
	if (workers_do(run, STEP_UNMAP))
		return -1;
	mark(run);
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
	.state = "4 KiB pages (MADV_NOHUGEPAGE); files lie on tmpfs with all their pages; the audited range is one mapping "
		 "of the same kind, made and written the same way by the parent before round 1 and kept",
	.params = {
		{ "kind", PARAM_CHOICE, "word", "anonymous",
		  "private anonymous memory, a private or a shared mapping of a tmpfs file (one file per task)", 0, 0,
		  { "anonymous", "private_file", "shared_file" } },
		{ "size", PARAM_SIZE, "bytes", "16MiB", "mapping of each task, a multiple of 4KiB", PAGE_BYTES, 16 * GIB, { 0 } },
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
	.round = run_round,
	.verify = verify,
	.teardown = teardown,
};
