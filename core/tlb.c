// SPDX-License-Identifier: GPL-2.0-only
#include "tlb.h"

#include "cache.h"
#include "memory.h"
#include "meter.h"
#include "params.h"

#define LEVELS 4
#define INDEX_BITS 9
#define LARGE_SHIFT (PAGE_SHIFT + INDEX_BITS)
#define RECENT 64
#define LARGE (UINT64_C(1) << 62)
/* Above all physical memory, with room for the entries of each level. */
#define TABLES(level) (UINT64_C(0x4000000000000000) + ((uint64_t)(level) << 54))

/* Keys: virtual pages; those of large ones have LARGE. The low bits choose the set. */
static struct {
	struct cache first, second;
	struct cache pointers[LEVELS]; /* [1]: to tables of PTEs, [2]: of PMDs, [3]: of PUDs */
	uint32_t pointer_counts[LEVELS];
	struct pool walkers;
	uint64_t recent[RECENT]; /* pages of the user, the last one at next - 1 */
	uint32_t next;
} t;

void tlb_start(void)
{
	t.first = cache_make(params.dtlb_entries, params.dtlb_ways);
	t.second = cache_make(params.stlb_entries, params.stlb_ways);
	t.pointer_counts[1] = params.pwc_pde;
	t.pointer_counts[2] = params.pwc_pdpte;
	t.pointer_counts[3] = params.pwc_pml4e;
	for (unsigned int level = 1; level < LEVELS; level++)
		t.pointers[level] = cache_make(t.pointer_counts[level], t.pointer_counts[level] ? t.pointer_counts[level] : 1);
	t.walkers.count = params.page_walkers;
}

static bool is_user(uint64_t address)
{
	return !(address >> 63);
}

static unsigned int shift_of(unsigned int level)
{
	return PAGE_SHIFT + level * INDEX_BITS;
}

/*
 * The kernel maps its memory by pages of 2 MiB, in which virtual and physical
 * addresses agree in their low bits; the user's pages are small ones.
 */
static bool is_large(uint64_t address, uint64_t physical)
{
	return !is_user(address) && !((address ^ physical) & ((UINT64_C(1) << LARGE_SHIFT) - 1));
}

static uint64_t walk(uint64_t address, bool large, uint64_t cycle)
{
	unsigned int last = large ? 1 : 0, level = last;
	uint64_t begin, *walker = pool_take(&t.walkers, cycle, &begin);

	statistics.walks++;
	begin += cycles(params.walk_start);
	/* The lowest table whose address is known. */
	while (level + 1 < LEVELS &&
	       !(t.pointer_counts[level + 1] && cache_find(&t.pointers[level + 1], address >> shift_of(level + 1))))
		level++;
	for (;; level--) {
		uint64_t entry = TABLES(level) + (address >> shift_of(level) << 16 >> 16) * 8;

		begin = memory_walk(entry >> LINE_SHIFT, begin).ready + cycles(params.walk_step);
		if (level == last)
			break;
		if (t.pointer_counts[level])
			cache_put(&t.pointers[level], cache_entry(address >> shift_of(level), 0, 0));
	}
	*walker = begin;
	return begin;
}

static void remember(uint64_t address)
{
	uint64_t page = address >> PAGE_SHIFT;

	if (!is_user(address) || t.recent[(t.next - 1) % RECENT] == page)
		return;
	t.recent[t.next++ % RECENT] = page;
}

uint64_t tlb_translate(uint64_t address, uint64_t physical, uint64_t cycle)
{
	bool large = is_large(address, physical);
	uint64_t key = large ? address >> LARGE_SHIFT | LARGE : address >> PAGE_SHIFT;
	struct entry *found = cache_find(&t.first, key);

	remember(address);
	if (found)
		return found->ready > cycle ? found->ready : cycle;
	found = cache_find(&t.second, key);
	if (found) {
		statistics.stlb_hits++;
		cycle += cycles(params.stlb_latency);
		if (found->ready > cycle)
			cycle = found->ready;
	} else {
		cycle = walk(address, large, cycle + cycles(params.stlb_latency));
		cache_put(&t.second, cache_entry(key, cycle, 0));
	}
	cache_put(&t.first, cache_entry(key, cycle, 0));
	return cycle;
}

static bool is_of_user(uint64_t key)
{
	return is_user(key & LARGE ? key << LARGE_SHIFT : key << PAGE_SHIFT);
}

static bool always(uint64_t key)
{
	(void)key;
	return true;
}

void tlb_flush_user(void)
{
	cache_drop_if(&t.first, is_of_user);
	cache_drop_if(&t.second, is_of_user);
	for (unsigned int level = 1; level < LEVELS; level++)
		cache_drop_if(&t.pointers[level], always);
}

void tlb_drop(uint64_t address)
{
	cache_drop(&t.first, address >> PAGE_SHIFT);
	cache_drop(&t.second, address >> PAGE_SHIFT);
}

void tlb_flush_page(void)
{
	uint64_t page;

	if (!t.next)
		return;
	page = t.recent[--t.next % RECENT];
	t.recent[t.next % RECENT] = 0;
	tlb_drop(page << PAGE_SHIFT);
	/* invlpg drops the page-walk caches with the page. */
	for (unsigned int level = 1; level < LEVELS; level++)
		cache_drop_if(&t.pointers[level], always);
}
