// SPDX-License-Identifier: GPL-2.0-only
// MADV_PAGEOUT of 16 MiB of huge pages, then a write to each page of 4 KiB: touch() to touched() is the region. What
// the advice splits is then reached by smaller translations.
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/mman.h>

#define HUGE (2UL << 20)
#define SIZE (16UL << 20)
#define ROUNDS 6

__attribute__((noinline)) void touch(char *range)
{
	for (unsigned long at = 0; at < SIZE; at += 4096)
		range[at] = 2;
}

__attribute__((noinline)) void touched(void)
{
	__asm__ volatile("");
}

int main(void)
{
	char *mapped = mmap(NULL, SIZE + HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mapped == MAP_FAILED)
		return 2;
	char *range = (char *)(((unsigned long)mapped + HUGE - 1) & ~(HUGE - 1));

	for (int round = 0; round < ROUNDS; round++) {
		if (madvise(range, SIZE, MADV_HUGEPAGE))
			return 3;
		for (unsigned long at = 0; at < SIZE; at += 4096)
			range[at] = 1;
		if (madvise(range, SIZE, MADV_PAGEOUT))
			return 4;
		touch(range);
		touched();
		if (madvise(range, SIZE, MADV_DONTNEED))
			return 5;
	}
	return 0;
}
