// SPDX-License-Identifier: GPL-2.0-only
/* different-work: a child works out a length from the clock, and populates that much at once. */
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void populate(size_t size)
{
	munmap(mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0), size);
}

int main(void)
{
	if (fork() == 0) {
		long start = now_ns(), took;

		populate(128 * 4096);
		took = now_ns() - start;
		populate((size_t)(128 * 2000000L / took) * 4096);
		_exit(0);
	}
	wait(NULL);
	puts("done");
	return 0;
}
