// SPDX-License-Identifier: GPL-2.0-only
/* For LD_PRELOAD: a counter of instructions. With SHARED in the environment it counts half of the time only. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t __read(int file, void *into, size_t size); /* glibc's own */

static int counter = -1;

long syscall(long number, ...)
{
	if (number != SYS_perf_event_open)
		abort();
	counter = open("/dev/null", O_RDONLY);
	return counter;
}

ssize_t read(int file, void *into, size_t size)
{
	static uint64_t values[3];

	if (file != counter)
		return __read(file, into, size);
	values[0] += 1000;
	values[1] += 200;
	values[2] += getenv("SHARED") ? 100 : 200;
	memcpy(into, values, size);
	return (ssize_t)size;
}
