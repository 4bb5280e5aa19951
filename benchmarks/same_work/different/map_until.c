// SPDX-License-Identifier: GPL-2.0-only
/* different-work: maps and touches 16 pages until 5 ms have passed; the median round does as many on both kernels. */
/* options: --rounds 20 */
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

#define LENGTH (16 * 4096)

static long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000L + time.tv_nsec;
}

int main(void)
{
	long start = now(), ops = 0;

	do {
		volatile char *pages = mmap(NULL, LENGTH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (pages == MAP_FAILED)
			return 1;
		for (int i = 0; i < LENGTH; i += 4096)
			pages[i] = 1;
		munmap((void *)pages, LENGTH);
		ops++;
	} while (now() - start < 5000000);
	printf("ops %ld\n", ops);
	return 0;
}
