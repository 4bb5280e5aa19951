// SPDX-License-Identifier: GPL-2.0-only
/* same: sorts 20000 numbers; the kernel hardly takes part. */
#include <stdlib.h>

static int numbers[20000];

static int by_value(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

int main(void)
{
	unsigned int state = 1;

	for (int i = 0; i < 20000; i++) {
		state = state * 1103515245 + 12345;
		numbers[i] = state >> 8;
	}
	qsort(numbers, 20000, sizeof(int), by_value);
	return 0;
}
