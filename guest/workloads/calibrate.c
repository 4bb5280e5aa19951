// SPDX-License-Identifier: GPL-2.0-only
/*
 * Known work, to calibrate the instrument: where one tick is one instruction,
 * the loop costs exactly 3 per iteration and a constant for the boundary.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "workload.h"

static struct {
	uint64_t iterations;
	uint64_t syscalls;
	uint64_t iterations_done;
	uint64_t syscalls_done;
} w;

/* Three instructions per iteration: count up, count down, jump. @iterations must not be 0. */
static __attribute__((noinline)) uint64_t counted_loop(uint64_t iterations)
{
	uint64_t done = 0;

#if defined(__x86_64__)
	__asm__ volatile("1:\tadd $1, %0\n\tsub $1, %1\n\tjnz 1b" : "+r"(done), "+r"(iterations)::"cc");
#elif defined(__aarch64__)
	__asm__ volatile("1:\tadd %0, %0, #1\n\tsubs %1, %1, #1\n\tb.ne 1b" : "+r"(done), "+r"(iterations)::"cc");
#else
#error "no counted loop for this architecture"
#endif
	return done;
}

/* getppid() by the bare instruction: no libc, no vdso. */
static inline long empty_syscall(void)
{
#if defined(__x86_64__)
	long result = SYS_getppid;

	__asm__ volatile("syscall" : "+a"(result)::"rcx", "r11", "memory");
	return result;
#elif defined(__aarch64__)
	register long number __asm__("x8") = SYS_getppid;
	register long result __asm__("x0");

	__asm__ volatile("svc #0" : "=r"(result) : "r"(number) : "memory");
	return result;
#endif
}

static int setup(struct run *run)
{
	w.iterations = param_number(run, "iterations");
	w.syscalls = param_number(run, "syscalls");
	phase_add(run, "loop", w.iterations);
	phase_add(run, "syscall", w.syscalls);
	return 0;
}

static int run_round(struct run *run, uint64_t index)
{
	(void)index;
	mark(run);
	w.iterations_done += counted_loop(w.iterations);
	mark(run);
	for (uint64_t i = 0; i < w.syscalls; i++)
		w.syscalls_done += empty_syscall() >= 0;
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
	.round = run_round,
	.verify = verify,
	.teardown = teardown,
};
