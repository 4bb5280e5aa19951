// SPDX-License-Identifier: GPL-2.0-only
/* same: fills a file in memory with 600 pages, and cuts it in a region. */
/* options: --from checkpoint --to done */
#define _GNU_SOURCE
#include <sys/mman.h>
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

int main(void)
{
	int file = memfd_create("filled", 0);

	for (int round = 0; round < 5; round++) {
		char *p;

		if (ftruncate(file, PAGES * 4096L))
			return 1;
		p = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
		for (int i = 0; i < 600; i++)
			p[i * 4096L] = 1;
		munmap(p, PAGES * 4096);
		checkpoint();
		if (ftruncate(file, 0))
			return 1;
		done();
	}
	return 0;
}
