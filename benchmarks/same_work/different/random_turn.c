// SPDX-License-Identifier: GPL-2.0-only
/* different-work: getrandom() decides how many pages. */
#include <stdio.h>
#include <sys/mman.h>
#include <sys/random.h>

int main(void)
{
	volatile char *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char pages = 0;

	if (getrandom(&pages, 1, 0) != 1)
		return 1;
	for (int i = 0; i < pages; i++)
		p[i * 4096] = 1;
	printf("pages %d\n", pages);
	return 0;
}
