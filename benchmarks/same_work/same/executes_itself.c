// SPDX-License-Identifier: GPL-2.0-only
/* same: replaces itself by itself five times. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int left = argc > 1 ? atoi(argv[1]) : 5;
	char next[12];

	if (!left)
		return 0;
	snprintf(next, sizeof(next), "%d", left - 1);
	execl("/proc/self/exe", argv[0], next, (char *)NULL);
	return 1;
}
