// SPDX-License-Identifier: GPL-2.0-only
/* MADV_COLD of a resident anonymous mapping, then writes to it again. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "memory.h"

#ifndef MADV_COLD
#define MADV_COLD 20
#endif

#define STAMP 0x636f6c64

static struct {
	uint64_t start;
	size_t size;
	uint64_t pages;
	uint64_t advised;
} w;

static void make_round(struct run *run)
{
	struct script *round = round_script(run);

	struct step *touch;

	mark(run);
	script_step(round, (struct step){ .run = step_call, .number = SYS_madvise, .start = &w.start, .what = "MADV_COLD",
					  .args = { w.size, MADV_COLD } });
	mark(run);
	touch = memory_fill(round, &w.start, w.size, STAMP + 1);
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &w.advised, .args = { 1 } });
	script_step(round, (struct step){ .run = step_add, .start = &touch->args[1], .args = { 1 } });
}

static void declare_state(struct run *run)
{
	range_set(run, (void *)(uintptr_t)w.start, w.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.KernelPageSize", "==", page_bytes() / KIB);
	require_both(run, "range.AnonHugePages", "==", 0);
	require_both(run, "range.THPeligible", "==", 0);
	require_both(run, "pagemap.present", "==", w.pages);
}

static int setup(struct run *run)
{
	struct script make = { 0 };

	w.size = param_number(run, "size");
	w.pages = w.size / page_bytes();
	w.start = memory_reserve(run, w.size);
	if (!w.start)
		return -1;
	memory_map(&make, &w.start, w.size, false, -1);
	memory_want_base(&make, &w.start, w.size);
	memory_fill(&make, &w.start, w.size, STAMP);
	if (script_do(run, &make))
		return -1;
	phase_add(run, "advise", w.pages);
	phase_add(run, "touch", w.pages);
	make_round(run);
	declare_state(run);
	return 0;
}

static void verify(struct run *run)
{
	uint64_t stamped = memory_stamped(w.start, w.size, STAMP + run_rounds(run));

	if (w.advised != run_rounds(run))
		complain(run, "%" PRIu64 " calls succeeded instead of %" PRIu64, w.advised, run_rounds(run));
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
	.name = "madvise_cold",
	.group = "reclaim",
	.summary = "MADV_COLD of a whole resident anonymous mapping, then a write to each page",
	.subject = "Advising MADV_COLD on {size} of private anonymous memory",
	.state = "one private anonymous mapping of base pages (MADV_NOHUGEPAGE), all pages present and written "
		 "since the last advice, kept from round to round",
	.params = {
		{ "size", PARAM_SIZE, "bytes", "4MiB", "length of the mapping, a multiple of the page size", MIN_PAGE_BYTES, 16 * GIB, { 0 } },
	},
	.phases = {
		{ "advise", "page",
		  "From before to after one madvise(MADV_COLD) of the whole range, divided by its base pages. A kernel without MGLRU "
		  "leaves pages that are inactive already where they are.",
		  true },
		{ "touch", "page",
		  "One write of 8 bytes to each base page afterwards, divided by these pages.",
		  false },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
