// SPDX-License-Identifier: GPL-2.0-only
/* different-work: touches a page for each of the last six bits of its process number, which starts elsewhere. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
	volatile char *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int pages = getpid() % 64;

	for (int i = 0; i < pages; i++)
		p[i * 4096] = 1;
	printf("pages %d\n", pages);
	return 0;
}
