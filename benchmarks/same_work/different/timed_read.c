// SPDX-License-Identifier: GPL-2.0-only
/* different-work: reads as much of a file at once as it read per ms before: as many calls, other bytes. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

int main(void)
{
	size_t size = 4 << 20, part = 64 << 10;
	char *text = calloc(1, size);
	int fd = open("timed", O_RDWR | O_CREAT, 0600);
	long start, took;
	ssize_t got;

	if (write(fd, text, size) != (ssize_t)size)
		return 1;
	start = now_ns();
	if (pread(fd, text, part, 0) != (ssize_t)part)
		return 1;
	took = now_ns() - start;
	part = part * 100000 / took;
	got = pread(fd, text, part < size ? part : size, 0);
	close(fd);
	unlink("timed");
	printf("bytes %zd\n", got);
	return got < 0;
}
