// SPDX-License-Identifier: GPL-2.0-only
/* different-work: reads /proc/vmstat 20 times, which is longer on one kernel. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	static char text[65536];
	ssize_t got = 0;

	for (int i = 0; i < 20; i++) {
		int fd = open("/proc/vmstat", O_RDONLY);

		got = read(fd, text, sizeof(text));
		close(fd);
	}
	printf("bytes %zd\n", got);
	return 0;
}
