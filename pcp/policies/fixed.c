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
	bool free_high = pcp->free_factor && order && order <= COSTLY_ORDER;
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

POLICY(fixed) = {
	.kernels = "6.1.192",
	.summary = "high is fixed, a refill is one batch; before auto-tuning",
	.refill = refill,
	.free = freed,
	.decay = decay,
};
