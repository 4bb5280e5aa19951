// SPDX-License-Identifier: GPL-2.0-only
/* Primes below a million, by a sieve. */
#include <stdio.h>
#include <string.h>

#define MOST 1000000

static unsigned char composite[MOST];

int main(void)
{
	int count = 0;

	for (int i = 2; i < MOST; i++) {
		if (composite[i])
			continue;
		count++;
		for (long j = (long)i * i; j < MOST; j += i)
			composite[j] = 1;
	}
	printf("primes=%d\n", count);
	return 0;
}
