// SPDX-License-Identifier: GPL-2.0-only
/*
 * The alternative that the patch's text weighs and rejects: high rises when
 * pages are given back to the zone, by as much as is given back, and not when they are
 * taken. Everything else is auto's.
 */
#include "tuned.h"

static int refill(struct pcp *pcp, unsigned int order)
{
	return tuned_refill(pcp, order, false);
}

static int freed(struct pcp *pcp, unsigned int order)
{
	uint64_t before = pcp->free_high;
	int pages = tuned_free(pcp, order, pcp->batch);
	bool pressed = pcp->zone->reclaim_active || pcp->zone->below_high || pcp->free_high != before;

	if (pages > 0 && !pressed && pcp->high_min != pcp->high_max)
		pcp->high = smaller(pcp->high + pages, pcp->high_max);
	return pages;
}

POLICY(auto_on_drain) = {
	.kernels = "none: the rejected alternative, on 6.12.117",
	.summary = "high rises with drains instead of refills",
	.refill = refill,
	.free = freed,
	.decay = decay_high,
};
