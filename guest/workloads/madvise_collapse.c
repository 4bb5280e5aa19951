// SPDX-License-Identifier: GPL-2.0-only
/* MADV_COLLAPSE of base pages to huge pages. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "memory.h"

#define STAMP 0x636f6c6c61707365

static struct {
	uint64_t start;
	size_t size;
	uint64_t pages;
	uint64_t collapsed;
} w;

/* Base pages, in a mapping that may have huge pages all the same. */
static void make_range(struct script *script)
{
	memory_map(script, &w.start, w.size, false, -1);
	memory_want_base(script, &w.start, w.size);
	memory_fill(script, &w.start, w.size, STAMP);
	memory_want_huge(script, &w.start, w.size);
}

static void make_round(struct run *run)
{
	struct script *round = round_script(run);

	mark(run);
	make_range(round);
	mark(run);
	memory_collapse(round, &w.start, w.size);
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &w.collapsed, .args = { 1 } });
}

static void declare_state(struct run *run)
{
	range_set(run, (void *)(uintptr_t)w.start, w.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.AnonHugePages", "==", w.size / KIB);
	require_both(run, "pagemap.present", "==", w.pages);
}

static int setup(struct run *run)
{
	struct script make = { 0 };

	w.size = param_number(run, "size");
	w.pages = w.size / page_bytes();
	w.start = memory_reserve(run, w.size);
	if (!w.start || memory_check_huge(run, w.size))
		return -1;
	make_range(&make);
	memory_collapse(&make, &w.start, w.size);
	if (script_do(run, &make))
		return -1;
	phase_add(run, "-", 0);
	phase_add(run, "collapse", w.pages / (huge_page_bytes() / page_bytes()));
	make_round(run);
	declare_state(run);
	return 0;
}

static void verify(struct run *run)
{
	uint64_t stamped = memory_stamped(w.start, w.size, STAMP);

	if (w.collapsed != run_rounds(run))
		complain(run, "%" PRIu64 " calls succeeded instead of %" PRIu64, w.collapsed, run_rounds(run));
	if (stamped != w.pages)
		complain(run, "%" PRIu64 " of %" PRIu64 " pages hold what was written last", stamped, w.pages);
}

static void teardown(struct run *run)
{
	(void)run;
	if (w.start)
		munmap((void *)(uintptr_t)w.start, w.size);
}

const struct workload workload = {
	.name = "madvise_collapse",
	.group = "folios",
	.summary = "MADV_COLLAPSE of base pages to huge pages",
	.subject = "Collapsing {size} of base pages to huge pages by MADV_COLLAPSE",
	.state = "one private anonymous mapping, made anew for each round: all pages written as base pages before "
		 "the call, huge pages after it. It is read with huge pages: behind the collapse of the set-up, and "
		 "behind the last round",
	.params = {
		{ "size", PARAM_SIZE, "bytes", "2MiB", "length of the mapping, a multiple of a huge page", MIN_PAGE_BYTES, 16 * GIB, { 0 } },
	},
	.phases = {
		{ "collapse", "huge page",
		  "From before to after one madvise(MADV_COLLAPSE) of the whole range, divided by its huge pages: finding the base"
		  " pages, copying them, and mapping the copy.",
		  true },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
