// SPDX-License-Identifier: GPL-2.0-only
/* A pipe filled and emptied: a page is allocated for each page written, and freed when it was read. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>

#include "transfer.h"

#define STAMP 0x7069706500000000ULL

static int make_pipe(struct run *run)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return fail(run, "pipe: %s", strerror(errno));
	transfer.out = (uint64_t)ends[0];
	transfer.in = (uint64_t)ends[1];
	if (fcntl(ends[1], F_SETPIPE_SZ, (int)transfer.size) < (int)transfer.size)
		return fail(run, "a pipe of %" PRIu64 " bytes: %s", transfer.size, strerror(errno));
	return 0;
}

static int setup(struct run *run)
{
	struct script *round = round_script(run);

	if (transfer_begin(run, make_pipe, STAMP))
		return -1;
	phase_add(run, "write", transfer.size / page_bytes());
	phase_add(run, "read", transfer.size / page_bytes());
	mark(run);
	script_call(round, write, &transfer.in, transfer.source, transfer.size);
	mark(run);
	script_call(round, read, &transfer.out, transfer.target, transfer.size);
	mark(run);
	transfer_end(run);
	return 0;
}

static void verify(struct run *run)
{
	transfer_verify(run, STAMP, "pipe");
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
	.teardown = transfer_teardown,
};
