// SPDX-License-Identifier: GPL-2.0-only
/*
 * A local stream socket filled and emptied. A send of 32 KiB and more takes pages of order 3 for its data where the
 * kernel has them; the receiver frees them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memory.h"

#define STAMP 0x736f636b65740000ULL

static struct {
	uint64_t in, out; /* the two sockets */
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

static int make_sockets(struct run *run)
{
	int ends[2], bytes = 0;
	socklen_t length = sizeof(bytes);

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return fail(run, "a local socket (CONFIG_UNIX): %s", strerror(errno));
	w.out = (uint64_t)ends[0];
	w.in = (uint64_t)ends[1];
	if (getsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &bytes, &length) || (uint64_t)bytes < 2 * w.size)
		return fail(run, "this system's sockets buffer %d bytes, and %" PRIu64 " are sent at once", bytes, w.size);
	return 0;
}

static int setup(struct run *run)
{
	struct script make = { 0 }, *round = round_script(run);

	w.size = param_number(run, "size");
	w.source = memory_reserve(run, w.size);
	w.target = memory_reserve(run, w.size);
	if (!w.source || !w.target || make_sockets(run))
		return -1;
	map_buffer(&make, &w.source, STAMP);
	map_buffer(&make, &w.target, 0);
	if (script_do(run, &make))
		return -1;
	phase_add(run, "send", w.size / page_bytes());
	phase_add(run, "receive", w.size / page_bytes());
	mark(run);
	script_call(round, sendto, &w.in, w.source, w.size, MSG_DONTWAIT, 0, 0);
	mark(run);
	script_call(round, recvfrom, &w.out, w.target, w.size, MSG_DONTWAIT, 0, 0);
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
		complain(run, "%" PRIu64 " of %" PRIu64 " pages came through the sockets", found, w.size / (uint64_t)page_bytes());
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
	.name = "socket_cycle",
	.summary = "one send to a local stream socket, in buffers of order-3 pages, then one receive of it all",
	.subject = "Sending {size} through a local stream socket",
	.state = "one pair of local stream sockets, empty before each round, with buffers of the system's default length; both buffers are private "
		 "mappings of base pages, all present",
	.group = "kernel memory",
	.params = {
		{ "size", PARAM_SIZE, "bytes", "64KiB", "length of one send and one receive; from 32 KiB on pages of order 3 are asked for", MIN_PAGE_BYTES,
		  104 * KIB, { 0 } },
	},
	.phases = {
		{ "send", "page", "From before to after one sendto() of the whole length, divided by its base pages; buffers are allocated and copied to.", true },
		{ "receive", "page", "From before to after one recvfrom() of the whole length, divided by its base pages; buffers are copied from and freed.",
		  false },
		{ "iteration", "page", "One round, send and receive, divided by the base pages.", false },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
