// SPDX-License-Identifier: GPL-2.0-only
// MADV_PAGEOUT of 16 MiB under the system's huge page policy, then a write to each page: the workload of the first
// report. It prints nothing of its page state, so a comparison cannot see that the state differs.
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>

#define HUGE (2UL << 20)
#define SIZE (16UL << 20)

__attribute__((noinline)) void advise(char *range)
{
	madvise(range, SIZE, MADV_PAGEOUT);
}

__attribute__((noinline)) void advised(void)
{
	__asm__ volatile("");
}

int main(void)
{
	char *mapped = mmap(NULL, SIZE + HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mapped == MAP_FAILED)
		return 2;
	char *range = (char *)(((unsigned long)mapped + HUGE - 1) & ~(HUGE - 1));

	for (unsigned long at = 0; at < SIZE; at += 4096)
		range[at] = 1;
	advise(range);
	advised();
	for (unsigned long at = 0; at < SIZE; at += 4096)
		range[at] = 2;
	return 0;
}
