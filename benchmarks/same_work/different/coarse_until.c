// SPDX-License-Identifier: GPL-2.0-only
/* different-work: touches eight pages and gives them back until the coarse clock, which reads no counter, has moved. */
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

static long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

int main(void)
{
	size_t size = 8 * 4096;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long start = now_ns(), ops = 0;

	while (now_ns() - start < 6000000) {
		for (size_t at = 0; at < size; at += 4096)
			p[at] = 1;
		madvise(p, size, MADV_DONTNEED);
		ops++;
	}
	printf("done\n");
	return ops == 0;
}
