// SPDX-License-Identifier: GPL-2.0-only
/* MADV_PAGEOUT of an anonymous mapping, with a place to page out to or without one. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "memory.h"
#include "zram.h"

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

#define STAMP 0x7061676500000000ULL

static struct {
	uint64_t start;
	size_t size;
	uint64_t pages;
	uint64_t advised;
	uint64_t swapped_out; /* pages written to swap before round 1 */
	bool zram;
} w;

/* A fresh mapping, so that each round meets the huge pages that its policy gives. */
static void make_range(struct run *run, struct script *script)
{
	memory_map(script, &w.start, w.size, false, -1);
	if (param_is(run, "pages", "thp"))
		memory_want_huge(script, &w.start, w.size);
	if (param_is(run, "pages", "base"))
		memory_want_base(script, &w.start, w.size);
	memory_fill(script, &w.start, w.size, STAMP);
}

static void make_round(struct run *run)
{
	struct script *round = round_script(run);
	struct step *touch;

	mark(run);
	memory_unmap(round, &w.start, w.size);
	make_range(run, round);
	mark(run);
	script_step(round, (struct step){ .run = step_call, .number = SYS_madvise, .start = &w.start,
					  .args = { w.size, MADV_PAGEOUT }, .what = "MADV_PAGEOUT" });
	script_step(round, (struct step){ .run = arch_idle(1) });
	mark(run);
	touch = memory_fill(round, &w.start, w.size, STAMP + 1);
	script_step(round, (struct step){ .run = arch_idle(0) });
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &touch->args[1], .args = { 1 } });
	script_step(round, (struct step){ .run = step_add, .start = &w.advised, .args = { 1 } });
}

/* With pages=default nothing is declared about huge pages: that is what kernels are compared in. */
static void declare_state(struct run *run)
{
	range_set(run, (void *)(uintptr_t)w.start, w.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "swap.devices", "==", w.zram);
	require_both(run, "pagemap.present", "==", w.pages);
	if (!param_is(run, "pages", "default"))
		require_both(run, "range.THPeligible", "==", param_is(run, "pages", "thp"));
	if (param_is(run, "pages", "base"))
		require_both(run, "range.AnonHugePages", "==", 0);
	if (param_is(run, "pages", "thp"))
		require_at(run, "before", "range.AnonHugePages", "==", w.size / KIB);
}

static int setup(struct run *run)
{
	struct script make = { 0 };

	w.size = param_number(run, "size");
	w.pages = w.size / page_bytes();
	if (param_is(run, "pages", "thp") && memory_check_huge(run, w.size))
		return -1;
	w.zram = param_is(run, "swap", "zram");
	if (w.zram && zram_swapon(run, 64 * MIB + w.size))
		return -1;
	w.start = memory_reserve(run, w.size);
	if (!w.start)
		return -1;
	make_range(run, &make);
	if (script_do(run, &make))
		return -1;
	if (!vmstat_read("pswpout", &w.swapped_out))
		return fail(run, "this kernel has no swap: /proc/vmstat has no pswpout");
	phase_add(run, "-", 0);
	phase_add(run, "advise", w.pages);
	phase_add(run, "touch", w.pages);
	make_round(run);
	declare_state(run);
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
	uint64_t stamped = memory_stamped(w.start, w.size, STAMP + run_rounds(run));

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
		munmap((void *)(uintptr_t)w.start, w.size);
	zram_swapoff();
}

const struct workload workload = {
	.name = "madvise_pageout",
	.summary = "MADV_PAGEOUT of an anonymous mapping, then a write to each page; with swap=none it is a "
		   "reclaim-failure path: nothing is paged out and nothing is faulted back",
	.subject = "Advising MADV_PAGEOUT on {pages}-policy anonymous memory (swap: {swap}) and writing to it",
	.state = "one private anonymous mapping, aligned to a huge page, made anew for each round, all pages present before the advice; "
		 "swap=none: no swap area at all, so every page stays; swap=zram: one zram device that takes every page",
	.group = "reclaim",
	.conflicts = {
		{ { "swap=zram", "--swap" }, "it makes the swap area itself" },
		{ { "swap=none", "--swap" }, "swap=none is for a machine without a swap area" },
	},
	.params = {
		{ "size", PARAM_SIZE, "bytes", "16MiB", "length of the mapping, a multiple of the page size", MIN_PAGE_BYTES, 4 * GIB, { 0 } },
		{ "pages", PARAM_CHOICE, "word", "default",
		  "default: as the system's policy has it; thp: MADV_HUGEPAGE; base: MADV_NOHUGEPAGE", 0, 0,
		  { "default", "thp", "base" } },
		{ "swap", PARAM_CHOICE, "word", "none", "where pages may go: nowhere, or a compressed RAM disk", 0, 0,
		  { "none", "zram" } },
	},
	.phases = {
		{ "advise", "page",
		  "From before to after one madvise(MADV_PAGEOUT) of the whole range, divided by its base pages. With "
		  "swap=none reclaim tries and fails; with swap=zram it includes the compression.",
		  true },
		{ "touch", "page",
		  "One write to each base page of the range after the advice, divided by the pages. With swap=none the pages "
		  "never left; with swap=zram each is faulted back in.",
		  false },
		{ "iteration", "page",
		  "One round, advise and touch without making the mapping, divided by the base pages of the range.", false },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
