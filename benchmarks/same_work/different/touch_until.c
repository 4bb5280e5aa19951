// SPDX-License-Identifier: GPL-2.0-only
/* different-work: touches 256 pages and gives them back until 5 ms have passed, as most home-made benchmarks do. */
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

int main(void)
{
	size_t size = 256 * 4096;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	double start = now();
	long ops = 0;

	while (now() - start < 0.005) {
		for (size_t at = 0; at < size; at += 4096)
			p[at] = 1;
		madvise(p, size, MADV_DONTNEED);
		ops++;
	}
	printf("ops %ld\n", ops);
	return 0;
}
