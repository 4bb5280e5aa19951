/* SPDX-License-Identifier: GPL-2.0-only */
/* The two clocks of a run: the architecture's tick counter (arch.h), and the kernel's time in nanoseconds. */
#ifndef KASSAY_CLOCK_H
#define KASSAY_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "arch.h"

enum clock { CLOCK_TICKS, CLOCK_RAW };

static inline uint64_t raw_ns(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline uint64_t raw_now(void)
{
	return raw_ns(CLOCK_MONOTONIC_RAW);
}

/* Ticks in a second, or 0 when the CPU does not say. */
static inline uint64_t clock_rate(enum clock clock)
{
	return clock == CLOCK_RAW ? 1000000000 : arch_tick_rate();
}

#endif
