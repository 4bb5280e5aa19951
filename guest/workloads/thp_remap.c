// SPDX-License-Identifier: GPL-2.0-only
/* Huge pages moved by mremap(): to an aligned address as they are, or a base page off, which splits their mapping. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "memory.h"

#define STAMP 0x7468706d6f7665

static struct {
	uint64_t start;
	uint64_t elsewhere;
	size_t size;
	uint64_t pages;
	bool split;
	uint64_t moves;
} w;

static void make_range(struct script *script)
{
	memory_map(script, &w.start, w.size, false, -1);
	memory_want_huge(script, &w.start, w.size);
	memory_fill(script, &w.start, w.size, STAMP);
}

static void move(struct script *round, uint64_t *from, uint64_t to)
{
	script_step(round, (struct step){ .run = step_call, .number = SYS_mremap, .start = from, .what = "mremap",
					  .args = { w.size, w.size, MREMAP_MAYMOVE | MREMAP_FIXED, to } });
}

/* Pages whose mapping was split are thrown away: the next round begins with new huge pages. */
static void make_round(struct run *run)
{
	struct script *round = round_script(run);

	mark(run);
	move(round, &w.start, w.elsewhere);
	mark(run);
	if (w.split) {
		memory_unmap(round, &w.elsewhere, w.size);
		make_range(round);
	} else {
		move(round, &w.elsewhere, w.start);
		memory_unmap(round, &w.elsewhere, w.size); /* keeps the address space */
	}
	script_step(round, (struct step){ .run = step_add, .start = &w.moves, .args = { 1 } });
}

static int setup(struct run *run)
{
	struct script make = { 0 };

	w.size = param_number(run, "size");
	w.pages = w.size / page_bytes();
	w.split = param_is(run, "to", "split");
	if (memory_check_huge(run, w.size))
		return -1;
	w.start = memory_reserve(run, w.size);
	w.elsewhere = memory_reserve(run, w.size + huge_page_bytes());
	if (!w.start || !w.elsewhere)
		return -1;
	if (w.split)
		w.elsewhere += page_bytes();
	make_range(&make);
	if (script_do(run, &make))
		return -1;
	phase_add(run, "move", w.size / huge_page_bytes());
	make_round(run);
	range_set(run, (void *)(uintptr_t)w.start, w.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.AnonHugePages", "==", w.size / KIB);
	require_both(run, "pagemap.present", "==", w.pages);
	return 0;
}

static void verify(struct run *run)
{
	uint64_t stamped = memory_stamped(w.start, w.size, STAMP);

	if (w.moves != run_rounds(run))
		complain(run, "%" PRIu64 " moves instead of %" PRIu64, w.moves, run_rounds(run));
	if (stamped != w.pages)
		complain(run, "%" PRIu64 " of %" PRIu64 " pages hold what was written", stamped, w.pages);
}

static void teardown(struct run *run)
{
	(void)run;
	if (w.start)
		munmap((void *)(uintptr_t)w.start, w.size);
}

const struct workload workload = {
	.name = "thp_remap",
	.group = "page tables",
	.summary = "mremap() of huge pages: moved as they are, or split to entries for base pages (PMD to PTE remap)",
	.subject = "Moving {size} of huge pages by mremap() (to: {to})",
	.state = "one private anonymous mapping of huge pages (MADV_HUGEPAGE), all present and mapped as such before each round",
	.params = {
		{ "size", PARAM_SIZE, "bytes", "4MiB", "length of the mapping, a multiple of a huge page", MIN_PAGE_BYTES, 16 * GIB, { 0 } },
		{ "to", PARAM_CHOICE, "word", "split",
		  "split: a base page off an aligned address, so that the mapping of each huge page is split; aligned: moved whole", 0, 0,
		  { "split", "aligned" } },
	},
	.phases = {
		{ "move", "huge page", "From before to after one mremap() of the whole range, divided by its huge pages.", true },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
