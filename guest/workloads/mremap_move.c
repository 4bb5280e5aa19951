// SPDX-License-Identifier: GPL-2.0-only
/* mremap() of a whole mapping to another address and back: its page tables are moved, or its entries. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "memory.h"

#define STAMP 0x6d6f7665

static struct {
	uint64_t start;
	size_t size;
	uint64_t pages;
	uint64_t elsewhere;
	uint64_t moves;
} w;

static void move(struct script *round, uint64_t *from, uint64_t to)
{
	script_step(round, (struct step){ .run = step_call, .number = SYS_mremap, .start = from, .what = "mremap",
					  .args = { w.size, w.size, MREMAP_MAYMOVE | MREMAP_FIXED, to } });
}

static void make_round(struct run *run)
{
	struct script *round = round_script(run);

	mark(run);
	move(round, &w.start, w.elsewhere);
	mark(run);
	move(round, &w.elsewhere, w.start);
	mark(run);
	memory_unmap(round, &w.elsewhere, w.size); /* keeps the address space */
	script_step(round, (struct step){ .run = step_add, .start = &w.moves, .args = { 1 } });
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
	w.elsewhere = memory_reserve(run, w.size + huge_page_bytes());
	if (!w.elsewhere)
		return -1;
	if (param_is(run, "by", "entries"))
		w.elsewhere += page_bytes();
	memory_map(&make, &w.start, w.size, false, -1);
	memory_want_base(&make, &w.start, w.size);
	memory_fill(&make, &w.start, w.size, STAMP);
	if (script_do(run, &make))
		return -1;
	phase_add(run, "move", w.pages);
	phase_add(run, "back", w.pages);
	make_round(run);
	declare_state(run);
	return 0;
}

static void verify(struct run *run)
{
	uint64_t stamped = memory_stamped(w.start, w.size, STAMP);

	if (w.moves != run_rounds(run))
		complain(run, "%" PRIu64 " moves there and back instead of %" PRIu64, w.moves, run_rounds(run));
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
	.name = "mremap_move",
	.group = "page tables",
	.summary = "mremap() of a whole anonymous mapping to another address and back",
	.subject = "Moving {size} of private anonymous memory by mremap(), by {by}",
	.state = "one private anonymous mapping of base pages (MADV_NOHUGEPAGE), all pages present and written, "
		 "at the same address before each round",
	.params = {
		{ "size", PARAM_SIZE, "bytes", "8MiB", "length of the mapping, a multiple of the page size", MIN_PAGE_BYTES, 16 * GIB, { 0 } },
		{ "by", PARAM_CHOICE, "word", "tables",
		  "tables: both addresses are aligned to a huge page, and the kernel may move whole page tables; entries: the other one "
		  "is a page off", 0, 0, { "tables", "entries" } },
	},
	.phases = {
		{ "move", "page",
		  "From before to after one mremap() of the whole range to the other address, divided by its base pages.",
		  true },
		{ "back", "page",
		  "From before to after the mremap() back to where it was, divided by the same pages.",
		  false },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
