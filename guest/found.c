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
#include "cached.h"
#include "call_names.h"
#include "found.h"
#include "ranges.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define MOST_PAGES (1UL << 18) /* that are looked at in one execution: about 100 ms of guest time */
#define MOST_OF_RANGE (1UL << 14) /* its first pages */
#define MOST_OF_ALL (1UL << 20) /* resident pages of processes and cached ones of files, which the kernel counts */
#define ENTRIES_AT_ONCE 2048
#define OF_PROCESS "/proc/N/" /* begins a target that is a file of a process */
/* Of an entry: Documentation/admin-guide/mm/pagemap.rst. */
#define PRESENT (1ULL << 63)
#define SWAPPED (1ULL << 62)
#define MOST_SERIES 4096 /* all calls that are watched of the first process (results.c) */
#define EACH_BYTES 160 /* of the text of a step */

/* Calls that copy the memory of the process, or drop it. clone() only where the new task does not share it. */
static const uint64_t on_all[] = {
	__NR_clone,  __NR_clone3, __NR_execve, __NR_exit_group, __NR_mlockall, __NR_munlockall,
#ifdef __x86_64__
	__NR_fork,
#endif
};

static struct found sums[2][CALL_NUMBERS];
static uint64_t made[2]; /* calls */
static uint64_t looked_at, walked, asked; /* pages */

/* What the calls of the first process found, in their order; once for calls of a name that find the same in turn. */
static struct {
	uint64_t number, times;
	struct memory memory;
} series[MOST_SERIES];
static size_t steps, last[CALL_NUMBERS]; /* the step of each name behind its last one */

/* The pagemap that is open, for all ranges of a call, and what they hold. */
static struct {
	pid_t pid;
	int fd;
	struct memory memory;
} map = { .fd = -1 };

static int open_file(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static void close_map(void)
{
	if (map.fd >= 0)
		close(map.fd);
	map.fd = -1;
}

/* Counts the pages of a range that are present, and those that are in swap. */
static void look_at(pid_t pid, struct range range)
{
	static uint64_t entries[ENTRIES_AT_ONCE];
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t at = range.start / page, end = (range.start + range.length + page - 1) / page;

	if (looked_at >= MOST_PAGES)
		return;
	if (map.fd < 0 || map.pid != pid) {
		close_map();
		map.pid = pid;
		map.fd = open_file(pid, "pagemap");
	}
	end = end - at > MOST_OF_RANGE ? at + MOST_OF_RANGE : end;
	while (map.fd >= 0 && at < end && looked_at < MOST_PAGES) {
		size_t most = end - at < ENTRIES_AT_ONCE ? end - at : ENTRIES_AT_ONCE;
		ssize_t got = pread(map.fd, entries, most * sizeof(*entries), (off_t)(at * sizeof(*entries)));

		if (got < (ssize_t)sizeof(*entries))
			break;
		for (size_t i = 0; i < (size_t)got / sizeof(*entries); i++) {
			map.memory.bytes += entries[i] & PRESENT ? page : 0;
			map.memory.swapped_bytes += entries[i] & SWAPPED ? page : 0;
		}
		at += (size_t)got / sizeof(*entries);
		looked_at += (size_t)got / sizeof(*entries);
	}
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

static struct memory memory_of(pid_t pid)
{
	struct memory ret = { 0 };
	char text[4096];

	/* Counters of processes are late, and differ by that between kernels: this file walks the tables. */
	read_text(pid, "smaps_rollup", text, sizeof(text));
	walked += bytes_of(text, "Rss:") / (uint64_t)sysconf(_SC_PAGESIZE);
	ret.bytes = bytes_of(text, "Anonymous:");
	ret.swapped_bytes = bytes_of(text, "Swap:");
	ret.huge_bytes = bytes_of(text, "AnonHugePages:");
	read_text(pid, "status", text, sizeof(text));
	ret.table_bytes = bytes_of(text, "VmPTE:");
	ret.mappings = count_mappings(pid);
	return ret;
}

/* Adds to the sums of a name, and to the series of the first process. */
static void add(enum caller caller, uint64_t number, struct memory memory)
{
	struct found *sum = &sums[caller][number];

	sum->memory.bytes += memory.bytes;
	sum->memory.swapped_bytes += memory.swapped_bytes;
	sum->memory.cached_bytes += memory.cached_bytes;
	sum->memory.huge_bytes += memory.huge_bytes;
	sum->memory.mappings += memory.mappings;
	sum->memory.table_bytes += memory.table_bytes;
	if (caller != FIRST)
		return;
	if (last[number] && !memcmp(&series[last[number] - 1].memory, &memory, sizeof(memory))) {
		series[last[number] - 1].times++;
	} else if (steps < MOST_SERIES) {
		series[steps].number = number;
		series[steps].times = 1;
		series[steps].memory = memory;
		last[number] = ++steps;
	}
}

void found_note(pid_t pid, enum caller caller, uint64_t number, const uint64_t *args, const char *target)
{
	bool all = is_among(on_all, COUNT(on_all), number) && !(clone_flags(pid, number, args) & CLONE_VM);
	struct found *sum = &sums[caller][number < CALL_NUMBERS ? number : 0];
	bool left = looked_at < MOST_PAGES;
	struct part part;
	uint64_t cached;

	if (number >= CALL_NUMBERS)
		return;
	sum->before += made[caller]++;
	sum->calls++;
	map.memory = (struct memory){ 0 };
	if (ranges_visit(pid, number, args, target, look_at)) {
		close_map();
		if (!left)
			return;
		sum->looked++;
		add(caller, number, map.memory);
	} else if ((all || !strncmp(target, OF_PROCESS, strlen(OF_PROCESS))) && walked < MOST_OF_ALL) {
		sum->looked++;
		sum->faults += faults_taken(pid);
		add(caller, number, memory_of(pid));
	} else if (strcmp(target, TARGET_OUTPUT) && asked < MOST_OF_ALL && part_given(pid, number, args, &part) &&
		   bytes_cached(pid, part, &cached)) {
		asked += cached / (uint64_t)sysconf(_SC_PAGESIZE);
		sum->files++;
		add(caller, number, (struct memory){ .cached_bytes = cached });
	}
}

struct found found_by(enum caller caller, uint64_t number)
{
	return number < CALL_NUMBERS ? sums[caller][number] : (struct found){ 0 };
}

/* Writes the numbers of a step, as far as the last that is not 0. */
static size_t write_step(size_t step, char *text, size_t size)
{
	const struct memory *memory = &series[step].memory;
	uint64_t numbers[] = { memory->bytes >> 10, memory->swapped_bytes >> 10, memory->cached_bytes >> 10,
			       memory->huge_bytes >> 10, memory->mappings, memory->table_bytes >> 10 };
	size_t count = COUNT(numbers), used = (size_t)snprintf(text, size, "%" PRIu64, series[step].times);

	while (count > 1 && !numbers[count - 1])
		count--;
	for (size_t i = 0; i < count; i++)
		used += (size_t)snprintf(text + used, size - used, "%c%" PRIu64, i ? '/' : ':', numbers[i]);
	return used;
}

size_t found_each(uint64_t number, char *text, size_t size)
{
	size_t used = 0;

	for (size_t step = 0; step < steps; step++) {
		if (series[step].number != number)
			continue;
		if (used + EACH_BYTES > size) {
			used = 0;
			break;
		}
		text[used] = ',';
		used += !!used;
		used += write_step(step, text + used, size - used);
	}
	if (!used)
		text[used++] = '-';
	text[used] = '\0';
	return used;
}
