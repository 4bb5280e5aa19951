// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "zram.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/swap.h>
#include <unistd.h>

#define DEVICE "/dev/zram0"
#define SYSFS "/sys/block/zram0/"

static bool configured;

static int read_text(const char *path, char *ret, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, ret, size - 1);

	if (fd >= 0)
		close(fd);
	if (got < 0)
		return -1;
	ret[got] = '\0';
	return 0;
}

static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t done = fd < 0 ? -1 : write(fd, text, strlen(text));

	if (fd >= 0)
		close(fd);
	return done == (ssize_t)strlen(text) ? 0 : -1;
}

/* The header of include/linux/swap.h: version and last page at byte 1024, the magic at the page's end. */
static int write_header(struct run *run, uint64_t pages)
{
	static char page[PAGE_BYTES];
	const uint32_t info[2] = { 1, (uint32_t)(pages - 1) };
	int fd = open(DEVICE, O_WRONLY | O_CLOEXEC);
	ssize_t done;

	memcpy(page + 1024, info, sizeof(info));
	memcpy(page + PAGE_BYTES - 10, "SWAPSPACE2", 10);
	done = fd < 0 ? -1 : write(fd, page, sizeof(page));
	if (fd >= 0 && (fsync(fd) || close(fd)))
		done = -1;
	if (done != (ssize_t)sizeof(page))
		return fail(run, "writing a swap header to " DEVICE ": %s", strerror(errno));
	return 0;
}

int zram_swapon(struct run *run, uint64_t size)
{
	char text[32];

	if (read_text(SYSFS "disksize", text, sizeof(text)))
		return fail(run, "no zram device: " SYSFS "disksize: %s", strerror(errno));
	if (strtoull(text, NULL, 10))
		return fail(run, DEVICE " is in use (disksize %ld); it is left alone", strtol(text, NULL, 10));
	snprintf(text, sizeof(text), "%" PRIu64, size);
	if (write_text(SYSFS "disksize", text))
		return fail(run, "setting " SYSFS "disksize to %s: %s", text, strerror(errno));
	configured = true;
	if (write_header(run, size / PAGE_BYTES))
		return -1;
	if (swapon(DEVICE, 0))
		return fail(run, "swapon " DEVICE ": %s", strerror(errno));
	return 0;
}

void zram_swapoff(void)
{
	if (!configured)
		return;
	swapoff(DEVICE);
	write_text(SYSFS "reset", "1");
	configured = false;
}
