// SPDX-License-Identifier: GPL-2.0-only
/* Reads through a fresh mapping of a file whose pages are all in the page cache: faults that map several pages each. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "file_systems.h"
#include "memory.h"

#define STAMP 0x6661756c74000000ULL

static struct {
	uint64_t file;
	uint64_t start;
	uint64_t size;
	uint64_t pages;
	uint64_t reads; /* pages in which the file's own word was found */
} w;

static void map_file(struct script *script, bool shared)
{
	script_call(script, mmap, &w.start, w.size, PROT_READ, (uint64_t)(MAP_FIXED | (shared ? MAP_SHARED : MAP_PRIVATE)), w.file);
}

static void read_pages(struct script *script)
{
	script_step(script, (struct step){ .run = step_count, .start = &w.start,
					   .args = { w.size, STAMP, page_bytes(), (uintptr_t)&w.reads } });
}

static int setup(struct run *run)
{
	struct script make = { 0 }, *round = round_script(run);
	bool shared = param_is(run, "share", "shared");
	int fd;

	w.size = param_number(run, "size");
	w.pages = w.size / page_bytes();
	fd = file_on(run, &ramfs, w.pages * page_bytes(), page_bytes(), STAMP);
	w.start = fd < 0 ? 0 : memory_reserve(run, w.size);
	if (!w.start)
		return -1;
	w.file = (uint64_t)fd;
	map_file(&make, shared);
	read_pages(&make);
	if (script_do(run, &make))
		return -1;
	w.reads = 0;
	phase_add(run, "unmap", w.pages);
	phase_add(run, "-", 0);
	phase_add(run, "fault", w.pages);
	mark(run);
	memory_unmap(round, &w.start, w.size);
	mark(run);
	map_file(round, shared);
	mark(run);
	read_pages(round);
	mark(run);
	range_set(run, (void *)(uintptr_t)w.start, w.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.KernelPageSize", "==", page_bytes() / KIB);
	require_both(run, "range.Rss", "==", w.size / KIB);
	require_both(run, "pagemap.present", "==", w.pages);
	return 0;
}

static void verify(struct run *run)
{
	if (w.reads != run_rounds(run) * w.pages)
		complain(run, "%" PRIu64 " pages of the file were read instead of %" PRIu64, w.reads, run_rounds(run) * w.pages);
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
	.name = "file_fault",
	.summary = "a read of each page of a fresh mapping of a cached file, and its munmap()",
	.subject = "Faulting in a {share} read-only mapping of {size} of a cached file",
	.state = "one file on a ramfs of its own, all pages in the page cache; one read-only mapping, made anew in each round, all pages "
		 "mapped before and after; the kernel maps pages around a fault as it is set to (64 KiB by default)",
	.group = "faults",
	.params = {
		{ "size", PARAM_SIZE, "bytes", "2MiB", "length of file and mapping", MIN_PAGE_BYTES, GIB, { 0 } },
		{ "share", PARAM_CHOICE, "word", "private", "a private or a shared mapping", 0, 0, { "private", "shared" } },
	},
	.phases = {
		{ "unmap", "page", "From before to after the whole mapped range is unmapped, divided by its base pages.", false },
		{ "fault", "page", "One read of 8 bytes in each base page of the fresh mapping, divided by the pages; a fault maps several pages.", true },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
