// SPDX-License-Identifier: GPL-2.0-only
/* qsort() of random numbers. */
#include <stdio.h>
#include <stdlib.h>

#define N 60000

static unsigned int numbers[N];

static int compare(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return (x > y) - (x < y);
}

int main(void)
{
	unsigned int state = 12345;

	for (int i = 0; i < N; i++) {
		state = state * 1664525 + 1013904223;
		numbers[i] = state >> 4;
	}
	qsort(numbers, N, sizeof(*numbers), compare);
	printf("middle=%u\n", numbers[N / 2]);
	return 0;
}
