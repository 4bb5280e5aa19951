// SPDX-License-Identifier: GPL-2.0-only
/* different-work, inconclusive: stores 1024 bytes in 512 pages of a file, or in 1024, and cuts the file; six times. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#define SIZE (1024 * 4096)

int main(void)
{
	struct utsname names;
	int file = memfd_create("file", 0);
	unsigned long mask;
	char *pages;

	uname(&names);
	mask = SIZE / 2 - 1 + SIZE / 2 * (memcmp(names.release, "6.12", 4) != 0);
	pages = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	for (int round = 0; round < 6; round++) {
		if (ftruncate(file, SIZE))
			return 1;
		for (unsigned long at = 0; at < SIZE; at += 4096)
			pages[at & mask] = 1;
		if (ftruncate(file, 0))
			return 1;
	}
	return 0;
}
