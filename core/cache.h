/* SPDX-License-Identifier: GPL-2.0-only */
/* A table of sets and ways with the least recently used entry leaving first: caches, TLBs, branch targets. */
#ifndef KASSAY_CORE_CACHE_H
#define KASSAY_CORE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

struct entry {
	uint64_t key;    /* and one: 0 is an empty entry */
	uint64_t ready;  /* cycle in which it is there */
	uint32_t used;   /* of a wide cache: when, by its clock */
	uint8_t level;   /* where it came from (enum cause) */
	bool dirty;
	bool ahead;      /* fetched ahead, not asked for yet */
};

#define WIDE 32 /* ways: more are not searched one by one */

struct cache {
	struct entry *entries; /* of each set the most recent one first, unless it is wide */
	uint32_t ways;
	uint64_t sets, mask; /* mask: sets - 1 where that is a power of two, else 0 */
	uint32_t clock;
	/* Of a wide one: the entries of some keys, each as its number and one; 0: the last. As many chains as entries. */
	uint32_t *chains, *links;
	uint64_t chain_mask;
};

/* Of @entries entries; more ways than entries mean all of them. */
struct cache cache_make(uint64_t entries, uint32_t ways);

/* Moves @way of @set to the front. */
struct entry *cache_front(struct entry *set, uint32_t way);

struct entry *cache_find_wide(struct cache *cache, uint64_t key);

static inline struct entry *cache_set(const struct cache *cache, uint64_t key)
{
	return cache->entries + (cache->mask || cache->sets == 1 ? key & cache->mask : key % cache->sets) * cache->ways;
}

/* The entry of @key, the most recent of its set from now on; NULL when it is not there. */
static inline struct entry *cache_find(struct cache *cache, uint64_t key)
{
	struct entry *first;

	if (cache->chains)
		return cache_find_wide(cache, key);
	first = cache_set(cache, key);
	if (first->key == key + 1)
		return first;
	for (uint32_t way = 1; way < cache->ways; way++)
		if (first[way].key == key + 1)
			return cache_front(first, way);
	return 0;
}

/* Whether it is there; the order of use stays. */
bool cache_has(const struct cache *cache, uint64_t key);

/* Puts it in front; the entry that leaves (key 0: none). */
struct entry cache_put(struct cache *cache, struct entry entry);

/* Its key without the one is @key: for cache_put. */
static inline struct entry cache_entry(uint64_t key, uint64_t ready, uint8_t level)
{
	return (struct entry){ .key = key + 1, .ready = ready, .level = level };
}

/* Whether it was there; it is from now on. For keys that stand for nothing else. */
bool cache_note(struct cache *cache, uint64_t key);

void cache_drop(struct cache *cache, uint64_t key);

/* Drops all entries for which @leaves. */
void cache_drop_if(struct cache *cache, bool (*leaves)(uint64_t key));

#endif
