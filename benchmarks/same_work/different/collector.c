// SPDX-License-Identifier: GPL-2.0-only
/* different-work: an allocator that gives all memory back whenever 300 us have passed since it last did. */
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
	size_t size = 512 * 4096, at = 0;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long last = now_ns();
	int collections = 0;

	madvise(p, size, MADV_NOHUGEPAGE);
	for (int i = 0; i < 3000; i++) {
		p[at] = 1;
		at = (at + 4096) % size;
		if (now_ns() - last > 300000) {
			madvise(p, size, MADV_DONTNEED);
			collections++;
			at = 0;
			last = now_ns();
		}
	}
	printf("collections %d\n", collections);
	return 0;
}
