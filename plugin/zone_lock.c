// SPDX-License-Identifier: GPL-2.0-only
#include "zone_lock.h"

#include <inttypes.h>

#include "counter.h"

static struct {
	uint64_t taken;
	uint64_t handovers; /* of these, by another CPU than the time before */
	unsigned int last;
} z;

void zone_lock_taken(unsigned int cpu, const struct block *before)
{
	if (!before->zone)
		return;
	z.handovers += z.taken && z.last != cpu;
	z.taken++;
	z.last = cpu;
}

void zone_lock_totals(void)
{
	if (!z.taken)
		return;
	counters_line("x zone_locks %" PRIu64, z.taken);
	counters_line("x zone_handovers %" PRIu64, z.handovers);
}
