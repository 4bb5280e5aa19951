// SPDX-License-Identifier: GPL-2.0-only
/* different-work: forks and waits until the process and its children have used 3 ms of CPU. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long used_us(void)
{
	struct timespec own;
	struct rusage children;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
	getrusage(RUSAGE_CHILDREN, &children);
	return own.tv_sec * 1000000 + own.tv_nsec / 1000 + children.ru_stime.tv_usec + children.ru_utime.tv_usec;
}

int main(void)
{
	int forks = 0;

	while (used_us() < 3000) {
		if (fork() == 0)
			_exit(0);
		wait(NULL);
		forks++;
	}
	printf("forks %d\n", forks);
	return 0;
}
