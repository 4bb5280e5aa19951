// SPDX-License-Identifier: GPL-2.0-only
/* different-work: forks children, one after another, until 4 ms have passed. */
#include <stdio.h>
#include <sys/wait.h>
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
	long start = now_ns();
	int forks = 0;

	while (now_ns() - start < 4000000) {
		if (fork() == 0)
			_exit(0);
		wait(NULL);
		forks++;
	}
	printf("forks %d\n", forks);
	return 0;
}
