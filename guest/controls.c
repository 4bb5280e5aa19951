// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "controls.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

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
