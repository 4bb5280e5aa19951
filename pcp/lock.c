// SPDX-License-Identifier: GPL-2.0-only
#include "lock.h"

struct held lock_enter(struct zone *zone, struct cpu *cpu)
{
	struct held held = { zone, cpu->clock, counters.splits, counters.merges, false };

	held.handover = zone->lock_cpu != (int)cpu->number && zone->lock_cpu >= 0;
	zone->lock_cpu = (int)cpu->number;
	return held;
}

void lock_leave(const struct held *held, struct cpu *cpu, uint64_t taken, uint64_t given)
{
	struct zone *zone = held->zone;
	uint64_t work = config.run.lock_ps + taken * config.run.refill_block_ps + given * config.run.drain_block_ps +
			(counters.splits - held->splits) * config.run.split_ps +
			(counters.merges - held->merges) * config.run.merge_ps;
	uint64_t begin = held->arrived;

	if (held->handover)
		work += config.run.handover_ps;
	if (zone->lock_free_at > begin) {
		counters.contended++;
		counters.wait_ps += zone->lock_free_at - begin;
		zone->wait_ps += zone->lock_free_at - begin;
		begin = zone->lock_free_at;
	}
	counters.acquisitions++;
	counters.handovers += held->handover;
	counters.hold_ps += work;
	zone->acquisitions++;
	zone->hold_ps += work;
	cpu->pcps[zone->number].locked = true;
	counters.longest_hold_ps = work > counters.longest_hold_ps ? work : counters.longest_hold_ps;
	zone->lock_free_at = begin + work;
	cpu->clock = zone->lock_free_at;
}
