// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "runtimes.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tasks.h"

#ifndef MAX_KNOWN
#define MAX_KNOWN 4096
#endif
#define MAX_OPEN 512 /* leaves the workload its own half of the usual limit of 1024 */

enum moment { BEFORE, AFTER };

struct known {
	struct task task;
	int fd; /* of its schedstat; -1: opened each time */
	char schedstat[2][64];
	bool read[2];
};

static struct known known[MAX_KNOWN];
static size_t count;
static size_t left_out; /* tasks of the last walk that the table had no room for */

static int open_schedstat(const struct task *task)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", task->pid, task->tid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static void remember(const struct task *task, void *data)
{
	(void)data;
	for (size_t i = 0; i < count; i++) {
		if (known[i].task.tid == task->tid)
			return;
	}
	if (count == MAX_KNOWN) {
		left_out++;
		return;
	}
	known[count] = (struct known){ .task = *task, .fd = count < MAX_OPEN ? open_schedstat(task) : -1 };
	count++;
}

static void read_one(struct known *entry, enum moment moment)
{
	int fd = entry->fd < 0 ? open_schedstat(&entry->task) : entry->fd;
	char *text = entry->schedstat[moment];
	ssize_t got = fd < 0 ? -1 : pread(fd, text, sizeof(entry->schedstat[moment]) - 1, 0);

	if (fd >= 0 && entry->fd < 0)
		close(fd);
	text[got > 0 ? got : 0] = '\0';
	entry->read[moment] = got >= 0;
}

static void read_all(enum moment moment)
{
	for (size_t i = 0; i < count; i++)
		read_one(&known[i], moment);
}

static void walk(void)
{
	left_out = 0;
	tasks_walk(remember, NULL);
}

void runtimes_open(void)
{
	walk();
	/* Once for nothing: the pages it needs are there then. */
	read_all(BEFORE);
}

void runtimes_read_before(void)
{
	read_all(BEFORE);
}

void runtimes_read_after(void)
{
	read_all(AFTER);
}

/* Those that began in between have no run time before; all of theirs was gained. */
static void find_new(void)
{
	size_t old = count;

	walk();
	for (size_t i = old; i < count; i++)
		read_one(&known[i], AFTER);
}

static void emit_moment(struct run *run, enum moment moment, const char *name)
{
	char *text = run->stream.scratch;
	size_t size = run->stream.scratch_size, used = 0;

	for (size_t i = 0; i < count && used + 128 < size; i++) {
		const char *times = known[i].schedstat[moment];

		if (known[i].read[moment])
			used += (size_t)snprintf(text + used, size - used, "%d %s\t%.*s\n", known[i].task.tid,
						 known[i].task.comm, (int)strcspn(times, "\n"), times);
	}
	emit(&run->stream, "file", name, text, used);
}

/* Field @number of /proc/PID/stat, behind the second; the name in that may hold anything but ends with the last bracket. */
static long field_of(const struct task *task, int number)
{
	char path[64], text[512];
	const char *field;
	ssize_t got = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", task->pid, task->tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		got = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	if (got <= 0)
		return -1;
	text[got] = '\0';
	field = strrchr(text, ')');
	for (int i = 2; field && i < number; i++)
		field = strchr(field + 1, ' ');
	return field ? atol(field + 1) : -1;
}

/* Kernel threads are children of process 2. */
static bool has_user_code(const struct task *task)
{
	return task->pid > 2 && field_of(task, 4) != 2;
}

static void emit_own(struct run *run)
{
	char *text = run->stream.scratch;
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		bool own = known[i].task.pid == getpid() || (run->owns_users && has_user_code(&known[i].task));

		for (size_t j = 0; j < run->worker_count; j++)
			own |= known[i].task.pid == run->workers[j];
		if (own)
			used += (size_t)snprintf(text + used, 32, "pid %d\n", known[i].task.tid);
	}
	emit(&run->stream, "file", "after:kassay/own", text, used);
}

/* On which CPU each task was last; of interest where there are several. */
static void emit_placed(struct run *run)
{
	char *text = run->stream.scratch;
	size_t size = run->stream.scratch_size, used = 0;

	for (size_t i = 0; i < count && used + 64 < size; i++) {
		long cpu = field_of(&known[i].task, 39);

		if (cpu >= 0)
			used += (size_t)snprintf(text + used, size - used, "%d %ld\n", known[i].task.tid, cpu);
	}
	emit(&run->stream, "file", "after:kassay/placed", text, used);
}

void runtimes_emit(struct run *run)
{
	find_new();
	emit_moment(run, BEFORE, "before:kassay/tasks");
	emit_moment(run, AFTER, "after:kassay/tasks");
	emit_own(run);
	if (sysconf(_SC_NPROCESSORS_ONLN) > 1)
		emit_placed(run);
	emit_text(&run->stream, "file", "after:kassay/tasks_left_out", "tasks %zu\n", left_out);
}
