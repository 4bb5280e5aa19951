// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a build of a large program is to the page allocator, scaled down: short-lived processes, one after the other on
 * each CPU, that map a program and a library, read a file, fill memory, write a file and exit.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "children.h"
#include "image.h"
#include "memory.h"
#include "workers.h"

#define MEMORY 0x70000000UL /* of each process, behind its library */
#define SOURCE_BYTES (896 * KIB) /* less than the file that every process reads */

static struct {
	unsigned int tasks;
	uint64_t jobs;
	size_t memory, source, object;
	uint64_t program; /* where its path stands */
	char path[64];
	char *argv[2];
	char *environment[1];
	struct script in_child, scripts[MAX_TASKS];
	/* A page of its own, mapped shared: workers are other processes. */
	struct {
		uint64_t child;
		uint64_t reaped;
	} *task;
} w;

/* What every process does between its first instruction and its exit. Its data are those of the image alone. */
static void fill_image(struct image *image)
{
	uint64_t *memory = &image->libraries[1].whole, *object = &image->libraries[1].text;

	image_library(0);
	*memory = MEMORY;
	script_call(&image->script, mmap, memory, w.memory, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, UINT64_MAX, 0);
	script_call(&image->script, madvise, memory, w.memory, MADV_NOHUGEPAGE);
	script_step(&image->script, (struct step){ .run = step_map, .number = SYS_openat, .start = &image->file, .what = "open",
						  .args = { (uintptr_t)image->libraries[0].path, O_RDONLY } });
	script_call(&image->script, read, &image->file, MEMORY, w.source);
	script_call(&image->script, close, &image->file, 0);
	memory_write_byte(&image->script, memory, w.memory);
	strcpy(image->libraries[1].path, "/tmp");
	script_step(&image->script, (struct step){ .run = step_map, .number = SYS_openat, .start = object, .what = "open O_TMPFILE",
						  .args = { (uintptr_t)image->libraries[1].path, O_TMPFILE | O_RDWR, 0600 } });
	script_call(&image->script, write, object, MEMORY, w.object);
}

static int make_program(struct run *run)
{
	struct image *image = image_start(run);

	if (!image || image_write_library(run, 0))
		return -1;
	fill_image(image);
	if (image_write(run, "program", w.path))
		return -1;
	w.program = (uintptr_t)w.path;
	w.argv[0] = w.path;
	script_call(&w.in_child, execve, &w.program, (uintptr_t)w.argv, (uintptr_t)w.environment);
	return script_close(run, &w.in_child);
}

/* The jobs of one task in a round, one after the other. */
static void add_jobs(struct script *script, unsigned int task, uint64_t jobs)
{
	child_fork(script, &w.task[task].child, &w.in_child, 0);
	child_reap(script, &w.task[task].child);
	script_step(script, (struct step){ .run = step_add, .start = &w.task[task].reaped, .args = { 1 } });
	if (jobs > 1)
		script_repeat(script, 3, jobs);
}

static int setup(struct run *run)
{
	struct script warm = { 0 }, *round = round_script(run);

	w.tasks = (unsigned int)param_number(run, "tasks");
	w.jobs = param_number(run, "jobs");
	w.memory = param_number(run, "memory");
	w.source = param_number(run, "source");
	w.object = param_number(run, "object");
	if (w.source > w.memory || w.object > w.memory)
		return fail(run, "source and object go through memory: give %zu bytes of it", w.source > w.object ? w.source : w.object);
	w.task = mmap(NULL, page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (w.task == MAP_FAILED)
		return fail(run, "no memory for the tasks: %s", strerror(errno));
	if (make_program(run))
		return -1;
	children_expect(run);
	add_jobs(&warm, 0, 1);
	if (script_do(run, &warm))
		return -1;
	for (unsigned int task = 0; w.tasks > 1 && task < w.tasks; task++)
		add_jobs(&w.scripts[task], task, w.jobs);
	if (w.tasks > 1 && workers_start(run, w.tasks, false, w.scripts, 1))
		return -1;
	w.task[0].reaped = 0;
	phase_add(run, "jobs", w.tasks * w.jobs);
	mark(run);
	if (w.tasks > 1)
		workers_do(round, 0);
	else
		add_jobs(round, 0, w.jobs);
	mark(run);
	return 0;
}

/* A process whose call failed exits with the error, and then the step that reaps it fails. */
static void verify(struct run *run)
{
	uint64_t reaped = 0, wanted = run_rounds(run) * w.tasks * w.jobs;

	for (unsigned int task = 0; task < w.tasks; task++)
		reaped += w.task[task].reaped;
	if (reaped != wanted)
		complain(run, "%" PRIu64 " processes were started and reaped instead of %" PRIu64, reaped, wanted);
}

static void teardown(struct run *run)
{
	(void)run;
	workers_stop();
	image_release();
}

const struct workload workload = {
	.name = "process_mix",
	.summary = "short-lived processes on every CPU, as of a build: fork, exec, map a library, read a file, fill memory, write a file, exit",
	.subject = "Running processes of {memory} each, as a build does, by {tasks} task(s)",
	.state = "program, library and source are files on /tmp, whose pages are all in the page cache; each task runs its processes one "
		 "after the other, on a CPU of its own in turn: a build with as many jobs as CPUs, scaled down",
	.group = "processes",
	.params = {
		{ "tasks", PARAM_COUNT, "tasks", "1", "jobs at the same time; 1: the program itself starts them, more: workers that it wakes", 1, MAX_TASKS, { 0 } },
		{ "jobs", PARAM_COUNT, "processes", "4", "processes of each task in a round, one after the other", 1, 1024, { 0 } },
		{ "memory", PARAM_SIZE, "bytes", "512KiB", "memory that a process fills, the alloc/free depth", MIN_PAGE_BYTES, 64 * MIB, { 0 } },
		{ "source", PARAM_SIZE, "bytes", "64KiB", "read of a file into that memory", MIN_PAGE_BYTES, SOURCE_BYTES, { 0 } },
		{ "object", PARAM_SIZE, "bytes", "64KiB", "written to a nameless file on /tmp, which is gone when the process has exited", MIN_PAGE_BYTES, 64 * MIB, { 0 } },
	},
	.phases = {
		{ "jobs", "process",
		  "From before the first fork() until the last process of all tasks is reaped, divided by the processes; with several tasks it "
		  "includes waking them and waiting for them.",
		  true },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
