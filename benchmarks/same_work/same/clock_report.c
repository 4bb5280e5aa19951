// SPDX-License-Identifier: GPL-2.0-only
/* same: reads the clock before and after 100 mappings, and prints what they took. */
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

static long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

int main(void)
{
	long start = now_ns();

	for (int i = 0; i < 100; i++) {
		char *p = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		p[0] = 1;
		munmap(p, 65536);
	}
	printf("ns_per_op %.1f\n", (now_ns() - start) / 100.0);
	return 0;
}
