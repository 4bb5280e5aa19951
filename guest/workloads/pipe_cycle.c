// SPDX-License-Identifier: GPL-2.0-only
/* A pipe filled and emptied: a page is allocated for each page written, and freed when it was read. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memory.h"

#define STAMP 0x7069706500000000ULL

static struct {
	uint64_t in, out; /* the pipe's ends */
	uint64_t source, target;
	uint64_t size;
	uint64_t rounds;
} w;

static void map_buffer(struct script *script, uint64_t *start, uint64_t stamp)
{
	memory_map(script, start, w.size, false, -1);
	memory_want_base(script, start, w.size);
	memory_fill(script, start, w.size, stamp);
}

static int make_pipe(struct run *run)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return fail(run, "pipe: %s", strerror(errno));
	w.out = (uint64_t)ends[0];
	w.in = (uint64_t)ends[1];
	if (fcntl(ends[1], F_SETPIPE_SZ, (int)w.size) < (int)w.size)
		return fail(run, "a pipe of %" PRIu64 " bytes: %s", w.size, strerror(errno));
	return 0;
}

static int setup(struct run *run)
{
	struct script make = { 0 }, *round = round_script(run);

	w.size = param_number(run, "size");
	w.source = memory_reserve(run, w.size);
	w.target = memory_reserve(run, w.size);
	if (!w.source || !w.target || make_pipe(run))
		return -1;
	map_buffer(&make, &w.source, STAMP);
	map_buffer(&make, &w.target, 0);
	if (script_do(run, &make))
		return -1;
	phase_add(run, "write", w.size / page_bytes());
	phase_add(run, "read", w.size / page_bytes());
	mark(run);
	script_call(round, write, &w.in, w.source, w.size);
	mark(run);
	script_call(round, read, &w.out, w.target, w.size);
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &w.rounds, .args = { 1 } });
	range_set(run, (void *)(uintptr_t)w.source, w.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.AnonHugePages", "==", 0);
	require_both(run, "pagemap.present", "==", w.size / page_bytes());
	return 0;
}

static void verify(struct run *run)
{
	uint64_t found = memory_stamped(w.target, w.size, STAMP);

	if (w.rounds != run_rounds(run))
		complain(run, "%" PRIu64 " rounds instead of %" PRIu64, w.rounds, run_rounds(run));
	if (found != w.size / page_bytes())
		complain(run, "%" PRIu64 " of %" PRIu64 " pages came through the pipe", found, w.size / (uint64_t)page_bytes());
}

static void teardown(struct run *run)
{
	(void)run;
	if (w.source)
		munmap((void *)(uintptr_t)w.source, w.size);
	if (w.target)
		munmap((void *)(uintptr_t)w.target, w.size);
	if (w.in) {
		close((int)w.in);
		close((int)w.out);
	}
}

const struct workload workload = {
	.name = "pipe_cycle",
	.summary = "one write() that fills a pipe, then one read() that empties it",
	.subject = "Sending {size} through a pipe",
	.state = "one pipe of the length that is written, empty before each round; both buffers are private mappings of base pages, all present",
	.group = "kernel memory",
	.params = {
		{ "size", PARAM_SIZE, "bytes", "256KiB", "length of the pipe, the write and the read; a power of two of pages", MIN_PAGE_BYTES, MIB, { 0 } },
	},
	.phases = {
		{ "write", "page", "From before to after one write() of the whole length, divided by its pages; each is allocated and copied to.", true },
		{ "read", "page", "From before to after one read() of the whole length, divided by its pages; each is copied from and freed.", false },
		{ "iteration", "page", "One round, write and read, divided by the pages.", false },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
