// SPDX-License-Identifier: GPL-2.0-only
/* mincore() over a range that holds present pages, none, swap entries, markers, or pages of the page cache alone. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/userfaultfd.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "file_systems.h"
#include "folios.h"
#include "memory.h"
#include "zram.h"

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif
#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif
#ifndef UFFD_FEATURE_WP_HUGETLBFS_SHMEM
#define UFFD_FEATURE_WP_HUGETLBFS_SHMEM (1 << 12)
#endif

#define STAMP 0x6d696e636f726500ULL
#define PAGEOUTS 3 /* pages that another CPU's batch still held are paged out by the next one */

static struct {
	struct folios folios; /* start and size, of every kind of range */
	uint64_t pages;
	uint64_t present;	    /* in the page table */
	uint64_t least, most;	    /* pages that mincore() calls resident */
	unsigned char *vector;
	uint64_t scans;
	int file; /* mapped, or a userfaultfd; -1: none */
	bool swap;
} w = { .file = -1 };

static void make_round(struct run *run)
{
	struct script *round = round_script(run);

	mark(run);
	script_call(round, mincore, &w.folios.start, w.folios.size, (uintptr_t)w.vector);
	script_step(round, (struct step){ .run = arch_idle(0) });
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &w.scans, .args = { 1 } });
}

static int base_pages(struct run *run, bool shared, bool fill)
{
	struct script make = { 0 };

	memory_map(&make, &w.folios.start, w.folios.size, shared, -1);
	memory_want_base(&make, &w.folios.start, w.folios.size);
	if (fill)
		memory_fill(&make, &w.folios.start, w.folios.size, STAMP);
	return script_do(run, &make);
}

/* One page of each page table stays, so that the kernel keeps the table and looks at each of its entries. */
static int make_none(struct run *run)
{
	size_t page = page_bytes(), table = huge_page_bytes();

	if (base_pages(run, false, true))
		return -1;
	for (uint64_t at = w.folios.start; at < w.folios.start + w.folios.size; at += table) {
		uint64_t end = w.folios.start + w.folios.size;
		uint64_t length = (end - at < table ? end - at : table) - page;

		if (length && madvise((void *)(uintptr_t)(at + page), length, MADV_DONTNEED))
			return fail(run, "madvise: %s", strerror(errno));
		w.present++;
	}
	w.least = w.most = w.present;
	return 0;
}

static int make_swap(struct run *run)
{
	if (zram_swapon(run, 64 * MIB + w.folios.size))
		return -1;
	w.swap = true;
	if (base_pages(run, false, true))
		return -1;
	for (int i = 0; i < PAGEOUTS; i++)
		if (madvise((void *)(uintptr_t)w.folios.start, w.folios.size, MADV_PAGEOUT))
			return fail(run, "madvise: %s", strerror(errno));
	w.most = w.pages / 10;
	require_both(run, "swap.devices", "==", 1);
	require_both(run, "pagemap.swapped", ">=", w.pages / 10 * 9);
	return 0;
}

static int make_markers(struct run *run)
{
	struct uffdio_api api = { .api = UFFD_API, .features = UFFD_FEATURE_WP_HUGETLBFS_SHMEM };
	struct uffdio_register range = { .range = { w.folios.start, w.folios.size }, .mode = UFFDIO_REGISTER_MODE_WP };
	struct uffdio_writeprotect protect = { range.range, UFFDIO_WRITEPROTECT_MODE_WP };

	if (base_pages(run, true, false))
		return -1;
	w.file = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
	if (w.file < 0)
		return fail(run, "userfaultfd (CONFIG_USERFAULTFD): %s", strerror(errno));
	if (ioctl(w.file, UFFDIO_API, &api) || ioctl(w.file, UFFDIO_REGISTER, &range) ||
	    ioctl(w.file, UFFDIO_WRITEPROTECT, &protect))
		return fail(run, "this kernel has no markers of write protection (CONFIG_PTE_MARKER_UFFD_WP): %s", strerror(errno));
	return 0;
}

/* The pages are in the page cache, and not in the page table. */
static int make_cached(struct run *run, bool shmem)
{
	struct script make = { 0 };

	w.file = shmem ? memory_file(run, w.folios.size, STAMP) : file_on(run, &ramfs, w.pages * page_bytes(), page_bytes(), STAMP);
	if (w.file < 0)
		return -1;
	memory_map(&make, &w.folios.start, w.folios.size, true, w.file);
	w.least = w.most = w.pages;
	return script_do(run, &make);
}

static int make_present(struct run *run)
{
	if (folios_start(run, &w.folios, STAMP))
		return -1;
	w.present = w.least = w.most = w.pages;
	folios_require(run, &w.folios);
	return 0;
}

static int make_range(struct run *run)
{
	bool present = param_is(run, "holds", "present");

	if (!present && !param_is(run, "order", "0"))
		return fail(run, "order is the size of the folios of holds=present; leave it out");
	if (present)
		return folios_prepare(run, &w.folios) ? -1 : make_present(run);
	w.folios.start = memory_reserve(run, w.folios.size);
	if (!w.folios.start)
		return -1;
	if (param_is(run, "holds", "none"))
		return make_none(run);
	if (param_is(run, "holds", "swap"))
		return make_swap(run);
	if (param_is(run, "holds", "marker"))
		return make_markers(run);
	return make_cached(run, param_is(run, "holds", "shmem"));
}

static int setup(struct run *run)
{
	w.folios.size = param_number(run, "size");
	w.pages = w.folios.size / page_bytes();
	if (make_range(run))
		return -1;
	w.vector = mmap(NULL, w.pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (w.vector == MAP_FAILED)
		return fail(run, "no memory for the result vector: %s", strerror(errno));
	/* No mincore() writes this, so that a scan that did not happen is seen. */
	memset(w.vector, 0xa5, w.pages);
	phase_add(run, "scan", w.pages);
	make_round(run);
	if (param_is(run, "holds", "present"))
		return 0;
	range_set(run, (void *)(uintptr_t)w.folios.start, w.folios.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.AnonHugePages", "==", 0);
	if (!w.swap)
		require_both(run, "pagemap.present", "==", w.present);
	return 0;
}

static void verify(struct run *run)
{
	uint64_t resident = 0, answered = 0;

	for (uint64_t i = 0; i < w.pages; i++) {
		resident += w.vector[i] == 1;
		answered += w.vector[i] <= 1;
	}
	if (w.scans != run_rounds(run) || answered != w.pages)
		complain(run, "%" PRIu64 " scans instead of %" PRIu64 ", %" PRIu64 " of %" PRIu64 " pages answered", w.scans,
			 run_rounds(run), answered, w.pages);
	if (resident < w.least || resident > w.most)
		complain(run, "mincore says resident for %" PRIu64 " pages, not %" PRIu64 " to %" PRIu64, resident, w.least, w.most);
	note(run, "mincore says resident for %" PRIu64 " of %" PRIu64 " pages", resident, w.pages);
}

static void teardown(struct run *run)
{
	if (param_is(run, "holds", "present"))
		folios_release(&w.folios);
	else if (w.folios.start)
		munmap((void *)(uintptr_t)w.folios.start, w.folios.size);
	if (w.file >= 0)
		close(w.file);
	if (w.swap)
		zram_swapoff();
}

const struct workload workload = {
	.name = "mincore_range",
	.summary = "mincore() of a mapping, by what its page table holds",
	.subject = "Asking mincore() about {size} that hold {holds} (folios of order {order})",
	.state = "one mapping whose page table holds what was asked for: all pages present; one present page for each page table; "
		 "swap entries (nine of ten at least, in zram); markers of userfaultfd; or nothing, with all pages in the page cache",
	.group = "page tables",
	.alters = "holds=swap makes /dev/zram0 a swap area (only when it is not in use), and takes it away again",
	.conflicts = {
		{ { "holds!=present", "order!=0" }, "order is the size of the folios of holds=present" },
		{ { "holds=swap", "--swap" }, "it makes the swap area itself" },
	},
	.params = {
		{ "holds", PARAM_CHOICE, "word", "present",
		  "present: private anonymous pages. none: empty entries. swap: swapped-out pages. marker: write protection of shared "
		  "memory that was never touched. shmem, file: pages of tmpfs or ramfs that are cached and not mapped", 0, 0,
		  { "present", "none", "swap", "marker", "shmem", "file" } },
		FOLIOS_ORDER,
		FOLIOS_SIZE("4MiB"),
	},
	.phases = {
		{ "scan", "page", "From before to after one mincore() of the whole range, divided by its base pages.", true },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
