// SPDX-License-Identifier: GPL-2.0-only
/* First writes to holes of a shared mapping of a tmpfs file, then truncation of the mapped file. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memory.h"

static struct {
	uint64_t file;
	uint64_t start;
	uint64_t size;
	uint64_t rounds;
} w;

static int setup(struct run *run)
{
	struct script make = { 0 }, *round = round_script(run);
	int fd = memfd_create("kassay", MFD_CLOEXEC);

	w.size = param_number(run, "size");
	if (fd < 0 || ftruncate(fd, (off_t)w.size))
		return fail(run, "making a file of %" PRIu64 " bytes: %s", w.size, strerror(errno));
	w.file = (uint64_t)fd;
	w.start = memory_reserve(run, w.size);
	if (!w.start)
		return -1;
	memory_map(&make, &w.start, w.size, true, fd);
	memory_want_base(&make, &w.start, w.size);
	if (script_do(run, &make))
		return -1;
	phase_add(run, "fault", w.size / page_bytes());
	phase_add(run, "truncate", w.size / page_bytes());
	mark(run);
	memory_write_byte(round, &w.start, w.size);
	mark(run);
	script_call(round, ftruncate, &w.file, 0);
	mark(run);
	script_call(round, ftruncate, &w.file, w.size);
	script_step(round, (struct step){ .run = step_add, .start = &w.rounds, .args = { 1 } });
	range_set(run, (void *)(uintptr_t)w.start, w.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.KernelPageSize", "==", page_bytes() / KIB);
	require_both(run, "range.THPeligible", "==", 0);
	require_both(run, "pagemap.present", "==", 0);
	return 0;
}

static void verify(struct run *run)
{
	struct stat file;

	if (w.rounds != run_rounds(run))
		complain(run, "%" PRIu64 " rounds instead of %" PRIu64, w.rounds, run_rounds(run));
	if (fstat((int)w.file, &file) || file.st_blocks)
		complain(run, "%jd blocks are left of the truncated file", (intmax_t)file.st_blocks);
	memset((void *)(uintptr_t)w.start, 1, w.size);
	if (fstat((int)w.file, &file) || (uint64_t)file.st_blocks * 512 != w.size)
		complain(run, "writing to %" PRIu64 " bytes makes %jd blocks of 512", w.size, (intmax_t)file.st_blocks);
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
	.name = "shmem_fault",
	.summary = "first write to each page of a shared mapping of an empty tmpfs file, then ftruncate() while it is mapped",
	.subject = "Faulting in {size} of shared tmpfs memory and truncating it",
	.state = "one shared mapping of one tmpfs file (memfd_create), base pages (MADV_NOHUGEPAGE), a hole before each round",
	.group = "faults",
	.params = {
		{ "size", PARAM_SIZE, "bytes", "256KiB", "length of file and mapping", MIN_PAGE_BYTES, 4 * GIB, { 0 } },
	},
	.phases = {
		{ "fault", "page", "One write of a byte to each base page of the mapping, divided by the pages; each is allocated and cleared.", true },
		{ "truncate", "page", "From before to after one ftruncate() to nothing, which unmaps and frees every page, divided by the pages.", false },
		{ "iteration", "page", "One round, fault and truncate, divided by the pages.", false },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
