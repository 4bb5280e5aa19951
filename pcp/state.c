// SPDX-License-Identifier: GPL-2.0-only
/* The zones and CPUs of a configuration, at their begin. */
#include <string.h>

#include "buddy.h"
#include "pcp.h"
#include "ring.h"

struct zone *zones;
struct cpu *cpus;
struct counters counters;
struct order_counters by_order[NR_ORDERS];

#define NEVER UINT64_MAX
#define JIFFY_PS 4000000000ULL

void zones_start(void)
{
	zones = allocate(config.zone_count, sizeof(*zones));
	for (unsigned int i = 0; i < config.zone_count; i++) {
		struct zone *zone = &zones[i];

		zone->config = &config.zones[i];
		zone->number = i;
		zone->start = (uint32_t)zone->config->start;
		zone->end = zone->start + (uint32_t)zone->config->pages;
		zone->lock_cpu = -1;
		buddy_start(zone);
	}
	memset(&counters, 0, sizeof(counters));
}

static struct zone *nearest_zone(unsigned int cpu)
{
	for (unsigned int i = 0; i < config.zone_count; i++) {
		const struct zone_config *zone = zones[i].config;

		if (cpu >= zone->cpu_first && cpu < zone->cpu_first + zone->cpu_count)
			return &zones[i];
	}
	return &zones[config.zone_count - 1];
}

/* round_jiffies_common(): the worker of each CPU runs three ticks after that of the one before */
static uint64_t first_vmstat(unsigned int cpu)
{
	uint64_t interval = config.run.vmstat_ns * 1000;

	return interval ? interval + cpu * 3 * JIFFY_PS % interval : NEVER;
}

void cpus_start(void)
{
	cpus = allocate(config.run.cpus, sizeof(*cpus));
	for (unsigned int n = 0; n < config.run.cpus; n++) {
		struct cpu *cpu = &cpus[n];

		cpu->number = n;
		cpu->horizon = NEVER;
		cpu->zone = nearest_zone(n);
		cpu->vmstat_zone = config.zone_count;
		cpu->next_vmstat = first_vmstat(n);
		cpu->next_sample = config.run.sample_ns ? 0 : NEVER;
		cpu->pcps = allocate(config.zone_count, sizeof(*cpu->pcps));
		for (unsigned int i = 0; i < config.zone_count; i++) {
			struct pcp *pcp = &cpu->pcps[i];

			pcp->zone = &zones[i];
			pcp->batch = (int)config.zones[i].batch;
			pcp->high_min = (int)config.zones[i].high_min;
			pcp->high_max = (int)config.zones[i].high_max;
			pcp->high = pcp->least_high = pcp->most_high = pcp->high_min;
		}
	}
}

void pcps_fill(void)
{
	for (unsigned int i = 0; i < config.pcp_count; i++) {
		const struct pcp_state *state = &config.pcps[i];
		struct zone *zone = &zones[state->zone];
		struct pcp *pcp = &cpus[state->cpu].pcps[state->zone];
		unsigned int order = (unsigned int)state->order, type = (unsigned int)state->type;
		block_t block;

		if (!order_has_list(order) || type >= PCP_TYPES)
			stop(2, "config: pcp %u: there is no list of this order and type", i);
		pcp->high = (int)state->high;
		for (uint64_t n = 0; n < state->blocks; n++) {
			if (!buddy_take(zone, order, type, &block))
				stop(2, "config: pcp %u: its zone has too few free pages", i);
			ring_push_tail(&pcp->lists[list_of(order, type)], block);
			pcp->count += 1 << order;
		}
	}
	counters_clear();
}

static void pcp_clear(struct pcp *pcp, uint64_t clock)
{
	pcp->changed_ps = clock;
	pcp->area = 0;
	pcp->free_high = 0;
	pcp->refills = pcp->refilled_pages = 0;
	pcp->drains = pcp->drained_pages = 0;
	pcp->decay_pages = pcp->high_order_pages = 0;
	pcp->locked = false;
	pcp->most_count = pcp->count;
	pcp->most_high = pcp->least_high = pcp->high;
}

void counters_clear(void)
{
	memset(&counters, 0, sizeof(counters));
	memset(by_order, 0, sizeof(by_order));
	for (unsigned int i = 0; i < config.zone_count; i++)
		zones[i].acquisitions = zones[i].hold_ps = zones[i].wait_ps = 0;
	for (unsigned int n = 0; n < config.run.cpus; n++) {
		cpus[n].counted_from = cpus[n].clock;
		cpus[n].asleep_ps = 0;
		for (unsigned int i = 0; i < config.zone_count; i++)
			pcp_clear(&cpus[n].pcps[i], cpus[n].clock);
	}
}
