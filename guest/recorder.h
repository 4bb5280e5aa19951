/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The program that runs a workload in its place and records the page events of the whole machine meanwhile. What it
 * records goes to the host through memory that both share, so that nothing is sent while the workload runs.
 */
#ifndef KASSAY_RECORDER_H
#define KASSAY_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "emit.h"

/* Maps the memory that host and guest share (QEMU's ivshmem-plain) as the room of @stream. Returns NULL or why not. */
const char *shared_open(struct stream *stream);

/*
 * Chooses what is traced: the page allocator's events, the vmstat worker, kswapd, and allocations in bulk, of which no
 * event tells; or with @calls system calls that are about memory, faults, folios, and how tasks begin and end.
 * @buffer_kb: of each CPU's ring buffer. Returns NULL or why not.
 */
const char *tracing_prepare(struct stream *stream, uint64_t buffer_kb, bool calls);

/* Returns NULL or why not. */
const char *tracing_switch(bool on);

/* Adds what was traced: for each CPU its raw pages ("pages cpuN") and its counts of what was lost. NULL or why not. */
const char *tracing_read(struct stream *stream);

#endif
