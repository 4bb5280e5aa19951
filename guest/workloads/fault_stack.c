// SPDX-License-Identifier: GPL-2.0-only
/* Growth of a stack: each write lies a page below the mapping, which the fault extends. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "memory.h"

#define STAMP 0x737461636b
#define FAULTS 32UL

static struct {
	uint64_t bottom; /* of the grown stack */
	uint64_t top;	 /* its first page, the highest */
	uint64_t addresses[FAULTS]; /* downwards */
	uint64_t grown;
} w;

/* A stack of one page, with room below it. */
static void make_stack(struct script *script)
{
	int flags = MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN;

	script_step(script, (struct step){ .run = step_call, .number = SYS_munmap, .start = &w.bottom, .what = "munmap",
					   .args = { (FAULTS + 1) * page_bytes() } });
	script_step(script, (struct step){ .run = step_call, .number = SYS_mmap, .start = &w.top, .what = "mmap",
					   .args = { page_bytes(), PROT_READ | PROT_WRITE, (uint64_t)flags, UINT64_MAX } });
	memory_fill(script, &w.top, page_bytes(), STAMP);
}

static void grow(struct script *script)
{
	for (unsigned int i = 0; i < FAULTS; i++)
		memory_fill(script, &w.addresses[i], page_bytes(), STAMP);
}

static void make_round(struct run *run)
{
	struct script *round = round_script(run);

	mark(run);
	make_stack(round);
	mark(run);
	grow(round);
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &w.grown, .args = { FAULTS } });
}

static int setup(struct run *run)
{
	struct script make = { 0 };
	size_t page = page_bytes();

	if (memory_only_base(run))
		return -1;
	/* Far from what lies below: the kernel keeps stacks apart by a gap of 256 pages. */
	w.bottom = memory_reserve(run, 2 * 256 * page);
	if (!w.bottom)
		return -1;
	w.bottom += 256 * page;
	w.top = w.bottom + FAULTS * page;
	for (unsigned int i = 0; i < FAULTS; i++)
		w.addresses[i] = w.top - (i + 1) * page;
	make_stack(&make);
	grow(&make);
	if (script_do(run, &make))
		return -1;
	phase_add(run, "-", 0);
	phase_add(run, "grow", FAULTS);
	make_round(run);
	range_set(run, (void *)(uintptr_t)w.bottom, (FAULTS + 1) * page);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.Size", "==", (FAULTS + 1) * page / KIB);
	require_both(run, "range.KernelPageSize", "==", page / KIB);
	require_both(run, "range.AnonHugePages", "==", 0);
	require_both(run, "pagemap.present", "==", FAULTS + 1);
	return 0;
}

static void verify(struct run *run)
{
	uint64_t pages = FAULTS + 1, stamped = memory_stamped(w.bottom, pages * page_bytes(), STAMP);

	if (w.grown != run_rounds(run) * FAULTS)
		complain(run, "%" PRIu64 " pages grown instead of %" PRIu64, w.grown, run_rounds(run) * FAULTS);
	if (stamped != pages)
		complain(run, "%" PRIu64 " of %" PRIu64 " pages hold what was written", stamped, pages);
}

static void teardown(struct run *run)
{
	(void)run;
	if (w.bottom)
		munmap((void *)(uintptr_t)w.bottom, (FAULTS + 1) * page_bytes());
}

const struct workload workload = {
	.name = "fault_stack",
	.group = "faults",
	.summary = "growth of a stack page by page: writes below a mapping that grows downwards",
	.subject = "Growing a stack by 32 pages, one by one",
	.state = "one private anonymous mapping that grows downwards (MAP_GROWSDOWN), made anew with one page for each round, of 33 "
		 "base pages after it, all present",
	.params = { { 0 } },
	.phases = {
		{ "grow", "page",
		  "One write of 8 bytes below the mapping, whose fault extends it by a page and maps it; 32 of them, divided by 32.",
		  true },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
