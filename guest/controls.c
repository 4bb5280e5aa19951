// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "controls.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tasks.h"

#define CGROUPS "/sys/fs/cgroup"
#define GROUP CGROUPS "/kassay"

static char sentence[512];

static const char *write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t done = fd < 0 ? -1 : write(fd, text, strlen(text));
	int error = errno;

	if (fd >= 0)
		close(fd);
	if (done == (ssize_t)strlen(text))
		return NULL;
	if (fd < 0 && error == ENOENT)
		snprintf(sentence, sizeof(sentence), "this kernel has no %.300s", path);
	else
		snprintf(sentence, sizeof(sentence), "writing %.50s to %.300s: %s", text, path, strerror(error));
	return sentence;
}

const char *control_set(const char *text)
{
	const char *value = strchr(text, ' ');
	char path[256];

	if (!value || (size_t)(value - text) >= sizeof(path)) {
		snprintf(sentence, sizeof(sentence), "no PATH VALUE: %.100s", text);
		return sentence;
	}
	memcpy(path, text, (size_t)(value - text));
	path[value - text] = '\0';
	return write_text(path, value + 1);
}

const char *memcg_make(uint64_t limit)
{
	char text[32];
	const char *why;

	if (mount("cgroup2", CGROUPS, "cgroup2", 0, NULL) && errno != EBUSY) {
		snprintf(sentence, sizeof(sentence), "mounting " CGROUPS ": %s", strerror(errno));
		return sentence;
	}
	why = write_text(CGROUPS "/cgroup.subtree_control", "+memory");
	if (why)
		return why;
	if (mkdir(GROUP, 0755) && errno != EEXIST) {
		snprintf(sentence, sizeof(sentence), GROUP ": %s", strerror(errno));
		return sentence;
	}
	snprintf(text, sizeof(text), "%" PRIu64, limit);
	return write_text(GROUP "/memory.max", text);
}

const char *memcg_enter(void)
{
	return write_text(GROUP "/cgroup.procs", "0");
}

const char *sched_fifo(pid_t pid)
{
	const struct sched_param least = { .sched_priority = 1 };

	if (!sched_setscheduler(pid, SCHED_FIFO, &least))
		return NULL;
	snprintf(sentence, sizeof(sentence), "SCHED_FIFO of task %d: %s", pid, strerror(errno));
	return sentence;
}

/* A thread of the kernel executes no file. */
static void sched_fifo_task(const struct task *task, void *why)
{
	char path[32], file[8];

	snprintf(path, sizeof(path), "/proc/%d/exe", task->pid);
	if (task->pid != 1 && readlink(path, file, sizeof(file)) > 0 && !*(const char **)why)
		*(const char **)why = sched_fifo(task->tid);
}

const char *sched_fifo_all(void)
{
	const char *why = NULL;

	if (tasks_walk(sched_fifo_task, &why))
		return "/proc cannot be read";
	return why;
}
