/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A policy: how many blocks a PCP takes from the zone and when it gives some
 * back. One file in policies/, of the policy's name; POLICY(name) = { ... } is
 * all that it has to define. Before each of these functions the simulator has
 * done what every kernel does: the block is on its list and in count; an
 * allocation halves free_factor and free_count, a free halves alloc_factor.
 */
#ifndef KASSAY_PCP_POLICY_H
#define KASSAY_PCP_POLICY_H

#include "pcp.h"

#define NO_DRAIN (-1)

struct policy {
	const char *kernels; /* the sources that it was read from, with versions */
	const char *summary;

	/* A list is empty: how many blocks of this order to take from the zone, at least 1. */
	int (*refill)(struct pcp *pcp, unsigned int order);

	/* A block came: how many pages to give to the zone; NO_DRAIN: the lock is not taken. */
	int (*free)(struct pcp *pcp, unsigned int order);

	/* The vmstat worker runs: how many pages to give to the zone, in steps of a batch. */
	int (*decay)(struct pcp *pcp);

	/* Whether each step of a batch of free()'s pages takes the zone lock by itself. */
	bool free_in_batches;
};

#define POLICY(name) const struct policy policy_##name

extern const struct policy *policy;

/* The policy of a name; ends the program with those that there are where there is none. */
void policy_choose(const char *name);

/* One line for each: name, kernels, summary, separated by tabs. */
void policy_list(void);

/* What several policies need. All numbers are of pages. */

static inline int clamp(int value, int low, int high)
{
	return value >= high ? high : value <= low ? low : value;
}

static inline int larger(int a, int b)
{
	return a > b ? a : b;
}

static inline int smaller(int a, int b)
{
	return a < b ? a : b;
}

/* The most that a scaled batch has. */
static inline int largest_batch(const struct pcp *pcp)
{
	return pcp->batch << config.run.batch_scale_max;
}

/* A refill's blocks from its pages: at least 2, unless the PCP is to hold nothing. */
static inline int blocks_of(int pages, unsigned int order)
{
	return pages > 1 ? larger(pages >> order, 2) : pages;
}

/* Notes a free of this order; whether it and the one before were of orders 1 to 3. */
static inline bool high_order_again(struct pcp *pcp, unsigned int order)
{
	bool again = pcp->previous_high_order;

	pcp->previous_high_order = order && order <= COSTLY_ORDER;
	return again && pcp->previous_high_order;
}

/* nr_pcp_alloc(): the blocks of a refill, twice the pages each time that no free came between. @raise: it raises high. */
static inline int scaled_refill(struct pcp *pcp, unsigned int order, bool raise)
{
	int pages = order ? pcp->batch : pcp->batch << pcp->alloc_factor, most;

	if (pcp->high < pcp->batch)
		return 1;
	if (raise && pcp->high_min != pcp->high_max)
		pcp->high = smaller(pcp->high + pages, pcp->high_max);
	if (!order) {
		most = larger(pcp->high - pcp->count - pcp->batch, pcp->batch);
		if (pages <= most && pcp->alloc_factor < (int)config.run.batch_scale_max)
			pcp->alloc_factor++;
		pages = smaller(pages, most);
	}
	return blocks_of(pages, order);
}

/* nr_pcp_free() before 6.7. @doubled: the most pages after which the next drain takes twice as many. */
static inline int scaled_drain(struct pcp *pcp, int high, int doubled)
{
	int pages = pcp->batch << pcp->free_factor;

	if (high < pcp->batch)
		return 1;
	if (pages <= doubled && pcp->free_factor < (int)config.run.batch_scale_max)
		pcp->free_factor++;
	return clamp(pages, pcp->batch, high - pcp->batch);
}

/* nr_pcp_high() where high is fixed */
static inline int fixed_high(const struct pcp *pcp, bool free_high)
{
	if (!pcp->high || free_high)
		return 0;
	return pcp->zone->reclaim_active ? smaller(pcp->batch << 2, pcp->high) : pcp->high;
}

/* Whether a free asks for everything to be drained, as free_factor was not 0 before 6.7. */
static inline bool scaled_free_high(struct pcp *pcp, unsigned int order)
{
	return high_order_again(pcp, order) && pcp->free_factor &&
	       (!config.run.free_high_batch || pcp->count >= pcp->batch);
}

static inline int no_decay(struct pcp *pcp)
{
	(void)pcp;
	return 0;
}

/* decay_pcp_high() of 6.7 and later */
static inline int decay_high(struct pcp *pcp)
{
	if (pcp->high > pcp->high_min)
		pcp->high = larger(larger(pcp->count - largest_batch(pcp), pcp->high - (pcp->high >> config.run.decay_shift)), pcp->high_min);
	return larger(pcp->count - pcp->high, 0);
}

#endif
