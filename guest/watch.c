// SPDX-License-Identifier: GPL-2.0-only
/*
 * One execution of a program outside of the measured region: it finds what goes wrong before anything is counted, and
 * looks at the program's memory at its end, which would be seen in the counts of a measured execution.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "program.h"
#include "results.h"
#include "vdso.h"

#define LINE_BYTES 200
#define REAP_STEPS 20
#define MANY_TASKS 200 /* of the watched execution */
#define REAP_STEP_NS 5000000
/* A later execve() of a script that ends in "exec" would else be a SIGTRAP that kills it. */
#define OF_ITSELF (PTRACE_O_TRACEEXIT | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD)
#define OF_OTHERS (PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE)
#define AT_CALL (SIGTRAP | 0x80)

static unsigned int tasks_met; /* of the watched execution, so far */
static volatile sig_atomic_t overran;
static char load[64]; /* of the machine when it did */

static void on_limit(int number)
{
	int fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);

	(void)number;
	overran = 1;
	if (fd >= 0) {
		ssize_t got = read(fd, load, sizeof(load) - 1);

		load[got > 0 ? got : 0] = '\0';
		close(fd);
	}
	/* Everyone but process 1 and ourselves: a new process of a killed one is not made. */
	kill(-1, SIGKILL);
}

void program_limit(uint64_t ms)
{
	struct sigaction action = { .sa_handler = on_limit, .sa_flags = SA_RESTART };
	struct itimerval timer = { .it_value = { (time_t)(ms / 1000), (suseconds_t)(ms % 1000) * 1000 } };

	if (ms)
		overran = 0;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

/*
 * Under SCHED_FIFO a program that never waits would keep us from the end of its time. The kernel ends such a task
 * itself, and the signal that waits for us says why.
 */
void program_limit_spin(uint64_t ms)
{
	rlim_t us = (ms + 1000) * 1000;
	struct rlimit limit = { us, us };

	if (sched_getscheduler(0) == SCHED_FIFO)
		setrlimit(RLIMIT_RTTIME, &limit);
}

bool program_overran(unsigned int *ret_tasks)
{
	const char *slash = strchr(load, '/');

	*ret_tasks = slash ? (unsigned int)strtoul(slash + 1, NULL, 10) : 0;
	return overran;
}

static void emit_output(struct run *run, const char *name, const char *path)
{
	char *text = run->stream.scratch;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t used = 0;
	ssize_t got;

	while (fd >= 0 && (got = read(fd, text + used, run->stream.scratch_size - used)) > 0)
		used += (size_t)got;
	if (fd >= 0)
		close(fd);
	emit(&run->stream, "file", name, text, used);
}

void program_emit(struct run *run)
{
	emit_output(run, "after:kassay/program/output", PROGRAM_OUTPUT "/output");
	emit_output(run, "after:kassay/program/errors", PROGRAM_OUTPUT "/errors");
}

/* The last line of a file that is not empty; returns whether there is one. */
static bool last_line(int fd, char *ret)
{
	char text[4096];
	off_t size = lseek(fd, 0, SEEK_END), from = size > (off_t)sizeof(text) - 1 ? size - (off_t)sizeof(text) + 1 : 0;
	ssize_t got = pread(fd, text, sizeof(text) - 1, from);
	char *line;

	while (got > 0 && (text[got - 1] == '\n' || text[got - 1] == '\036' || text[got - 1] == ' '))
		got--;
	if (got <= 0)
		return false;
	text[got] = '\0';
	line = memrchr(text, '\n', (size_t)got);
	snprintf(ret, LINE_BYTES, "%.*s", LINE_BYTES - 1, line ? line + 1 : text);
	for (char *c = ret; *c; c++) {
		if ((unsigned char)*c < ' ')
			*c = ' ';
	}
	return true;
}

int program_failed(struct run *run, const struct program *program, int status)
{
	char line[LINE_BYTES] = "nothing";
	unsigned int tasks;

	if (!last_line(program->errors, line))
		last_line(program->output, line);
	if (program_overran(&tasks) && tasks > MAX_PROGRAM_TASKS / 8)
		return fail(run, "program: it forked until there were %u tasks, and was ended after %" PRIu64 " ms of guest "
			    "time; it last printed: %s", tasks, program->limit_ms, line);
	if (program_overran(&tasks))
		return fail(run, "program: no end within %" PRIu64 " ms of guest time%s; it last printed: %s",
			    program->limit_ms, program->application ? "" : " (allow more with --limit)", line);
	if (WIFSIGNALED(status))
		return fail(run, "program: killed by signal %d (%s); it last printed: %s", WTERMSIG(status),
			    strsignal(WTERMSIG(status)), line);
	return fail(run, "program: ended with status %d, not %" PRIu64 "; it last printed: %s", WEXITSTATUS(status),
		    program->status, line);
}

int program_ended(struct run *run, const struct program *program, const char *word, const char *path, int status)
{
	char line[LINE_BYTES] = "nothing";

	last_line(program->errors, line);
	return fail(run, "%s: %s %s %d; it last printed: %s", word, path,
		    WIFSIGNALED(status) ? "was killed by signal" : "ended with status",
		    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), line);
}

/* The signal with which a stopped task goes on: none if it stopped for us. */
static int signal_of(int status)
{
	return status >> 16 || WSTOPSIG(status) == AT_CALL ? 0 : WSTOPSIG(status);
}

/* Whether processes of it are left behind it. They have a moment to end by themselves, without being watched. */
static int reap(struct run *run)
{
	const struct timespec moment = { .tv_nsec = REAP_STEP_NS };
	int left = 0, status = 0;
	pid_t pid;

	for (int i = 0; i < REAP_STEPS; i++) {
		while ((pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0) {
			int number = results_known(pid) ? signal_of(status) : 0;

			if (WIFSTOPPED(status))
				ptrace(PTRACE_DETACH, pid, NULL, (void *)(uintptr_t)number);
		}
		if (pid < 0)
			return 0;
		nanosleep(&moment, NULL);
	}
	kill(-1, SIGKILL);
	while ((pid = waitpid(-1, &status, __WALL)) > 0) {
		if (WIFSTOPPED(status)) /* on its way to its end, which we asked to see */
			ptrace(PTRACE_CONT, pid, NULL, NULL);
		else
			left++;
	}
	return fail(run, "program: %d of its processes were still running when it had ended; let it wait for them", left);
}

static pid_t start(struct run *run, const struct program *program)
{
	int pipes[2], error = 0;
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC))
		return fail(run, "pipe: %s", strerror(errno));
	pid = fork();
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		if (program->application)
			application_become(program->application, program->argv, -1);
		execve(PROGRAM_PATH, program->argv, program->envp);
		error = errno;
		_exit(write(pipes[1], &error, sizeof(error)) < 0);
	}
	close(pipes[1]);
	if (pid > 0 && read(pipes[0], &error, sizeof(error)) > 0) {
		waitpid(pid, NULL, 0);
		fail(run, "program: it cannot be executed: %s", strerror(error));
		pid = -1;
	} else if (pid < 0) {
		fail(run, "fork: %s", strerror(errno));
	}
	close(pipes[0]);
	return pid;
}

/* The most memory that it had resident at one time, kB. */
static void tell_peak(struct run *run, pid_t pid)
{
	char path[64], line[LINE_BYTES];
	uint64_t kb;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "VmHWM: %" SCNu64, &kb) == 1)
			emit_text(&run->stream, "file", "after:kassay/program/peak", "kb %" PRIu64 "\n", kb);
	}
	if (file)
		fclose(file);
}

/* Its mappings at its end, and the pages of that which has most of them resident. */
static void look(struct run *run, pid_t pid)
{
	uint64_t start = 0, end = 0, kb, most = 0, most_start = 0, most_end = 0;
	size_t used = 0;
	char *text = run->stream.scratch;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/smaps", pid);
	file = fopen(path, "re");
	while (file && used + LINE_BYTES < run->stream.scratch_size && fgets(text + used, LINE_BYTES, file)) {
		if (sscanf(text + used, "%" SCNx64 "-%" SCNx64 " ", &start, &end) != 2 &&
		    sscanf(text + used, "Rss: %" SCNu64, &kb) == 1 && kb > most) {
			most = kb;
			most_start = start;
			most_end = end;
		}
		used += strlen(text + used);
	}
	if (file)
		fclose(file);
	if (used + LINE_BYTES < run->stream.scratch_size)
		emit(&run->stream, "file", "after:kassay/program/smaps", text, used);
	else /* a part of it would be the memory of a part */
		emit_absent(&run->stream, "after", "kassay/program/smaps", EFBIG);
	emit_text(&run->stream, "file", "after:kassay/program/range", "start 0x%" PRIx64 " length %" PRIu64 "\n", most_start,
		  most_end - most_start);
	if (most)
		capture_pages_of(run, pid, most_start, most_end - most_start);
	tell_peak(run, pid);
}

/*
 * Asks the kernel to spare this process where memory runs out, or no longer: beside a program that forks without end it
 * is among the largest. Few programs have so many tasks, and all others run as if this were not here.
 */
static void outlive(bool wanted)
{
	const char *text = wanted ? "-1000" : "0";
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)!write(fd, text, strlen(text));
	close(fd);
}

/* A task stopped for the first time: the process behind its execve(), another one where it begins. */
static void meet(pid_t pid, bool itself)
{
	if (++tasks_met == MANY_TASKS)
		outlive(true);
	if (!results_begin(pid) && !itself) {
		ptrace(PTRACE_DETACH, pid, NULL, NULL);
		return;
	}
	if (itself)
		ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)(uintptr_t)(OF_ITSELF | OF_OTHERS));
	ptrace(results_wanted(pid) ? PTRACE_SYSCALL : PTRACE_CONT, pid, NULL, NULL);
}

/* Lets it and its tasks run on from stop to stop; returns what waitpid() says of its end. */
static int follow(struct run *run, pid_t itself)
{
	int status = 0;
	pid_t pid;

	while ((pid = waitpid(-1, &status, __WALL)) > 0) {
		if (!WIFSTOPPED(status)) {
			results_end(pid);
			if (pid == itself)
				break;
			continue;
		}
		if (!results_known(pid)) {
			meet(pid, pid == itself);
			continue;
		}
		if (pid == itself && status >> 16 == PTRACE_EVENT_EXIT)
			look(run, pid);
		if (WSTOPSIG(status) == AT_CALL)
			results_note(pid);
		ptrace(results_wanted(pid) ? PTRACE_SYSCALL : PTRACE_CONT, pid, NULL,
		       (void *)(uintptr_t)signal_of(status));
	}
	return status;
}

int program_watch(struct run *run, const struct program *program)
{
	uint64_t began = raw_ns(CLOCK_MONOTONIC);
	pid_t pid = start(run, program);
	unsigned int tasks;
	int status;

	if (pid < 0)
		return -1;
	program_limit(program->limit_ms);
	status = follow(run, pid);
	program_limit(0);
	if (tasks_met >= MANY_TASKS)
		outlive(false);
	if (program_overran(&tasks) || !WIFEXITED(status) || (uint64_t)WEXITSTATUS(status) != program->status) {
		program_emit(run);
		program_failed(run, program, status);
		kill(-1, SIGKILL);
		return -1;
	}
	if (reap(run))
		return -1;
	results_emit(run);
	vdso_emit(&run->stream);
	emit_text(&run->stream, "file", "before:kassay/program/watched", "ns %" PRIu64 "\n",
		  raw_ns(CLOCK_MONOTONIC) - began);
	return 0;
}
