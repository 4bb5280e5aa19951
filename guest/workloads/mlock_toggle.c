// SPDX-License-Identifier: GPL-2.0-only
/* mlock() and munlock() of a resident anonymous mapping. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "memory.h"

#define STAMP 0x6d6c6f636b

static struct {
	uint64_t start;
	size_t size;
	uint64_t pages;
	uint64_t locked;
	uint64_t unlocked;
} w;

static void make_round(struct run *run)
{
	struct script *round = round_script(run);

	mark(run);
	script_step(round, (struct step){ .run = step_call, .number = SYS_mlock, .start = &w.start, .what = "mlock",
					  .args = { w.size } });
	mark(run);
	script_step(round, (struct step){ .run = step_call, .number = SYS_munlock, .start = &w.start, .what = "munlock",
					  .args = { w.size } });
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &w.locked, .args = { 1 } });
	script_step(round, (struct step){ .run = step_add, .start = &w.unlocked, .args = { 1 } });
}

static void declare_state(struct run *run)
{
	range_set(run, (void *)(uintptr_t)w.start, w.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.KernelPageSize", "==", page_bytes() / KIB);
	require_both(run, "range.AnonHugePages", "==", 0);
	require_both(run, "range.THPeligible", "==", 0);
	require_both(run, "pagemap.present", "==", w.pages);
	require_both(run, "range.Locked", "==", 0);
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
	phase_add(run, "lock", w.pages);
	phase_add(run, "unlock", w.pages);
	make_round(run);
	declare_state(run);
	return 0;
}

static void verify(struct run *run)
{
	uint64_t stamped = memory_stamped(w.start, w.size, STAMP);

	if (w.locked != run_rounds(run))
		complain(run, "%" PRIu64 " mlock() calls instead of %" PRIu64, w.locked, run_rounds(run));
	if (w.unlocked != run_rounds(run))
		complain(run, "%" PRIu64 " munlock() calls instead of %" PRIu64, w.unlocked, run_rounds(run));
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
	.name = "mlock_toggle",
	.group = "page tables",
	.summary = "mlock() and munlock() of a whole resident anonymous mapping",
	.subject = "Locking and unlocking {size} of resident private anonymous memory",
	.state = "one private anonymous mapping of base pages (MADV_NOHUGEPAGE), all pages present and written, "
		 "not locked between the rounds",
	.params = {
		{ "size", PARAM_SIZE, "bytes", "4MiB", "length of the mapping, a multiple of the page size", MIN_PAGE_BYTES, 16 * GIB, { 0 } },
	},
	.phases = {
		{ "lock", "page",
		  "From before to after one mlock() of the whole range, divided by its base pages.",
		  false },
		{ "unlock", "page",
		  "From before to after one munlock() of the whole range, divided by its base pages.",
		  false },
		{ "iteration", "page",
		  "One round, lock and unlock, divided by the base pages of the range.",
		  true },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
