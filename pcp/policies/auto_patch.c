// SPDX-License-Identifier: GPL-2.0-only
/*
 * "mm: tune PCP high automatically", v3, the patch by itself: high rises by what
 * a refill takes, falls by an eighth when the vmstat worker runs, and by what is
 * given back while reclaim is active.
 */
#include "policy.h"

static int refill(struct pcp *pcp, unsigned int order)
{
	pcp->high = clamp(pcp->high, pcp->high_min, pcp->high_max);
	return scaled_refill(pcp, order, !pcp->zone->reclaim_active);
}

/* nr_pcp_high() */
static int high_of(struct pcp *pcp, bool free_high)
{
	int high = clamp(pcp->high, pcp->high_min, pcp->high_max);
	int scaled = pcp->batch << pcp->free_factor;

	pcp->high = high;
	if (!high)
		return 0;
	if (free_high) {
		pcp->high = larger(high - largest_batch(pcp), pcp->high_min);
		return 0;
	}
	if (pcp->zone->reclaim_active) {
		pcp->high = larger(high - scaled, pcp->high_min);
		return smaller(pcp->batch << 2, pcp->high);
	}
	/* Room for what a drain gives back. */
	if (pcp->count >= high && pcp->high_min != pcp->high_max && high < scaled + pcp->batch)
		pcp->high = clamp(scaled + pcp->batch, pcp->high_min, pcp->high_max);
	return high;
}

/* free_unref_page_commit() */
static int freed(struct pcp *pcp, unsigned int order)
{
	bool free_high = scaled_free_high(pcp, order);
	int high = high_of(pcp, free_high);

	pcp->free_high += free_high;
	if (pcp->count < high)
		return NO_DRAIN;
	return free_high ? smaller(pcp->count, largest_batch(pcp)) : scaled_drain(pcp, high, high - pcp->batch);
}

POLICY(auto_patch) = {
	.kernels = "the patch, v3 (20231016053002.756205-8-ying.huang@intel.com)",
	.summary = "the auto-tuning patch by itself, as it was measured on 224 CPUs",
	.refill = refill,
	.free = freed,
	.decay = decay_high,
};
