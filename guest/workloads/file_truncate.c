// SPDX-License-Identifier: GPL-2.0-only
/* pwrite() of new pages into the page cache, then their truncation. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "file_systems.h"
#include "memory.h"

#define STAMP 0x7772697465000000ULL

static struct {
	uint64_t file;
	uint64_t start;
	uint64_t size;
	uint64_t rounds;
} w;

static int setup(struct run *run)
{
	struct script make = { 0 }, *round = round_script(run);
	int fd;

	w.size = param_number(run, "size");
	fd = file_on(run, &ramfs, 0, page_bytes(), 0);
	w.start = fd < 0 ? 0 : memory_reserve(run, w.size);
	if (!w.start)
		return -1;
	w.file = (uint64_t)fd;
	memory_map(&make, &w.start, w.size, false, -1);
	memory_want_base(&make, &w.start, w.size);
	memory_fill(&make, &w.start, w.size, STAMP);
	if (script_do(run, &make))
		return -1;
	phase_add(run, "write", w.size / page_bytes());
	phase_add(run, "truncate", w.size / page_bytes());
	mark(run);
	script_call(round, pwrite64, &w.file, w.start, w.size, 0);
	mark(run);
	script_call(round, ftruncate, &w.file, 0);
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &w.rounds, .args = { 1 } });
	range_set(run, (void *)(uintptr_t)w.start, w.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.KernelPageSize", "==", page_bytes() / KIB);
	require_both(run, "range.AnonHugePages", "==", 0);
	require_both(run, "pagemap.present", "==", w.size / page_bytes());
	return 0;
}

static void verify(struct run *run)
{
	uint64_t word = 0;
	struct stat file;

	if (w.rounds != run_rounds(run))
		complain(run, "%" PRIu64 " rounds instead of %" PRIu64, w.rounds, run_rounds(run));
	if (fstat((int)w.file, &file) || file.st_size)
		complain(run, "the file was not truncated: %jd bytes", (intmax_t)file.st_size);
	if (pwrite((int)w.file, (void *)(uintptr_t)w.start, w.size, 0) != (ssize_t)w.size ||
	    pread((int)w.file, &word, sizeof(word), (off_t)(w.size - page_bytes())) != sizeof(word) || word != STAMP)
		complain(run, "one pwrite() does not write %" PRIu64 " bytes", w.size);
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
	.name = "file_truncate",
	.summary = "pwrite() of a new file into the page cache, then ftruncate() to nothing",
	.subject = "Truncating {size} of a file in the page cache",
	.state = "one file on a ramfs of its own, empty before each round; what is written is one private mapping of base pages, all present",
	.group = "files",
	.params = {
		{ "size", PARAM_SIZE, "bytes", "256KiB", "length of the file and of the one write", MIN_PAGE_BYTES, GIB, { 0 } },
	},
	.phases = {
		{ "write", "page", "From before to after one pwrite() of the whole file, divided by its base pages; it allocates, and copies.", false },
		{ "truncate", "page", "From before to after one ftruncate() to nothing, divided by the base pages.", true },
		{ "iteration", "page", "One round, write and truncate, divided by the base pages.", false },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
