// SPDX-License-Identifier: GPL-2.0-only
/* same: writes into a pipe that must not block until it is full (EAGAIN), and reads all; 16 times. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>

int main(void)
{
	static char part[4096];
	int ends[2];

	if (pipe2(ends, O_NONBLOCK))
		return 1;
	for (int i = 0; i < 16; i++) {
		while (write(ends[1], part, sizeof(part)) > 0)
			;
		while (read(ends[0], part, sizeof(part)) > 0)
			;
	}
	return 0;
}
