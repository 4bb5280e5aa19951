// SPDX-License-Identifier: GPL-2.0-only
/*
 * What "mm: tune PCP high automatically" (v3 of its series) was compared with:
 * the removed lines of that patch. high is still fixed, but a refill of order 0
 * doubles while nothing is freed, and everything is given back only after two
 * frees of orders 1 to 3 in a row.
 */
#include "policy.h"

static int refill(struct pcp *pcp, unsigned int order)
{
	return scaled_refill(pcp, order, false);
}

/* free_unref_page_commit() */
static int freed(struct pcp *pcp, unsigned int order)
{
	bool free_high = scaled_free_high(pcp, order);
	int high = fixed_high(pcp, free_high);

	pcp->free_high += free_high;
	if (pcp->count < high)
		return NO_DRAIN;
	return free_high ? pcp->count : scaled_drain(pcp, high, high - pcp->batch - 1);
}

POLICY(fixed_scaled) = {
	.kernels = "the base of the patch, v3 (20231016053002.756205-8-ying.huang@intel.com)",
	.summary = "high is fixed, refills double; what the auto-tuning patch was compared with",
	.refill = refill,
	.free = freed,
	.decay = no_decay,
};
