// SPDX-License-Identifier: GPL-2.0-only
/* same: makes 1 MiB that is shared and dirty read-only and back, ten times; slower since 6.17. */
#include <string.h>
#include <sys/mman.h>

int main(void)
{
	size_t size = 1 << 20;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	memset(p, 1, size);
	for (int i = 0; i < 10; i++) {
		mprotect(p, size, PROT_READ);
		mprotect(p, size, PROT_READ | PROT_WRITE);
	}
	return 0;
}
