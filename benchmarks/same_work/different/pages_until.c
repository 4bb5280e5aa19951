// SPDX-License-Identifier: GPL-2.0-only
/* different-work: touches new pages until 2 ms have passed; it makes no system call meanwhile. */
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
	size_t size = 64 << 20, at = 0;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long start;

	madvise(p, size, MADV_NOHUGEPAGE);
	start = now_ns();
	while (now_ns() - start < 2000000 && at < size) {
		p[at] = 1;
		at += 4096;
	}
	printf("pages %zu\n", at / 4096);
	return 0;
}
