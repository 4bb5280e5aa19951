// SPDX-License-Identifier: GPL-2.0-only
/* Writes to pages of a private mapping that a read has mapped: each is copied. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memory.h"

#define STAMP 0x7570677264

static struct {
	uint64_t start;
	size_t size;
	uint64_t pages;
	uint64_t reads;
	uint64_t stamp; /* what the pages hold before they are written */
	bool zero;
	uint64_t written;
} w;

static void upgrade(struct run *run, struct script *script)
{
	script_step(script, (struct step){ .run = step_call, .number = SYS_madvise, .start = &w.start, .what = "MADV_DONTNEED",
					   .args = { w.size, MADV_DONTNEED } });
	script_step(script, (struct step){ .run = step_count, .start = &w.start,
					   .args = { w.size, w.stamp, page_bytes(), (uintptr_t)&w.reads } });
	if (script == round_script(run))
		mark(run);
	memory_fill(script, &w.start, w.size, STAMP + 1);
}

static void make_round(struct run *run)
{
	struct script *round = round_script(run);

	mark(run);
	upgrade(run, round);
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &w.written, .args = { 1 } });
}

static void declare_state(struct run *run)
{
	range_set(run, (void *)(uintptr_t)w.start, w.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.KernelPageSize", "==", page_bytes() / KIB);
	require_both(run, "range.AnonHugePages", "==", 0);
	require_both(run, "range.THPeligible", "==", 0);
	require_both(run, "pagemap.present", "==", w.pages);
	require_both(run, "pageflags.anon", "==", w.pages);
}

static int setup(struct run *run)
{
	struct script make = { 0 };
	int fd;

	w.size = param_number(run, "size");
	w.pages = w.size / page_bytes();
	w.start = memory_reserve(run, w.size);
	if (!w.start)
		return -1;
	w.zero = param_is(run, "kind", "zero_page");
	w.stamp = w.zero ? 0 : STAMP;
	fd = w.zero ? -1 : memory_file(run, w.size, STAMP);
	if (!w.zero && fd < 0)
		return -1;
	memory_map(&make, &w.start, w.size, false, fd);
	memory_want_base(&make, &w.start, w.size);
	upgrade(run, &make);
	if (script_do(run, &make))
		return -1;
	phase_add(run, "-", 0);
	phase_add(run, "write", w.pages);
	make_round(run);
	declare_state(run);
	return 0;
}

static void verify(struct run *run)
{
	uint64_t stamped = memory_stamped(w.start, w.size, STAMP + 1);
	uint64_t wanted = (run_rounds(run) + 1) * w.pages; /* setup() read them once */

	if (w.written != run_rounds(run))
		complain(run, "%" PRIu64 " rounds of writes instead of %" PRIu64, w.written, run_rounds(run));
	if (stamped != w.pages)
		complain(run, "%" PRIu64 " of %" PRIu64 " pages hold what was written last", stamped, w.pages);
	if (w.reads != wanted)
		complain(run, "%" PRIu64 " page reads instead of %" PRIu64, w.reads, wanted);
}

static void teardown(struct run *run)
{
	(void)run;
	if (w.start)
		munmap((void *)(uintptr_t)w.start, w.size);
}

const struct workload workload = {
	.name = "fault_upgrade",
	.group = "faults",
	.summary = "first write to each page of a private mapping that a read has mapped before: a copy of a file "
		 "page or of the zero page",
	.subject = "Write faults on private memory that reads have mapped ({kind})",
	.state = "one private mapping of base pages (MADV_NOHUGEPAGE), emptied and read before, written after "
		 "each round, so that all pages are then anonymous; the file lies on tmpfs with all its pages",
	.params = {
		{ "kind", PARAM_CHOICE, "word", "private_file",
		  "what the reads have mapped: the pages of a tmpfs file, or of anonymous memory the zero page", 0, 0,
		  { "private_file", "zero_page" } },
		{ "size", PARAM_SIZE, "bytes", "2MiB", "length of the mapping, a multiple of the page size", MIN_PAGE_BYTES, 16 * GIB, { 0 } },
	},
	.phases = {
		{ "write", "page",
		  "One write of 8 bytes to each base page, which is mapped write-protected, divided by these pages: a fault each, which"
		  " copies the page or clears a new one.",
		  true },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
