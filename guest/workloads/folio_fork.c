// SPDX-License-Identifier: GPL-2.0-only
/* fork() of a process with much anonymous memory, in folios of one order. */
#include <inttypes.h>

#include "children.h"
#include "folios.h"
#include "memory.h"

#define STAMP 0x666f726b

static struct {
	struct folios folios;
	uint64_t child;
	uint64_t forks;
} w;

/* Made anew after each fork: a second fork finds pages that are shared and write-protected already. */
static void make_round(struct run *run)
{
	struct script *round = round_script(run);

	mark(run);
	child_fork(round, &w.child, NULL, 0);
	mark(run);
	child_reap(round, &w.child);
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &w.forks, .args = { 1 } });
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
	children_expect(run);
	phase_add(run, "fork", pages);
	phase_add(run, "exit", pages);
	make_round(run);
	folios_require(run, &w.folios);
	return 0;
}

static void verify(struct run *run)
{
	uint64_t pages = w.folios.size / page_bytes();
	uint64_t stamped = memory_stamped(w.folios.start, w.folios.size, STAMP);

	if (w.forks != run_rounds(run))
		complain(run, "%" PRIu64 " children were forked and reaped instead of %" PRIu64, w.forks, run_rounds(run));
	if (stamped != pages)
		complain(run, "%" PRIu64 " of %" PRIu64 " pages hold what was written", stamped, pages);
}

static void teardown(struct run *run)
{
	(void)run;
	folios_release(&w.folios);
}

const struct workload workload = {
	.name = "folio_fork",
	.group = "folios",
	.summary = "fork() with anonymous memory in folios of one order; the child exits at once",
	.subject = "Forking with {size} of private anonymous memory in folios of order {order}",
	.state = "one private anonymous mapping, made anew for each round, all pages written by the parent alone, in folios of the "
		 "order asked for, each mapped by entries for base pages",
	.params = { FOLIOS_ORDER, FOLIOS_SIZE("4MiB") },
	.phases = {
		{ "fork", "page",
		  "From before to after the parent's fork(), divided by the base pages of the range. Copying the rest of a small "
		  "process is part of it; the child runs later.",
		  true },
		{ "exit", "page",
		  "From then until the parent's wait4() has reaped the child, which exits at once and so unmaps its copies; divided "
		  "by the same pages.",
		  false },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
