// SPDX-License-Identifier: GPL-2.0-only
/* Greatest common divisors of pairs of numbers, by divisions. */
#include <stdio.h>

static int common(int a, int b)
{
	while (b) {
		int rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

int main(void)
{
	long sum = 0;

	for (int a = 1; a < 500; a++)
		for (int b = 1; b < 500; b++)
			sum += common(a * 1000 + 7, b * 777 + 3);
	printf("sum=%ld\n", sum);
	return 0;
}
