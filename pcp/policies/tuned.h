/* SPDX-License-Identifier: GPL-2.0-only */
/* What the auto-tuned policies of 6.7 and later have in common (mm/page_alloc.c). */
#ifndef KASSAY_PCP_TUNED_H
#define KASSAY_PCP_TUNED_H

#include "policy.h"

/* nr_pcp_alloc(). @raise: a refill raises high. */
static inline int tuned_refill(struct pcp *pcp, unsigned int order, bool raise)
{
	pcp->high = clamp(pcp->high, pcp->high_min, pcp->high_max);
	return scaled_refill(pcp, order, raise && !pcp->zone->below_high);
}

/* nr_pcp_high() */
static inline int tuned_high(struct pcp *pcp, bool free_high)
{
	int high = clamp(pcp->high, pcp->high_min, pcp->high_max);
	int freed = larger(pcp->free_count, pcp->batch);

	pcp->high = high;
	if (!high)
		return 0;
	if (free_high) {
		pcp->high = larger(high - largest_batch(pcp), pcp->high_min);
		return 0;
	}
	if (pcp->zone->reclaim_active) {
		pcp->high = larger(high - freed, pcp->high_min);
		return smaller(pcp->batch << 2, pcp->high);
	}
	if (pcp->high_min == pcp->high_max)
		return high;
	if (pcp->zone->below_high) {
		pcp->high = larger(high - freed, pcp->high_min);
		return larger(pcp->count, pcp->high_min);
	}
	/* Room for what a drain gives back. */
	if (pcp->count >= high && high < pcp->free_count + pcp->batch)
		pcp->high = clamp(pcp->free_count + pcp->batch, pcp->high_min, pcp->high_max);
	return high;
}

/*
 * free_unref_page_commit() with nr_pcp_free(). @consecutive: pages freed without
 * an allocation from which on frees of orders 1 to 3 ask for everything to be drained.
 */
static inline int tuned_free(struct pcp *pcp, unsigned int order, int consecutive)
{
	bool again = high_order_again(pcp, order);
	bool free_high = again && pcp->free_count >= consecutive &&
			 (!config.run.free_high_batch || pcp->count >= pcp->batch);
	int high;

	if (pcp->free_count < largest_batch(pcp))
		pcp->free_count += 1 << order;
	high = tuned_high(pcp, free_high);
	pcp->free_high += free_high;
	if (pcp->count < high)
		return NO_DRAIN;
	if (free_high)
		return smaller(pcp->count, largest_batch(pcp));
	if (high < pcp->batch)
		return 1;
	return clamp(pcp->free_count, pcp->batch, high - pcp->batch);
}

#endif
