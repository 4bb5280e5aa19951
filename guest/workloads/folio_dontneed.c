// SPDX-License-Identifier: GPL-2.0-only
/* MADV_DONTNEED of anonymous memory in folios of one order. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "folios.h"
#include "memory.h"

#define STAMP 0x646f6e746e656564

static struct {
	struct folios folios;
	uint64_t advised;
} w;

static void make_round(struct run *run)
{
	struct script *round = round_script(run);

	mark(run);
	script_step(round, (struct step){ .run = step_call, .number = SYS_madvise, .start = &w.folios.start,
					  .args = { w.folios.size, MADV_DONTNEED }, .what = "MADV_DONTNEED" });
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &w.advised, .args = { 1 } });
	folios_make(round, &w.folios, STAMP);
}

static int setup(struct run *run)
{
	uint64_t pages;

	if (folios_prepare(run, &w.folios))
		return -1;
	pages = w.folios.size / page_bytes();
	if (folios_start(run, &w.folios, STAMP))
		return -1;
	phase_add(run, "zap", pages);
	make_round(run);
	folios_require(run, &w.folios);
	return 0;
}

static void verify(struct run *run)
{
	uint64_t pages = w.folios.size / page_bytes();
	uint64_t stamped = memory_stamped(w.folios.start, w.folios.size, STAMP);
	uint64_t kept = pages;

	if (w.advised != run_rounds(run))
		complain(run, "%" PRIu64 " calls succeeded instead of %" PRIu64, w.advised, run_rounds(run));
	if (stamped != pages)
		complain(run, "%" PRIu64 " of %" PRIu64 " pages hold what was written last", stamped, pages);
	if (!madvise((void *)(uintptr_t)w.folios.start, w.folios.size, MADV_DONTNEED))
		kept = memory_stamped(w.folios.start, w.folios.size, STAMP);
	if (kept)
		complain(run, "%" PRIu64 " of %" PRIu64 " pages hold after MADV_DONTNEED what they held before", kept, pages);
}

static void teardown(struct run *run)
{
	(void)run;
	folios_release(&w.folios);
}

const struct workload workload = {
	.name = "folio_dontneed",
	.group = "folios",
	.summary = "MADV_DONTNEED of a whole anonymous mapping in folios of one order",
	.subject = "Discarding by MADV_DONTNEED {size} of private anonymous memory in folios of order {order}",
	.state = "one private anonymous mapping, made anew for each round, all pages written, in folios of the "
		 "order asked for, each mapped by entries for base pages",
	.params = {
		FOLIOS_ORDER,
		FOLIOS_SIZE("2MiB"),
	},
	.phases = {
		{ "zap", "page",
		  "From before to after one madvise(MADV_DONTNEED) of the whole range, which frees its memory and keeps the mapping,"
		  " divided by its base pages.",
		  true },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
