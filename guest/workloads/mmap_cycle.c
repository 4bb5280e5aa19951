// SPDX-License-Identifier: GPL-2.0-only
/* mmap() and munmap() of anonymous memory where the kernel likes, untouched or written. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "memory.h"

#define STAMP 0x6d6d6170

static struct {
	uint64_t start;
	size_t size;
	size_t written; /* bytes */
	uint64_t cycles;
} w;

static void add_map(struct script *script)
{
	script_step(script, (struct step){ .run = step_map, .number = SYS_mmap, .start = &w.start, .what = "mmap",
					   .args = { w.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, UINT64_MAX } });
}

static void make_round(struct run *run)
{
	struct script *round = round_script(run);

	mark(run);
	script_step(round, (struct step){ .run = step_call, .number = SYS_munmap, .start = &w.start, .what = "munmap",
					  .args = { w.size } });
	mark(run);
	add_map(round);
	mark(run);
	if (w.written) {
		memory_fill(round, &w.start, w.written, STAMP);
		mark(run);
	}
	script_step(round, (struct step){ .run = step_add, .start = &w.cycles, .args = { 1 } });
}

/*
 * A page without permissions on each side, so that the range merges with no neighbour. The upper one is the end of a
 * mapping that had room for the range as well: a single page could lie in a small gap, above one that fits the range.
 */
static int add_guard(struct run *run, size_t room)
{
	char *start = mmap(NULL, room + page_bytes(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (start == MAP_FAILED || (room && munmap(start, room)))
		return fail(run, "no address space for %zu bytes", room + page_bytes());
	return 0;
}

static void declare_state(struct run *run)
{
	range_set(run, (void *)(uintptr_t)w.start, w.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.Size", "==", w.size / KIB);
	require_both(run, "range.KernelPageSize", "==", page_bytes() / KIB);
	require_both(run, "range.THPeligible", "==", 0);
	require_both(run, "pagemap.present", "==", w.written / page_bytes());
}

static int setup(struct run *run)
{
	struct script make = { 0 };

	w.size = param_number(run, "size");
	if (param_is(run, "touch", "header"))
		w.written = page_bytes();
	if (param_is(run, "touch", "all"))
		w.written = w.size;
	if (memory_only_base(run) || add_guard(run, w.size))
		return -1;
	add_map(&make);
	if (w.written)
		memory_fill(&make, &w.start, w.written, STAMP);
	if (script_do(run, &make) || add_guard(run, 0))
		return -1;
	phase_add(run, "unmap", 1);
	phase_add(run, "map", 1);
	if (w.written)
		phase_add(run, "touch", 1);
	make_round(run);
	declare_state(run);
	return 0;
}

static void verify(struct run *run)
{
	uint64_t stamped = memory_stamped(w.start, w.written, STAMP);

	if (w.cycles != run_rounds(run))
		complain(run, "%" PRIu64 " cycles instead of %" PRIu64, w.cycles, run_rounds(run));
	if (stamped != w.written / page_bytes())
		complain(run, "%" PRIu64 " of %" PRIu64 " pages hold what was written", stamped,
			 (uint64_t)(w.written / page_bytes()));
}

static void teardown(struct run *run)
{
	(void)run;
	if (w.start)
		munmap((void *)(uintptr_t)w.start, w.size);
}

const struct workload workload = {
	.name = "mmap_cycle",
	.group = "mappings",
	.summary = "munmap() and mmap() of anonymous memory: untouched, written in the first page as malloc() does, or written whole",
	.subject = "Unmapping and mapping {size} of private anonymous memory (touch: {touch})",
	.state = "one private anonymous mapping where the kernel put it, next to pages without permissions; base pages (the process "
		 "has huge pages switched off), as many present as are written",
	.params = {
		{ "size", PARAM_SIZE, "bytes", "128MiB", "length of the mapping", MIN_PAGE_BYTES, 16 * GIB, { 0 } },
		{ "touch", PARAM_CHOICE, "word", "header",
		  "none: nothing is written; header: the first page, as malloc() and free() of a large block do; all: each page", 0, 0,
		  { "header", "none", "all" } },
	},
	.phases = {
		{ "unmap", "call", "From before to after one munmap() of the whole range, with all its pages together.", false },
		{ "map", "call", "From before to after one mmap() of the same length where the kernel likes.", false },
		{ "touch", "call", "One write of 8 bytes to each page that touch names, all of them together: a fault each.", false },
		{ "iteration", "call",
		  "One round, unmap, map and touch; with touch=header free() and malloc() of a large block, as a C library does them.", true },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
