// SPDX-License-Identifier: GPL-2.0-only
/* Write permission of a resident, dirty mapping taken away and given back. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

#include "memory.h"

#define STAMP 0x6b61737361790000ULL

static struct {
	char *start;
	size_t size;
	uint64_t pages;
	uint64_t protects;
	uint64_t sum; /* of what touch=read has read */
	bool shared;
	bool huge;
	bool single;
	bool read;
	bool write;
} w;

/* A fresh mapping, written page by page, so that every entry of its page table is dirty. */
static int map_dirty(struct run *run)
{
	if (memory_map(run, w.start, w.size, w.shared, -1))
		return -1;
	if (w.huge ? memory_want_huge(run, w.start, w.size) : memory_want_base(run, w.start, w.size))
		return -1;
	memory_write(w.start, w.size, STAMP);
	if (w.huge && w.shared) {
		if (memory_collapse(run, w.start, w.size))
			return -1;
		memory_write(w.start, w.size, STAMP);
	}
	return 0;
}

static void declare_state(struct run *run)
{
	const char *huge = w.shared ? "range.ShmemPmdMapped" : "range.AnonHugePages";

	range_set(run, w.start, w.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.KernelPageSize", "==", 4);
	require_both(run, "range.Rss", "==", w.size / KIB);
	require_both(run, "range.AnonHugePages", "==", w.huge && !w.shared ? w.size / KIB : 0);
	require_both(run, huge, "==", w.huge ? w.size / KIB : 0);
	require_both(run, "pagemap.present", "==", w.pages);
}

static int setup(struct run *run)
{
	w.size = param_number(run, "size");
	w.pages = w.size / PAGE_BYTES;
	w.shared = param_is(run, "share", "shared");
	w.huge = param_is(run, "pages", "thp");
	w.single = param_is(run, "mode", "single");
	w.read = !w.single && param_is(run, "touch", "read");
	w.write = !w.single && param_is(run, "touch", "write");
	w.start = memory_reserve(run, w.size);
	if (!w.start || map_dirty(run))
		return -1;
	if (w.single)
		phase_add(run, "-", 0);
	phase_add(run, "protect", w.pages);
	if (!w.single)
		phase_add(run, "restore", w.pages);
	if (w.read || w.write)
		phase_add(run, "touch", w.pages);
	declare_state(run);
	return 0;
}

static int protect(struct run *run, int protection)
{
	if (mprotect(w.start, w.size, protection))
		return fail(run, "mprotect: %s", strerror(errno));
	w.protects++;
	return 0;
}

static int round_single(struct run *run)
{
	mark(run);
	if (memory_unmap(run, w.start, w.size) || map_dirty(run))
		return -1;
	mark(run);
	if (protect(run, PROT_READ))
		return -1;
	mark(run);
	return 0;
}

static int round_toggle(struct run *run, uint64_t index)
{
	mark(run);
	if (protect(run, PROT_READ))
		return -1;
	mark(run);
	if (protect(run, PROT_READ | PROT_WRITE))
		return -1;
	mark(run);
	if (w.write)
		memory_write(w.start, w.size, STAMP + index + 1);
	else if (w.read)
		w.sum += memory_count(w.start, w.size, STAMP);
	if (w.read || w.write)
		mark(run);
	return 0;
}

static int run_round(struct run *run, uint64_t index)
{
	return w.single ? round_single(run) : round_toggle(run, index);
}

static void verify(struct run *run)
{
	uint64_t rounds = run_rounds(run);
	uint64_t calls = rounds * (w.single ? 1 : 2);
	uint64_t stamp = w.write ? STAMP + rounds : STAMP;
	uint64_t stamped = memory_count(w.start, w.size, stamp);

	if (w.protects != calls)
		complain(run, "mprotect succeeded %" PRIu64 " times instead of %" PRIu64, w.protects, calls);
	if (stamped != w.pages)
		complain(run, "%" PRIu64 " of %" PRIu64 " pages hold what was written last", stamped, w.pages);
	if (w.read && w.sum != rounds * w.pages)
		complain(run, "%" PRIu64 " page reads instead of %" PRIu64, w.sum, rounds * w.pages);
}

static void teardown(struct run *run)
{
	(void)run;
	if (w.start)
		munmap(w.start, w.size);
}

const struct workload workload = {
	.name = "mprotect_toggle",
	.summary = "mprotect() of a whole resident, dirty mapping to read-only and back",
	.subject = "Toggling write permission on a {share}, dirty {pages}-page mapping",
	.state = "one mapping of one kind of page, all pages present and dirty before round 1; base pages are held by "
		 "MADV_NOHUGEPAGE, 2 MiB pages fill the whole range",
	.params = {
		{ "share", PARAM_CHOICE, "word", "shared", "shared anonymous (shmem) or private anonymous memory", 0, 0,
		  { "shared", "private" } },
		{ "size", PARAM_SIZE, "bytes", "8MiB", "length of the mapping, a multiple of 4KiB", PAGE_BYTES, 16 * GIB, { 0 } },
		{ "pages", PARAM_CHOICE, "word", "base", "4 KiB pages, or 2 MiB pages (size: a multiple of 2MiB)", 0, 0,
		  { "base", "thp" } },
		{ "touch", PARAM_CHOICE, "word", "write", "access of each page after each toggle; only with mode=toggle", 0, 0,
		  { "none", "read", "write" } },
		{ "mode", PARAM_CHOICE, "word", "toggle",
		  "toggle: protect and restore the same pages; single: protect a fresh mapping once a round", 0, 0,
		  { "toggle", "single" } },
	},
	.phases = {
		{ "protect", "page",
		  "From before to after one mprotect(PROT_READ) of the whole range, divided by its 4 KiB pages.", false },
		{ "restore", "page",
		  "From before to after one mprotect(PROT_READ|PROT_WRITE) of the whole range, divided by its 4 KiB pages.",
		  false },
		{ "touch", "page",
		  "One access of 8 bytes in each 4 KiB page of the range after the restore, divided by the pages.", false },
		{ "iteration", "page",
		  "One round from its first to its last reported boundary (protect, restore and touch; with mode=single "
		  "protect only), divided by the 4 KiB pages of the range.",
		  true },
	},
	.setup = setup,
	.round = run_round,
	.verify = verify,
	.teardown = teardown,
};
