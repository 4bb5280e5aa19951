// SPDX-License-Identifier: GPL-2.0-only
/* mremap() that shrinks a mapping to half and grows it again where it is. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "memory.h"

#define STAMP 0x726573697a65

static struct {
	uint64_t start;
	size_t size;
	uint64_t pages;
	uint64_t half;
	uint64_t resizes;
} w;

static void make_round(struct run *run)
{
	struct script *round = round_script(run);

	mark(run);
	script_step(round, (struct step){ .run = step_call, .number = SYS_mremap, .start = &w.start, .what = "mremap",
					  .args = { w.size, w.size / 2, 0 } });
	mark(run);
	script_step(round, (struct step){ .run = step_call, .number = SYS_mremap, .start = &w.start, .what = "mremap",
					  .args = { w.size / 2, w.size, 0 } });
	mark(run);
	memory_fill(round, &w.half, w.size / 2, STAMP);
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &w.resizes, .args = { 1 } });
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
	if (w.pages % 2)
		return fail(run, "size must be an even number of pages");
	w.half = w.start + w.size / 2;
	/* Nothing is mapped behind the range: it grows in place. */
	munmap((void *)(uintptr_t)(w.start + w.size), huge_page_bytes() - page_bytes());
	memory_map(&make, &w.start, w.size, false, -1);
	memory_want_base(&make, &w.start, w.size);
	memory_fill(&make, &w.start, w.size, STAMP);
	if (script_do(run, &make))
		return -1;
	phase_add(run, "shrink", w.pages / 2);
	phase_add(run, "grow", w.pages / 2);
	phase_add(run, "touch", w.pages / 2);
	make_round(run);
	declare_state(run);
	return 0;
}

static void verify(struct run *run)
{
	uint64_t stamped = memory_stamped(w.start, w.size, STAMP);

	if (w.resizes != run_rounds(run))
		complain(run, "%" PRIu64 " resizes instead of %" PRIu64, w.resizes, run_rounds(run));
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
	.name = "mremap_resize",
	.group = "page tables",
	.summary = "mremap() that shrinks a mapping to half, grows it again in place, and the half is written again",
	.subject = "Shrinking {size} of private anonymous memory to half and growing it again by mremap()",
	.state = "one private anonymous mapping of base pages (MADV_NOHUGEPAGE), all pages present and written "
		 "before each round",
	.params = {
		{ "size", PARAM_SIZE, "bytes", "4MiB", "length of the mapping, an even number of pages", MIN_PAGE_BYTES, 16 * GIB, { 0 } },
	},
	.phases = {
		{ "shrink", "page",
		  "From before to after one mremap() to half the length, divided by the base pages that are unmapped.",
		  false },
		{ "grow", "page",
		  "From before to after one mremap() to the old length, divided by the base pages that it adds, none of them present.",
		  false },
		{ "touch", "page",
		  "One write of 8 bytes to each base page that was added, divided by these pages: a fault each.",
		  false },
		{ "iteration", "page",
		  "One round, shrink, grow and touch, divided by the base pages of half the range.",
		  true },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
