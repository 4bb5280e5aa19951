// SPDX-License-Identifier: GPL-2.0-only
/* different-work: touches 64 pages and gives them back for 3 ms, and prints how often it did so in a second. */
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(void)
{
	size_t size = 64 * 4096;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	double start = now(), end;
	long ops = 0;

	do {
		for (size_t at = 0; at < size; at += 4096)
			p[at] = 1;
		madvise(p, size, MADV_DONTNEED);
		ops++;
		end = now();
	} while (end - start < 0.003);
	printf("%.1f ops/s\n", (double)ops / (end - start));
	return 0;
}
