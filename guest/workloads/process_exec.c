// SPDX-License-Identifier: GPL-2.0-only
/* fork(), execve() of the smallest program, exit() and wait4(). */
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
	if (!image_start(run) || image_write(run, "program", w.path))
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
	.name = "process_exec",
	.summary = "fork(), execve() of the smallest static program, its exit and wait4()",
	.subject = "Starting and reaping a static program",
	.state = "the workload's own small process forks; the program is one file of two segments on /tmp, whose pages are all in the page cache, and "
		 "exits with its first system call",
	.group = "processes",
	.phases = {
		{ "fork", "process", "From before to after the parent's fork() of its own small process; the child runs later.", false },
		{ "run", "process",
		  "From then until wait4() has reaped the child, which calls execve() and exits: taking the old memory away, mapping "
		  "the program, its first faults, exit.",
		  true },
		{ "iteration", "process", "One round, fork and run: from before the fork() until the child is reaped.", false },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
