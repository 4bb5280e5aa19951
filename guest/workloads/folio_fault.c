// SPDX-License-Identifier: GPL-2.0-only
/* First writes to a fresh anonymous mapping, where a fault makes a folio of one order. */
#include <inttypes.h>

#include "folios.h"
#include "memory.h"

#define STAMP 0x6661756c74

static struct {
	struct folios folios;
	uint64_t filled;
} w;

static void make_round(struct run *run)
{
	struct script *round = round_script(run);

	mark(run);
	folios_map(round, &w.folios);
	mark(run);
	memory_fill(round, &w.folios.start, w.folios.size, STAMP);
	mark(run);
	folios_split(round, &w.folios);
	script_step(round, (struct step){ .run = step_add, .start = &w.filled, .args = { 1 } });
}

static int setup(struct run *run)
{
	uint64_t pages;

	if (folios_prepare(run, &w.folios))
		return -1;
	pages = w.folios.size / page_bytes();
	if (folios_start(run, &w.folios, STAMP))
		return -1;
	phase_add(run, "-", 0);
	phase_add(run, "fault", pages);
	make_round(run);
	folios_require(run, &w.folios);
	return 0;
}

static void verify(struct run *run)
{
	uint64_t pages = w.folios.size / page_bytes();
	uint64_t stamped = memory_stamped(w.folios.start, w.folios.size, STAMP);

	if (w.filled != run_rounds(run))
		complain(run, "%" PRIu64 " mappings were filled instead of %" PRIu64, w.filled, run_rounds(run));
	if (stamped != pages)
		complain(run, "%" PRIu64 " of %" PRIu64 " pages hold what was written last", stamped, pages);
}

static void teardown(struct run *run)
{
	(void)run;
	folios_release(&w.folios);
}

const struct workload workload = {
	.name = "folio_fault",
	.group = "folios",
	.summary = "first write to each page of a fresh anonymous mapping in folios of one order",
	.subject = "Faulting in {size} of private anonymous memory in folios of order {order}",
	.state = "one private anonymous mapping, made anew in each round, all pages written, in folios of the "
		 "order asked for, each mapped by entries for base pages",
	.params = {
		FOLIOS_ORDER,
		FOLIOS_SIZE("2MiB"),
	},
	.phases = {
		{ "fault", "page",
		  "One write of 8 bytes to each base page of a fresh mapping, divided by these pages. There is one fault for each folio,"
		  " which is allocated, cleared and mapped; with order=9 a huge page (its mapping is split afterwards, as the state requires).",
		  true },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
