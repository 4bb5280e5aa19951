// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "tasks.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads a one-line file below @dir without its newline; returns its length or -1. */
static ssize_t read_line(int dir, const char *path, char *ret, size_t size)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	ret[0] = '\0';
	if (fd < 0)
		return -1;
	got = read(fd, ret, size - 1);
	close(fd);
	if (got < 0)
		return -1;
	ret[got] = '\0';
	if (got && ret[got - 1] == '\n')
		ret[--got] = '\0';
	for (char *c = ret; *c; c++) {
		if ((unsigned char)*c < ' ')
			*c = '?';
	}
	return got;
}

static void walk_threads(int proc, pid_t pid, void (*each)(const struct task *, void *), void *data)
{
	struct task task = { .pid = pid };
	char path[64];
	struct dirent *entry;
	DIR *threads;
	int fd;

	snprintf(path, sizeof(path), "%d/task", pid);
	fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	threads = fd < 0 ? NULL : fdopendir(fd);
	if (!threads)
		return;
	while ((entry = readdir(threads))) {
		task.tid = atoi(entry->d_name);
		if (task.tid <= 0)
			continue;
		snprintf(path, sizeof(path), "%d/comm", task.tid);
		if (read_line(fd, path, task.comm, sizeof(task.comm)) < 0)
			continue;
		snprintf(path, sizeof(path), "%d/schedstat", task.tid);
		read_line(fd, path, task.schedstat, sizeof(task.schedstat));
		each(&task, data);
	}
	closedir(threads);
}

int tasks_walk(void (*each)(const struct task *task, void *data), void *data)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	if (!proc)
		return -1;
	while ((entry = readdir(proc))) {
		if (atoi(entry->d_name) > 0)
			walk_threads(dirfd(proc), atoi(entry->d_name), each, data);
	}
	closedir(proc);
	return 0;
}
