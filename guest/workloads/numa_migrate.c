// SPDX-License-Identifier: GPL-2.0-only
/* Moving a resident private mapping to another node and back, by each of the three calls that do. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memory.h"

/* include/uapi/linux/mempolicy.h */
#define MPOL_BIND 2
#define MPOL_MF_STRICT 1
#define MPOL_MF_MOVE 2

#define STAMP 0x6e756d61
#define MAX_NODE 64 /* bits of a mask, and one that the kernel takes off */

static struct {
	uint64_t start;
	size_t size;
	uint64_t pages;
	uint64_t self; /* pid 0: the caller */
	unsigned long masks[2]; /* of node 0, and of node 1 */
	int *nodes[2]; /* for each page, the node it is to go to */
	int *status;
	void **addresses;
	uint64_t migrated; /* by the kernel's own count, before the rounds */
} w;

static void migrate_step(struct script *script, int to)
{
	script_step(script, (struct step){ .run = step_call, .number = SYS_migrate_pages, .start = &w.self, .what = "migrate_pages",
					   .args = { MAX_NODE + 1, (uintptr_t)&w.masks[!to], (uintptr_t)&w.masks[to] } });
}

static void mbind_step(struct script *script, int to)
{
	script_step(script, (struct step){ .run = step_call, .number = SYS_mbind, .start = &w.start, .what = "mbind",
					   .args = { w.size, MPOL_BIND, (uintptr_t)&w.masks[to], MAX_NODE + 1,
						     MPOL_MF_STRICT | MPOL_MF_MOVE } });
}

static void move_step(struct script *script, int to)
{
	script_step(script, (struct step){ .run = step_call, .number = SYS_move_pages, .start = &w.self, .what = "move_pages",
					   .args = { w.pages, (uintptr_t)w.addresses, (uintptr_t)w.nodes[to],
						     (uintptr_t)w.status, MPOL_MF_MOVE } });
}

static void make_round(struct run *run)
{
	void (*add)(struct script *, int) = param_is(run, "call", "mbind")	? mbind_step :
					    param_is(run, "call", "move_pages") ? move_step :
										  migrate_step;

	mark(run);
	add(round_script(run), 1);
	mark(run);
	add(round_script(run), 0);
	mark(run);
}

static void *room(struct run *run, size_t bytes)
{
	void *found = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (found == MAP_FAILED) {
		fail(run, "no memory for the lists of pages: %s", strerror(errno));
		return NULL;
	}
	return found;
}

/* The lists that move_pages() takes. */
static int make_lists(struct run *run)
{
	w.addresses = room(run, w.pages * sizeof(*w.addresses));
	w.nodes[0] = room(run, w.pages * sizeof(**w.nodes));
	w.nodes[1] = room(run, w.pages * sizeof(**w.nodes));
	w.status = room(run, w.pages * sizeof(*w.status));
	if (!w.addresses || !w.nodes[0] || !w.nodes[1] || !w.status)
		return -1;
	for (uint64_t i = 0; i < w.pages; i++) {
		w.addresses[i] = (char *)(uintptr_t)w.start + i * page_bytes();
		w.nodes[0][i] = 0;
		w.nodes[1][i] = 1;
	}
	return 0;
}

static int setup(struct run *run)
{
	struct script make = { 0 };

	if (access("/sys/devices/system/node/node1", F_OK))
		return fail(run, "this machine has one node of memory; measure with --nodes 2");
	w.masks[0] = 1;
	w.masks[1] = 2;
	w.size = param_number(run, "size");
	w.pages = w.size / page_bytes();
	w.start = memory_reserve(run, w.size);
	if (!w.start)
		return -1;
	memory_map(&make, &w.start, w.size, false, -1);
	memory_want_base(&make, &w.start, w.size);
	memory_fill(&make, &w.start, w.size, STAMP);
	if (script_do(run, &make) || (param_is(run, "call", "move_pages") && make_lists(run)))
		return -1;
	phase_add(run, "away", w.pages);
	phase_add(run, "back", w.pages);
	make_round(run);
	range_set(run, (void *)(uintptr_t)w.start, w.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.AnonHugePages", "==", 0);
	require_both(run, "pagemap.present", "==", w.pages);
	require_both(run, "numa.N0", "==", w.pages);
	if (!vmstat_read("pgmigrate_success", &w.migrated))
		return fail(run, "this kernel does not migrate pages (CONFIG_MIGRATION)");
	return 0;
}

static void verify(struct run *run)
{
	uint64_t stamped = memory_stamped(w.start, w.size, STAMP);
	uint64_t wanted = 2 * w.pages * run_rounds(run), after = 0;

	vmstat_read("pgmigrate_success", &after);
	if (after - w.migrated < wanted)
		complain(run, "%" PRIu64 " pages were migrated instead of %" PRIu64, after - w.migrated, wanted);
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
	.name = "numa_migrate",
	.summary = "moving a resident mapping to another node of memory and back",
	.subject = "Moving {size} of private anonymous memory between two nodes by {call}()",
	.state = "two nodes of memory; one private anonymous mapping of base pages (MADV_NOHUGEPAGE), all pages present and on node 0",
	.group = "NUMA",
	.nodes = 2,
	.params = {
		{ "call", PARAM_CHOICE, "word", "migrate_pages",
		  "which call moves the pages: the whole process, a range and its policy, or a list of pages", 0, 0,
		  { "migrate_pages", "mbind", "move_pages" } },
		{ "size", PARAM_SIZE, "bytes", "2MiB", "length of the mapping, a multiple of the page size", MIN_PAGE_BYTES, 1 * GIB, { 0 } },
	},
	.phases = {
		{ "away", "page",
		  "From before to after the call that moves the range from node 0 to node 1, divided by its base pages. "
		  "migrate_pages() moves the other pages of the process, too.",
		  false },
		{ "back", "page", "From before to after the same call from node 1 to node 0, divided by the same pages.", false },
		{ "iteration", "page", "Both together, divided by the base pages of the range (not by two moves of each).", true },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
