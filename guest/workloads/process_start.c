// SPDX-License-Identifier: GPL-2.0-only
/*
 * Process start of a program with an interpreter and libraries. The interpreter is made for this: it asks the kernel
 * for what the loader of a C library asks for each library, in the same order, and computes nothing.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sys/syscall.h>

#include "children.h"
#include "image.h"

static struct {
	uint64_t child;
	uint64_t program; /* where its path stands */
	uint64_t reaped;
	char path[64];
	char *argv[2];
	char *environment[1];
	struct script in_child;
} w;

static int make_program(struct run *run)
{
	uint64_t libraries = param_number(run, "libraries");
	char loader[64];

	if (!image_start(run))
		return -1;
	for (unsigned int i = 0; i < libraries; i++) {
		if (image_write_library(run, i))
			return -1;
		image_library(i);
	}
	if (image_write(run, "loader", loader) || image_write_dynamic(run, "program", loader, w.path))
		return -1;
	w.program = (uintptr_t)w.path;
	w.argv[0] = w.path;
	script_call(&w.in_child, execve, &w.program, (uintptr_t)w.argv, (uintptr_t)w.environment);
	return script_close(run, &w.in_child);
}

static int setup(struct run *run)
{
	struct script warm = { 0 }, *round = round_script(run);

	if (make_program(run))
		return -1;
	children_expect(run);
	child_fork(&warm, &w.child, &w.in_child, 0);
	child_reap(&warm, &w.child);
	if (script_do(run, &warm))
		return -1;
	phase_add(run, "fork", 1);
	phase_add(run, "run", 1);
	mark(run);
	child_fork(round, &w.child, &w.in_child, 0);
	mark(run);
	child_reap(round, &w.child);
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &w.reaped, .args = { 1 } });
	return 0;
}

/* A child whose execve() failed exits with the error, and then the step that reaps it fails. */
static void verify(struct run *run)
{
	if (w.reaped != run_rounds(run))
		complain(run, "%" PRIu64 " programs were started and reaped instead of %" PRIu64, w.reaped, run_rounds(run));
}

static void teardown(struct run *run)
{
	(void)run;
	image_release();
}

const struct workload workload = {
	.name = "process_start",
	.summary = "fork(), execve() of a program with an interpreter, which maps libraries as a C library's loader does, exit and wait4()",
	.subject = "Starting and reaping a program with {libraries} libraries",
	.state = "the workload's own small process forks; program, interpreter and libraries are files on /tmp, whose pages are all in the page cache; "
		 "a library has 512 KiB of text, 256 KiB of constants, 128 KiB of data and 64 KiB of zeros",
	.group = "processes",
	.params = {
		{ "libraries", PARAM_COUNT, "libraries", "1", "libraries that the interpreter maps", 0, IMAGE_LIBRARIES, { 0 } },
	},
	.phases = {
		{ "fork", "process", "From before to after the parent's fork() of its own small process; the child runs later.", false },
		{ "run", "process",
		  "From then until wait4() has reaped the child: execve() of program and interpreter; for each library one open(), "
		  "read(), close(), five mmap(), a read in every 64 KiB of text, writes to 8 pages of data and one of zeros, one "
		  "mprotect(); exit.",
		  true },
		{ "iteration", "process", "One round, fork and run: from before the fork() until the child is reaped.", false },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
