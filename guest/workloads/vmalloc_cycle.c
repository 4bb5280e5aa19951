// SPDX-License-Identifier: GPL-2.0-only
/*
 * vmalloc() and vfree() by bpf(): a BPF array of more than 32 KiB lies in vmalloc memory. The array's name has a
 * character that names may not have, which the kernel finds when it has the memory: it gives it back before it returns
 * EINVAL. An array with a good name would be freed by another thread, at another time.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memory.h"

#define HEADER 512 /* more than the kernel's own part of an array, less than a page */
#define CALLS 2 /* in a round: the area has an odd number of pages with its guard page, so that every other call is alike */

static struct {
	uint64_t command;
	uint64_t pages;
	uint64_t calls;
	uint64_t allocated; /* pages, before round 1 */
	union bpf_attr array;
} w;

/* Pages that were allocated since boot, in all zones. */
static uint64_t pages_allocated(void)
{
	static const char *const zones[] = { "pgalloc_dma", "pgalloc_dma32", "pgalloc_normal", "pgalloc_movable" };
	uint64_t sum = 0, count;

	for (size_t i = 0; i < sizeof(zones) / sizeof(*zones); i++)
		sum += vmstat_read(zones[i], &count) ? count : 0;
	return sum;
}

static int setup(struct run *run)
{
	struct script *round = round_script(run);
	uint64_t size = param_number(run, "size");
	long fd;

	w.pages = size / page_bytes();
	w.command = BPF_MAP_CREATE;
	w.array.map_type = BPF_MAP_TYPE_ARRAY;
	w.array.key_size = 4;
	w.array.value_size = 8;
	w.array.max_entries = (uint32_t)((size - HEADER) / 8);
	fd = syscall(SYS_bpf, BPF_MAP_CREATE, &w.array, sizeof(w.array));
	if (fd < 0)
		return fail(run, "this kernel gives no BPF array (CONFIG_BPF_SYSCALL, and the right to it): %s", strerror(errno));
	close((int)fd);
	strcpy(w.array.map_name, "not-allowed");
	phase_add(run, "cycle", CALLS * w.pages);
	mark(run);
	script_call(round, bpf, &w.command, (uintptr_t)&w.array, sizeof(w.array))->tolerated = EINVAL;
	script_step(round, (struct step){ .run = step_add, .start = &w.calls, .args = { 1 } });
	script_repeat(round, 2, CALLS);
	mark(run);
	w.allocated = pages_allocated();
	return 0;
}

/* EINVAL alone would not show that the kernel took the memory first. */
static void verify(struct run *run)
{
	uint64_t allocated = pages_allocated() - w.allocated, wanted = CALLS * run_rounds(run) * w.pages;

	if (w.calls != CALLS * run_rounds(run))
		complain(run, "%" PRIu64 " calls instead of %" PRIu64, w.calls, CALLS * run_rounds(run));
	if (allocated < wanted)
		complain(run, "%" PRIu64 " pages were allocated, of %" PRIu64, allocated, wanted);
}

static void teardown(struct run *run)
{
	(void)run;
}

const struct workload workload = {
	.name = "vmalloc_cycle",
	.summary = "vmalloc() and vfree() of a range, by a BPF array that the kernel allocates and then refuses for its name",
	.subject = "Taking and giving back {size} of vmalloc memory",
	.state = "none; the kernel unmaps in batches of at least 32 MiB, so that many rounds or large sizes meet such a batch now and then",
	.group = "kernel memory",
	.params = {
		{ "size", PARAM_SIZE, "bytes", "1MiB", "length of the array with its header", 64 * KIB, GIB, { 0 } },
	},
	.phases = {
		{ "cycle", "page",
		  "From before to after two bpf(BPF_MAP_CREATE) that end with EINVAL, divided by the pages of both arrays: their "
		  "allocation, clearing, page tables, and the release of them all.",
		  true },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
