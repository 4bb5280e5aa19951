// SPDX-License-Identifier: GPL-2.0-only
/* same: touches 4 MiB; with huge pages or without, and the kernel decides for how many a fault stands. */
#include <stddef.h>
#include <sys/mman.h>

int main(void)
{
	size_t size = 4 << 20;
	volatile char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (size_t at = 0; at < size; at += 4096)
		p[at] = 1;
	return 0;
}
