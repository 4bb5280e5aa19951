/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rounds that send a buffer through a channel of the kernel, a pipe or a pair of sockets, and receive it. A header,
 * because every C file here is linked into all programs, and these rounds are those of two of them.
 */
#ifndef KASSAY_TRANSFER_H
#define KASSAY_TRANSFER_H

#include <inttypes.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memory.h"

static struct {
	uint64_t in, out; /* the channel's ends */
	uint64_t source, target;
	uint64_t size;
	uint64_t rounds;
} transfer;

static inline void transfer_map(struct script *script, uint64_t *start, uint64_t stamp)
{
	memory_map(script, start, transfer.size, false, -1);
	memory_want_base(script, start, transfer.size);
	memory_fill(script, start, transfer.size, stamp);
}

/* Both buffers, present, and the channel, which @open makes. The pages that are sent have @stamp. */
static inline int transfer_begin(struct run *run, int (*open)(struct run *run), uint64_t stamp)
{
	struct script make = { 0 };

	transfer.size = param_number(run, "size");
	transfer.source = memory_reserve(run, transfer.size);
	transfer.target = memory_reserve(run, transfer.size);
	if (!transfer.source || !transfer.target || open(run))
		return -1;
	transfer_map(&make, &transfer.source, stamp);
	transfer_map(&make, &transfer.target, 0);
	return script_do(run, &make);
}

/* What a round ends with, and the state that is required. */
static inline void transfer_end(struct run *run)
{
	script_step(round_script(run), (struct step){ .run = step_add, .start = &transfer.rounds, .args = { 1 } });
	range_set(run, (void *)(uintptr_t)transfer.source, transfer.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.AnonHugePages", "==", 0);
	require_both(run, "pagemap.present", "==", transfer.size / page_bytes());
}

/* @channel: what the pages came through, in words. */
static inline void transfer_verify(struct run *run, uint64_t stamp, const char *channel)
{
	uint64_t found = memory_stamped(transfer.target, transfer.size, stamp), pages = transfer.size / (uint64_t)page_bytes();

	if (transfer.rounds != run_rounds(run))
		complain(run, "%" PRIu64 " rounds instead of %" PRIu64, transfer.rounds, run_rounds(run));
	if (found != pages)
		complain(run, "%" PRIu64 " of %" PRIu64 " pages came through the %s", found, pages, channel);
}

static inline void transfer_teardown(struct run *run)
{
	(void)run;
	if (transfer.source)
		munmap((void *)(uintptr_t)transfer.source, transfer.size);
	if (transfer.target)
		munmap((void *)(uintptr_t)transfer.target, transfer.size);
	if (transfer.in) {
		close((int)transfer.in);
		close((int)transfer.out);
	}
}

#endif
