// SPDX-License-Identifier: GPL-2.0-only
/* Write permission of a resident, dirty mapping taken away and given back. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "memory.h"

#define STAMP 0x6b61737361790000ULL

static struct {
	uint64_t start;
	size_t size;
	uint64_t pages;
	uint64_t protects;
	uint64_t reads; /* pages in which touch=read found what was written */
	bool shared;
	bool huge;
	bool single;
	bool read;
	bool write;
} w;

/* A fresh mapping, written page by page, so that every entry of its page table is dirty. */
static void map_dirty(struct script *script)
{
	memory_map(script, &w.start, w.size, w.shared, -1);
	if (w.huge)
		memory_want_huge(script, &w.start, w.size);
	else
		memory_want_base(script, &w.start, w.size);
	memory_fill(script, &w.start, w.size, STAMP);
	if (w.huge && w.shared) {
		memory_collapse(script, &w.start, w.size);
		memory_fill(script, &w.start, w.size, STAMP);
	}
}

static void declare_state(struct run *run)
{
	const char *huge = w.shared ? "range.ShmemPmdMapped" : "range.AnonHugePages";

	range_set(run, (void *)(uintptr_t)w.start, w.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.KernelPageSize", "==", page_bytes() / KIB);
	require_both(run, "range.Rss", "==", w.size / KIB);
	require_both(run, "range.Dirty", "==", w.size / KIB);
	if (!w.huge)
		require_both(run, "range.THPeligible", "==", 0);
	require_both(run, "range.AnonHugePages", "==", w.huge && !w.shared ? w.size / KIB : 0);
	require_both(run, huge, "==", w.huge ? w.size / KIB : 0);
	require_both(run, "pagemap.present", "==", w.pages);
}

static void protect(struct script *round, int protection)
{
	script_step(round, (struct step){ .run = step_call, .number = SYS_mprotect, .start = &w.start,
					  .args = { w.size, (uint64_t)protection }, .what = "mprotect" });
	script_step(round, (struct step){ .run = arch_idle(11) });
}

static void make_single(struct run *run)
{
	struct script *round = round_script(run);

	mark(run);
	memory_unmap(round, &w.start, w.size);
	map_dirty(round);
	mark(run);
	protect(round, PROT_READ);
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &w.protects, .args = { 1 } });
}

static void make_toggle(struct run *run)
{
	struct script *round = round_script(run);
	struct step *touch = NULL;

	mark(run);
	protect(round, PROT_READ);
	mark(run);
	protect(round, PROT_READ | PROT_WRITE);
	mark(run);
	if (w.write)
		touch = memory_fill(round, &w.start, w.size, STAMP + 1);
	else if (w.read)
		script_step(round, (struct step){ .run = step_count, .start = &w.start,
						  .args = { w.size, STAMP, page_bytes(), (uintptr_t)&w.reads } });
	if (w.read || w.write) {
		script_step(round, (struct step){ .run = arch_idle(7) });
		mark(run);
	}
	script_step(round, (struct step){ .run = step_add, .start = &w.protects, .args = { 2 } });
	if (touch)
		script_step(round, (struct step){ .run = step_add, .start = &touch->args[1], .args = { 1 } });
}

static int setup(struct run *run)
{
	struct script make = { 0 };

	w.size = param_number(run, "size");
	w.pages = w.size / page_bytes();
	w.shared = param_is(run, "share", "shared");
	w.huge = param_is(run, "pages", "thp");
	w.single = param_is(run, "mode", "single");
	w.read = !w.single && param_is(run, "touch", "read");
	w.write = !w.single && param_is(run, "touch", "write");
	w.start = memory_reserve(run, w.size);
	if (!w.start || (w.huge && memory_check_huge(run, w.size)))
		return -1;
	map_dirty(&make);
	if (script_do(run, &make))
		return -1;
	if (w.single)
		phase_add(run, "-", 0);
	phase_add(run, "protect", w.pages);
	if (!w.single)
		phase_add(run, "restore", w.pages);
	if (w.read || w.write)
		phase_add(run, "touch", w.pages);
	if (w.single)
		make_single(run);
	else
		make_toggle(run);
	declare_state(run);
	return 0;
}

static void verify(struct run *run)
{
	uint64_t rounds = run_rounds(run);
	uint64_t calls = rounds * (w.single ? 1 : 2);
	uint64_t stamp = w.write ? STAMP + rounds : STAMP;
	uint64_t stamped = memory_stamped(w.start, w.size, stamp);

	if (w.protects != calls)
		complain(run, "mprotect succeeded %" PRIu64 " times instead of %" PRIu64, w.protects, calls);
	if (stamped != w.pages)
		complain(run, "%" PRIu64 " of %" PRIu64 " pages hold what was written last", stamped, w.pages);
	if (w.read && w.reads != rounds * w.pages)
		complain(run, "%" PRIu64 " page reads instead of %" PRIu64, w.reads, rounds * w.pages);
}

static void teardown(struct run *run)
{
	(void)run;
	if (w.start)
		munmap((void *)(uintptr_t)w.start, w.size);
}

const struct workload workload = {
	.name = "mprotect_toggle",
	.summary = "mprotect() of a whole resident, dirty mapping to read-only and back",
	.subject = "Toggling write permission on a {share}, dirty {pages}-page mapping",
	.state = "one mapping of one kind of page, all pages present and dirty before round 1; base pages are held by "
		 "MADV_NOHUGEPAGE, huge pages fill the whole range",
	.group = "page tables",
	.params = {
		{ "share", PARAM_CHOICE, "word", "shared", "shared anonymous (shmem) or private anonymous memory", 0, 0,
		  { "shared", "private" } },
		{ "size", PARAM_SIZE, "bytes", "8MiB", "length of the mapping, a multiple of the page size", MIN_PAGE_BYTES, 16 * GIB, { 0 } },
		{ "pages", PARAM_CHOICE, "word", "base", "base pages, or huge pages, 2 MiB where base pages are 4 KiB (size: a multiple)", 0, 0,
		  { "base", "thp" } },
		{ "touch", PARAM_CHOICE, "word", "write", "access of each page after each toggle; only with mode=toggle", 0, 0,
		  { "none", "read", "write" } },
		{ "mode", PARAM_CHOICE, "word", "toggle",
		  "toggle: protect and restore the same pages; single: protect a fresh mapping once a round", 0, 0,
		  { "toggle", "single" } },
	},
	.phases = {
		{ "protect", "page",
		  "From before to after one mprotect(PROT_READ) of the whole range, divided by its base pages.", false },
		{ "restore", "page",
		  "From before to after one mprotect(PROT_READ|PROT_WRITE) of the whole range, divided by its base pages.",
		  false },
		{ "touch", "page",
		  "One access of 8 bytes in each base page of the range after the restore, divided by the pages.", false },
		{ "iteration", "page",
		  "One round from its first to its last reported boundary (protect, restore and touch; with mode=single "
		  "protect only), divided by the base pages of the range.",
		  true },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
