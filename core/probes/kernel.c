// SPDX-License-Identifier: GPL-2.0-only
/* What the running kernel does for a program: entry and exit, faults, unmapping, changed permissions. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe.h"

#define COUNT 512UL /* pages of the area: as many as one page table maps */

static char *area;

static const char *map(void)
{
	char *raw;

	if (area)
		return NULL;
	raw = mmap(NULL, 2 * HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (raw == MAP_FAILED)
		return "no memory";
	area = (char *)(((uintptr_t)raw + HUGE - 1) & ~(HUGE - 1));
	madvise(area, COUNT * PAGE, MADV_NOHUGEPAGE);
	return NULL;
}

static const char *prepare(uint64_t argument)
{
	(void)argument;
	return map();
}

static void touch(void)
{
	for (size_t i = 0; i < COUNT; i++)
		*(volatile char *)(area + i * PAGE) = 1;
}

static void drop(void)
{
	madvise(area, COUNT * PAGE, MADV_DONTNEED);
}

static uint64_t entry(uint64_t operations)
{
	for (uint64_t i = 0; i < operations; i++)
		sink += (uint64_t)syscall(SYS_getppid);
	return operations;
}

/* A number that no system call has: entry and exit alone. */
static uint64_t entry_bare(uint64_t operations)
{
	for (uint64_t i = 0; i < operations; i++)
		sink += (uint64_t)syscall(100000);
	return operations;
}

static uint64_t fault_write(uint64_t operations)
{
	(void)operations;
	touch();
	return COUNT;
}

/* Maps the one page of zeroes, over and over. */
static uint64_t fault_read(uint64_t operations)
{
	(void)operations;
	for (size_t i = 0; i < COUNT; i++)
		sink += (uint64_t)*(volatile char *)(area + i * PAGE);
	return COUNT;
}

static uint64_t discard(uint64_t operations)
{
	(void)operations;
	drop();
	return COUNT;
}

/* Pages for each change of permission, of the area's first ones. */
static uint64_t changed;

static const char *prepare_protect(uint64_t pages)
{
	changed = pages;
	return map();
}

static void touch_first(void)
{
	mprotect(area, COUNT * PAGE, PROT_READ | PROT_WRITE);
	touch();
}

/* An operation: one page to read-only and back, without a touch in between. */
static uint64_t protect(uint64_t operations)
{
	for (uint64_t i = 0; i < operations; i++) {
		mprotect(area, changed * PAGE, PROT_READ);
		mprotect(area, changed * PAGE, PROT_READ | PROT_WRITE);
	}
	return operations * changed;
}

static uint64_t protect_operations(uint64_t pages)
{
	return pages < 64 ? 64 / pages : 2;
}

/* As protect, and each page is written after: a fault and a walk a page. */
static uint64_t protect_touch(uint64_t operations)
{
	for (uint64_t i = 0; i < operations; i++) {
		mprotect(area, changed * PAGE, PROT_READ);
		mprotect(area, changed * PAGE, PROT_READ | PROT_WRITE);
		for (size_t page = 0; page < changed; page++)
			*(volatile char *)(area + page * PAGE) = 2;
	}
	return operations * changed;
}

/* An area of its own each time: mapped, written, unmapped. */
static uint64_t map_cycle(uint64_t operations)
{
	for (uint64_t i = 0; i < operations; i++) {
		char *made = mmap(NULL, changed * PAGE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (made == MAP_FAILED)
			continue;
		for (size_t page = 0; page < changed; page++)
			*(volatile char *)(made + page * PAGE) = 1;
		munmap(made, changed * PAGE);
	}
	return operations * changed;
}

const struct probe kernel_probes[] = {
	{ "entry", NULL, NULL, entry, 300, NULL },
	{ "entry_bare", NULL, NULL, entry_bare, 300, NULL },
	{ "fault_write", prepare, drop, fault_write, 1, NULL },
	{ "fault_read", prepare, drop, fault_read, 1, NULL },
	{ "discard", prepare, touch, discard, 1, NULL },
	{ "protect", prepare_protect, touch_first, protect, 0, protect_operations },
	{ "protect_touch", prepare_protect, touch_first, protect_touch, 0, protect_operations },
	{ "map_cycle", prepare_protect, NULL, map_cycle, 0, protect_operations },
	{ 0 },
};
