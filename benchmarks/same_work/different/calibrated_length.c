// SPDX-License-Identifier: GPL-2.0-only
/* different-work: times one populated mapping, and maps at once as much as takes 2 ms: as many calls, other lengths. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

static long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void populate(size_t pages)
{
	char *p = mmap(NULL, pages * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	munmap(p, pages * 4096);
}

int main(void)
{
	long start = now_ns(), took;

	populate(64);
	took = now_ns() - start;
	populate(2000000 * 64 / took);
	return 0;
}
