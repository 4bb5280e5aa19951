// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "zram_device.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/swap.h>
#include <unistd.h>

#include "number.h"

#define DEVICE "/dev/zram0"
#define SYSFS "/sys/block/zram0/"

static bool configured;
static char sentence[256];

__attribute__((format(printf, 1, 2))) static const char *because(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	return sentence;
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
static const char *write_header(uint64_t pages, size_t size)
{
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
		return because("writing a swap header to " DEVICE ": %s", strerror(errno));
	return NULL;
}

const char *zram_device_on(uint64_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const char *why;
	char text[32];
	uint64_t used;

	if (read_number_file(SYSFS "disksize", &used))
		return because("no zram device: " SYSFS "disksize: %s", strerror(errno));
	if (used)
		return because(DEVICE " is in use (disksize %" PRIu64 "); it is left alone", used);
	snprintf(text, sizeof(text), "%" PRIu64, size);
	if (write_text(SYSFS "disksize", text))
		return because("setting " SYSFS "disksize to %s: %s", text, strerror(errno));
	configured = true;
	why = write_header(size / page, page);
	if (why)
		return why;
	if (swapon(DEVICE, 0))
		return because("swapon " DEVICE ": %s", strerror(errno));
	return NULL;
}

void zram_device_off(void)
{
	if (!configured)
		return;
	swapoff(DEVICE);
	write_text(SYSFS "reset", "1");
	configured = false;
}
