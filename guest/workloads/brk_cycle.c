// SPDX-License-Identifier: GPL-2.0-only
/* The heap grown and shrunk again by brk(). */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memory.h"

#define STAMP 0x62726b

static struct {
	uint64_t low; /* the break without the measured pages */
	uint64_t high;
	size_t size;
	uint64_t pages;
	uint64_t cycles;
} w;

static void set_break(struct script *script, uint64_t *to)
{
	script_step(script, (struct step){ .run = step_call, .number = SYS_brk, .start = to, .what = "brk" });
}

static void make_round(struct run *run)
{
	struct script *round = round_script(run);

	mark(run);
	set_break(round, &w.low);
	mark(run);
	set_break(round, &w.high);
	mark(run);
	memory_fill(round, &w.low, w.size, STAMP);
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &w.cycles, .args = { 1 } });
}

static int setup(struct run *run)
{
	struct script make = { 0 };
	size_t page = page_bytes();
	uintptr_t wall;

	w.size = param_number(run, "size");
	w.pages = w.size / page;
	/* What the C library itself needs of the heap until the end of the run, so that it does not grow it. */
	free(malloc(100 * KIB));
	/*
	 * Two pages of the heap stay below: one of the measured mapping, so that this is resized, not made, and one without
	 * permissions, so that what the C library uses is another mapping.
	 */
	wall = ((uintptr_t)sbrk(0) + page - 1) & ~(page - 1);
	w.low = wall + 2 * page;
	w.high = w.low + w.size;
	if (memory_only_base(run))
		return -1;
	if (brk((void *)(uintptr_t)w.high))
		return fail(run, "the heap cannot grow by %zu bytes", w.size);
	if (mprotect((void *)wall, page, PROT_NONE))
		return fail(run, "mprotect of a page of the heap: %s", strerror(errno));
	memory_fill(&make, &w.low, w.size, STAMP);
	if (script_do(run, &make))
		return -1;
	phase_add(run, "shrink", w.pages);
	phase_add(run, "grow", w.pages);
	phase_add(run, "touch", w.pages);
	make_round(run);
	range_set(run, (void *)(uintptr_t)w.low, w.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.KernelPageSize", "==", page / KIB);
	require_both(run, "range.Size", "==", (w.size + page) / KIB);
	require_both(run, "range.THPeligible", "==", 0);
	require_both(run, "range.AnonHugePages", "==", 0);
	require_both(run, "pagemap.present", "==", w.pages);
	return 0;
}

static void verify(struct run *run)
{
	uint64_t stamped = memory_stamped(w.low, w.size, STAMP);

	if (w.cycles != run_rounds(run))
		complain(run, "%" PRIu64 " cycles instead of %" PRIu64, w.cycles, run_rounds(run));
	if ((uintptr_t)syscall(SYS_brk, 0) != w.high)
		complain(run, "the break is not where brk() was asked to set it");
	if (stamped != w.pages)
		complain(run, "%" PRIu64 " of %" PRIu64 " pages hold what was written", stamped, w.pages);
}

/* The break stays: what the C library has taken from the heap since lies above it. */
static void teardown(struct run *run)
{
	(void)run;
}

const struct workload workload = {
	.name = "brk_cycle",
	.group = "mappings",
	.summary = "brk() that shrinks and grows the heap, then a write to each page of it",
	.subject = "Shrinking and growing the heap by {size} with brk()",
	.state = "the heap as one mapping of base pages (the process has huge pages switched off), all measured pages present and "
		 "written, one more page of it below them, and the rest of the heap apart",
	.params = {
		{ "size", PARAM_SIZE, "bytes", "2MiB", "by how much the heap shrinks and grows; 4KiB is what will-it-scale's brk2 does",
		  MIN_PAGE_BYTES, GIB, { 0 } },
	},
	.phases = {
		{ "shrink", "page", "From before to after one brk() that takes the pages away, divided by them.", false },
		{ "grow", "page", "From before to after one brk() that gives as much again, none present, divided by the pages.", false },
		{ "touch", "page", "One write of 8 bytes to each page of the grown heap, divided by these pages: a fault each.", false },
		{ "iteration", "page", "One round, shrink, grow and touch, divided by the pages.", true },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
