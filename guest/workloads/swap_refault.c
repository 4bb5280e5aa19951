// SPDX-License-Identifier: GPL-2.0-only
/* Anonymous pages paged out to a compressed RAM disk, and faulted back in. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "memory.h"
#include "zram.h"

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

#define STAMP 0x737761700000ULL

static struct {
	uint64_t start;
	uint64_t size;
	uint64_t pages;
	uint64_t rounds;
	uint64_t reads;
	uint64_t swapped_out, swapped_in; /* pages, before round 1 */
	bool write;
} w;

static int setup(struct run *run)
{
	struct script make = { 0 }, *round = round_script(run);

	w.size = param_number(run, "size");
	w.pages = w.size / page_bytes();
	w.write = param_is(run, "access", "write");
	if (zram_swapon(run, 64 * MIB + w.size))
		return -1;
	w.start = memory_reserve(run, w.size);
	if (!w.start)
		return -1;
	memory_map(&make, &w.start, w.size, false, -1);
	memory_want_base(&make, &w.start, w.size);
	memory_fill(&make, &w.start, w.size, STAMP);
	if (script_do(run, &make))
		return -1;
	if (!vmstat_read("pswpout", &w.swapped_out) || !vmstat_read("pswpin", &w.swapped_in))
		return fail(run, "this kernel was built without CONFIG_SWAP: /proc/vmstat has no pswpin");
	phase_add(run, "out", w.pages);
	phase_add(run, "refault", w.pages);
	mark(run);
	script_call(round, madvise, &w.start, w.size, MADV_PAGEOUT);
	mark(run);
	if (w.write)
		memory_fill(round, &w.start, w.size, STAMP);
	else
		script_step(round, (struct step){ .run = step_count, .start = &w.start,
						  .args = { w.size, STAMP, page_bytes(), (uintptr_t)&w.reads } });
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &w.rounds, .args = { 1 } });
	range_set(run, (void *)(uintptr_t)w.start, w.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.AnonHugePages", "==", 0);
	require_both(run, "range.THPeligible", "==", 0);
	require_both(run, "swap.devices", "==", 1);
	require_both(run, "pagemap.present", "==", w.pages);
	return 0;
}

static void verify_swap(struct run *run, const char *name, uint64_t before)
{
	uint64_t now = 0, wanted = run_rounds(run) * w.pages;

	vmstat_read(name, &now);
	if (now - before < wanted / 10 * 9)
		complain(run, "%s counts %" PRIu64 " pages, of %" PRIu64 " advised", name, now - before, wanted);
	note(run, "%s: %" PRIu64 " of %" PRIu64 " pages", name, now - before, wanted);
}

static void verify(struct run *run)
{
	if (w.rounds != run_rounds(run))
		complain(run, "%" PRIu64 " rounds instead of %" PRIu64, w.rounds, run_rounds(run));
	if (!w.write && w.reads != run_rounds(run) * w.pages)
		complain(run, "%" PRIu64 " pages held what was written, of %" PRIu64, w.reads, run_rounds(run) * w.pages);
	if (memory_stamped(w.start, w.size, STAMP) != w.pages)
		complain(run, "pages do not hold what was written");
	verify_swap(run, "pswpout", w.swapped_out);
	verify_swap(run, "pswpin", w.swapped_in);
}

static void teardown(struct run *run)
{
	(void)run;
	if (w.start)
		munmap((void *)(uintptr_t)w.start, w.size);
	zram_swapoff();
}

const struct workload workload = {
	.name = "swap_refault",
	.summary = "MADV_PAGEOUT of resident anonymous memory to zram, then an access of each page, which faults it back in",
	.subject = "Faulting {size} of anonymous memory back in from zram by a {access}",
	.state = "one private anonymous mapping of base pages (MADV_NOHUGEPAGE), all present before each round; one zram device, empty, is the only swap",
	.group = "reclaim",
	.alters = "makes /dev/zram0 a swap area (only when it is not in use), and takes it away again",
	.modules = { "zram" },
	.conflicts = { { { "--swap" }, "it makes the swap area itself" } },
	.params = {
		{ "size", PARAM_SIZE, "bytes", "256KiB", "length of the mapping", MIN_PAGE_BYTES, 4 * GIB, { 0 } },
		{ "access", PARAM_CHOICE, "word", "write", "what faults a page back in", 0, 0, { "write", "read" } },
	},
	.phases = {
		{ "out", "page", "From before to after one madvise(MADV_PAGEOUT) of the whole range, divided by its pages; it includes the compression.", false },
		{ "refault", "page", "One access of 8 bytes to each page after that, divided by the pages; it includes the decompression.", true },
		{ "iteration", "page", "One round, out and refault, divided by the pages.", false },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
