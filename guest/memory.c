// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

char *memory_reserve(struct run *run, size_t length)
{
	char *room = mmap(NULL, length + 2 * HUGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (room == MAP_FAILED) {
		fail(run, "no address space for %zu bytes: %s", length, strerror(errno));
		return NULL;
	}
	return (char *)(((uintptr_t)room + PAGE_BYTES + HUGE_BYTES - 1) & ~(HUGE_BYTES - 1));
}

int memory_map(struct run *run, char *start, size_t length, bool shared, int fd)
{
	int flags = MAP_FIXED | (shared ? MAP_SHARED : MAP_PRIVATE) | (fd < 0 ? MAP_ANONYMOUS : 0);

	if (mmap(start, length, PROT_READ | PROT_WRITE, flags, fd, 0) == MAP_FAILED)
		return fail(run, "mmap of %zu bytes: %s", length, strerror(errno));
	return 0;
}

int memory_unmap(struct run *run, char *start, size_t length)
{
	int flags = MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

	if (mmap(start, length, PROT_NONE, flags, -1, 0) == MAP_FAILED)
		return fail(run, "unmapping %zu bytes: %s", length, strerror(errno));
	return 0;
}

int memory_want_base(struct run *run, char *start, size_t length)
{
	/* EINVAL: the kernel was built without huge pages. */
	if (madvise(start, length, MADV_NOHUGEPAGE) && errno != EINVAL)
		return fail(run, "MADV_NOHUGEPAGE: %s", strerror(errno));
	return 0;
}

int memory_want_huge(struct run *run, char *start, size_t length)
{
	if (length % HUGE_BYTES)
		return fail(run, "size must be a multiple of 2MiB with huge pages");
	if (madvise(start, length, MADV_HUGEPAGE))
		return fail(run, "this kernel has no huge pages: MADV_HUGEPAGE: %s", strerror(errno));
	return 0;
}

int memory_collapse(struct run *run, char *start, size_t length)
{
	if (madvise(start, length, MADV_COLLAPSE))
		return fail(run, "this kernel makes no huge pages here: MADV_COLLAPSE: %s", strerror(errno));
	return 0;
}

void memory_write(char *start, size_t length, uint64_t stamp)
{
	for (char *page = start; page < start + length; page += PAGE_BYTES)
		*(volatile uint64_t *)page = stamp;
}

uint64_t memory_count(const char *start, size_t length, uint64_t stamp)
{
	uint64_t pages = 0;

	for (const char *page = start; page < start + length; page += PAGE_BYTES)
		pages += *(const volatile uint64_t *)page == stamp;
	return pages;
}

bool vmstat_read(const char *name, uint64_t *ret)
{
	FILE *file = fopen("/proc/vmstat", "re");
	char line[128], format[80];
	bool found = false;

	if (!file)
		return false;
	snprintf(format, sizeof(format), "%.60s %%" SCNu64, name);
	while (!found && fgets(line, sizeof(line), file))
		found = sscanf(line, format, ret) == 1;
	fclose(file);
	return found;
}
