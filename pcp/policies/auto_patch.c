// SPDX-License-Identifier: GPL-2.0-only
/*
 * "mm: tune PCP high automatically", v3, the patch by itself: high rises by what
 * a refill takes, falls by an eighth when the vmstat worker runs, and by what is
 * given back while reclaim is active.
 */
#include "policy.h"

static bool tuned(const struct pcp *pcp)
{
	return pcp->high_min != pcp->high_max;
}

/* nr_pcp_alloc() */
static int refill(struct pcp *pcp, unsigned int order)
{
	int pages = order ? pcp->batch : pcp->batch << pcp->alloc_factor, most;

	pcp->high = clamp(pcp->high, pcp->high_min, pcp->high_max);
	if (pcp->high < pcp->batch)
		return 1;
	if (tuned(pcp) && !pcp->zone->reclaim_active)
		pcp->high = smaller(pcp->high + pages, pcp->high_max);
	if (!order) {
		most = larger(pcp->high - pcp->count - pcp->batch, pcp->batch);
		if (pages <= most && pcp->alloc_factor < (int)config.run.batch_scale_max)
			pcp->alloc_factor++;
		pages = smaller(pages, most);
	}
	return blocks_of(pages, order);
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
	if (pcp->count >= high && tuned(pcp) && high < scaled + pcp->batch)
		pcp->high = clamp(scaled + pcp->batch, pcp->high_min, pcp->high_max);
	return high;
}

/* nr_pcp_free() */
static int pages_of(struct pcp *pcp, int high)
{
	int most = high - pcp->batch, pages = pcp->batch << pcp->free_factor;

	if (high < pcp->batch)
		return 1;
	if (pages <= most && pcp->free_factor < (int)config.run.batch_scale_max)
		pcp->free_factor++;
	return clamp(pages, pcp->batch, most);
}

/* free_unref_page_commit() */
static int freed(struct pcp *pcp, unsigned int order)
{
	bool again = high_order_again(pcp, order);
	bool free_high = again && pcp->free_factor && (!config.run.free_high_batch || pcp->count >= pcp->batch);
	int high = high_of(pcp, free_high);

	pcp->free_high += free_high;
	if (pcp->count < high)
		return NO_DRAIN;
	return free_high ? smaller(pcp->count, largest_batch(pcp)) : pages_of(pcp, high);
}

POLICY(auto_patch) = {
	.kernels = "the patch, v3 (20231016053002.756205-8-ying.huang@intel.com)",
	.summary = "the auto-tuning patch by itself, as it was measured on 224 CPUs",
	.refill = refill,
	.free = freed,
	.decay = decay_by_an_eighth,
};
