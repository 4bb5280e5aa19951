// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "file_systems.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ext2_image.h"
#include "memory.h"
#include "ram_disk.h"

#define SLACK (1 << 20) /* bytes of a disk beside those of the file */

const struct file_system ramfs = { "ramfs", NULL, false, "ramfs" };
const struct file_system tmpfs_of_writes = { "tmpfs", "huge=within_size", false, "tmpfs with huge pages, CONFIG_TRANSPARENT_HUGEPAGE" };
const struct file_system ext4 = { "ext4", NULL, true, "module ext4, CONFIG_EXT4_FS" };

static uint64_t disk_bytes; /* of the RAM disk, that a file system was written to */

static int make_disk(struct run *run, uint64_t bytes)
{
	int fd = ram_disk_open(run, bytes), failed;

	if (fd < 0)
		return -1;
	disk_bytes = bytes;
	failed = ext2_image_write(fd, bytes);
	close(fd);
	return failed ? fail(run, "writing a file system to " RAM_DISK ": %s", strerror(errno)) : 0;
}

static int open_file(struct run *run, const struct file_system *type, uint64_t bytes)
{
	char directory[64], file[80];
	int fd;

	snprintf(directory, sizeof(directory), "/tmp/kassay-files-%d", (int)getpid());
	snprintf(file, sizeof(file), "%s/file", directory);
	if (type->on_disk && make_disk(run, bytes + SLACK))
		return -1;
	if (mkdir(directory, 0700))
		return fail(run, "making %s: %s", directory, strerror(errno));
	if (mount(type->on_disk ? RAM_DISK : type->type, directory, type->type, 0, type->options)) {
		fail(run, "mounting %s: %s (%s)", type->type, strerror(errno), type->lacks);
		rmdir(directory);
		return -1;
	}
	fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		fail(run, "%s: %s", file, strerror(errno));
	umount2(directory, MNT_DETACH);
	rmdir(directory);
	return fd;
}

static int write_blocks(struct run *run, int fd, uint64_t bytes, char *block, size_t length)
{
	uint64_t at = 0;

	while (at < bytes && write(fd, block, length) == (ssize_t)length)
		at += length;
	return at < bytes ? fail(run, "writing byte %" PRIu64 " of a file: %s", at, strerror(errno)) : 0;
}

int file_on(struct run *run, const struct file_system *type, uint64_t bytes, size_t block, uint64_t stamp)
{
	int fd = open_file(run, type, bytes);
	char *words = calloc(1, block);

	if (fd >= 0 && !words)
		fail(run, "no memory");
	for (size_t at = 0; words && at < block; at += page_bytes())
		memcpy(words + at, &stamp, sizeof(stamp));
	if (fd >= 0 && (!words || write_blocks(run, fd, bytes, words, block) || fsync(fd))) {
		close(fd);
		fd = -1;
	}
	free(words);
	return fd;
}

void file_disk_clear(void)
{
	if (disk_bytes)
		ram_disk_clear(disk_bytes);
	disk_bytes = 0;
}
