// SPDX-License-Identifier: GPL-2.0-only
/* same: reads a mapped file of 2 MiB; a kernel maps more or fewer pages around each fault. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
	size_t size = 2 << 20;
	int fd = open("touched", O_RDWR | O_CREAT, 0600), sum = 0;
	char *text = calloc(1, size);
	volatile char *p;

	if (write(fd, text, size) != (ssize_t)size)
		return 1;
	p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	for (size_t at = 0; at < size; at += 4096)
		sum += p[at];
	close(fd);
	unlink("touched");
	return sum;
}
