/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KASSAY_PCP_BUDDY_H
#define KASSAY_PCP_BUDDY_H

#include "pcp.h"

/* Everything but the first config->used pages is free and movable, as after boot. */
void buddy_start(struct zone *zone);

/* The block that is next for an order and type, taken out; false: none is large enough. */
bool buddy_take(struct zone *zone, unsigned int order, unsigned int type, block_t *block);

/* A block comes back, of the type of its pageblock, and is merged as far as it can be. */
void buddy_give(struct zone *zone, block_t block);

/* A block of certain pages, which events have allocated unseen; false where they are not all free. */
bool buddy_take_pages(struct zone *zone, block_t block);

/* This block is given back soon: what that reads is brought into the cache. */
static inline void buddy_expect(const struct zone *zone, block_t block)
{
	uint32_t pfn = block_pfn(block), buddy = pfn ^ (1u << block_order(block));

	__builtin_prefetch(&zone->links[pfn - zone->start]);
	__builtin_prefetch(&zone->heads[pfn - zone->start]);
	__builtin_prefetch(&zone->heads[buddy - zone->start]);
}

static inline unsigned int buddy_type(const struct zone *zone, uint32_t pfn)
{
	return zone->types[(pfn >> PAGEBLOCK_ORDER) - (zone->start >> PAGEBLOCK_ORDER)];
}

#endif
