// SPDX-License-Identifier: GPL-2.0-only
/* same: moves the program break by 32 KiB 50 times, touches that, and moves it back. */
#define _DEFAULT_SOURCE
#include <string.h>
#include <unistd.h>

int main(void)
{
	for (int i = 0; i < 50; i++)
		memset(sbrk(32768), 1, 32768);
	for (int i = 0; i < 50; i++)
		sbrk(-32768);
	return 0;
}
