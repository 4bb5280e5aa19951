// SPDX-License-Identifier: GPL-2.0-only
#include "output.h"

#include <inttypes.h>
#include <stdio.h>

#include "conserve.h"
#include "samples.h"

/* Sums over orders, CPUs and zones. */
static void sums(void)
{
	unsigned __int128 area = 0;

	for (unsigned int order = 0; order < NR_ORDERS; order++) {
		const struct order_counters *of = &by_order[order];

		counters.allocations += of->allocations;
		counters.frees += of->frees;
		counters.refilled_blocks += of->refilled;
		counters.drained_blocks += of->drained;
		counters.allocated_pages += of->allocations << order;
		counters.freed_pages += of->frees << order;
		counters.refilled_pages += of->refilled << order;
		counters.drained_pages += of->drained << order;
	}
	for (unsigned int n = 0; n < config.run.cpus; n++) {
		struct cpu *cpu = &cpus[n];

		counters.cpu_ps += cpu->clock - cpu->counted_from;
		counters.asleep_ps += cpu->asleep_ps;
		for (unsigned int i = 0; i < config.zone_count; i++) {
			struct pcp *pcp = &cpu->pcps[i];

			if (cpu->clock > pcp->changed_ps)
				pcp->area += (unsigned __int128)(cpu->clock - pcp->changed_ps) * (unsigned int)pcp->count;
			pcp->changed_ps = cpu->clock;
			area += pcp->area;
			counters.free_high += pcp->free_high;
			counters.decay_pages += pcp->decay_pages;
		}
	}
	counters.idle_page_ns = (uint64_t)(area / 1000);
}

static void print_counters(void)
{
#define COUNTER(name, meaning) printf("counter " #name " %" PRIu64 "\n", counters.name);
#include "counters.def"
#undef COUNTER
	for (unsigned int order = 0; order < NR_ORDERS; order++) {
		const struct order_counters *of = &by_order[order];

		if (of->allocations || of->frees || of->refilled || of->drained)
			printf("order %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", order, of->allocations,
			       of->frees, of->refilled, of->drained);
	}
}

static void print_cpus(void)
{
	for (unsigned int n = 0; n < config.run.cpus; n++) {
		for (unsigned int i = 0; i < config.zone_count; i++) {
			const struct pcp *pcp = &cpus[n].pcps[i];

			printf("cpu %u %u %d %d %d %d %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
			       " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
			       n, i, pcp->count, pcp->high, pcp->most_count, pcp->least_high, pcp->most_high, pcp->refills,
			       pcp->refilled_pages, pcp->drains, pcp->drained_pages, pcp->free_high,
			       (uint64_t)(pcp->area / 1000), pcp->decay_pages, pcp->high_order_pages);
		}
	}
	for (unsigned int i = 0; i < config.zone_count; i++)
		printf("zone %u %" PRIu64 "\n", i, zones[i].free);
}

/* Each zone lock: the CPUs that took it and their time. */
static void print_locks(void)
{
	for (unsigned int i = 0; i < config.zone_count; i++) {
		unsigned int takers = 0;
		uint64_t time = 0;

		for (unsigned int n = 0; n < config.run.cpus; n++) {
			if (!cpus[n].pcps[i].locked)
				continue;
			takers++;
			time += cpus[n].clock - cpus[n].counted_from;
		}
		printf("lock %u %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", i, takers, time,
		       zones[i].acquisitions, zones[i].hold_ps, zones[i].wait_ps);
	}
}

void output(void)
{
	uint64_t pages = conserve();

	sums();
	print_counters();
	print_cpus();
	print_locks();
	samples_print();
	printf("checked %" PRIu64 "\n", pages);
	printf("end\n");
}
