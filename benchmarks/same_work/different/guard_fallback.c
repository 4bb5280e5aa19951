// SPDX-License-Identifier: GPL-2.0-only
/* different-work: makes 100 guards, by mprotect() where madvise() refuses. */
#include <stdio.h>
#include <sys/mman.h>

int main(void)
{
	char *p = mmap(NULL, 200 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fallback = 0;

	for (int i = 0; i < 100; i++) {
		char *guard = p + 2 * i * 4096;

		if (madvise(guard, 4096, 102)) {
			fallback++;
			mprotect(guard, 4096, PROT_NONE);
		}
	}
	printf("fallback %d\n", fallback);
	return 0;
}
