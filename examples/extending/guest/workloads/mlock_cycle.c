// SPDX-License-Identifier: GPL-2.0-only
/* mlock() and munlock() of a resident private mapping of base pages. */
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "memory.h"

static struct {
	uint64_t start;
	size_t size;
	uint64_t cycles;
} w;

static int setup(struct run *run)
{
	struct script make = { 0 }, *round = round_script(run);
	uint64_t pages;

	w.size = param_number(run, "size");
	pages = w.size / page_bytes();
	w.start = memory_reserve(run, w.size);
	if (!w.start)
		return -1;
	memory_map(&make, &w.start, w.size, false, -1);
	memory_want_base(&make, &w.start, w.size);
	memory_fill(&make, &w.start, w.size, 1);
	if (script_do(run, &make))
		return -1;
	phase_add(run, "lock", pages);
	phase_add(run, "unlock", pages);
	mark(run);
	script_step(round, (struct step){ .run = step_call, .number = SYS_mlock, .start = &w.start, .args = { w.size }, .what = "mlock" });
	mark(run);
	script_step(round, (struct step){ .run = step_call, .number = SYS_munlock, .start = &w.start, .args = { w.size }, .what = "munlock" });
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &w.cycles, .args = { 1 } });
	range_set(run, (void *)(uintptr_t)w.start, w.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.KernelPageSize", "==", page_bytes() / KIB);
	require_both(run, "pagemap.present", "==", pages);
	return 0;
}

static void verify(struct run *run)
{
	if (w.cycles != run_rounds(run))
		complain(run, "%" PRIu64 " cycles instead of %" PRIu64, w.cycles, run_rounds(run));
}

static void teardown(struct run *run)
{
	(void)run;
	if (w.start)
		munmap((void *)(uintptr_t)w.start, w.size);
}

const struct workload workload = {
	.name = "mlock_cycle",
	.summary = "mlock() and munlock() of a whole resident mapping",
	.subject = "Locking and unlocking a resident private mapping of {size}",
	.state = "one private anonymous mapping of base pages (MADV_NOHUGEPAGE), all pages present",
	.group = "mappings",
	.params = {
		{ "size", PARAM_SIZE, "bytes", "8MiB", "length of the mapping", MIN_PAGE_BYTES, 16 * GIB, { 0 } },
	},
	.phases = {
		{ "lock", "page", "From before to after one mlock() of the whole range, divided by its base pages.", true },
		{ "unlock", "page", "From then to after one munlock() of the whole range, divided by its base pages.", false },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
