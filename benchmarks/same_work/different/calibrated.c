// SPDX-License-Identifier: GPL-2.0-only
/* different-work: times a few rounds of faults, and works out from it how many take 4 ms. */
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

static long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void work(char *p, int rounds)
{
	for (int i = 0; i < rounds; i++) {
		for (int at = 0; at < 8 * 4096; at += 4096)
			p[at] = 1;
		madvise(p, 8 * 4096, MADV_DONTNEED);
	}
}

int main(void)
{
	char *p = mmap(NULL, 8 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long start = now_ns(), took;
	int rounds;

	work(p, 16);
	took = now_ns() - start;
	rounds = 4000000L * 16 / took;
	work(p, rounds);
	printf("rounds %d\n", rounds);
	return 0;
}
