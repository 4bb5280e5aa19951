// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <asm/unistd.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "amounts.h"
#include "found.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define MOST_PAGES (1UL << 18) /* that are looked at in one execution: about 100 ms of guest time */
#define MOST_OF_RANGE (1UL << 14) /* its first pages */
#define MOST_OF_ALL (1UL << 20)	  /* resident pages of processes, for which the kernel walks its tables */
#define ENTRIES_AT_ONCE 2048
#define OF_PROCESS "/proc/N/" /* begins a target that is a file of a process */
#define PRESENT (1ULL << 63) /* of an entry: Documentation/admin-guide/mm/pagemap.rst */

/* Calls whose first two arguments are a range of memory. */
static const uint64_t on_ranges[] = {
	__NR_madvise, __NR_mprotect, __NR_pkey_mprotect, __NR_mincore, __NR_mremap, __NR_munmap,
	__NR_mlock,   __NR_mlock2,   __NR_munlock,	 __NR_msync,   __NR_mbind,  __NR_set_mempolicy_home_node,
};

/* Calls that copy the memory of the process, or drop it. clone() only where the new task does not share it. */
static const uint64_t on_all[] = {
	__NR_clone,  __NR_clone3, __NR_execve, __NR_exit_group, __NR_mlockall, __NR_munlockall,
#ifdef __x86_64__
	__NR_fork,
#endif
};

static struct found sums[2][CALL_NUMBERS];
static uint64_t made[2]; /* calls */
static uint64_t looked_at, walked; /* pages */

static int open_file(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Bytes of the pages that are present in a range. */
static uint64_t present_in(pid_t pid, uint64_t start, uint64_t length, uint64_t page)
{
	static uint64_t entries[ENTRIES_AT_ONCE];
	uint64_t at = start / page, end = (start + length + page - 1) / page, present = 0;
	int fd = open_file(pid, "pagemap");

	end = end - at > MOST_OF_RANGE ? at + MOST_OF_RANGE : end;
	while (fd >= 0 && at < end && looked_at < MOST_PAGES) {
		size_t most = end - at < ENTRIES_AT_ONCE ? end - at : ENTRIES_AT_ONCE;
		ssize_t got = pread(fd, entries, most * sizeof(*entries), (off_t)(at * sizeof(*entries)));

		if (got < (ssize_t)sizeof(*entries))
			break;
		for (size_t i = 0; i < (size_t)got / sizeof(*entries); i++)
			present += !!(entries[i] & PRESENT);
		at += (size_t)got / sizeof(*entries);
		looked_at += (size_t)got / sizeof(*entries);
	}
	if (fd >= 0)
		close(fd);
	return present * page;
}

static void read_text(pid_t pid, const char *name, char *ret, size_t size)
{
	int fd = open_file(pid, name);
	ssize_t got = fd < 0 ? 0 : read(fd, ret, size - 1);

	if (fd >= 0)
		close(fd);
	ret[got > 0 ? got : 0] = '\0';
}

/* Bytes in the line of a text that begins with @name, such as "Anonymous:"; 0 without it. */
static uint64_t bytes_of(const char *text, const char *name)
{
	const char *line = strstr(text, name);
	uint64_t kb;

	return line && sscanf(line + strlen(name), "%" SCNu64, &kb) == 1 ? kb << 10 : 0;
}

static uint64_t count_mappings(pid_t pid)
{
	static char text[1 << 14];
	int fd = open_file(pid, "maps");
	uint64_t lines = 0;
	ssize_t got;

	while (fd >= 0 && (got = read(fd, text, sizeof(text))) > 0) {
		for (ssize_t i = 0; i < got; i++)
			lines += text[i] == '\n';
	}
	if (fd >= 0)
		close(fd);
	return lines;
}

void found_note(pid_t pid, enum caller caller, uint64_t number, const uint64_t *args, const char *target)
{
	bool all = is_among(on_all, COUNT(on_all), number) && !(clone_flags(pid, number, args) & CLONE_VM);
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct found *sum = &sums[caller][number < CALL_NUMBERS ? number : 0];
	char text[4096];

	if (number >= CALL_NUMBERS)
		return;
	sum->before += made[caller]++;
	sum->calls++;
	if (is_among(on_ranges, COUNT(on_ranges), number) && looked_at < MOST_PAGES) {
		sum->bytes += present_in(pid, args[0], args[1], page);
	} else if ((all || !strncmp(target, OF_PROCESS, strlen(OF_PROCESS))) && walked < MOST_OF_ALL) {
		/* Counters of processes are late, and differ by that between kernels: this file walks the tables. */
		read_text(pid, "smaps_rollup", text, sizeof(text));
		walked += bytes_of(text, "Rss:") / page;
		sum->bytes += bytes_of(text, "Anonymous:");
		sum->huge_bytes += bytes_of(text, "AnonHugePages:");
		read_text(pid, "status", text, sizeof(text));
		sum->table_bytes += bytes_of(text, "VmPTE:");
		sum->mappings += count_mappings(pid);
		sum->faults += faults_taken(pid);
	} else {
		return;
	}
	sum->looked++;
}

struct found found_by(enum caller caller, uint64_t number)
{
	return number < CALL_NUMBERS ? sums[caller][number] : (struct found){ 0 };
}
