// SPDX-License-Identifier: GPL-2.0-only
/*
 * main() for a test file of will-it-scale, which has a testcase() that counts its operations and never returns. The test
 * is compiled with -fsanitize-coverage=trace-pc, so that each of its basic blocks calls us: that is how a task is stopped
 * after an exact number of operations. Arguments: tasks, "process" or "thread", operations in a round.
 *
 * One task marks rounds of so many operations itself. Several are one round, from the release of all until all have done
 * their operations. The tasks end behind it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kassay.h"

#define MAX_TASKS 64
#define ROUNDS 10 /* of one task */
#define LINE 128

extern char *testcase_description;
void testcase(unsigned long long *iterations, unsigned long nr);
void testcase_prepare(unsigned long tasks) __attribute__((weak));
void testcase_cleanup(void) __attribute__((weak));

/* One for each task, in memory that all share. */
struct result {
	unsigned long long iterations;
	long faults;
	char pad[LINE - 2 * sizeof(long)];
};

static struct result *results;
static unsigned long tasks, operations;
static cpu_set_t cpus;
static pid_t starter;
static int ready[2], gate[2], done[2], end[2]; /* pipes with a byte for each task */

static __thread struct result *mine;
static __thread unsigned long long next;
static __thread int left;
static __thread pid_t helpers[MAX_TASKS];
static __thread unsigned int helper_count;

static long faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_minflt + usage.ru_majflt;
}

static void end_helpers(void)
{
	for (; helper_count; helper_count--) {
		kill(helpers[helper_count - 1], SIGKILL);
		waitpid(helpers[helper_count - 1], NULL, 0);
	}
}

static void await_byte(int pipe)
{
	char byte;

	while (read(pipe, &byte, 1) < 0 && errno == EINTR)
		;
}

static void send_byte(int pipe)
{
	if (write(pipe, "", 1) != 1)
		exit(1);
}

static void finish(void)
{
	mine->faults = faults() - mine->faults;
	mine = NULL;
	send_byte(done[1]);
	await_byte(end[0]);
	end_helpers();
	pthread_exit(NULL);
}

/* Of each basic block of the test. */
void __sanitizer_cov_trace_pc(void)
{
	if (!mine || mine->iterations < next)
		return;
	if (tasks == 1)
		KASSAY_ROUND_END();
	if (mine->iterations != next) {
		fprintf(stderr, "testcase() counted to %llu and passed %llu: operations must be a multiple of its step\n",
			mine->iterations, next);
		_exit(1);
	}
	if (!--left)
		finish();
	next += operations;
	if (tasks == 1)
		KASSAY_ROUND_BEGIN();
}

/* All CPUs on which the tasks may run: this process was started on the first one alone, and stays there. */
static int find_cpus(void)
{
	cpu_set_t first, all;

	memset(&all, 0xff, sizeof(all));
	return sched_getaffinity(0, sizeof(first), &first) || sched_setaffinity(0, sizeof(all), &all) ||
	       sched_getaffinity(0, sizeof(cpus), &cpus) || sched_setaffinity(0, sizeof(first), &first);
}

/* To the nth CPU, and behind the last one to the first again. Their numbers have gaps where siblings are off. */
static void pin(unsigned long n)
{
	cpu_set_t mine;
	int cpu = 0;

	for (n %= (unsigned long)CPU_COUNT(&cpus); !CPU_ISSET(cpu, &cpus) || n--; cpu++)
		;
	CPU_ZERO(&mine);
	CPU_SET(cpu, &mine);
	if (sched_setaffinity(0, sizeof(mine), &mine)) {
		fprintf(stderr, "a task cannot be pinned to CPU %d: %s\n", cpu, strerror(errno));
		_exit(1);
	}
}

static void *work(void *number)
{
	unsigned long nr = (unsigned long)number;

	pin(nr);
	send_byte(ready[1]);
	await_byte(gate[0]);
	results[nr].faults = faults();
	next = operations;
	left = tasks == 1 ? ROUNDS : 1;
	mine = &results[nr];
	if (tasks == 1)
		KASSAY_ROUND_BEGIN();
	testcase(&mine->iterations, nr);
	fprintf(stderr, "testcase() returned after %llu operations, and must loop for ever\n", results[nr].iterations);
	_exit(1);
}

/* For tests that need partners, which count no operations and end with the task that made them. */
void new_task(void *(*function)(void *), void *argument)
{
	pid_t pid = fork();

	if (pid == 0) {
		mine = NULL;
		function(argument);
		_exit(0);
	}
	if (pid > 0 && helper_count < MAX_TASKS)
		helpers[helper_count++] = pid;
}

void new_task_affinity(void *(*function)(void *), void *argument)
{
	new_task(function, argument);
}

static void await_tasks(int pipe)
{
	for (unsigned long i = 0; i < tasks; i++)
		await_byte(pipe);
}

static void release_tasks(int pipe)
{
	for (unsigned long i = 0; i < tasks; i++)
		send_byte(pipe);
}

/* The tasks wait at the gate, or are about to: neither their start nor their end is part of a round. */
static void run_round(void)
{
	await_tasks(ready[0]);
	if (tasks > 1)
		KASSAY_ROUND_BEGIN();
	release_tasks(gate[1]);
	await_tasks(done[0]);
	if (tasks > 1)
		KASSAY_ROUND_END();
	signal(SIGCHLD, SIG_DFL);
	release_tasks(end[1]);
}

/* Before all have done their operations: an assertion failed, or the like. It has printed why. */
static void task_ended(int signal)
{
	(void)signal;
	_exit(1);
}

static int run_processes(void)
{
	pid_t pids[MAX_TASKS];
	int failed = 0, status;

	signal(SIGCHLD, task_ended);
	for (unsigned long i = 0; i < tasks; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			signal(SIGCHLD, SIG_DFL);
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (getppid() != starter) /* it ended before: another task could not be pinned */
				_exit(1);
			work((void *)i);
		}
	}
	run_round();
	for (unsigned long i = 0; i < tasks; i++)
		failed |= waitpid(pids[i], &status, 0) != pids[i] || status;
	return failed;
}

static int run_threads(void)
{
	pthread_t threads[MAX_TASKS];

	for (unsigned long i = 0; i < tasks; i++) {
		if (pthread_create(&threads[i], NULL, work, (void *)i))
			return 1;
	}
	run_round();
	for (unsigned long i = 0; i < tasks; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long long did = 0;
	long faulted = 0;
	int failed;

	tasks = argc > 3 ? strtoul(argv[1], NULL, 10) : 1;
	operations = argc > 3 ? strtoul(argv[3], NULL, 10) : 1000;
	results = mmap(NULL, MAX_TASKS * sizeof(*results), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (!tasks || tasks > MAX_TASKS || !operations || results == MAP_FAILED || pipe(ready) || pipe(gate) || pipe(done) ||
	    pipe(end))
		return 2;
	starter = getpid();
	if (find_cpus()) {
		fprintf(stderr, "the CPUs of this process cannot be found: %s\n", strerror(errno));
		return 2;
	}
	if (testcase_prepare)
		testcase_prepare(tasks);
	failed = argc > 3 && !strcmp(argv[2], "thread") ? run_threads() : run_processes();
	end_helpers();
	for (unsigned long i = 0; i < tasks; i++) {
		did += results[i].iterations;
		faulted += results[i].faults;
	}
	printf("testcase: %s\n", testcase_description);
	printf("operations=%llu page_faults=%ld faults_per_operation=%.4f\n", did, faulted, (double)faulted / (double)did);
	if (testcase_cleanup)
		testcase_cleanup();
	return failed;
}
