// SPDX-License-Identifier: GPL-2.0-only
// mincore() of 4 MiB that hold what the argument says: none, base, huge, folios, shmem, file or holes. Each round asks once.
// Folios of other orders are the kernel's choice: kassay's --mthp.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096UL
#define PAGES 1024UL
#define HUGE (2UL << 20)

static unsigned char resident[PAGES];

__attribute__((noinline)) int ask(void *range)
{
	return mincore(range, PAGES * PAGE, resident);
}

__attribute__((noinline)) void asked(void)
{
	__asm__ volatile("");
}

static char *map(const char *what)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS, fd = -1;

	if (!strcmp(what, "shmem"))
		flags = MAP_SHARED | MAP_ANONYMOUS;
	if (!strcmp(what, "file")) {
		flags = MAP_SHARED;
		fd = open("range.bin", O_RDWR | O_CREAT | O_TRUNC, 0600);
		if (fd < 0 || ftruncate(fd, PAGES * PAGE))
			exit(2);
	}
	char *range = mmap(NULL, PAGES * PAGE + HUGE, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (range == MAP_FAILED)
		exit(2);
	return fd < 0 ? (char *)(((unsigned long)range + HUGE - 1) & ~(HUGE - 1)) : range;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "base";
	char *range = map(what);
	unsigned long step = !strcmp(what, "holes") ? 2 : 1, found = 0;

	if (strcmp(what, "huge") && strcmp(what, "folios"))
		madvise(range, PAGES * PAGE, MADV_NOHUGEPAGE);
	for (unsigned long page = 0; page < PAGES && strcmp(what, "none"); page += step)
		range[page * PAGE] = 1;
	int failed = ask(range);

	asked();
	if (failed)
		return 2;
	for (unsigned long page = 0; page < PAGES; page++)
		found += resident[page] & 1;
	printf("operations: %lu\nresident: %lu\n", PAGES, found);
	return 0;
}
