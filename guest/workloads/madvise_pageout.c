// SPDX-License-Identifier: GPL-2.0-only
/* MADV_PAGEOUT of an anonymous mapping, with a place to page out to or without one. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

#include "memory.h"
#include "zram.h"

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

#define STAMP 0x7061676500000000ULL

static struct {
	char *start;
	size_t size;
	uint64_t pages;
	uint64_t advised;
	uint64_t swapped_out; /* pages written to swap before round 1 */
	bool zram;
} w;

/* A fresh mapping, so that each round meets the huge pages that its policy gives. */
static int make_range(struct run *run)
{
	if (memory_map(run, w.start, w.size, false, -1))
		return -1;
	if (param_is(run, "pages", "thp") && memory_want_huge(run, w.start, w.size))
		return -1;
	if (param_is(run, "pages", "base") && memory_want_base(run, w.start, w.size))
		return -1;
	memory_write(w.start, w.size, STAMP);
	return 0;
}

/* With pages=default nothing is declared about huge pages: that is what kernels are compared in. */
static void declare_state(struct run *run)
{
	range_set(run, w.start, w.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "swap.devices", "==", w.zram);
	require_both(run, "pagemap.present", "==", w.pages);
	if (param_is(run, "pages", "base"))
		require_both(run, "range.AnonHugePages", "==", 0);
	if (param_is(run, "pages", "thp"))
		require_at(run, "before", "range.AnonHugePages", "==", w.size / KIB);
}

static int setup(struct run *run)
{
	w.size = param_number(run, "size");
	w.pages = w.size / PAGE_BYTES;
	w.zram = param_is(run, "swap", "zram");
	if (w.zram && zram_swapon(run, 64 * MIB + w.size))
		return -1;
	w.start = memory_reserve(run, w.size);
	if (!w.start || make_range(run))
		return -1;
	if (!vmstat_read("pswpout", &w.swapped_out))
		return fail(run, "this kernel has no swap: /proc/vmstat has no pswpout");
	phase_add(run, "-", 0);
	phase_add(run, "advise", w.pages);
	phase_add(run, "touch", w.pages);
	declare_state(run);
	return 0;
}

static int run_round(struct run *run, uint64_t index)
{
	mark(run);
	if (memory_unmap(run, w.start, w.size) || make_range(run))
		return -1;
	mark(run);
	if (madvise(w.start, w.size, MADV_PAGEOUT))
		return fail(run, "MADV_PAGEOUT: %s", strerror(errno));
	mark(run);
	memory_write(w.start, w.size, STAMP + index + 1);
	mark(run);
	w.advised++;
	return 0;
}

static void verify_swap(struct run *run)
{
	uint64_t now = 0, out, wanted = run_rounds(run) * w.pages;

	vmstat_read("pswpout", &now);
	out = now - w.swapped_out;
	if (w.zram && out < wanted / 10 * 9)
		complain(run, "%" PRIu64 " pages were written to swap, of %" PRIu64 " advised", out, wanted);
	if (!w.zram && out)
		complain(run, "%" PRIu64 " pages were written to swap although there is none", out);
	note(run, "pages written to swap: %" PRIu64 " of %" PRIu64 " advised", out, wanted);
}

static void verify(struct run *run)
{
	uint64_t stamped = memory_count(w.start, w.size, STAMP + run_rounds(run));

	if (w.advised != run_rounds(run))
		complain(run, "%" PRIu64 " rounds instead of %" PRIu64, w.advised, run_rounds(run));
	if (stamped != w.pages)
		complain(run, "%" PRIu64 " of %" PRIu64 " pages hold what was written last", stamped, w.pages);
	verify_swap(run);
}

static void teardown(struct run *run)
{
	(void)run;
	if (w.start)
		munmap(w.start, w.size);
	zram_swapoff();
}

const struct workload workload = {
	.name = "madvise_pageout",
	.summary = "MADV_PAGEOUT of an anonymous mapping, then a write to each page; with swap=none it is a "
		   "reclaim-failure path: nothing is paged out and nothing is faulted back",
	.subject = "Advising MADV_PAGEOUT on {pages}-policy anonymous memory (swap: {swap}) and writing to it",
	.state = "one private anonymous mapping, 2 MiB aligned, made anew for each round, all pages present before the advice; "
		 "swap=none: no swap area at all, so every page stays; swap=zram: one zram device that takes every page",
	.params = {
		{ "size", PARAM_SIZE, "bytes", "16MiB", "length of the mapping, a multiple of 4KiB", PAGE_BYTES, 4 * GIB, { 0 } },
		{ "pages", PARAM_CHOICE, "word", "default",
		  "default: as the system's policy has it; thp: MADV_HUGEPAGE; base: MADV_NOHUGEPAGE", 0, 0,
		  { "default", "thp", "base" } },
		{ "swap", PARAM_CHOICE, "word", "none", "where pages may go: nowhere, or a compressed RAM disk", 0, 0,
		  { "none", "zram" } },
	},
	.phases = {
		{ "advise", "page",
		  "From before to after one madvise(MADV_PAGEOUT) of the whole range, divided by its 4 KiB pages. With "
		  "swap=none reclaim tries and fails; with swap=zram it includes the compression.",
		  true },
		{ "touch", "page",
		  "One write to each 4 KiB page of the range after the advice, divided by the pages. With swap=none the pages "
		  "never left; with swap=zram each is faulted back in.",
		  false },
		{ "iteration", "page",
		  "One round, advise and touch without making the mapping, divided by the 4 KiB pages of the range.", false },
	},
	.setup = setup,
	.round = run_round,
	.verify = verify,
	.teardown = teardown,
};
