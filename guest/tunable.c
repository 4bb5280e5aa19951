// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "tunable.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define MAX_TUNABLES 16
#define MAX_TEXT 64
#define MAX_PATH 128

static struct {
	char path[MAX_PATH];
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

/* Of "always [madvise] never" the word that holds, which is what the file takes. */
static void take_chosen(char *text)
{
	char *first = strchr(text, '['), *last = first ? strchr(first, ']') : NULL;

	if (!last)
		return;
	*last = '\0';
	memmove(text, first + 1, (size_t)(last - first));
}

int tunable_set(struct run *run, const char *path, const char *text, const char *feature)
{
	if (former_count == MAX_TUNABLES || strlen(path) >= MAX_PATH)
		return fail(run, "more than %d tunables, or a longer path than %d bytes: %s", MAX_TUNABLES, MAX_PATH, path);
	if (read_text(path, former[former_count].text) < 0) {
		if (errno == ENOENT)
			return fail(run, "this kernel was built without %s: no %s", feature, path);
		return fail(run, "%s: %s", path, strerror(errno));
	}
	if (write_text_file(path, text))
		return fail(run, "writing %s to %s: %s", text, path, strerror(errno));
	take_chosen(former[former_count].text);
	strcpy(former[former_count++].path, path);
	return 0;
}

void tunable_restore(void)
{
	while (former_count) {
		former_count--;
		write_text_file(former[former_count].path, former[former_count].text);
	}
}
