// SPDX-License-Identifier: GPL-2.0-only
/* mincore() over a resident private mapping of base pages. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "memory.h"

static struct {
	uint64_t start;
	size_t size;
	uint64_t pages;
	unsigned char *vector;
	uint64_t scans;
} w;

static void make_round(struct run *run)
{
	struct script *round = round_script(run);

	mark(run);
	script_step(round, (struct step){ .run = step_call, .number = SYS_mincore, .start = &w.start,
					  .args = { w.size, (uintptr_t)w.vector }, .what = "mincore" });
	script_step(round, (struct step){ .run = arch_idle(0) });
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &w.scans, .args = { 1 } });
}

static int setup(struct run *run)
{
	struct script make = { 0 };

	w.size = param_number(run, "size");
	w.pages = w.size / page_bytes();
	w.start = memory_reserve(run, w.size);
	if (!w.start)
		return -1;
	memory_map(&make, &w.start, w.size, false, -1);
	memory_want_base(&make, &w.start, w.size);
	memory_fill(&make, &w.start, w.size, 1);
	if (script_do(run, &make))
		return -1;
	w.vector = mmap(NULL, w.pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (w.vector == MAP_FAILED)
		return fail(run, "no memory for the result vector: %s", strerror(errno));
	/* No mincore() writes this, so that a scan that did not happen is seen. */
	memset(w.vector, 0xa5, w.pages);
	phase_add(run, "scan", w.pages);
	make_round(run);
	range_set(run, (void *)(uintptr_t)w.start, w.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.KernelPageSize", "==", page_bytes() / KIB);
	require_both(run, "range.AnonHugePages", "==", 0);
	require_both(run, "range.THPeligible", "==", 0);
	require_both(run, "pagemap.present", "==", w.pages);
	return 0;
}

static void verify(struct run *run)
{
	uint64_t resident = 0;

	for (uint64_t i = 0; i < w.pages; i++)
		resident += w.vector[i] == 1;
	if (w.scans != run_rounds(run))
		complain(run, "%" PRIu64 " scans instead of %" PRIu64, w.scans, run_rounds(run));
	if (resident != w.pages)
		complain(run, "mincore says resident for %" PRIu64 " of %" PRIu64 " pages", resident, w.pages);
}

static void teardown(struct run *run)
{
	(void)run;
	if (w.start)
		munmap((void *)(uintptr_t)w.start, w.size);
}

const struct workload workload = {
	.name = "mincore_scan",
	.summary = "mincore() of a whole resident private anonymous mapping",
	.subject = "Asking mincore() about a resident private mapping of {size}",
	.state = "one private anonymous mapping of base pages (MADV_NOHUGEPAGE), all pages present",
	.group = "page tables",
	.params = {
		{ "size", PARAM_SIZE, "bytes", "8MiB", "length of the mapping, a multiple of the page size", MIN_PAGE_BYTES, 16 * GIB, { 0 } },
	},
	.phases = {
		{ "scan", "page",
		  "From before to after one mincore() of the whole range, divided by its base pages (one page, not 1000).",
		  true },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
