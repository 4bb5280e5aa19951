/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waits, asleep, until the other tasks of the machine have next to nothing left
 * to do, and the kernel has calibrated its clock for the last time.
 */
#ifndef KASSAY_QUIET_H
#define KASSAY_QUIET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct quiet_rule {
	uint64_t limit_ns;   /* run time of all other tasks in a window of 200 ms */
	uint64_t windows;    /* that many in a row must stay below the limit */
	uint64_t timeout_ms; /* then give up, and say so */
};

/* Writes what was seen to @report, as lines. Returns whether it became quiet. */
bool quiet_wait(const struct quiet_rule *rule, char *report, size_t size);

#endif
