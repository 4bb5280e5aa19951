// SPDX-License-Identifier: GPL-2.0-only
/* MADV_FREE of a written anonymous mapping, then writes to it again. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "memory.h"

#define STAMP 0x66726565

static struct {
	uint64_t start;
	size_t size;
	uint64_t pages;
	uint64_t advised;
} w;

static void make_range(struct script *script)
{
	memory_map(script, &w.start, w.size, false, -1);
	memory_want_base(script, &w.start, w.size);
	memory_fill(script, &w.start, w.size, STAMP);
}

/* Made anew for each round: pages that were advised once are no longer swap-backed. */
static void make_round(struct run *run)
{
	struct script *round = round_script(run);

	mark(run);
	script_step(round, (struct step){ .run = step_call, .number = SYS_madvise, .start = &w.start, .what = "MADV_FREE",
					  .args = { w.size, MADV_FREE } });
	mark(run);
	memory_fill(round, &w.start, w.size, STAMP);
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &w.advised, .args = { 1 } });
	make_range(round);
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
	make_range(&make);
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
	uint64_t stamped = memory_stamped(w.start, w.size, STAMP);

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
	.name = "madvise_free",
	.group = "reclaim",
	.summary = "MADV_FREE of a whole written anonymous mapping, then a write to each page, which takes it back",
	.subject = "Advising MADV_FREE on {size} of private anonymous memory",
	.state = "one private anonymous mapping of base pages (MADV_NOHUGEPAGE), all pages present and written, "
		 "made anew for each round",
	.params = {
		{ "size", PARAM_SIZE, "bytes", "2MiB", "length of the mapping, a multiple of the page size", MIN_PAGE_BYTES, 16 * GIB, { 0 } },
	},
	.phases = {
		{ "advise", "page",
		  "From before to after one madvise(MADV_FREE) of the whole range, divided by its base pages.",
		  true },
		{ "touch", "page",
		  "One write of 8 bytes to each base page afterwards, divided by these pages. The pages are still there, as nothing"
		  " reclaims them.",
		  false },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
