// SPDX-License-Identifier: GPL-2.0-only
/* same: allocates, resizes and frees 2000 blocks of changing sizes. */
#include <stdlib.h>
#include <string.h>

int main(void)
{
	static char *blocks[64];
	unsigned int state = 1;

	for (int i = 0; i < 2000; i++) {
		size_t size;

		state = state * 1103515245 + 12345;
		size = (state >> 8) % 40000 + 1;
		free(blocks[i % 64]);
		blocks[i % 64] = malloc(size);
		memset(blocks[i % 64], 1, size);
		if (i % 3 == 0)
			blocks[i % 64] = realloc(blocks[i % 64], 2 * size);
	}
	return 0;
}
