// SPDX-License-Identifier: GPL-2.0-only
/* First reads of an empty mapping: the zero page, or pages of a file. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memory.h"

#define STAMP 0x72656164

static struct {
	uint64_t start;
	size_t size;
	uint64_t pages;
	uint64_t stamp; /* what the pages hold */
	uint64_t reads;
	bool zero;
} w;

static void read_pages(struct script *script)
{
	script_step(script, (struct step){ .run = step_count, .start = &w.start,
					   .args = { w.size, w.stamp, page_bytes(), (uintptr_t)&w.reads } });
}

static void make_round(struct run *run)
{
	struct script *round = round_script(run);

	mark(run);
	script_step(round, (struct step){ .run = step_call, .number = SYS_madvise, .start = &w.start, .what = "MADV_DONTNEED",
					  .args = { w.size, MADV_DONTNEED } });
	mark(run);
	read_pages(round);
	mark(run);
}

static void declare_state(struct run *run)
{
	range_set(run, (void *)(uintptr_t)w.start, w.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.KernelPageSize", "==", page_bytes() / KIB);
	require_both(run, "range.AnonHugePages", "==", 0);
	require_both(run, "range.THPeligible", "==", 0);
	require_both(run, "pagemap.present", "==", w.pages);
	require_both(run, "pageflags.zero", "==", w.zero ? w.pages : 0);
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
	memory_map(&make, &w.start, w.size, param_is(run, "kind", "shared_file"), fd);
	memory_want_base(&make, &w.start, w.size);
	read_pages(&make);
	if (script_do(run, &make))
		return -1;
	phase_add(run, "zap", w.pages);
	phase_add(run, "read", w.pages);
	make_round(run);
	declare_state(run);
	return 0;
}

static void verify(struct run *run)
{
	uint64_t wanted = (run_rounds(run) + 1) * w.pages; /* setup() read them once */

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
	.name = "fault_read",
	.group = "faults",
	.summary = "first read of each page of an empty mapping: of the zero page, or of a file with fault-around",
	.subject = "Read faults on {kind} memory",
	.state = "one mapping of base pages (MADV_NOHUGEPAGE), emptied before and read after each round; files "
		 "lie on tmpfs with all their pages",
	.params = {
		{ "kind", PARAM_CHOICE, "word", "private_file",
		  "a private or a shared mapping of a tmpfs file, or private anonymous memory, whose reads map the zero page", 0, 0,
		  { "private_file", "shared_file", "zero_page" } },
		{ "size", PARAM_SIZE, "bytes", "4MiB", "length of the mapping, a multiple of the page size", MIN_PAGE_BYTES, 16 * GIB, { 0 } },
	},
	.phases = {
		{ "zap", "page",
		  "From before to after one madvise(MADV_DONTNEED) of the whole range, divided by its base pages.",
		  false },
		{ "read", "page",
		  "One read of 8 bytes in each base page of the emptied range, divided by these pages. With a file one fault maps the"
		  " pages around it as well, so there are fewer faults than pages.",
		  true },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
