// SPDX-License-Identifier: GPL-2.0-only
/* different-work: touches eight pages and gives them back until it has used 3 ms of CPU, for which it asks the kernel. */
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

static long used_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

int main(void)
{
	size_t size = 8 * 4096;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long start = used_ns();

	while (used_ns() - start < 3000000) {
		for (size_t at = 0; at < size; at += 4096)
			p[at] = 1;
		madvise(p, size, MADV_DONTNEED);
	}
	puts("done");
	return 0;
}
