/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KASSAY_PCP_PROGRESS_H
#define KASSAY_PCP_PROGRESS_H

#include <inttypes.h>
#include <stdio.h>

/* "progress EVENTS NS" to stderr, once in some millions of events. */
static inline void progress(uint64_t events, uint64_t clock_ps)
{
	static uint64_t next = 1 << 23;

	if (events < next)
		return;
	fprintf(stderr, "progress %" PRIu64 " %" PRIu64 "\n", events, clock_ps / 1000);
	next = events + (1 << 23);
}

#endif
