// SPDX-License-Identifier: GPL-2.0-only
/* mprotect() of every second page: one mapping becomes many, and one again. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "memory.h"

#define STAMP 0x73706c6974
#define CALLS 16UL
#define PAGES (2 * CALLS + 1)

static struct {
	uint64_t start;
	uint64_t pages[CALLS]; /* every second one, the first not */
	uint64_t splits;
	uint64_t merges;
} w;

static void protect(struct script *script, int protection)
{
	for (unsigned int i = 0; i < CALLS; i++)
		script_step(script, (struct step){ .run = step_call, .number = SYS_mprotect, .start = &w.pages[i],
						   .args = { page_bytes(), (uint64_t)protection }, .what = "mprotect" });
}

static void make_round(struct run *run)
{
	struct script *round = round_script(run);

	mark(run);
	protect(round, PROT_READ);
	mark(run);
	protect(round, PROT_READ | PROT_WRITE);
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &w.splits, .args = { CALLS } });
	script_step(round, (struct step){ .run = step_add, .start = &w.merges, .args = { CALLS } });
}

static int setup(struct run *run)
{
	struct script make = { 0 };
	size_t page = page_bytes();

	w.start = memory_reserve(run, PAGES * page);
	if (!w.start)
		return -1;
	for (unsigned int i = 0; i < CALLS; i++)
		w.pages[i] = w.start + (2 * i + 1) * page;
	memory_map(&make, &w.start, PAGES * page, false, -1);
	memory_want_base(&make, &w.start, PAGES * page);
	memory_fill(&make, &w.start, PAGES * page, STAMP);
	if (script_do(run, &make))
		return -1;
	phase_add(run, "split", CALLS);
	phase_add(run, "merge", CALLS);
	make_round(run);
	range_set(run, (void *)(uintptr_t)w.start, PAGES * page);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.KernelPageSize", "==", page / KIB);
	require_both(run, "range.THPeligible", "==", 0);
	require_both(run, "pagemap.present", "==", PAGES);
	return 0;
}

static void verify(struct run *run)
{
	uint64_t calls = run_rounds(run) * CALLS, stamped = memory_stamped(w.start, PAGES * page_bytes(), STAMP);

	if (w.splits != calls || w.merges != calls)
		complain(run, "%" PRIu64 " splits and %" PRIu64 " merges instead of %" PRIu64, w.splits, w.merges, calls);
	if (stamped != PAGES)
		complain(run, "%" PRIu64 " of %" PRIu64 " pages hold what was written", stamped, (uint64_t)PAGES);
}

static void teardown(struct run *run)
{
	(void)run;
	if (w.start)
		munmap((void *)(uintptr_t)w.start, PAGES * page_bytes());
}

const struct workload workload = {
	.name = "vma_split",
	.group = "mappings",
	.summary = "mprotect() of every second page to read-only and back: VMAs are split and merged",
	.subject = "Splitting and merging VMAs by mprotect() of every second page",
	.state = "one private anonymous mapping of 33 base pages (MADV_NOHUGEPAGE), all present; one VMA before each round, 33 between "
		 "its phases",
	.params = { { 0 } },
	.phases = {
		{ "split", "call", "One mprotect(PROT_READ) of one page inside a VMA, which becomes three; 16 of them, divided by 16.",
		  false },
		{ "merge", "call",
		  "One mprotect(PROT_READ|PROT_WRITE) of that page, whose VMA merges with both neighbours; 16 of them, divided by 16.",
		  false },
		{ "iteration", "call", "One round, split and merge, divided by 16: one call of each.", true },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
