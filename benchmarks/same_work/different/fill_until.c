// SPDX-License-Identifier: GPL-2.0-only
/* inconclusive: fills a file in memory until 3 ms have passed, and cuts it in a region. */
/* options: --from checkpoint --to done */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PAGES 4096

__attribute__((noinline)) void checkpoint(void)
{
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) void done(void)
{
	__asm__ volatile("" ::: "memory");
}

static long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000L + time.tv_nsec;
}

int main(void)
{
	int file = memfd_create("filled", 0);

	for (int round = 0; round < 5; round++) {
		long start = now();
		char *p;

		if (ftruncate(file, PAGES * 4096L))
			return 1;
		p = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
		for (int i = 0; i < PAGES && now() - start < 3000000; i++)
			p[i * 4096L] = 1;
		munmap(p, PAGES * 4096);
		checkpoint();
		if (ftruncate(file, 0))
			return 1;
		done();
	}
	return 0;
}
