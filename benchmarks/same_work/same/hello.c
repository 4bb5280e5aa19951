// SPDX-License-Identifier: GPL-2.0-only
/* same: prints one line. */
#include <stdio.h>

int main(void)
{
	puts("hello, world");
	return 0;
}
