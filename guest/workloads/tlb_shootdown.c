// SPDX-License-Identifier: GPL-2.0-only
/* Pages discarded while threads of the process run on all other CPUs: each discard flushes the TLBs of these. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memory.h"
#include "workers.h"

#define STAMP 0x73686f6f74
#define DISCARDS 8UL
#define MAX_OTHERS 15U

static struct {
	uint64_t start;
	size_t size;
	uint64_t pages;
	unsigned int others; /* threads, each on a CPU of its own */
	uint64_t round;
	uint64_t arrived[MAX_OTHERS]; /* the round that the thread spins in */
	uint64_t over;		      /* the last round whose discards are done */
	uint64_t discards;
} w;

/* A thread that slept would leave its CPU idle, and the kernel spares idle CPUs the flush. */
static int start_others(struct run *run)
{
	static struct script scripts[MAX_OTHERS];

	for (unsigned int i = 0; i < w.others; i++) {
		script_step(&scripts[i], (struct step){ .run = step_add, .start = &w.arrived[i], .args = { 1 } });
		script_step(&scripts[i], (struct step){ .run = step_spin, .start = &w.over, .args = { (uintptr_t)&w.round } });
	}
	workers_pin_from(1);
	return w.others ? workers_start(run, w.others, true, scripts, 1) : 0;
}

static void make_round(struct run *run)
{
	struct script *round = round_script(run);

	script_step(round, (struct step){ .run = step_add, .start = &w.round, .args = { 1 } });
	if (w.others)
		workers_release(round, 0);
	for (unsigned int i = 0; i < w.others; i++)
		script_step(round, (struct step){ .run = step_spin, .start = &w.arrived[i], .args = { (uintptr_t)&w.round } });
	mark(run);
	for (unsigned int i = 0; i < DISCARDS; i++) {
		script_step(round, (struct step){ .run = step_call, .number = SYS_madvise, .start = &w.start,
						  .args = { w.size, MADV_DONTNEED }, .what = "MADV_DONTNEED" });
		memory_fill(round, &w.start, w.size, STAMP);
	}
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &w.discards, .args = { DISCARDS } });
	script_step(round, (struct step){ .run = step_add, .start = &w.over, .args = { 1 } });
	if (w.others)
		workers_wait(round);
}

static int setup(struct run *run)
{
	struct script make = { 0 };
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	w.size = param_number(run, "size");
	w.pages = w.size / page_bytes();
	w.others = cpus - 1 < MAX_OTHERS ? (unsigned int)(cpus - 1) : MAX_OTHERS;
	w.start = memory_reserve(run, w.size);
	if (!w.start)
		return -1;
	memory_map(&make, &w.start, w.size, false, -1);
	memory_want_base(&make, &w.start, w.size);
	memory_fill(&make, &w.start, w.size, STAMP);
	if (script_do(run, &make) || start_others(run))
		return -1;
	phase_add(run, "discard", DISCARDS);
	make_round(run);
	range_set(run, (void *)(uintptr_t)w.start, w.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.KernelPageSize", "==", page_bytes() / KIB);
	require_both(run, "range.AnonHugePages", "==", 0);
	require_both(run, "pagemap.present", "==", w.pages);
	return 0;
}

static void verify(struct run *run)
{
	uint64_t wanted = run_rounds(run) * DISCARDS;
	uint64_t stamped = memory_stamped(w.start, w.size, STAMP);

	if (w.discards != wanted)
		complain(run, "%" PRIu64 " discards instead of %" PRIu64, w.discards, wanted);
	for (unsigned int i = 0; i < w.others; i++) {
		if (w.arrived[i] != run_rounds(run))
			complain(run, "thread %u ran in %" PRIu64 " rounds of %" PRIu64, i, w.arrived[i], run_rounds(run));
	}
	if (stamped != w.pages)
		complain(run, "%" PRIu64 " of %" PRIu64 " pages hold what was written", stamped, w.pages);
}

static void teardown(struct run *run)
{
	(void)run;
	workers_stop();
	if (w.start)
		munmap((void *)(uintptr_t)w.start, w.size);
}

const struct workload workload = {
	.name = "tlb_shootdown",
	.group = "page tables",
	.summary = "MADV_DONTNEED and writing of pages while threads of the same process run on all other CPUs, whose TLBs are flushed; "
		   "ask for them by --cpus",
	.subject = "Discarding and writing {size} while threads of the process run on all other CPUs",
	.state = "one private anonymous mapping of base pages (MADV_NOHUGEPAGE), all present and written before and after each round; "
		 "one more thread of the process in user mode on each other CPU (of 15 at most) for as long as a round lasts",
	.params = {
		{ "size", PARAM_SIZE, "bytes", "4KiB", "length of the mapping, a multiple of the page size", MIN_PAGE_BYTES, GIB, { 0 } },
	},
	.phases = {
		{ "discard", "call",
		  "One madvise(MADV_DONTNEED) of the whole range and one write of 8 bytes to each page of it; 8 of them, divided by 8. "
		  "With several CPUs it includes what the others execute to flush their TLBs.",
		  true },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
