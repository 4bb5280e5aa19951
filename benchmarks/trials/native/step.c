// SPDX-License-Identifier: GPL-2.0-only
/*
 * Preloaded into every process of a command: the wall clock is off by as many seconds as the file TRIALS_STEP says,
 * 8 bytes that may change at any moment. Other clocks go on as they are.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *step;

__attribute__((constructor)) static void find_step(void)
{
	const char *path = getenv("TRIALS_STEP");
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	void *at = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof(*step), PROT_READ, MAP_SHARED, fd, 0);

	if (fd >= 0)
		close(fd);
	if (at != MAP_FAILED)
		step = at;
}

int clock_gettime(clockid_t clock, struct timespec *ret)
{
	int status = (int)syscall(SYS_clock_gettime, clock, ret);

	if (!status && step && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
		ret->tv_sec += *step;
	return status;
}

int gettimeofday(struct timeval *restrict ret, void *restrict zone)
{
	int status = (int)syscall(SYS_gettimeofday, ret, zone);

	if (!status && step)
		ret->tv_sec += *step;
	return status;
}

time_t time(time_t *ret)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (ret)
		*ret = now.tv_sec;
	return now.tv_sec;
}
