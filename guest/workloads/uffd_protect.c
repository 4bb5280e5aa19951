// SPDX-License-Identifier: GPL-2.0-only
/* Write protection of resident memory by userfaultfd, set and taken away. */
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

#include "memory.h"

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif
#ifndef UFFD_FEATURE_WP_HUGETLBFS_SHMEM
#define UFFD_FEATURE_WP_HUGETLBFS_SHMEM (1 << 12)
#endif

#define PAGEMAP_UFFD_WP (1ULL << 57)

static struct {
	uint64_t file; /* the userfaultfd */
	uint64_t start;
	uint64_t size;
	uint64_t pages;
	uint64_t rounds;
	struct uffdio_writeprotect protect, unprotect;
} w;

static int register_range(struct run *run, bool shared)
{
	struct uffdio_api api = { .api = UFFD_API,
				  .features = shared ? UFFD_FEATURE_WP_HUGETLBFS_SHMEM : UFFD_FEATURE_PAGEFAULT_FLAG_WP };
	struct uffdio_register range = { .range = { w.start, w.size }, .mode = UFFDIO_REGISTER_MODE_WP };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);

	if (fd < 0)
		return fail(run, "userfaultfd (CONFIG_USERFAULTFD): %s", strerror(errno));
	w.file = (uint64_t)fd;
	if (ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &range))
		return fail(run, "this kernel write-protects no %s memory by userfaultfd (CONFIG_HAVE_ARCH_USERFAULTFD_WP%s): %s",
			    shared ? "shared" : "private", shared ? ", CONFIG_PTE_MARKER_UFFD_WP" : "", strerror(errno));
	w.protect = (struct uffdio_writeprotect){ range.range, UFFDIO_WRITEPROTECT_MODE_WP };
	w.unprotect = (struct uffdio_writeprotect){ range.range, 0 };
	return 0;
}

static int setup(struct run *run)
{
	struct script make = { 0 }, *round = round_script(run);
	bool shared = param_is(run, "share", "shared");

	w.size = param_number(run, "size");
	w.pages = w.size / page_bytes();
	w.start = memory_reserve(run, w.size);
	if (!w.start)
		return -1;
	memory_map(&make, &w.start, w.size, shared, -1);
	memory_want_base(&make, &w.start, w.size);
	memory_fill(&make, &w.start, w.size, 1);
	if (script_do(run, &make) || register_range(run, shared))
		return -1;
	phase_add(run, "protect", w.pages);
	phase_add(run, "unprotect", w.pages);
	mark(run);
	script_call(round, ioctl, &w.file, UFFDIO_WRITEPROTECT, (uintptr_t)&w.protect);
	mark(run);
	script_call(round, ioctl, &w.file, UFFDIO_WRITEPROTECT, (uintptr_t)&w.unprotect);
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &w.rounds, .args = { 1 } });
	range_set(run, (void *)(uintptr_t)w.start, w.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.KernelPageSize", "==", page_bytes() / KIB);
	require_both(run, "range.AnonHugePages", "==", 0);
	require_both(run, "range.THPeligible", "==", 0);
	require_both(run, "pagemap.present", "==", w.pages);
	return 0;
}

/* Pages that the kernel says are write-protected by userfaultfd. */
static uint64_t protected_pages(void)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t found = 0, entry;

	for (uint64_t i = 0; i < w.pages; i++)
		found += pread(fd, &entry, sizeof(entry), (off_t)((w.start / page_bytes() + i) * sizeof(entry))) == sizeof(entry) &&
			 entry & PAGEMAP_UFFD_WP;
	if (fd >= 0)
		close(fd);
	return found;
}

static void verify(struct run *run)
{
	uint64_t left = protected_pages(), made;

	if (w.rounds != run_rounds(run))
		complain(run, "%" PRIu64 " rounds instead of %" PRIu64, w.rounds, run_rounds(run));
	if (left)
		complain(run, "%" PRIu64 " pages are left write-protected", left);
	ioctl((int)w.file, UFFDIO_WRITEPROTECT, &w.protect);
	made = protected_pages();
	ioctl((int)w.file, UFFDIO_WRITEPROTECT, &w.unprotect);
	if (made != w.pages)
		complain(run, "one call write-protects %" PRIu64 " of %" PRIu64 " pages", made, w.pages);
}

static void teardown(struct run *run)
{
	(void)run;
	if (w.file)
		close((int)w.file);
	if (w.start)
		munmap((void *)(uintptr_t)w.start, w.size);
}

const struct workload workload = {
	.name = "uffd_protect",
	.summary = "UFFDIO_WRITEPROTECT of a whole resident mapping, set and taken away",
	.subject = "Write-protecting a resident {share} mapping of {size} by userfaultfd",
	.state = "one mapping of base pages (MADV_NOHUGEPAGE), all present and written, registered with one userfaultfd for write protection only",
	.group = "page tables",
	.params = {
		{ "size", PARAM_SIZE, "bytes", "2MiB", "length of the mapping", MIN_PAGE_BYTES, 4 * GIB, { 0 } },
		{ "share", PARAM_CHOICE, "word", "private", "private anonymous or shared anonymous (shmem) memory", 0, 0, { "private", "shared" } },
	},
	.phases = {
		{ "protect", "page", "From before to after one UFFDIO_WRITEPROTECT that sets protection of the whole range, divided by its pages.", true },
		{ "unprotect", "page", "From before to after one UFFDIO_WRITEPROTECT that takes the protection away, divided by the pages.", false },
		{ "iteration", "page", "One round, protect and unprotect, divided by the pages.", false },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
