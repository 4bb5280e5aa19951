// SPDX-License-Identifier: GPL-2.0-only
/*
 * 6.1: high is high_min for ever and a refill is one batch. Frees without an
 * allocation double what a drain gives back; a free of order 1 to 3 after at least
 * one such doubling gives back everything. Nothing decays.
 */
#include "policy.h"

static int refill(struct pcp *pcp, unsigned int order)
{
	return blocks_of(pcp->batch, order);
}

/* free_unref_page_commit() */
static int freed(struct pcp *pcp, unsigned int order)
{
	bool free_high = pcp->free_factor && order && order <= COSTLY_ORDER;
	int high = fixed_high(pcp, free_high);

	pcp->free_high += free_high;
	if (pcp->count < high)
		return NO_DRAIN;
	return free_high ? pcp->count : scaled_drain(pcp, high, high - pcp->batch - 1);
}

POLICY(fixed) = {
	.kernels = "6.1.192",
	.summary = "high is fixed, a refill is one batch; before auto-tuning",
	.refill = refill,
	.free = freed,
	.decay = no_decay,
};
