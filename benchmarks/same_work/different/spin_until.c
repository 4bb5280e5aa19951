// SPDX-License-Identifier: GPL-2.0-only
/* different-work, equivalent, inconclusive: adds numbers until 2 ms have passed; that time is the same on all kernels. */
#include <stdio.h>
#include <time.h>

int main(void)
{
	struct timespec start, t;
	volatile long sum = 0;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		for (int i = 0; i < 10; i++)
			sum += i;
		clock_gettime(CLOCK_MONOTONIC, &t);
	} while ((t.tv_sec - start.tv_sec) * 1000000000L + t.tv_nsec - start.tv_nsec < 2000000);
	printf("sum %ld\n", sum);
	return 0;
}
