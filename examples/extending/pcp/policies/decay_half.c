// SPDX-License-Identifier: GPL-2.0-only
/* auto of 6.12, but the vmstat worker takes half of high and not an eighth. */
#include "policies/tuned.h"

static int refill(struct pcp *pcp, unsigned int order)
{
	return tuned_refill(pcp, order, true);
}

static int freed(struct pcp *pcp, unsigned int order)
{
	return tuned_free(pcp, order, pcp->batch);
}

static int decay(struct pcp *pcp)
{
	pcp->high = larger(pcp->high / 2, pcp->high_min);
	return larger(pcp->count - pcp->high, 0);
}

POLICY(decay_half) = {
	.kernels = "none: on 6.12.117",
	.summary = "as auto, with a decay by half a second",
	.refill = refill,
	.free = freed,
	.decay = decay,
};
