// SPDX-License-Identifier: GPL-2.0-only
/*
 * Known work, to calibrate the instrument: where one tick is one instruction,
 * the loop costs exactly 3 per iteration and a constant for the boundary.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sys/syscall.h>

#include "script.h"

static struct {
	uint64_t iterations;
	uint64_t syscalls;
	uint64_t iterations_done;
	uint64_t syscalls_done;
} w;

static int setup(struct run *run)
{
	struct script *round = round_script(run);

	w.iterations = param_number(run, "iterations");
	w.syscalls = param_number(run, "syscalls");
	phase_add(run, "loop", w.iterations);
	phase_add(run, "syscall", w.syscalls);
	mark(run);
	script_step(round, (struct step){ .run = counted_loop, .start = &w.iterations_done, .args = { w.iterations } });
	script_step(round, (struct step){ .run = arch_idle(1) });
	mark(run);
	script_step(round, (struct step){ .run = step_calls, .number = SYS_getppid, .start = &w.syscalls_done,
					  .args = { w.syscalls } });
	script_step(round, (struct step){ .run = arch_idle(2) });
	mark(run);
	return 0;
}

static void verify(struct run *run)
{
	uint64_t iterations = run_rounds(run) * w.iterations, syscalls = run_rounds(run) * w.syscalls;

	if (w.iterations_done != iterations)
		complain(run, "%" PRIu64 " iterations instead of %" PRIu64, w.iterations_done, iterations);
	if (w.syscalls_done != syscalls)
		complain(run, "%" PRIu64 " system calls succeeded instead of %" PRIu64, w.syscalls_done, syscalls);
}

static void teardown(struct run *run)
{
	(void)run;
}

const struct workload workload = {
	.name = "calibrate",
	.summary = "a counted loop and an empty system call: known costs, to check the instrument",
	.subject = "Calibrating with {iterations} loop iterations and {syscalls} empty system calls",
	.state = "none",
	.group = "instrument",
	.params = {
		{ "iterations", PARAM_COUNT, "iterations", "100000", "iterations of the counted loop in a round", 1,
		  10000000000UL, { 0 } },
		{ "syscalls", PARAM_COUNT, "system calls", "1000", "empty system calls in a round", 1, 1000000000UL, { 0 } },
	},
	.phases = {
		{ "loop", "iteration",
		  "A loop of exactly 3 instructions per iteration (add, sub, conditional jump) in user space, divided by "
		  "its iterations.",
		  true },
		{ "syscall", "system call",
		  "getppid() by the bare system call instruction in a loop, divided by the number of calls.", false },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
