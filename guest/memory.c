// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "number.h"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

#define PMD_FILE "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size"

size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* A kernel without huge pages does not say; a table of 8-byte entries fills one page there as everywhere. */
size_t huge_page_bytes(void)
{
	static size_t known;
	uint64_t bytes;

	if (!known)
		known = read_number_file(PMD_FILE, &bytes) ? page_bytes() * (page_bytes() / 8) : bytes;
	return known;
}

uint64_t memory_reserve(struct run *run, size_t length)
{
	size_t huge = huge_page_bytes();
	char *room = mmap(NULL, length + 2 * huge, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (room == MAP_FAILED) {
		fail(run, "no address space for %zu bytes: %s", length, strerror(errno));
		return 0;
	}
	return ((uintptr_t)room + page_bytes() + huge - 1) & ~(huge - 1);
}

void memory_map(struct script *script, uint64_t *start, size_t length, bool shared, int fd)
{
	int flags = MAP_FIXED | (shared ? MAP_SHARED : MAP_PRIVATE) | (fd < 0 ? MAP_ANONYMOUS : 0);

	script_step(script, (struct step){ .run = step_call, .number = SYS_mmap, .start = start, .what = "mmap",
					   .args = { length, PROT_READ | PROT_WRITE, (uint64_t)flags, (uint64_t)fd } });
}

int memory_file(struct run *run, size_t length, uint64_t stamp)
{
	int fd = memfd_create("kassay", MFD_CLOEXEC);
	char *map;

	if (fd < 0 || ftruncate(fd, (off_t)length))
		return fail(run, "a file on tmpfs: %s", strerror(errno));
	map = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return fail(run, "mapping a file on tmpfs: %s", strerror(errno));
	memory_write(map, length, stamp, page_bytes());
	munmap(map, length);
	return fd;
}

void memory_unmap(struct script *script, uint64_t *start, size_t length)
{
	int flags = MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

	script_step(script, (struct step){ .run = step_call, .number = SYS_mmap, .start = start, .what = "unmapping",
					   .args = { length, PROT_NONE, (uint64_t)flags, UINT64_MAX } });
}

static struct step *advise(struct script *script, uint64_t *start, size_t length, int advice, const char *what)
{
	return script_step(script, (struct step){ .run = step_call, .number = SYS_madvise, .start = start, .what = what,
						  .args = { length, (uint64_t)advice } });
}

void memory_want_base(struct script *script, uint64_t *start, size_t length)
{
	/* EINVAL: the kernel was built without huge pages. */
	advise(script, start, length, MADV_NOHUGEPAGE, "MADV_NOHUGEPAGE")->tolerated = EINVAL;
}

void memory_want_huge(struct script *script, uint64_t *start, size_t length)
{
	advise(script, start, length, MADV_HUGEPAGE, "this kernel has no huge pages: MADV_HUGEPAGE");
}

int memory_only_base(struct run *run)
{
	/* EINVAL: the kernel was built without huge pages. */
	if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) && errno != EINVAL)
		return fail(run, "switching huge pages off: %s", strerror(errno));
	return 0;
}

int memory_check_huge(struct run *run, size_t length)
{
	if (length % huge_page_bytes())
		return fail(run, "size must be a multiple of %zu bytes with huge pages", huge_page_bytes());
	return 0;
}

void memory_collapse(struct script *script, uint64_t *start, size_t length)
{
	advise(script, start, length, MADV_COLLAPSE, "this kernel makes no huge pages here: MADV_COLLAPSE");
}

struct step *memory_fill(struct script *script, uint64_t *start, size_t length, uint64_t stamp)
{
	return script_step(script, (struct step){ .run = step_write, .start = start,
						  .args = { length, stamp, page_bytes() } });
}

void memory_write_byte(struct script *script, uint64_t *start, size_t length)
{
	script_step(script, (struct step){ .run = step_touch, .start = start, .args = { length, 0, page_bytes() } });
}

uint64_t memory_stamped(uint64_t start, size_t length, uint64_t stamp)
{
	return memory_count((const char *)(uintptr_t)start, length, stamp, page_bytes());
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
