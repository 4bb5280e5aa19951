// SPDX-License-Identifier: GPL-2.0-only
/* different-work: asks for its parent until 2 ms have passed. */
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
	struct timespec start, t;
	long calls = 0;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		syscall(SYS_getppid);
		calls++;
		clock_gettime(CLOCK_MONOTONIC, &t);
	} while ((t.tv_sec - start.tv_sec) * 1000000000L + t.tv_nsec - start.tv_nsec < 2000000);
	printf("calls %ld\n", calls);
	return 0;
}
