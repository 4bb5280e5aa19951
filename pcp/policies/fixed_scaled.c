// SPDX-License-Identifier: GPL-2.0-only
/*
 * What "mm: tune PCP high automatically" (v3 of its series) was compared with:
 * the removed lines of that patch. high is still fixed, but a refill of order 0
 * doubles while nothing is freed, and everything is given back only after two
 * frees of orders 1 to 3 in a row.
 */
#include "policy.h"

/* nr_pcp_alloc() */
static int refill(struct pcp *pcp, unsigned int order)
{
	int pages = pcp->batch, most = larger(pcp->high - pcp->count - pcp->batch, pcp->batch);

	if (pcp->high < pcp->batch)
		return 1;
	if (!order) {
		pages <<= pcp->alloc_factor;
		if (pages <= most && pcp->alloc_factor < (int)config.run.batch_scale_max)
			pcp->alloc_factor++;
		pages = smaller(pages, most);
	}
	return blocks_of(pages, order);
}

/* nr_pcp_high() */
static int high_of(const struct pcp *pcp, bool free_high)
{
	if (!pcp->high || free_high)
		return 0;
	return pcp->zone->reclaim_active ? smaller(pcp->batch << 2, pcp->high) : pcp->high;
}

/* nr_pcp_free() */
static int pages_of(struct pcp *pcp, int high)
{
	int most = high - pcp->batch, pages = pcp->batch << pcp->free_factor;

	if (high < pcp->batch)
		return 1;
	if (pages < most && pcp->free_factor < (int)config.run.batch_scale_max)
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
	return free_high ? pcp->count : pages_of(pcp, high);
}

static int decay(struct pcp *pcp)
{
	(void)pcp;
	return 0;
}

POLICY(fixed_scaled) = {
	.kernels = "the base of the patch, v3 (20231016053002.756205-8-ying.huang@intel.com)",
	.summary = "high is fixed, refills double; what the auto-tuning patch was compared with",
	.refill = refill,
	.free = freed,
	.decay = decay,
};
