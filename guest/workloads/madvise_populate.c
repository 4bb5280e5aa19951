// SPDX-License-Identifier: GPL-2.0-only
/* MADV_POPULATE_WRITE or MADV_POPULATE_READ of an empty anonymous mapping. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "memory.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

static struct {
	uint64_t start;
	size_t size;
	uint64_t pages;
	bool write;
	uint64_t populated;
} w;

static void make_round(struct run *run)
{
	struct script *round = round_script(run);

	int advice = w.write ? MADV_POPULATE_WRITE : MADV_POPULATE_READ;

	mark(run);
	script_step(round, (struct step){ .run = step_call, .number = SYS_madvise, .start = &w.start, .what = "MADV_DONTNEED",
					  .args = { w.size, MADV_DONTNEED } });
	mark(run);
	script_step(round, (struct step){ .run = step_call, .number = SYS_madvise, .start = &w.start, .what = "MADV_POPULATE",
					  .args = { w.size, (uint64_t)advice } });
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &w.populated, .args = { 1 } });
}

static void declare_state(struct run *run)
{
	range_set(run, (void *)(uintptr_t)w.start, w.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.KernelPageSize", "==", page_bytes() / KIB);
	require_both(run, "range.AnonHugePages", "==", 0);
	require_both(run, "range.THPeligible", "==", 0);
	require_both(run, "pagemap.present", "==", w.pages);
	require_both(run, "pageflags.anon", "==", w.write ? w.pages : 0);
	require_both(run, "pageflags.zero", "==", w.write ? 0 : w.pages);
}

static int setup(struct run *run)
{
	struct script make = { 0 };

	w.size = param_number(run, "size");
	w.pages = w.size / page_bytes();
	w.start = memory_reserve(run, w.size);
	if (!w.start)
		return -1;
	w.write = param_is(run, "access", "write");
	memory_map(&make, &w.start, w.size, false, -1);
	memory_want_base(&make, &w.start, w.size);
	script_step(&make, (struct step){ .run = step_call, .number = SYS_madvise, .start = &w.start, .what = "MADV_POPULATE",
					  .args = { w.size, w.write ? MADV_POPULATE_WRITE : MADV_POPULATE_READ } });
	if (script_do(run, &make))
		return -1;
	phase_add(run, "zap", w.pages);
	phase_add(run, "populate", w.pages);
	make_round(run);
	declare_state(run);
	return 0;
}

static void verify(struct run *run)
{
	if (w.populated != run_rounds(run))
		complain(run, "%" PRIu64 " calls succeeded instead of %" PRIu64, w.populated, run_rounds(run));
}

static void teardown(struct run *run)
{
	(void)run;
	if (w.start)
		munmap((void *)(uintptr_t)w.start, w.size);
}

const struct workload workload = {
	.name = "madvise_populate",
	.group = "faults",
	.summary = "MADV_POPULATE_WRITE (or _READ) of a whole empty anonymous mapping: page faults without faults",
	.subject = "Populating {size} of private anonymous memory by MADV_POPULATE for {access}",
	.state = "one private anonymous mapping of base pages (MADV_NOHUGEPAGE), emptied before and populated "
		 "after each call; access=write: memory of its own, access=read: the zero page",
	.params = {
		{ "access", PARAM_CHOICE, "word", "write", "write: MADV_POPULATE_WRITE; read: MADV_POPULATE_READ, which maps the zero page", 0, 0,
		  { "write", "read" } },
		{ "size", PARAM_SIZE, "bytes", "2MiB", "length of the mapping, a multiple of the page size", MIN_PAGE_BYTES, 16 * GIB, { 0 } },
	},
	.phases = {
		{ "zap", "page",
		  "From before to after one madvise(MADV_DONTNEED) of the whole range, divided by its base pages.",
		  false },
		{ "populate", "page",
		  "From before to after one madvise(MADV_POPULATE_WRITE or _READ) of the whole empty range, divided by its base pages.",
		  true },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
