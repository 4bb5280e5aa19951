// SPDX-License-Identifier: GPL-2.0-only
/*
 * msync() of dirty pages of a shared file mapping. The file is a RAM disk itself: memory file systems write nothing
 * back, a block device does, and the kernel's RAM disk is done with a write at once.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memory.h"
#include "ram_disk.h"

#define STAMP 0x6d73796e63000000ULL

static struct {
	uint64_t file;
	uint64_t start;
	uint64_t size;
	uint64_t pages;
	uint64_t rounds;
	bool used; /* the device holds what we wrote */
} w;

/* Whole pages one by one: base pages in the page cache. */
static int write_pages(struct run *run, int fd)
{
	uint64_t *page = calloc(1, page_bytes()), at = 0;

	if (page)
		*page = STAMP;
	while (page && at < w.size && pwrite(fd, page, page_bytes(), (off_t)at) == (ssize_t)page_bytes())
		at += page_bytes();
	free(page);
	return at < w.size ? fail(run, "writing to " RAM_DISK ": %s", strerror(errno)) : 0;
}

static int open_device(struct run *run)
{
	int fd = ram_disk_open(run, w.size);

	if (fd < 0)
		return -1;
	w.file = (uint64_t)fd;
	w.used = true;
	return write_pages(run, fd);
}

static int setup(struct run *run)
{
	struct script make = { 0 }, *round = round_script(run);
	struct step *dirty;

	w.size = param_number(run, "size");
	w.pages = w.size / page_bytes();
	w.start = memory_reserve(run, w.size);
	if (!w.start || open_device(run))
		return -1;
	memory_map(&make, &w.start, w.size, true, (int)w.file);
	memory_fill(&make, &w.start, w.size, STAMP);
	script_call(&make, msync, &w.start, w.size, MS_SYNC);
	if (script_do(run, &make))
		return -1;
	phase_add(run, "dirty", w.pages);
	phase_add(run, "sync", w.pages);
	mark(run);
	dirty = memory_fill(round, &w.start, w.size, STAMP + 1);
	mark(run);
	script_call(round, msync, &w.start, w.size, MS_SYNC);
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &dirty->args[1], .args = { 1 } });
	script_step(round, (struct step){ .run = step_add, .start = &w.rounds, .args = { 1 } });
	range_set(run, (void *)(uintptr_t)w.start, w.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.KernelPageSize", "==", page_bytes() / KIB);
	require_both(run, "range.Dirty", "==", 0);
	require_both(run, "pagemap.present", "==", w.pages);
	return 0;
}

static void verify(struct run *run)
{
	uint64_t written = ram_disk_pages_with(STAMP + run_rounds(run), w.size);

	if (w.rounds != run_rounds(run))
		complain(run, "%" PRIu64 " rounds instead of %" PRIu64, w.rounds, run_rounds(run));
	if (written != w.pages)
		complain(run, "%" PRIu64 " of %" PRIu64 " pages reached the device", written, w.pages);
}

static void teardown(struct run *run)
{
	(void)run;
	if (w.start)
		munmap((void *)(uintptr_t)w.start, w.size);
	if (w.file)
		close((int)w.file);
	if (w.used)
		ram_disk_clear(w.size);
}

const struct workload workload = {
	.name = "file_msync",
	.summary = "a write to each page of a shared mapping of a RAM disk, then msync(MS_SYNC) of all of them",
	.subject = "Writing {size} of dirty shared file pages back with msync()",
	.state = "one shared mapping of the RAM disk " RAM_DISK ", all pages present, clean and write-protected before each round; nothing else uses it",
	.group = "files",
	.alters = "writes to the RAM disk " RAM_DISK " (only when it is empty), and clears it again",
	.modules = { "brd" },
	.params = {
		{ "size", PARAM_SIZE, "bytes", "512KiB", "length of the mapping; a RAM disk has 16 MiB by default", MIN_PAGE_BYTES, 4 * GIB, { 0 } },
	},
	.phases = {
		{ "dirty", "page", "One write of 8 bytes to each clean, write-protected page of the mapping, divided by the pages.", false },
		{ "sync", "page", "From before to after one msync(MS_SYNC) of the whole range, divided by its pages; it includes the copy to the RAM disk.", true },
		{ "iteration", "page", "One round, dirty and sync, divided by the pages.", false },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
