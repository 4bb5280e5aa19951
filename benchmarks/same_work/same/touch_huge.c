// SPDX-License-Identifier: GPL-2.0-only
/* same: asks for huge pages and writes 8 MiB. */
#include <string.h>
#include <sys/mman.h>

int main(void)
{
	size_t size = 8 << 20;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(p, size, MADV_HUGEPAGE);
	memset(p, 1, size);
	return p[4096] != 1;
}
