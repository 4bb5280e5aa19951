// SPDX-License-Identifier: GPL-2.0-only
/* different-work: touches eight pages and gives them back until the cycle counter has moved by four millions. */
#include <stdio.h>
#include <sys/mman.h>
#include <x86intrin.h>

static void work(char *p)
{
	for (int at = 0; at < 8 * 4096; at += 4096)
		p[at] = 1;
	madvise(p, 8 * 4096, MADV_DONTNEED);
}

int main(void)
{
	char *p = mmap(NULL, 8 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long long start = __rdtsc();
	long ops = 0;

	while (__rdtsc() - start < 4000000) {
		work(p);
		ops++;
	}
	printf("ops %ld\n", ops);
	return 0;
}
