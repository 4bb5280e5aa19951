// SPDX-License-Identifier: GPL-2.0-only
/* mremap() of anonymous memory in folios of one order, entry by entry. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "folios.h"
#include "memory.h"

#define STAMP 0x6d72656d6170

static struct {
	struct folios folios;
	uint64_t elsewhere; /* half a huge page off the alignment of the range */
	uint64_t moves;
} w;

static void move_round(struct script *round, uint64_t *from, uint64_t to)
{
	script_step(round, (struct step){ .run = step_call, .number = SYS_mremap, .start = from, .what = "mremap",
					  .args = { w.folios.size, w.folios.size, MREMAP_MAYMOVE | MREMAP_FIXED, to } });
}

static void make_round(struct run *run)
{
	struct script *round = round_script(run);

	mark(run);
	move_round(round, &w.folios.start, w.elsewhere);
	mark(run);
	move_round(round, &w.elsewhere, w.folios.start);
	mark(run);
	memory_unmap(round, &w.elsewhere, w.folios.size); /* keeps the address space */
	script_step(round, (struct step){ .run = step_add, .start = &w.moves, .args = { 1 } });
}

static int setup(struct run *run)
{
	uint64_t pages;

	if (folios_prepare(run, &w.folios))
		return -1;
	w.elsewhere = memory_reserve(run, w.folios.size + huge_page_bytes());
	if (!w.elsewhere)
		return -1;
	w.elsewhere += huge_page_bytes() / 2;
	pages = w.folios.size / page_bytes();
	if (folios_start(run, &w.folios, STAMP))
		return -1;
	phase_add(run, "move", pages);
	phase_add(run, "back", pages);
	make_round(run);
	folios_require(run, &w.folios);
	return 0;
}

static void verify(struct run *run)
{
	uint64_t pages = w.folios.size / page_bytes();
	uint64_t stamped = memory_stamped(w.folios.start, w.folios.size, STAMP);

	if (w.moves != run_rounds(run))
		complain(run, "%" PRIu64 " moves there and back instead of %" PRIu64, w.moves, run_rounds(run));
	if (stamped != pages)
		complain(run, "%" PRIu64 " of %" PRIu64 " pages hold what was written last", stamped, pages);
}

static void teardown(struct run *run)
{
	(void)run;
	folios_release(&w.folios);
}

const struct workload workload = {
	.name = "folio_mremap",
	.group = "folios",
	.summary = "mremap() of a whole anonymous mapping in folios of one order, entry by entry, there and back",
	.subject = "Moving {size} of private anonymous memory in folios of order {order} by mremap()",
	.state = "one private anonymous mapping, kept, all pages written, in folios of the "
		 "order asked for, each mapped by entries for base pages",
	.params = {
		FOLIOS_ORDER,
		FOLIOS_SIZE("4MiB"),
	},
	.phases = {
		{ "move", "page",
		  "From before to after one mremap() of the whole range to an address that is half a huge page off, so that no whole page"
		  " table can be moved; divided by its base pages.",
		  true },
		{ "back", "page",
		  "From before to after the mremap() back to where it was, divided by the same pages.",
		  false },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
