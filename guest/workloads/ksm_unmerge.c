// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages of equal content that KSM has merged, given back to their owner: by writes, or by MADV_UNMERGEABLE. The kernel
 * merges in a thread of its own, between the measured phases: the round sleeps for a fixed time, and KSM is off again
 * before anything is measured.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "memory.h"
#include "tasks.h"
#include "tunable.h"

#define KSM "/sys/kernel/mm/ksm/"
#define STAMP 0x6b736d0000000001ULL

static struct {
	uint64_t start;
	uint64_t size;
	uint64_t pages;
	uint64_t rounds;
	uint64_t broken; /* copies of merged pages before round 1, as /proc/vmstat counts them */
	uint64_t switch_file;
	uint64_t while_merging; /* where it stands how long is slept */
} w;

static const struct timespec merging = { .tv_nsec = 50000000 };

static void find_thread(const struct task *task, void *run)
{
	if (!strcmp(task->comm, "ksmd"))
		worker_add(run, task->pid);
}

/* KSM looks at all pages each time it wakes, and it wakes often enough for two looks while a round sleeps. */
static int configure(struct run *run)
{
	if (tunable_set(run, KSM "run", "0", "CONFIG_KSM") || tunable_set(run, KSM "pages_to_scan", "1000000", "CONFIG_KSM") ||
	    tunable_set(run, KSM "sleep_millisecs", "20", "CONFIG_KSM"))
		return -1;
	if (!access(KSM "smart_scan", F_OK) && tunable_set(run, KSM "smart_scan", "0", "CONFIG_KSM"))
		return -1;
	w.switch_file = (uint64_t)open(KSM "run", O_WRONLY | O_CLOEXEC);
	w.while_merging = (uintptr_t)&merging;
	return tasks_walk(find_thread, run);
}

static void merge(struct script *script)
{
	memory_fill(script, &w.start, w.size, STAMP);
	script_call(script, madvise, &w.start, w.size, MADV_MERGEABLE);
	script_call(script, pwrite64, &w.switch_file, (uintptr_t)"1", 1, 0);
	script_call(script, nanosleep, &w.while_merging, 0);
	script_call(script, pwrite64, &w.switch_file, (uintptr_t)"0", 1, 0);
}

static int setup(struct run *run)
{
	struct script make = { 0 }, *round = round_script(run);

	w.size = param_number(run, "size");
	w.pages = w.size / page_bytes();
	if (w.pages < 2)
		return fail(run, "size must be two pages at least: KSM merges a page with another one");
	w.start = memory_reserve(run, w.size);
	if (!w.start || configure(run))
		return -1;
	memory_map(&make, &w.start, w.size, false, -1);
	memory_want_base(&make, &w.start, w.size);
	merge(&make);
	memory_fill(&make, &w.start, w.size, STAMP);
	if (script_do(run, &make))
		return -1;
	if (!vmstat_read("cow_ksm", &w.broken))
		return fail(run, "/proc/vmstat has no cow_ksm");
	phase_add(run, "-", 0);
	phase_add(run, "unmerge", w.pages);
	mark(run);
	merge(round);
	mark(run);
	if (param_is(run, "by", "write"))
		memory_fill(round, &w.start, w.size, STAMP);
	else
		script_call(round, madvise, &w.start, w.size, MADV_UNMERGEABLE);
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &w.rounds, .args = { 1 } });
	range_set(run, (void *)(uintptr_t)w.start, w.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.KernelPageSize", "==", page_bytes() / KIB);
	require_both(run, "range.AnonHugePages", "==", 0);
	require_both(run, "pagemap.present", "==", w.pages);
	return 0;
}

static void verify(struct run *run)
{
	uint64_t now = 0, wanted = run_rounds(run) * w.pages;

	vmstat_read("cow_ksm", &now);
	if (w.rounds != run_rounds(run))
		complain(run, "%" PRIu64 " rounds instead of %" PRIu64, w.rounds, run_rounds(run));
	if (now - w.broken != wanted)
		complain(run, "%" PRIu64 " merged pages were copied instead of %" PRIu64, now - w.broken, wanted);
}

static void teardown(struct run *run)
{
	(void)run;
	tunable_restore();
	if (w.start)
		munmap((void *)(uintptr_t)w.start, w.size);
}

const struct workload workload = {
	.name = "ksm_unmerge",
	.summary = "pages that KSM has merged into one are written to, or unmerged by MADV_UNMERGEABLE; merging is not timed",
	.subject = "Undoing the merging of {size} of equal pages by {by}",
	.state = "one private anonymous mapping of base pages (MADV_NOHUGEPAGE) with equal content, in each round merged by ksmd while the "
		 "workload sleeps; KSM is off while it is measured",
	.group = "reclaim",
	.alters = "sets /sys/kernel/mm/ksm/run and how much KSM scans, and puts them back",
	.params = {
		{ "size", PARAM_SIZE, "bytes", "256KiB", "length of the mapping, two pages at least", 2 * MIN_PAGE_BYTES, MIB, { 0 } },
		{ "by", PARAM_CHOICE, "word", "write", "write: one write to each page; advice: one MADV_UNMERGEABLE of the range", 0, 0,
		  { "write", "advice" } },
	},
	.phases = {
		{ "unmerge", "page", "One write of 8 bytes to each merged page, or one madvise(MADV_UNMERGEABLE), divided by the pages; each is copied.", true },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
