// SPDX-License-Identifier: GPL-2.0-only
/*
 * 7.3, the same in 6.19 and 7.1: as in 6.18, and free_frozen_page_commit() takes
 * the zone lock for each batch of what it gives back, so that nobody waits long.
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

POLICY(auto_7_3) = {
	.kernels = "6.19.14, 7.1.13, 7.3.4",
	.summary = "as auto; drains take the zone lock once a batch, high-order drains begin later",
	.refill = refill,
	.free = freed,
	.decay = decay_high,
	.free_in_batches = true,
};
