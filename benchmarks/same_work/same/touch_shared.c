// SPDX-License-Identifier: GPL-2.0-only
/* same: touches 2 MiB that are shared. */
#include <string.h>
#include <sys/mman.h>

int main(void)
{
	size_t size = 2 << 20;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	memset(p, 1, size);
	return p[4096] != 1;
}
