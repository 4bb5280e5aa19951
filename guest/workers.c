// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "workers.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"

#define STOP UINT32_MAX

/* Shared by all tasks; also between processes, so no pointers. */
struct board {
	_Atomic uint32_t turn; /* counts up with each step; workers wait for it to change */
	_Atomic uint32_t step;
	_Atomic uint32_t busy; /* workers that are not done yet */
	_Atomic uint32_t error;
};

static struct {
	struct board *board;
	unsigned int tasks;
	bool threads;
	worker_step step;
	pid_t pids[MAX_TASKS];
	pthread_t handles[MAX_TASKS];
	unsigned int started;
} team;

static void futex_wait(_Atomic uint32_t *word, uint32_t value)
{
	syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static void pin(unsigned int task)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t mine;

	CPU_ZERO(&mine);
	CPU_SET(task % (unsigned long)cpus, &mine);
	sched_setaffinity(0, sizeof(mine), &mine);
}

/* Reports itself done once before the first step: it is up and pinned. */
static void work(unsigned int task)
{
	struct board *board = team.board;

	pin(task);
	for (uint32_t turn = 0;; turn++) {
		uint32_t step;
		int error;

		if (atomic_fetch_sub(&board->busy, 1) == 1)
			futex_wake(&board->busy);
		while (atomic_load(&board->turn) == turn)
			futex_wait(&board->turn, turn);
		step = atomic_load(&board->step);
		if (step == STOP)
			return;
		region_mark('W');
		error = team.step(task, step);
		if (error)
			atomic_store(&board->error, (uint32_t)error);
	}
}

static void *thread_main(void *task)
{
	work((unsigned int)(uintptr_t)task);
	return NULL;
}

static int start_thread(struct run *run, unsigned int task)
{
	int error = pthread_create(&team.handles[task], NULL, thread_main, (void *)(uintptr_t)task);

	return error ? fail(run, "thread %u: %s", task, strerror(error)) : 0;
}

static int start_process(struct run *run, unsigned int task)
{
	pid_t pid = fork();

	if (pid < 0)
		return fail(run, "process %u: %s", task, strerror(errno));
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		work(task);
		_exit(0);
	}
	team.pids[task] = pid;
	worker_add(run, pid);
	return 0;
}

static int wait_for_all(struct run *run)
{
	struct board *board = team.board;
	uint32_t busy;

	while ((busy = atomic_load(&board->busy)))
		futex_wait(&board->busy, busy);
	if (atomic_load(&board->error))
		return fail(run, "a task failed: %s", strerror((int)atomic_load(&board->error)));
	return 0;
}

int workers_start(struct run *run, unsigned int tasks, bool threads, worker_step step)
{
	team.tasks = tasks;
	team.threads = threads;
	team.step = step;
	if (tasks == 1)
		return 0;
	team.board = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (team.board == MAP_FAILED) {
		team.board = NULL;
		return fail(run, "no memory for the workers: %s", strerror(errno));
	}
	atomic_store(&team.board->busy, tasks);
	for (; team.started < tasks; team.started++) {
		if (threads ? start_thread(run, team.started) : start_process(run, team.started))
			return -1;
	}
	return wait_for_all(run);
}

static void release(uint32_t step)
{
	struct board *board = team.board;

	atomic_store(&board->busy, team.tasks);
	atomic_store(&board->step, step);
	atomic_fetch_add(&board->turn, 1);
	futex_wake(&board->turn);
}

int workers_do(struct run *run, unsigned int step)
{
	int error;

	if (team.tasks > 1) {
		release(step);
		return wait_for_all(run);
	}
	error = team.step(0, step);
	return error ? fail(run, "step %u: %s", step, strerror(error)) : 0;
}

void workers_stop(void)
{
	if (!team.board)
		return;
	release(STOP);
	for (unsigned int task = 0; task < team.started; task++) {
		if (team.threads)
			pthread_join(team.handles[task], NULL);
		else
			waitpid(team.pids[task], NULL, 0);
	}
	team.started = 0;
}
