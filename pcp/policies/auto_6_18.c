// SPDX-License-Identifier: GPL-2.0-only
/*
 * 6.18, the same in 6.16: high-order frees ask for everything to be drained only
 * after half of high_min more than in 6.12. A drain takes the zone lock once, as there.
 * (6.16.12 takes it once for a decay as well; 6.18.15 and 6.12.117 once a batch.)
 */
#include "tuned.h"

static int refill(struct pcp *pcp, unsigned int order)
{
	return tuned_refill(pcp, order, true);
}

static int freed(struct pcp *pcp, unsigned int order)
{
	return tuned_free(pcp, order, pcp->batch + pcp->high_min / 2);
}

POLICY(auto_6_18) = {
	.kernels = "6.16.12, 6.18.15",
	.summary = "as auto; high-order drains begin later",
	.refill = refill,
	.free = freed,
	.decay = decay_high,
};
