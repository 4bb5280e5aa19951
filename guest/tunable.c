// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "tunable.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define MAX_TUNABLES 8
#define MAX_TEXT 64

static struct {
	const char *path;
	char text[MAX_TEXT];
} former[MAX_TUNABLES];
static size_t former_count;

int write_text_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t done = fd < 0 ? -1 : write(fd, text, strlen(text));
	int error = errno;

	if (fd >= 0)
		close(fd);
	errno = error;
	return done == (ssize_t)strlen(text) ? 0 : -1;
}

static ssize_t read_text(const char *path, char *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, text, MAX_TEXT - 1);
	int error = errno;

	if (fd >= 0)
		close(fd);
	errno = error;
	text[got > 0 ? got : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return got;
}

int tunable_set(struct run *run, const char *path, const char *text, const char *feature)
{
	if (former_count == MAX_TUNABLES)
		return fail(run, "more than %d tunables", MAX_TUNABLES);
	if (read_text(path, former[former_count].text) < 0) {
		if (errno == ENOENT)
			return fail(run, "this kernel was built without %s: no %s", feature, path);
		return fail(run, "%s: %s", path, strerror(errno));
	}
	if (write_text_file(path, text))
		return fail(run, "writing %s to %s: %s", text, path, strerror(errno));
	former[former_count++].path = path;
	return 0;
}

void tunable_restore(void)
{
	while (former_count) {
		former_count--;
		write_text_file(former[former_count].path, former[former_count].text);
	}
}
