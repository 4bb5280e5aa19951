// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts over the measured range from /proc/self/pagemap and /proc/kpageflags,
 * whose bits Documentation/admin-guide/mm/pagemap.rst defines. Counted here
 * because the raw tables are large.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "orders.h"
#include "run.h"

#define BATCH 512
#define PFN_MASK ((1ULL << 55) - 1)
#define PRESENT (1ULL << 63)

struct bit {
	const char *name;
	unsigned int number;
};

static const struct bit pagemap_bits[] = {
	{ "present", 63 },   { "swapped", 62 },	   { "file_shared", 61 },
	{ "exclusive", 56 }, { "soft_dirty", 55 },
};

static const struct bit pageflag_bits[] = {
	{ "locked", 0 },	{ "referenced", 2 },	 { "uptodate", 3 },	  { "dirty", 4 },
	{ "lru", 5 },		{ "active", 6 },	 { "writeback", 8 },	  { "reclaim", 9 },
	{ "mmap", 11 },		{ "anon", 12 },		 { "swapcache", 13 },	  { "swapbacked", 14 },
	{ "compound_head", 15 }, { "compound_tail", 16 }, { "huge", 17 },	  { "unevictable", 18 },
	{ "hwpoison", 19 },	{ "nopage", 20 },	 { "ksm", 21 },		  { "thp", 22 },
	{ "zero", 24 },		{ "idle", 25 },
};

#define PAGEMAP_BITS (sizeof(pagemap_bits) / sizeof(*pagemap_bits))
#define PAGEFLAG_BITS (sizeof(pageflag_bits) / sizeof(*pageflag_bits))

struct counts {
	uint64_t pages;
	uint64_t absent;
	uint64_t pagemap[PAGEMAP_BITS];
	uint64_t flagged; /* pages whose flags were read */
	uint64_t pageflags[PAGEFLAG_BITS];
	int flags_error;
	struct orders *orders; /* NULL: not counted */
};

static void count_bits(uint64_t word, const struct bit *bits, size_t length, uint64_t *counts)
{
	for (size_t i = 0; i < length; i++)
		counts[i] += word >> bits[i].number & 1;
}

/* Reads the flags of @length pages that follow each other in physical memory. */
static void count_flags(int flags_fd, uint64_t pfn, size_t length, struct counts *counts)
{
	uint64_t flags[BATCH];
	ssize_t got = pread(flags_fd, flags, length * sizeof(*flags), (off_t)(pfn * sizeof(*flags)));

	if (got != (ssize_t)(length * sizeof(*flags))) {
		counts->flags_error = got < 0 ? errno : EIO;
		return;
	}
	for (size_t i = 0; i < length; i++) {
		count_bits(flags[i], pageflag_bits, PAGEFLAG_BITS, counts->pageflags);
		if (counts->orders)
			orders_page(counts->orders, pfn + i, flags[i]);
	}
	counts->flagged += length;
}

static void count_batch(const uint64_t *entries, size_t length, int flags_fd, struct counts *counts)
{
	for (size_t i = 0; i < length; i++) {
		count_bits(entries[i], pagemap_bits, PAGEMAP_BITS, counts->pagemap);
		counts->absent += entries[i] >> 62 == 0;
	}
	counts->pages += length;
	for (size_t i = 0, run = 1; i < length && !counts->flags_error; i += run) {
		uint64_t pfn = entries[i] & PFN_MASK;

		run = 1;
		if (!(entries[i] & PRESENT)) {
			if (counts->orders)
				orders_gap(counts->orders);
			continue;
		}
		while (i + run < length && entries[i + run] & PRESENT && (entries[i + run] & PFN_MASK) == pfn + run)
			run++;
		/* The kernel hides frame numbers from those who may not see them. */
		if (pfn)
			count_flags(flags_fd, pfn, run, counts);
		else
			counts->flags_error = EPERM;
	}
}

static int count_range(uint64_t start, uint64_t bytes, int map_fd, int flags_fd, struct counts *counts)
{
	uint64_t entries[BATCH];
	uint64_t first = start / page_bytes();
	uint64_t pages = bytes / page_bytes();

	for (uint64_t done = 0; done < pages;) {
		size_t length = pages - done < BATCH ? pages - done : BATCH;
		ssize_t got = pread(map_fd, entries, length * sizeof(*entries), (off_t)((first + done) * 8));

		if (got != (ssize_t)(length * sizeof(*entries)))
			return got < 0 ? errno : EIO;
		count_batch(entries, length, flags_fd, counts);
		done += length;
	}
	if (counts->orders)
		orders_gap(counts->orders);
	return 0;
}

static void emit_counts(struct run *run, const char *moment, const char *path, const char *total, uint64_t pages,
			const struct bit *bits, size_t length, const uint64_t *counts)
{
	char text[1024], name[64];
	int used = snprintf(text, sizeof(text), "%s %" PRIu64 "\n", total, pages);

	for (size_t i = 0; i < length; i++)
		used += snprintf(text + used, sizeof(text) - (size_t)used, "%s %" PRIu64 "\n", bits[i].name, counts[i]);
	snprintf(name, sizeof(name), "%s:%s", moment, path);
	emit(&run->stream, "file", name, text, (size_t)used);
}

void capture_pages(struct run *run, const char *moment)
{
	struct counts counts = { 0 };
	int map_fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	int flags_fd = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
	struct orders orders = { .flags_fd = flags_fd };
	int error = errno;

	counts.orders = run->count_folios ? &orders : NULL;
	counts.flags_error = flags_fd < 0 ? error : 0;
	error = map_fd < 0 ? error :
			     count_range((uintptr_t)run->range_start, run->range_length, map_fd, flags_fd, &counts);
	if (error) {
		emit_absent(&run->stream, moment, "kassay/pagemap", error);
		counts.flags_error = error;
	} else {
		emit_counts(run, moment, "kassay/pagemap", "absent", counts.absent, pagemap_bits, PAGEMAP_BITS,
			    counts.pagemap);
	}
	if (counts.flags_error)
		emit_absent(&run->stream, moment, "kassay/pageflags", counts.flags_error);
	else
		emit_counts(run, moment, "kassay/pageflags", "pages", counts.flagged, pageflag_bits, PAGEFLAG_BITS,
			    counts.pageflags);
	if (run->count_folios && !counts.flags_error)
		orders_emit(run, &orders, moment);
	if (map_fd >= 0)
		close(map_fd);
	if (flags_fd >= 0)
		close(flags_fd);
}

void capture_pages_of(struct run *run, int pid, uint64_t start, uint64_t length)
{
	struct counts counts = { 0 };
	int flags_fd = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC), map_fd;
	char path[64];
	int error;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", pid);
	map_fd = open(path, O_RDONLY | O_CLOEXEC);
	error = map_fd < 0 || flags_fd < 0 ? errno : count_range(start, length, map_fd, flags_fd, &counts);
	if (error || counts.flags_error) {
		emit_absent(&run->stream, "after", "kassay/program/pageflags", error ? error : counts.flags_error);
	} else {
		emit_counts(run, "after", "kassay/program/pagemap", "absent", counts.absent, pagemap_bits, PAGEMAP_BITS,
			    counts.pagemap);
		emit_counts(run, "after", "kassay/program/pageflags", "pages", counts.flagged, pageflag_bits,
			    PAGEFLAG_BITS, counts.pageflags);
	}
	if (map_fd >= 0)
		close(map_fd);
	if (flags_fd >= 0)
		close(flags_fd);
}
