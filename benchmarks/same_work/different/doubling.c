// SPDX-License-Identifier: GPL-2.0-only
/* different-work: doubles its rounds until they take 1 ms. */
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
	long start, took, rounds = 1;

	do {
		rounds *= 2;
		start = now_ns();
		for (long i = 0; i < rounds; i++) {
			char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

			p[0] = 1;
			munmap(p, 4096);
		}
		took = now_ns() - start;
	} while (took < 1000000);
	printf("rounds %ld\n", rounds);
	return 0;
}
