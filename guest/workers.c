// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "workers.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory.h"

static struct {
	struct board *board;
	unsigned int tasks;
	unsigned int first_cpu;
	cpu_set_t cpus;
	bool threads;
	struct step *parts[MAX_TASKS][MAX_PARTS];
	pid_t pids[MAX_TASKS];
	pthread_t handles[MAX_TASKS];
	unsigned int started;
} team;

void workers_find_cpus(void)
{
	if (sched_getaffinity(0, sizeof(team.cpus), &team.cpus))
		CPU_ZERO(&team.cpus);
}

/* The nth CPU, and behind the last one the first again. Their numbers have gaps where siblings are off. */
static unsigned int nth_cpu(unsigned int n)
{
	unsigned int cpu = 0;

	for (n %= (unsigned int)CPU_COUNT(&team.cpus); !CPU_ISSET(cpu, &team.cpus) || n--; cpu++)
		;
	return cpu;
}

static void pin(unsigned int task)
{
	cpu_set_t mine;

	CPU_ZERO(&mine);
	CPU_SET(nth_cpu(team.first_cpu + task), &mine);
	if (sched_setaffinity(0, sizeof(mine), &mine))
		__atomic_store_n(&team.board->error, errno, __ATOMIC_SEQ_CST);
}

static void work(unsigned int task)
{
	pin(task);
	team_work(team.board, team.parts[task]);
}

static void *thread_main(void *task)
{
	work((unsigned int)(uintptr_t)task);
	return NULL;
}

/*
 * A worker has died, and will never report itself done. The caller's wait ends
 * at once: the signal interrupts it, or it finds that the value has changed.
 * Another worker may report itself done meanwhile, and count below zero. So a
 * timer repeats this handler until workers_stop().
 */
static void on_death(int number)
{
	struct itimerval again = { .it_interval = { .tv_usec = 50000 }, .it_value = { .tv_usec = 50000 } };

	__atomic_store_n(&team.board->error, ECHILD, __ATOMIC_SEQ_CST);
	__atomic_store_n(&team.board->busy, 0, __ATOMIC_SEQ_CST);
	if (number == SIGCHLD)
		setitimer(ITIMER_REAL, &again, NULL);
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
		signal(SIGCHLD, SIG_DFL);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		work(task);
		_exit(0);
	}
	team.pids[task] = pid;
	worker_add(run, pid);
	return 0;
}

/* Names the worker that ended too early, if one did. Returns 0 or what fail() returns. */
static int explain(struct run *run)
{
	int status;

	for (unsigned int task = 0; !team.threads && task < team.started; task++) {
		if (waitpid(team.pids[task], &status, WNOHANG) <= 0)
			continue;
		team.pids[task] = 0;
		if (WIFSIGNALED(status))
			return fail(run, "worker %u was killed by signal %d (%s)", task, WTERMSIG(status),
				    strsignal(WTERMSIG(status)));
		return fail(run, "worker %u ended with status %d", task, WEXITSTATUS(status));
	}
	return 0;
}

void workers_pin_from(unsigned int cpu)
{
	team.first_cpu = cpu;
}

static void wait_for_all(struct script *script, const char *what)
{
	script->explain = explain;
	script_step(script, (struct step){ .run = step_wait, .start = (void *)team.board, .what = what });
}

/* The caller waits asleep until no worker is busy. */
void workers_wait(struct script *script)
{
	wait_for_all(script, "a task failed");
}

int workers_start(struct run *run, unsigned int tasks, bool threads, struct script *scripts, unsigned int parts)
{
	struct script arrival = { 0 };
	struct sigaction death = { .sa_handler = on_death };

	if (!CPU_COUNT(&team.cpus))
		workers_find_cpus(); /* a reproducer: nobody has pinned this process */
	if (!CPU_COUNT(&team.cpus))
		return fail(run, "no CPU is known for the workers");
	team.tasks = tasks;
	team.threads = threads;
	team.board = mmap(NULL, page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (team.board == MAP_FAILED) {
		team.board = NULL;
		return fail(run, "no memory for the workers: %s", strerror(errno));
	}
	for (unsigned int i = 0; i < tasks * parts; i++) {
		if (script_close(run, &scripts[i]))
			return -1;
		team.parts[i / parts][i % parts] = scripts[i].steps;
	}
	team.board->busy = tasks;
	sigaction(SIGCHLD, &death, NULL);
	death.sa_flags = SA_RESTART;
	sigaction(SIGALRM, &death, NULL);
	for (; team.started < tasks; team.started++) {
		if (threads ? start_thread(run, team.started) : start_process(run, team.started))
			return -1;
	}
	/* Each reports itself done once before the first part: it is up and pinned. */
	wait_for_all(&arrival, "a task cannot be pinned to its CPU");
	return script_do(run, &arrival);
}

void workers_release(struct script *script, unsigned int part)
{
	script_step(script, (struct step){ .run = step_release, .start = (void *)team.board, .args = { team.tasks, part } });
}

void workers_do(struct script *script, unsigned int part)
{
	workers_release(script, part);
	workers_wait(script);
}

void workers_stop(void)
{
	if (!team.board)
		return;
	signal(SIGCHLD, SIG_DFL);
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
	team_release(team.board, team.tasks, PART_STOP);
	for (unsigned int task = 0; task < team.started; task++) {
		if (team.threads)
			pthread_join(team.handles[task], NULL);
		else if (team.pids[task])
			waitpid(team.pids[task], NULL, 0);
	}
	team.started = 0;
}
