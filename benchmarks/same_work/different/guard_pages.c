// SPDX-License-Identifier: GPL-2.0-only
/* different-work: installs guard pages (MADV_GUARD_INSTALL, Linux 6.13), which 6.12 refuses each time. */
#include <stdio.h>
#include <sys/mman.h>

int main(void)
{
	size_t size = 1 << 20;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int failed = 0;

	for (int i = 0; i < 50; i++)
		failed += madvise(p, size, 102) != 0;
	printf("failed %d\n", failed);
	return 0;
}
