// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "payload.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "KASSAYF1"

struct end { /* little endian, as every architecture here */
	uint64_t offset;
	uint64_t count;
	char magic[8];
};

static int copy(struct run *run, int from, off_t at, size_t size, const char *path, unsigned int mode)
{
	int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

	while (to >= 0 && size) {
		ssize_t done = sendfile(to, from, &at, size);

		if (done <= 0)
			return fail(run, "%s: %s", path, strerror(done ? errno : EIO));
		size -= (size_t)done;
	}
	if (to < 0 || fchmod(to, mode))
		return fail(run, "%s: %s", path, strerror(errno));
	close(to);
	return 0;
}

/* One file at *@at, which then stands behind it, and not behind @end. */
static int unpack_one(struct run *run, int self, off_t *at, off_t end, const char *program, const char *files)
{
	char line[512], path[1024] = "";
	ssize_t got = pread(self, line, sizeof(line) - 1, *at);
	unsigned int mode;
	uint64_t size;
	int name = 0;

	line[got > 0 ? got : 0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%o %" SCNu64 " %n", &mode, &size, &name) != 2 || !name)
		return fail(run, "the packed files are damaged");
	*at += (off_t)strlen(line) + 1;
	if (*at > end || size > (uint64_t)(end - *at))
		return fail(run, "the packed files are cut short");
	if (!strcmp(line + name, "program"))
		snprintf(path, sizeof(path), "%s", program);
	else if (!strncmp(line + name, "files/", 6))
		snprintf(path, sizeof(path), "%s/%s", files, line + name + 6);
	if (*path && copy(run, self, *at, size, path, mode))
		return -1;
	*at += (off_t)size;
	return 0;
}

int payload_unpack(struct run *run, const char *program, const char *files)
{
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct end end = { 0 };
	struct stat stat;
	off_t at;
	int status = 0;

	if (self < 0 || fstat(self, &stat) ||
	    pread(self, &end, sizeof(end), stat.st_size - (off_t)sizeof(end)) != (ssize_t)sizeof(end) ||
	    memcmp(end.magic, MAGIC, sizeof(end.magic)))
		return fail(run, "no program was packed");
	at = end.offset < (uint64_t)stat.st_size ? (off_t)end.offset : stat.st_size;
	for (uint64_t i = 0; i < end.count && !status; i++)
		status = unpack_one(run, self, &at, stat.st_size - (off_t)sizeof(end), program, files);
	close(self);
	return status;
}
