// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "ramfs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"

#define DIRECTORY "/tmp/kassay-ramfs"

static int open_file(struct run *run)
{
	int fd;

	if (mkdir(DIRECTORY, 0700))
		return fail(run, "making " DIRECTORY ": %s", strerror(errno));
	if (mount("ramfs", DIRECTORY, "ramfs", 0, NULL)) {
		fail(run, "mounting a ramfs: %s", strerror(errno));
		rmdir(DIRECTORY);
		return -1;
	}
	fd = open(DIRECTORY "/file", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		fail(run, DIRECTORY "/file: %s", strerror(errno));
	umount2(DIRECTORY, MNT_DETACH);
	rmdir(DIRECTORY);
	return fd;
}

int ramfs_file(struct run *run, uint64_t pages, uint64_t stamp)
{
	size_t bytes = page_bytes();
	char *block = calloc(1, bytes);
	int fd = block ? open_file(run) : fail(run, "no memory");
	uint64_t page = 0;

	if (fd >= 0) {
		memcpy(block, &stamp, sizeof(stamp));
		while (page < pages && write(fd, block, bytes) == (ssize_t)bytes)
			page++;
		if (page < pages)
			fd = fail(run, "writing %" PRIu64 " pages to a ramfs: %s", pages, strerror(errno));
	}
	free(block);
	return fd;
}
