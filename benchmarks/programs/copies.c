// SPDX-License-Identifier: GPL-2.0-only
/* memcpy() of 4 KiB between sixteen buffers. */
#include <stdio.h>
#include <string.h>

static char buffers[16][4096];

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 4096; i++)
		buffers[0][i] = (char)i;
	for (int i = 0; i < 100000; i++) {
		memcpy(buffers[(i * 7 + 1) % 16], buffers[i % 16], sizeof(buffers[0]));
		asm volatile("" : : "r"(buffers) : "memory");
		sum += buffers[(i * 7 + 1) % 16][i % 4096];
	}
	printf("sum=%d\n", sum);
	return 0;
}
