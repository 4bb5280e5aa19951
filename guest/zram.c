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

#include "memory.h"
#include "number.h"

#define DEVICE "/dev/zram0"
#define SYSFS "/sys/block/zram0/"

static bool configured;

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
	size_t size = page_bytes();
	char *page = calloc(1, size);
	const uint32_t info[2] = { 1, (uint32_t)(pages - 1) };
	int fd = open(DEVICE, O_WRONLY | O_CLOEXEC);
	ssize_t done = -1;

	if (page && fd >= 0) {
		memcpy(page + 1024, info, sizeof(info));
		memcpy(page + size - 10, "SWAPSPACE2", 10);
		done = write(fd, page, size);
	}
	free(page);
	if (fd >= 0 && (fsync(fd) || close(fd)))
		done = -1;
	if (done != (ssize_t)size)
		return fail(run, "writing a swap header to " DEVICE ": %s", strerror(errno));
	return 0;
}

int zram_swapon(struct run *run, uint64_t size)
{
	char text[32];
	uint64_t used;

	if (read_number_file(SYSFS "disksize", &used))
		return fail(run, "no zram device: " SYSFS "disksize: %s", strerror(errno));
	if (used)
		return fail(run, DEVICE " is in use (disksize %" PRIu64 "); it is left alone", used);
	snprintf(text, sizeof(text), "%" PRIu64, size);
	if (write_text(SYSFS "disksize", text))
		return fail(run, "setting " SYSFS "disksize to %s: %s", text, strerror(errno));
	configured = true;
	if (write_header(run, size / page_bytes()))
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
