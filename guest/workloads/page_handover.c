// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages of order 3 that one CPU allocates and another one frees, as a network stack's are: a producer fills the buffers
 * of local stream sockets, a consumer on the next CPU empties them.
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
#include "workers.h"

#define MAX_SOCKETS 16
#define STAMP 0x68616e646f766572ULL
#define BUFFER_BYTES (32 * KIB) /* of order 3, where base pages are 4 KiB: what the kernel sends at once */

enum part { PART_SEND, PART_RECEIVE, PARTS };

static struct {
	unsigned int sockets;
	uint64_t size;
	uint64_t ends[MAX_SOCKETS][2]; /* out, in */
	uint64_t source, target;
	struct script scripts[2 * PARTS]; /* by task: the producer, the consumer */
	uint64_t *rounds; /* of the consumer, in a page mapped shared */
} w;

static int make_socket(struct run *run, unsigned int number)
{
	int ends[2], bytes = 0;
	socklen_t length = sizeof(bytes);

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return fail(run, "a local socket (CONFIG_UNIX): %s", strerror(errno));
	w.ends[number][0] = (uint64_t)ends[0];
	w.ends[number][1] = (uint64_t)ends[1];
	if (getsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &bytes, &length) || (uint64_t)bytes < 2 * w.size)
		return fail(run, "this system's sockets buffer %d bytes, and %" PRIu64 " are sent at once", bytes, w.size);
	return 0;
}

/* Shared, so that what the consumer received is seen. */
static int make_buffers(struct run *run)
{
	struct script make = { 0 };

	w.source = memory_reserve(run, w.size);
	w.target = memory_reserve(run, w.size);
	w.rounds = mmap(NULL, page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (!w.source || !w.target || w.rounds == MAP_FAILED)
		return fail(run, "no memory for the buffers");
	memory_map(&make, &w.source, w.size, false, -1);
	memory_want_base(&make, &w.source, w.size);
	memory_fill(&make, &w.source, w.size, STAMP);
	memory_map(&make, &w.target, w.size, true, -1);
	memory_fill(&make, &w.target, w.size, 0);
	return script_do(run, &make);
}

static int start(struct run *run)
{
	struct script *send = &w.scripts[PART_SEND], *receive = &w.scripts[PARTS + PART_RECEIVE];

	for (unsigned int i = 0; i < w.sockets; i++) {
		script_call(send, sendto, &w.ends[i][0], w.source, w.size, MSG_DONTWAIT, 0, 0);
		script_call(receive, recvfrom, &w.ends[i][1], w.target, w.size, MSG_DONTWAIT, 0, 0);
	}
	script_step(receive, (struct step){ .run = step_add, .start = w.rounds, .args = { 1 } });
	return workers_start(run, 2, false, w.scripts, PARTS);
}

static int setup(struct run *run)
{
	struct script *round = round_script(run);

	w.sockets = (unsigned int)param_number(run, "sockets");
	w.size = param_number(run, "size");
	if (w.size % BUFFER_BYTES)
		return fail(run, "size must be a multiple of %lu KiB", BUFFER_BYTES / KIB);
	for (unsigned int i = 0; i < w.sockets; i++) {
		if (make_socket(run, i))
			return -1;
	}
	if (make_buffers(run) || start(run))
		return -1;
	phase_add(run, "send", w.sockets * w.size / BUFFER_BYTES);
	phase_add(run, "receive", w.sockets * w.size / BUFFER_BYTES);
	mark(run);
	workers_do(round, PART_SEND);
	mark(run);
	workers_do(round, PART_RECEIVE);
	mark(run);
	range_set(run, (void *)(uintptr_t)w.source, w.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.AnonHugePages", "==", 0);
	require_both(run, "pagemap.present", "==", w.size / page_bytes());
	return 0;
}

static void verify(struct run *run)
{
	uint64_t found = memory_stamped(w.target, w.size, STAMP), pages = w.size / (uint64_t)page_bytes();

	if (*w.rounds != run_rounds(run))
		complain(run, "%" PRIu64 " rounds instead of %" PRIu64, *w.rounds, run_rounds(run));
	if (found != pages)
		complain(run, "%" PRIu64 " of %" PRIu64 " pages came through the sockets", found, pages);
}

static void teardown(struct run *run)
{
	(void)run;
	workers_stop();
	for (unsigned int i = 0; i < w.sockets && w.ends[i][0]; i++) {
		close((int)w.ends[i][0]);
		close((int)w.ends[i][1]);
	}
}

const struct workload workload = {
	.name = "page_handover",
	.summary = "buffers of order-3 pages that one CPU allocates and the next one frees, through local stream sockets",
	.subject = "Handing {sockets} times {size} from one CPU to another",
	.state = "pairs of local stream sockets, empty before each round, with buffers of the system's default length; the producer runs on the "
		 "first CPU, the consumer on the second (with one CPU both on it); both buffers are base pages, all present",
	.group = "kernel memory",
	.params = {
		{ "sockets", PARAM_COUNT, "sockets", "4", "pairs of sockets that are filled before any is emptied", 1, MAX_SOCKETS, { 0 } },
		{ "size", PARAM_SIZE, "bytes", "96KiB", "length of one send, a multiple of 32 KiB", BUFFER_BYTES, 96 * KIB, { 0 } },
	},
	.phases = {
		{ "send", "buffer",
		  "From before the producer is woken until it has returned from all sendto() calls, divided by the buffers of 32 KiB: buffers are "
		  "allocated and copied to.",
		  true },
		{ "receive", "buffer",
		  "From then until the consumer has returned from all recvfrom() calls, divided by the buffers: copied from and freed.", false },
		{ "iteration", "buffer", "One round, send and receive, divided by the buffers.", false },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
