// SPDX-License-Identifier: GPL-2.0-only
#include "conserve.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ring.h"

void (*conserve_owned)(void (*tell)(block_t block));

/* A byte for each page of all zones; only valid within conserve(). */
static uint8_t *seen[MOST_ZONES];

static void mark(block_t block)
{
	uint32_t pfn = block_pfn(block), end = pfn + (1u << block_order(block));
	struct zone *zone = zone_of(pfn);

	if (!zone || end > zone->end)
		stop(4, "a block of order %u at page frame %u is in no zone", block_order(block), pfn);
	for (; pfn < end; pfn++)
		if (seen[zone->number][pfn - zone->start]++)
			stop(4, "page frame %u is in two places", pfn);
}

static uint64_t free_lists(struct zone *zone)
{
	uint64_t pages = 0;

	for (unsigned int order = 0; order < NR_ORDERS; order++) {
		for (unsigned int type = 0; type < PCP_TYPES; type++) {
			uint32_t next = zone->lists[order][type].first;

			for (; next; next = zone->links[next - 1 - zone->start].next) {
				mark(block_of(next - 1, order));
				pages += 1u << order;
			}
		}
	}
	return pages;
}

static void pcp_lists(const struct pcp *pcp)
{
	int pages = 0;

	for (unsigned int list = 0; list < PCP_LISTS; list++) {
		for (uint32_t i = 0; i < pcp->lists[list].count; i++) {
			mark(ring_at(&pcp->lists[list], i));
			pages += 1 << block_order(ring_at(&pcp->lists[list], i));
		}
	}
	if (pages != pcp->count)
		stop(4, "a PCP of zone %u counts %d pages and has %d", pcp->zone->number, pcp->count, pages);
}

uint64_t conserve(void)
{
	uint64_t pages = 0;

	for (unsigned int i = 0; i < config.zone_count; i++) {
		struct zone *zone = &zones[i];
		uint64_t free;

		seen[i] = allocate(zone->end - zone->start, 1);
		free = free_lists(zone);
		if (free != zone->free)
			stop(4, "zone %u counts %" PRIu64 " free pages and has %" PRIu64, i, zone->free, free);
	}
	for (unsigned int cpu = 0; cpu < config.run.cpus; cpu++)
		for (unsigned int i = 0; i < config.zone_count; i++)
			pcp_lists(&cpus[cpu].pcps[i]);
	conserve_owned(mark);
	for (unsigned int i = 0; i < config.zone_count; i++) {
		uint32_t frames = zones[i].end - zones[i].start;

		for (uint32_t frame = (uint32_t)zones[i].config->used; frame < frames; frame++)
			if (!seen[i][frame])
				stop(4, "page frame %u is lost", zones[i].start + frame);
		pages += frames;
		free(seen[i]);
	}
	return pages;
}

void conserve_now_and_then(void)
{
	if (config.run.check_every && counters.acquisitions % config.run.check_every == 0)
		conserve();
}
