// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state audit: files of the kernel verbatim, absent ones as absent. Nothing
 * is parsed here, so that a better parser on the host also reads old runs.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run.h"
#include "runtimes.h"

#define THP "/sys/kernel/mm/transparent_hugepage/"
#define ZRAM "/sys/block/zram0/"
#define VULNERABILITIES "/sys/devices/system/cpu/vulnerabilities/"

static const char *const files[] = {
	"/proc/self/smaps",
	"/proc/self/status",
	"/proc/meminfo",
	"/proc/swaps",
	"/proc/cmdline",
	"/proc/version",
	"/proc/sys/vm/overcommit_memory",
	"/proc/sys/vm/swappiness",
	"/proc/sys/vm/max_map_count",
	"/sys/devices/system/cpu/online",
	THP "enabled",
	THP "defrag",
	THP "shmem_enabled",
	THP "use_zero_page",
	THP "khugepaged/defrag",
};

static const char *const zram_files[] = { ZRAM "mm_stat", ZRAM "comp_algorithm", ZRAM "disksize" };

static int is_size_directory(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "hugepages-", 10);
}

/* The policies per folio size, where the kernel has them. */
static void capture_sizes(struct run *run, const char *moment)
{
	struct dirent **entries;
	int count = scandir(THP, &entries, is_size_directory, alphasort);
	char path[sizeof(THP) + 256 + sizeof("/enabled")];

	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), THP "%s/enabled", entries[i]->d_name);
		emit_file(&run->stream, moment, path);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

static void capture_range(struct run *run, const char *moment)
{
	char name[64];

	if (!run->range_length)
		return;
	snprintf(name, sizeof(name), "%s:kassay/range", moment);
	emit_text(&run->stream, "file", name, "start 0x%" PRIxPTR " length %zu\n", (uintptr_t)run->range_start,
		  run->range_length);
	capture_pages(run, moment);
}

static void capture_files(struct run *run, const char *moment)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		emit_file(&run->stream, moment, files[i]);
	capture_sizes(run, moment);
	for (size_t i = 0; access(ZRAM, F_OK) == 0 && i < sizeof(zram_files) / sizeof(*zram_files); i++)
		emit_file(&run->stream, moment, zram_files[i]);
	for (size_t i = 0; i < run->captured_count; i++)
		emit_file(&run->stream, moment, run->captured[i]);
}

/* What changes by itself and is compared before with after: next to the measured region. */
static void capture_counters(struct run *run, const char *moment)
{
	emit_file(&run->stream, moment, "/proc/zoneinfo");
	emit_file(&run->stream, moment, "/proc/vmstat");
	for (size_t i = 0; i < run->counters_count; i++)
		emit_file(&run->stream, moment, run->counters[i]);
}

static int is_file(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

void capture_cpu(struct run *run)
{
	struct dirent **entries;
	int count = scandir(VULNERABILITIES, &entries, is_file, alphasort);
	char path[sizeof(VULNERABILITIES) + 256];

	emit_file(&run->stream, "after", "/proc/cpuinfo");
	if (count < 0) {
		emit_absent(&run->stream, "after", VULNERABILITIES, errno);
		return;
	}
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), VULNERABILITIES "%s", entries[i]->d_name);
		emit_file(&run->stream, "after", path);
		free(entries[i]);
	}
	free(entries);
}

void capture_before(struct run *run)
{
	runtimes_open();
	capture_range(run, "before");
	capture_files(run, "before");
	capture_counters(run, "before");
	runtimes_read_before();
}

void capture_after(struct run *run)
{
	runtimes_read_after();
	capture_counters(run, "after");
	runtimes_emit(run);
	capture_range(run, "after");
	capture_files(run, "after");
}
