// SPDX-License-Identifier: GPL-2.0-only
/*
 * The zone's free lists by order and migrate type, as mm/page_alloc.c has them:
 * __rmqueue_smallest(), expand(), __free_one_page() with buddy_merge_likely().
 * A block of another type is the largest there is, and its whole pageblock
 * changes sides, where it is at least a pageblock or half of one
 * (__rmqueue_claim() without its count of pages); else the smallest, which
 * leaves the type (__rmqueue_steal()).
 */
#include "buddy.h"

#include <string.h>

static const uint8_t fallbacks[PCP_TYPES][PCP_TYPES - 1] = {
	[UNMOVABLE] = { RECLAIMABLE, MOVABLE },
	[MOVABLE] = { RECLAIMABLE, UNMOVABLE },
	[RECLAIMABLE] = { UNMOVABLE, MOVABLE },
};

static struct link *link_of(struct zone *zone, uint32_t pfn)
{
	return &zone->links[pfn - zone->start];
}

static void list_add(struct zone *zone, uint32_t pfn, unsigned int order, unsigned int type, bool last)
{
	struct free_list *list = &zone->lists[order][type];
	struct link *link = link_of(zone, pfn);

	zone->heads[pfn - zone->start] = (uint8_t)(1 + order + 16 * type);
	if (!list->first) {
		*link = (struct link){ 0, 0 };
		list->first = list->last = pfn + 1;
	} else if (last) {
		*link = (struct link){ 0, list->last };
		link_of(zone, list->last - 1)->next = pfn + 1;
		list->last = pfn + 1;
	} else {
		*link = (struct link){ list->first, 0 };
		link_of(zone, list->first - 1)->previous = pfn + 1;
		list->first = pfn + 1;
	}
}

static void list_remove(struct zone *zone, uint32_t pfn)
{
	uint8_t *head = &zone->heads[pfn - zone->start];
	struct free_list *list = &zone->lists[(*head - 1) & 15][(*head - 1) >> 4];
	struct link link = *link_of(zone, pfn);

	*head = 0;
	if (link.previous)
		link_of(zone, link.previous - 1)->next = link.next;
	else
		list->first = link.next;
	if (link.next)
		link_of(zone, link.next - 1)->previous = link.previous;
	else
		list->last = link.previous;
}

/* Whether a free block of this order begins at a frame. */
static bool is_free(const struct zone *zone, uint32_t pfn, unsigned int order)
{
	if (pfn < zone->start || pfn >= zone->end)
		return false;
	return zone->heads[pfn - zone->start] && ((zone->heads[pfn - zone->start] - 1) & 15) == order;
}

/* Takes @low pages' worth of the block at pfn; the halves that are left over stay free. */
static void expand(struct zone *zone, uint32_t pfn, unsigned int low, unsigned int high, unsigned int type)
{
	while (high > low) {
		high--;
		list_add(zone, pfn + (1u << high), high, type, false);
		counters.splits++;
	}
}

static void change_type(struct zone *zone, uint32_t pfn, unsigned int order, unsigned int type)
{
	uint32_t first = (pfn >> PAGEBLOCK_ORDER) - (zone->start >> PAGEBLOCK_ORDER);
	uint32_t count = order > PAGEBLOCK_ORDER ? 1u << (order - PAGEBLOCK_ORDER) : 1;

	for (uint32_t i = 0; i < count; i++)
		zone->types[first + i] = (uint8_t)type;
}

/* The free blocks of a pageblock change lists with it. */
static void move_free_blocks(struct zone *zone, uint32_t pfn, unsigned int type)
{
	uint32_t begin = pfn & ~((1u << PAGEBLOCK_ORDER) - 1), end = begin + (1u << PAGEBLOCK_ORDER);

	for (uint32_t p = begin < zone->start ? zone->start : begin; p < end && p < zone->end;) {
		unsigned int head = zone->heads[p - zone->start];
		unsigned int order = (head - 1) & 15;

		if (!head) {
			p++;
			continue;
		}
		list_remove(zone, p);
		list_add(zone, p, order, type, true);
		p += 1u << order;
	}
}

static bool take_smallest(struct zone *zone, unsigned int order, unsigned int type, uint32_t *pfn)
{
	for (unsigned int current = order; current < NR_ORDERS; current++) {
		if (!zone->lists[current][type].first)
			continue;
		*pfn = zone->lists[current][type].first - 1;
		list_remove(zone, *pfn);
		expand(zone, *pfn, order, current, type);
		return true;
	}
	return false;
}

static int fallback_of(const struct zone *zone, unsigned int order, unsigned int type)
{
	for (unsigned int i = 0; i < PCP_TYPES - 1; i++)
		if (zone->lists[order][fallbacks[type][i]].first)
			return fallbacks[type][i];
	return -1;
}

/* The largest block of another type: it and its pageblock become of this type. */
static bool claim(struct zone *zone, unsigned int order, unsigned int type)
{
	for (int current = NR_ORDERS - 1; current >= (int)order; current--) {
		int other = fallback_of(zone, (unsigned int)current, type);
		uint32_t pfn;

		if (other < 0)
			continue;
		if (current < PAGEBLOCK_ORDER / 2 && type == MOVABLE)
			return false;
		pfn = zone->lists[current][other].first - 1;
		change_type(zone, pfn, (unsigned int)current, type);
		if (current >= PAGEBLOCK_ORDER) {
			list_remove(zone, pfn);
			list_add(zone, pfn, (unsigned int)current, type, false);
		} else {
			move_free_blocks(zone, pfn, type);
		}
		return true;
	}
	return false;
}

bool buddy_take(struct zone *zone, unsigned int order, unsigned int type, block_t *block)
{
	uint32_t pfn;
	bool found = take_smallest(zone, order, type, &pfn);

	if (!found) {
		counters.fallbacks++;
		if (claim(zone, order, type))
			found = take_smallest(zone, order, type, &pfn);
		for (unsigned int i = 0; !found && i < PCP_TYPES - 1; i++)
			found = take_smallest(zone, order, fallbacks[type][i], &pfn);
	}
	if (!found)
		return false;
	zone->free -= 1u << order;
	*block = block_of(pfn, order);
	return true;
}

void buddy_give(struct zone *zone, block_t block)
{
	uint32_t pfn = block_pfn(block);
	unsigned int order = block_order(block), type = buddy_type(zone, pfn);
	bool last = false;

	zone->free += 1u << order;
	while (order < NR_ORDERS - 1) {
		uint32_t buddy = pfn ^ (1u << order);

		if (!is_free(zone, buddy, order))
			break;
		list_remove(zone, buddy);
		if (order >= PAGEBLOCK_ORDER)
			change_type(zone, buddy, order, type);
		pfn &= buddy;
		order++;
		counters.merges++;
	}
	if (order < NR_ORDERS - 2) {
		uint32_t higher = pfn & ~(1u << order);

		last = is_free(zone, higher ^ (2u << order), order + 1);
	}
	list_add(zone, pfn, order, type, last);
}

/* The free block that a page is in. */
static bool free_block_at(const struct zone *zone, uint32_t pfn, uint32_t *begin, unsigned int *order)
{
	for (*order = 0; *order < NR_ORDERS; ++*order) {
		*begin = pfn & ~((1u << *order) - 1);
		if (is_free(zone, *begin, *order))
			return true;
	}
	return false;
}

bool buddy_take_pages(struct zone *zone, block_t block)
{
	uint32_t pfn = block_pfn(block), begin;
	unsigned int low = block_order(block), order;

	if (!free_block_at(zone, pfn, &begin, &order) || order < low)
		return false;
	while (true) {
		unsigned int type = (unsigned int)(zone->heads[begin - zone->start] - 1) >> 4;
		uint32_t half;

		list_remove(zone, begin);
		if (order == low)
			break;
		order--;
		half = begin + (1u << order);
		list_add(zone, begin, order, type, false);
		list_add(zone, half, order, type, false);
		if (pfn >= half)
			begin = half;
	}
	zone->free -= 1u << low;
	return true;
}

void buddy_start(struct zone *zone)
{
	uint32_t pfn = zone->start + (uint32_t)zone->config->used;
	uint32_t frames = zone->end - zone->start;
	uint32_t pageblocks = ((zone->end - 1) >> PAGEBLOCK_ORDER) - (zone->start >> PAGEBLOCK_ORDER) + 1;

	zone->links = allocate(frames, sizeof(*zone->links));
	zone->heads = allocate(frames, 1);
	zone->types = allocate(pageblocks, 1);
	memset(zone->types, MOVABLE, pageblocks);
	while (pfn < zone->end) {
		unsigned int order = NR_ORDERS - 1;

		while (order && (pfn & ((1u << order) - 1) || pfn + (1u << order) > zone->end))
			order--;
		list_add(zone, pfn, order, MOVABLE, true);
		zone->free += 1u << order;
		pfn += 1u << order;
	}
}
