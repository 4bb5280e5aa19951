// SPDX-License-Identifier: GPL-2.0-only
/* same: counts cycles of 50 stat() calls and prints each figure. */
#include <stdio.h>
#include <sys/stat.h>
#include <x86intrin.h>

int main(void)
{
	struct stat status;

	for (int i = 0; i < 50; i++) {
		unsigned long long start = __rdtsc();

		stat("/data", &status);
		printf("%d: %llu cycles\n", i, __rdtsc() - start);
	}
	return 0;
}
