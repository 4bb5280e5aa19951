// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "ram_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <unistd.h>

#include "memory.h"

/* Past the page cache: reading through it would make large folios of it on kernels that can. */
uint64_t ram_disk_pages_with(uint64_t word, uint64_t bytes)
{
	uint64_t *page = mmap(NULL, page_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open(RAM_DISK, O_RDONLY | O_DIRECT | O_CLOEXEC);
	uint64_t found = 0;

	for (uint64_t at = 0; page != MAP_FAILED && at < bytes; at += page_bytes())
		found += pread(fd, page, page_bytes(), (off_t)at) == (ssize_t)page_bytes() && *page == word;
	if (fd >= 0)
		close(fd);
	if (page != MAP_FAILED)
		munmap(page, page_bytes());
	return found;
}

int ram_disk_open(struct run *run, uint64_t bytes)
{
	uint64_t there = 0;
	int fd = open(RAM_DISK, O_RDWR | O_EXCL | O_CLOEXEC);

	if (fd < 0)
		return fail(run, "no RAM disk: " RAM_DISK ": %s (module brd, CONFIG_BLK_DEV_RAM)", strerror(errno));
	if (ioctl(fd, BLKGETSIZE64, &there) || there < bytes)
		fail(run, RAM_DISK " has %" PRIu64 " bytes, fewer than %" PRIu64, there, bytes);
	else if (ram_disk_pages_with(0, bytes) != bytes / page_bytes())
		fail(run, RAM_DISK " is not empty; it is left alone");
	else
		return fd;
	close(fd);
	return -1;
}

void ram_disk_clear(uint64_t bytes)
{
	static const char nothing[MIN_PAGE_BYTES];
	int fd = open(RAM_DISK, O_WRONLY | O_EXCL | O_CLOEXEC);

	for (uint64_t at = 0; fd >= 0 && at < bytes; at += sizeof(nothing))
		if (pwrite(fd, nothing, sizeof(nothing), (off_t)at) != (ssize_t)sizeof(nothing))
			break;
	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
}
