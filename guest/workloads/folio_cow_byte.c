// SPDX-License-Identifier: GPL-2.0-only
/* One byte written to each page that fork() has write-protected: a copy, or the page is used again. */
#include <inttypes.h>

#include "children.h"
#include "folios.h"
#include "memory.h"

#define STAMP 0x636f7701 /* ends in the byte that is written */

static struct {
	struct folios folios;
	uint64_t child;
	uint64_t written;
	bool reuse;
} w;

/* Under SCHED_FIFO the child does not run before it is waited for: until then it keeps its copies of the entries. */
static void make_round(struct run *run)
{
	struct script *round = round_script(run);

	mark(run);
	child_fork(round, &w.child, NULL, 0);
	if (w.reuse)
		child_reap(round, &w.child);
	mark(run);
	memory_write_byte(round, &w.folios.start, w.folios.size);
	mark(run);
	if (!w.reuse)
		child_reap(round, &w.child);
	script_step(round, (struct step){ .run = step_add, .start = &w.written, .args = { 1 } });
	folios_make(round, &w.folios, STAMP);
}

static int setup(struct run *run)
{
	uint64_t pages;

	if (folios_prepare(run, &w.folios))
		return -1;
	w.reuse = param_is(run, "mode", "reuse");
	children_expect(run);
	pages = w.folios.size / page_bytes();
	if (folios_start(run, &w.folios, STAMP))
		return -1;
	phase_add(run, "-", 0);
	phase_add(run, "write", pages);
	make_round(run);
	folios_require(run, &w.folios);
	return 0;
}

static void verify(struct run *run)
{
	uint64_t pages = w.folios.size / page_bytes();
	uint64_t stamped = memory_stamped(w.folios.start, w.folios.size, STAMP);

	if (w.written != run_rounds(run))
		complain(run, "%" PRIu64 " rounds of writes instead of %" PRIu64, w.written, run_rounds(run));
	if (stamped != pages)
		complain(run, "%" PRIu64 " of %" PRIu64 " pages hold what was written last", stamped, pages);
}

static void teardown(struct run *run)
{
	(void)run;
	folios_release(&w.folios);
}

const struct workload workload = {
	.name = "folio_cow_byte",
	.group = "folios",
	.summary = "one byte written to each page after fork(): copied, or used again when the child is gone",
	.subject = "Writing a byte to each page after fork ({mode}) on {size} of memory in folios of order {order}",
	.state = "one private anonymous mapping, made anew for each round, all pages written, in folios of the "
		 "order asked for, each mapped by entries for base pages",
	.params = {
		FOLIOS_ORDER,
		FOLIOS_SIZE("2MiB"),
		{ "mode", PARAM_CHOICE, "word", "copy",
		  "copy: the forked child still maps the pages; reuse: it has exited, and the parent alone maps them", 0, 0,
		  { "copy", "reuse" } },
	},
	.phases = {
		{ "write", "page",
		  "One byte written to each base page of the range after a fork(), divided by these pages. mode=copy: the child still"
		  " maps the pages, so each is copied to a base page; mode=reuse: the child has exited, and the kernel decides whether"
		  " it copies.",
		  true },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
