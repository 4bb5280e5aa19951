// SPDX-License-Identifier: GPL-2.0-only
/*
 * msync() of dirty pages of a shared file mapping. The file is a RAM disk itself: memory file systems write nothing
 * back, a block device does, and the kernel's RAM disk is done with a write at once.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memory.h"

#define DEVICE "/dev/ram0"
#define STAMP 0x6d73796e63000000ULL

static struct {
	uint64_t file;
	uint64_t start;
	uint64_t size;
	uint64_t pages;
	uint64_t rounds;
	bool used; /* the device holds what we wrote */
} w;

/* Past the page cache: reading through it would make large folios of it on kernels that can. */
static uint64_t pages_with(uint64_t word)
{
	uint64_t *page = mmap(NULL, page_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open(DEVICE, O_RDONLY | O_DIRECT | O_CLOEXEC);
	uint64_t found = 0;

	for (uint64_t at = 0; page != MAP_FAILED && at < w.size; at += page_bytes())
		found += pread(fd, page, page_bytes(), (off_t)at) == (ssize_t)page_bytes() && *page == word;
	if (fd >= 0)
		close(fd);
	return found;
}

/* Whole pages one by one: base pages in the page cache. */
static int write_pages(struct run *run, int fd)
{
	uint64_t *page = calloc(1, page_bytes()), at = 0;

	if (page)
		*page = STAMP;
	while (page && at < w.size && pwrite(fd, page, page_bytes(), (off_t)at) == (ssize_t)page_bytes())
		at += page_bytes();
	free(page);
	return at < w.size ? fail(run, "writing to " DEVICE ": %s", strerror(errno)) : 0;
}

static int open_device(struct run *run)
{
	uint64_t bytes = 0;
	int fd = open(DEVICE, O_RDWR | O_EXCL | O_CLOEXEC);

	if (fd < 0)
		return fail(run, "no RAM disk: " DEVICE ": %s (module brd, CONFIG_BLK_DEV_RAM)", strerror(errno));
	w.file = (uint64_t)fd;
	if (ioctl(fd, BLKGETSIZE64, &bytes) || bytes < w.size)
		return fail(run, DEVICE " has %" PRIu64 " bytes, fewer than %" PRIu64, bytes, w.size);
	if (pages_with(0) != w.pages)
		return fail(run, DEVICE " is not empty; it is left alone");
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
	uint64_t written = pages_with(STAMP + run_rounds(run));

	if (w.rounds != run_rounds(run))
		complain(run, "%" PRIu64 " rounds instead of %" PRIu64, w.rounds, run_rounds(run));
	if (written != w.pages)
		complain(run, "%" PRIu64 " of %" PRIu64 " pages reached the device", written, w.pages);
}

static void teardown(struct run *run)
{
	(void)run;
	if (w.used && w.start) {
		memset((void *)(uintptr_t)w.start, 0, w.size);
		msync((void *)(uintptr_t)w.start, w.size, MS_SYNC);
	}
	if (w.start)
		munmap((void *)(uintptr_t)w.start, w.size);
	if (w.file)
		close((int)w.file);
}

const struct workload workload = {
	.name = "file_msync",
	.summary = "a write to each page of a shared mapping of a RAM disk, then msync(MS_SYNC) of all of them",
	.subject = "Writing {size} of dirty shared file pages back with msync()",
	.state = "one shared mapping of the RAM disk " DEVICE ", all pages present, clean and write-protected before each round; nothing else uses it",
	.group = "files",
	.alters = "writes to the RAM disk " DEVICE " (only when it is empty), and clears it again",
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
