// SPDX-License-Identifier: GPL-2.0-only
/* same: reads the clock around each of 300 calls, and prints minimum, mean and maximum. */
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

int main(void)
{
	long least = 1000000000, most = 0, sum = 0;

	for (int i = 0; i < 300; i++) {
		long start = now_ns(), took;

		syscall(SYS_getppid);
		took = now_ns() - start;
		sum += took;
		least = took < least ? took : least;
		most = took > most ? took : most;
	}
	printf("least=%ld mean=%.2f most=%ld ns\n", least, sum / 300.0, most);
	return 0;
}
