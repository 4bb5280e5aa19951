// SPDX-License-Identifier: GPL-2.0-only
/* same: touches 256 pages and gives them back by MADV_DONTNEED, 20 times. */
#include <stddef.h>
#include <sys/mman.h>

int main(void)
{
	size_t size = 256 * 4096;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < 20; i++) {
		for (size_t at = 0; at < size; at += 4096)
			p[at] = 1;
		madvise(p, size, MADV_DONTNEED);
	}
	return 0;
}
