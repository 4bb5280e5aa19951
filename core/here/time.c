// SPDX-License-Identifier: GPL-2.0-only
/*
 * here N SECONDS PROGRAM [ARGUMENT...]
 *
 * Executes a program N times on this machine, or until so many seconds have passed, and prints one line for each
 * execution: the time in ns that its processes were executed, in user mode and in the kernel, from the start of the
 * child to its end, and its wait status. Time in which other processes had the CPU is no part of it. Its layout is not randomised, as in the
 * guest, and nobody reads its output.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Executions that are made however long they take. */
#define LEAST 5

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_RAW, &time);
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static int64_t ns_of(struct timeval time)
{
	return time.tv_sec * INT64_C(1000000000) + time.tv_usec * INT64_C(1000);
}

int main(int argc, char **argv)
{
	long times = argc > 3 ? strtol(argv[1], NULL, 10) : 0;
	int64_t last = argc > 3 ? now() + strtol(argv[2], NULL, 10) * INT64_C(1000000000) : 0;
	int out = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
	FILE *results = out >= 0 ? fdopen(out, "w") : NULL;

	if (times <= 0 || nowhere < 0 || !results || fcntl(out, F_SETFD, FD_CLOEXEC)) {
		fprintf(stderr, "usage: here N SECONDS PROGRAM [ARGUMENT...]\n");
		return 2;
	}
	personality(ADDR_NO_RANDOMIZE);
	for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
		dup2(nowhere, stream);
	for (long i = 0; i < times && (i < LEAST || now() < last); i++) {
		struct rusage used;
		int status = 0;
		pid_t child = vfork();

		if (!child) {
			execv(argv[3], argv + 3);
			_exit(127);
		}
		if (child < 0 || wait4(child, &status, 0, &used) != child)
			return 1;
		fprintf(results, "%" PRId64 " %d\n", ns_of(used.ru_utime) + ns_of(used.ru_stime), status);
	}
	return fclose(results) ? 1 : 0;
}
