// SPDX-License-Identifier: GPL-2.0-only
/* different-work: tries a guard page up to 300 times, until it succeeds. */
#include <stdio.h>
#include <sys/mman.h>

int main(void)
{
	char *p = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int tries = 0;

	while (tries < 300 && madvise(p, 4096, 102))
		tries++;
	printf("tries %d\n", tries);
	return 0;
}
