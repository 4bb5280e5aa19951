// SPDX-License-Identifier: GPL-2.0-only
/* same: touches 128 pages and moves them by mremap() 40 times. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

int main(void)
{
	size_t size = 128 * 4096;
	char *a = mmap(NULL, 4 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *b = a + 2 * size;

	memset(a, 1, size);
	for (int i = 0; i < 40; i++) {
		char *to = i % 2 ? a : b;

		mremap(i % 2 ? b : a, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	}
	return 0;
}
