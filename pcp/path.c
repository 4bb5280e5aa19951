// SPDX-License-Identifier: GPL-2.0-only
/* rmqueue(), __rmqueue_pcplist(), free_unref_page(), free_pcppages_bulk() and refresh_cpu_vm_stats(). */
#include "path.h"

#include "buddy.h"
#include "conserve.h"
#include "lock.h"
#include "policy.h"
#include "ring.h"

/* Count changes: what it was is multiplied by how long it was. */
static inline void count_change(struct pcp *pcp, const struct cpu *cpu, int change)
{
	if (cpu->clock > pcp->changed_ps) {
		pcp->area += (unsigned __int128)(cpu->clock - pcp->changed_ps) * (unsigned int)pcp->count;
		pcp->changed_ps = cpu->clock;
	}
	pcp->count += change;
}

static void watch_high(struct pcp *pcp)
{
	pcp->most_count = larger(pcp->most_count, pcp->count);
	pcp->most_high = larger(pcp->most_high, pcp->high);
	pcp->least_high = smaller(pcp->least_high, pcp->high);
}

/* get_page_from_freelist(), before rmqueue(): all pages of a block but one are taken for not free. */
static inline void watermarks_asked(struct zone *zone, unsigned int order)
{
	uint64_t usable = zone->free + 1, taken = UINT64_C(1) << order;

	if (usable > zone->config->high_watermark + taken)
		return;
	zone->below_high = true;
	if (!zone->reclaim_given && usable <= zone->config->low_watermark + taken)
		zone->reclaim_active = true;
}

static void watermarks_given(struct zone *zone)
{
	if (zone->free <= zone->config->high_watermark)
		return;
	zone->below_high = false;
	if (!zone->reclaim_given)
		zone->reclaim_active = false;
}

/* rmqueue_bulk() */
static void refill(struct cpu *cpu, struct pcp *pcp, unsigned int order, unsigned int type)
{
	struct zone *zone = pcp->zone;
	struct ring *list = &pcp->lists[list_of(order, type)];
	int wanted, taken = 0;
	struct held held;
	block_t block;

	wanted = policy->refill(pcp, order);
	held = lock_enter(zone, cpu);
	while (taken < wanted && buddy_take(zone, order, type, &block)) {
		ring_push_tail(list, block);
		taken++;
	}
	count_change(pcp, cpu, taken << order);
	lock_leave(&held, cpu, (uint64_t)taken, 0);
	pcp->refills++;
	pcp->refilled_pages += (uint64_t)taken << order;
	counters.refills++;
	by_order[order].refilled += (uint64_t)taken;
	watch_high(pcp);
	conserve_now_and_then();
}

#define AHEAD 6 /* blocks from one that is given back to one whose memory is asked for */

/* free_pcppages_bulk() */
static void give_back(struct cpu *cpu, struct pcp *pcp, int pages, unsigned int list, bool decay)
{
	struct held held = lock_enter(pcp->zone, cpu);
	int left = smaller(pages, pcp->count), moved = 0;
	uint64_t blocks = 0, high_order = 0;

	list += PCP_LISTS - 1;
	while (left > 0) {
		struct ring *ring;

		do {
			list = (list + 1) % PCP_LISTS;
			ring = &pcp->lists[list];
		} while (!ring->count);
		do {
			block_t block = ring_pop_tail(ring);
			unsigned int order = block_order(block);

			if (ring->count >= AHEAD)
				buddy_expect(pcp->zone, ring_at(ring, ring->count - AHEAD));
			left -= 1 << order;
			moved += 1 << order;
			high_order += order && order <= COSTLY_ORDER ? 1u << order : 0;
			blocks++;
			by_order[order].drained++;
			buddy_give(pcp->zone, block);
		} while (left > 0 && ring->count);
	}
	count_change(pcp, cpu, -moved);
	lock_leave(&held, cpu, 0, blocks);
	pcp->drains++;
	pcp->drained_pages += (uint64_t)moved;
	pcp->decay_pages += decay ? (uint64_t)moved : 0;
	pcp->high_order_pages += high_order;
	counters.drains++;
	counters.decay_drains += decay;
	watch_high(pcp);
}

/* The drain that is asked for, as far as the lock can be taken. */
static bool drain_go(struct cpu *cpu)
{
	struct drain *drain = &cpu->drain;

	while (drain->pcp) {
		struct pcp *pcp = drain->pcp;
		int pages = smaller(drain->pages, drain->step);

		if (cpu->clock > cpu->horizon)
			return false;
		give_back(cpu, pcp, pages, (unsigned int)drain->list, drain->decay);
		drain->pages -= pages;
		if (drain->pages <= 0 || !pcp->count) {
			drain->pcp = NULL;
			cpu->clock += drain->after_ps;
			if (!drain->decay)
				watermarks_given(pcp->zone);
		}
		conserve_now_and_then();
	}
	return true;
}

/* A block of an order that PCPs have no list for. */
static bool take_direct(struct cpu *cpu, struct zone *zone, unsigned int order, unsigned int type, block_t *block)
{
	struct held held = lock_enter(zone, cpu);
	bool found = buddy_take(zone, order, type, block);

	lock_leave(&held, cpu, found, 0);
	counters.bypass_allocations += found;
	return found;
}

static void give_direct(struct cpu *cpu, struct zone *zone, block_t block)
{
	struct held held = lock_enter(zone, cpu);

	buddy_give(zone, block);
	lock_leave(&held, cpu, 0, 1);
	counters.bypass_frees++;
}

/* From one zone. A caller sees to the lock. */
static bool alloc_from(struct cpu *cpu, struct zone *zone, unsigned int order, unsigned int type, block_t *block)
{
	struct pcp *pcp = &cpu->pcps[zone->number];
	struct ring *list = &pcp->lists[list_of(order, type)];

	watermarks_asked(zone, order);
	if (!order_has_list(order))
		return take_direct(cpu, zone, order, type, block);
	pcp->free_factor >>= 1;
	pcp->free_count >>= 1;
	if (!list->count)
		refill(cpu, pcp, order, type);
	if (!list->count) /* rmqueue() then asks the zone for the one block */
		return take_direct(cpu, zone, order, type, block);
	*block = ring_pop_head(list);
	count_change(pcp, cpu, -(1 << order));
	return true;
}

bool page_alloc(struct cpu *cpu, struct zone *first, unsigned int order, unsigned int type, block_t *block)
{
	struct pcp *pcp = &cpu->pcps[first->number];
	bool found;

	if (cpu->clock > cpu->horizon && (!order_has_list(order) || !pcp->lists[list_of(order, type)].count))
		return false;
	found = alloc_from(cpu, first, order, type, block);
	for (unsigned int i = 0; !found && i < config.zone_count; i++)
		if (&zones[i] != first)
			found = alloc_from(cpu, &zones[i], order, type, block);
	if (!found) {
		*block = NO_BLOCK;
		counters.failed++;
		return true;
	}
	by_order[order].allocations++;
	return true;
}

bool page_free(struct cpu *cpu, struct zone *zone, block_t block, unsigned int type)
{
	struct pcp *pcp = &cpu->pcps[zone->number];
	unsigned int order = block_order(block), list;
	int pages;

	if (!order_has_list(order)) {
		if (cpu->clock > cpu->horizon)
			return false;
		give_direct(cpu, zone, block);
		by_order[order].frees++;
		return true;
	}
	list = list_of(order, type);
	pcp->alloc_factor >>= 1;
	ring_push_head(&pcp->lists[list], block);
	count_change(pcp, cpu, 1 << order);
	by_order[order].frees++;
	if (pcp->count > pcp->most_count)
		pcp->most_count = pcp->count;
	pages = policy->free(pcp, order);
	if (pages == NO_DRAIN || (policy->free_in_batches && !pages))
		return true;
	cpu->drain = (struct drain){ pcp, pages, policy->free_in_batches ? pcp->batch : pages, (int)list, false, 0 };
	drain_go(cpu);
	return true;
}

bool path_finish(struct cpu *cpu)
{
	while (true) {
		struct pcp *pcp;
		int pages;

		if (!drain_go(cpu))
			return false;
		if (cpu->vmstat_zone == config.zone_count)
			return true;
		pcp = &cpu->pcps[cpu->vmstat_zone++];
		pages = policy->decay(pcp);
		watch_high(pcp);
		if (pages > 0)
			cpu->drain = (struct drain){ pcp, pages, pcp->batch, 0, true, 0 };
	}
}

bool vmstat_run(struct cpu *cpu)
{
	counters.vmstat_runs++;
	cpu->vmstat_zone = 0;
	return path_finish(cpu);
}
