// SPDX-License-Identifier: GPL-2.0-only
/*
 * 6.12: the merged form of the patch. Consecutive frees are counted in pages and
 * not by doublings, and high does not rise, and falls, while the zone has fewer
 * free pages than its high watermark, before reclaim is active.
 */
#include "tuned.h"

static int refill(struct pcp *pcp, unsigned int order)
{
	return tuned_refill(pcp, order, true);
}

static int freed(struct pcp *pcp, unsigned int order)
{
	return tuned_free(pcp, order, pcp->batch);
}

POLICY(auto) = {
	.kernels = "6.12.117",
	.summary = "high rises with refills and decays by an eighth a second",
	.refill = refill,
	.free = freed,
	.decay = decay_high,
};
