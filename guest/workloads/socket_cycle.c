// SPDX-License-Identifier: GPL-2.0-only
/*
 * A local stream socket filled and emptied. A send of 32 KiB and more takes pages of order 3 for its data where the
 * kernel has them; the receiver frees them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "transfer.h"

#define STAMP 0x736f636b65740000ULL

static int make_sockets(struct run *run)
{
	int ends[2], bytes = 0;
	socklen_t length = sizeof(bytes);

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return fail(run, "a local socket (CONFIG_UNIX): %s", strerror(errno));
	transfer.out = (uint64_t)ends[0];
	transfer.in = (uint64_t)ends[1];
	if (getsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &bytes, &length) || (uint64_t)bytes < 2 * transfer.size)
		return fail(run, "this system's sockets buffer %d bytes, and %" PRIu64 " are sent at once", bytes, transfer.size);
	return 0;
}

static int setup(struct run *run)
{
	struct script *round = round_script(run);

	if (transfer_begin(run, make_sockets, STAMP))
		return -1;
	phase_add(run, "send", transfer.size / page_bytes());
	phase_add(run, "receive", transfer.size / page_bytes());
	mark(run);
	script_call(round, sendto, &transfer.in, transfer.source, transfer.size, MSG_DONTWAIT, 0, 0);
	mark(run);
	script_call(round, recvfrom, &transfer.out, transfer.target, transfer.size, MSG_DONTWAIT, 0, 0);
	mark(run);
	transfer_end(run);
	return 0;
}

static void verify(struct run *run)
{
	transfer_verify(run, STAMP, "sockets");
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
	.teardown = transfer_teardown,
};
