// SPDX-License-Identifier: GPL-2.0-only
/* pread() of a file whose pages are all in the page cache. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "file_systems.h"
#include "memory.h"

#define STAMP 0x7265616400000000ULL

static struct {
	uint64_t file;
	uint64_t start;
	uint64_t size;
	uint64_t reads;
} w;

static int setup(struct run *run)
{
	struct script make = { 0 }, *round = round_script(run);
	int fd;

	w.size = param_number(run, "size");
	fd = file_on(run, &ramfs, w.size, page_bytes(), STAMP);
	w.start = fd < 0 ? 0 : memory_reserve(run, w.size);
	if (!w.start)
		return -1;
	w.file = (uint64_t)fd;
	memory_map(&make, &w.start, w.size, false, -1);
	memory_want_base(&make, &w.start, w.size);
	memory_fill(&make, &w.start, w.size, 1);
	if (script_do(run, &make))
		return -1;
	phase_add(run, "read", w.size / page_bytes());
	mark(run);
	script_call(round, pread64, &w.file, w.start, w.size, 0);
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &w.reads, .args = { 1 } });
	range_set(run, (void *)(uintptr_t)w.start, w.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.KernelPageSize", "==", page_bytes() / KIB);
	require_both(run, "range.AnonHugePages", "==", 0);
	require_both(run, "pagemap.present", "==", w.size / page_bytes());
	return 0;
}

static void verify(struct run *run)
{
	uint64_t found = memory_stamped(w.start, w.size, STAMP), pages = w.size / page_bytes();

	if (w.reads != run_rounds(run))
		complain(run, "%" PRIu64 " reads instead of %" PRIu64, w.reads, run_rounds(run));
	if (found != pages)
		complain(run, "%" PRIu64 " of %" PRIu64 " pages of the file were read", found, pages);
}

static void teardown(struct run *run)
{
	(void)run;
	if (w.start)
		munmap((void *)(uintptr_t)w.start, w.size);
	if (w.file)
		close((int)w.file);
}

const struct workload workload = {
	.name = "file_read",
	.summary = "pread() of a whole file out of the page cache into resident memory",
	.subject = "Reading {size} of a cached file",
	.state = "one file on a ramfs of its own, all pages in the page cache; the buffer is one private mapping of base "
		 "pages, all present",
	.group = "files",
	.params = {
		{ "size", PARAM_SIZE, "bytes", "256KiB", "length of the file and of the one read", MIN_PAGE_BYTES, GIB, { 0 } },
	},
	.phases = {
		{ "read", "page", "From before to after one pread() of the whole file, divided by its base pages; it includes the copy.", true },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
