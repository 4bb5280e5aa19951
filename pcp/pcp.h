/* SPDX-License-Identifier: GPL-2.0-only */
/* Zones, the per-CPU page lists (PCP) of each, and the CPUs: what a simulation consists of. */
#ifndef KASSAY_PCP_PCP_H
#define KASSAY_PCP_PCP_H

#include <stdbool.h>
#include <stdint.h>

#include "config.h"

#define NR_ORDERS 11 /* 0 to MAX_PAGE_ORDER */
#define COSTLY_ORDER 3
#define THP_ORDER 9
#define PAGEBLOCK_ORDER 9
#define PCP_TYPES 3
#define LOWORDER_LISTS (PCP_TYPES * (COSTLY_ORDER + 1))
#define PCP_LISTS (LOWORDER_LISTS + 2)

enum migrate_type { UNMOVABLE, MOVABLE, RECLAIMABLE }; /* the kernel's numbers */

/* A block of pages: its first page frame number, and its order. */
typedef uint32_t block_t;
#define PFN_BITS 28
#define block_of(pfn, order) ((block_t)(pfn) | (block_t)(order) << PFN_BITS)
#define block_pfn(block) ((block) & ((1u << PFN_BITS) - 1))
#define block_order(block) ((block) >> PFN_BITS)

/* Blocks in a circle that grows: pushed and popped at both ends. */
struct ring {
	block_t *slots;
	uint32_t capacity, head, count; /* the capacity is 0 or a power of 2 */
};

/* An entry of the free lists, for each page frame. Numbers of frames are one more here; 0 is none. */
struct link {
	uint32_t next, previous;
};

struct free_list {
	uint32_t first, last;
};

struct zone {
	const struct zone_config *config;
	unsigned int number;
	uint32_t start, end;
	bool reclaim_active; /* ZONE_RECLAIM_ACTIVE: only policies read it */
	bool below_high;     /* ZONE_BELOW_HIGH */
	bool reclaim_given;  /* reclaim_active comes from the events */
	/* The buddy allocator (buddy.c) */
	uint64_t free; /* pages */
	struct link *links;
	uint8_t *heads; /* by frame: 0, or 1 + order + 16 * type of the free block that begins here */
	uint8_t *types; /* by pageblock */
	struct free_list lists[NR_ORDERS][PCP_TYPES];
	/* The zone lock (lock.c) */
	uint64_t lock_free_at;
	int lock_cpu; /* that held it last; -1: none */
	uint64_t acquisitions, hold_ps, wait_ps;
};

struct pcp {
	/* What struct per_cpu_pages has; policies work on it. */
	int count, high, high_min, high_max, batch;
	int alloc_factor; /* halved by each free */
	int free_factor;  /* halved by each allocation */
	int free_count;   /* halved by each allocation */
	bool previous_high_order; /* PCPF_PREV_FREE_HIGH_ORDER */
	uint64_t free_high;       /* how often the policy asked for it */
	int64_t own[4];           /* for a policy that needs more; 0 at first */
	struct zone *zone;
	/* What is simulated and counted */
	struct ring lists[PCP_LISTS];
	uint64_t changed_ps;             /* when count was looked at last */
	unsigned __int128 area;          /* pages times ps */
	uint64_t refills, refilled_pages, drains, drained_pages;
	uint64_t decay_pages, high_order_pages; /* of these: of the vmstat worker; in blocks of order 1 to 3 */
	bool locked; /* the CPU took the zone lock */
	int most_count, most_high, least_high;
};

static inline unsigned int list_of(unsigned int order, unsigned int type)
{
	if (order > COSTLY_ORDER)
		return LOWORDER_LISTS + (type == MOVABLE);
	return PCP_TYPES * order + type;
}

static inline bool order_has_list(unsigned int order)
{
	return order <= COSTLY_ORDER || order == THP_ORDER;
}

/* A drain that is asked for and not over. */
struct drain {
	struct pcp *pcp; /* NULL: there is none */
	int pages, step, list;
	bool decay;
	uint64_t after_ps; /* what the CPU does then takes so long */
};

struct cpu {
	unsigned int number;
	uint64_t clock;   /* ps */
	uint64_t horizon; /* up to here it may take a zone lock: no other CPU is behind */
	uint64_t limit;   /* up to here it may run by itself */
	uint64_t next_vmstat, next_sample;
	unsigned int vmstat_zone; /* zones below it are done in this run of the worker */
	struct drain drain;
	struct zone *zone; /* that it allocates from first */
	uint64_t draws;    /* state of its random numbers */
	uint64_t counted_from, asleep_ps;
	uint32_t sample_index;
	struct pcp *pcps;  /* one for each zone */
};

extern struct zone *zones;
extern struct cpu *cpus;

struct counters {
#define COUNTER(name, meaning) uint64_t name;
#include "counters.def"
#undef COUNTER
};

extern struct counters counters;

/* Blocks of each order; the sums in counters are made of these (output.c). */
struct order_counters {
	uint64_t allocations, frees, refilled, drained;
};

extern struct order_counters by_order[NR_ORDERS];

/* Makes all of it from the configuration: everything free, every PCP empty. */
void zones_start(void);
void cpus_start(void);

/* The PCPs whose state at the begin is given, with movable pages of order 0. */
void pcps_fill(void);

static inline struct zone *zone_of(uint32_t pfn)
{
	for (unsigned int i = 0; i < config.zone_count; i++)
		if (pfn >= zones[i].start && pfn < zones[i].end)
			return &zones[i];
	return NULL;
}

/* Counters and times begin at 0; what is where stays. */
void counters_clear(void);

#endif
