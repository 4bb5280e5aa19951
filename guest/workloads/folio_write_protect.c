// SPDX-License-Identifier: GPL-2.0-only
/* Write permission of anonymous memory in folios of one order taken away and given back. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "folios.h"
#include "memory.h"

#define STAMP 0x70726f74656374

static struct {
	struct folios folios;
	uint64_t toggles;
} w;

static void protect(struct script *round, int protection)
{
	script_step(round, (struct step){ .run = step_call, .number = SYS_mprotect, .start = &w.folios.start,
					  .args = { w.folios.size, (uint64_t)protection }, .what = "mprotect" });
}

static void make_round(struct run *run)
{
	struct script *round = round_script(run);

	struct step *touch;

	mark(run);
	protect(round, PROT_READ);
	mark(run);
	protect(round, PROT_READ | PROT_WRITE);
	mark(run);
	touch = memory_fill(round, &w.folios.start, w.folios.size, STAMP + 1);
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &touch->args[1], .args = { 1 } });
	script_step(round, (struct step){ .run = step_add, .start = &w.toggles, .args = { 1 } });
}

static int setup(struct run *run)
{
	uint64_t pages;

	if (folios_prepare(run, &w.folios))
		return -1;
	pages = w.folios.size / page_bytes();
	if (folios_start(run, &w.folios, STAMP))
		return -1;
	phase_add(run, "protect", pages);
	phase_add(run, "unprotect", pages);
	phase_add(run, "touch", pages);
	make_round(run);
	folios_require(run, &w.folios);
	return 0;
}

static void verify(struct run *run)
{
	uint64_t pages = w.folios.size / page_bytes();
	uint64_t stamped = memory_stamped(w.folios.start, w.folios.size, STAMP + run_rounds(run));

	if (w.toggles != run_rounds(run))
		complain(run, "%" PRIu64 " toggles instead of %" PRIu64, w.toggles, run_rounds(run));
	if (stamped != pages)
		complain(run, "%" PRIu64 " of %" PRIu64 " pages hold what was written last", stamped, pages);
}

static void teardown(struct run *run)
{
	(void)run;
	folios_release(&w.folios);
}

const struct workload workload = {
	.name = "folio_write_protect",
	.group = "folios",
	.summary = "mprotect() of a whole anonymous mapping in folios of one order to read-only and back",
	.subject = "Write-protecting and unprotecting {size} of private anonymous memory in folios of order {order}",
	.state = "one private anonymous mapping, kept, all pages written, in folios of the "
		 "order asked for, each mapped by entries for base pages",
	.params = {
		FOLIOS_ORDER,
		FOLIOS_SIZE("4MiB"),
	},
	.phases = {
		{ "protect", "page",
		  "From before to after one mprotect(PROT_READ) of the whole range, divided by its base pages.",
		  false },
		{ "unprotect", "page",
		  "From before to after one mprotect(PROT_READ|PROT_WRITE) of the whole range, divided by its base pages.",
		  false },
		{ "touch", "page",
		  "One write of 8 bytes to each base page afterwards, divided by these pages: a fault where the kernel left entries"
		  " write-protected.",
		  false },
		{ "iteration", "page",
		  "One round, protect, unprotect and touch, divided by the base pages of the range.",
		  true },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
