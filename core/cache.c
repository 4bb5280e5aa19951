// SPDX-License-Identifier: GPL-2.0-only
#include "cache.h"

#include "text.h"

#define FEWEST_CHAINS 256

struct cache cache_make(uint64_t entries, uint32_t ways)
{
	struct cache cache = { .ways = ways };

	if (!entries)
		entries = 1;
	if (cache.ways > entries)
		cache.ways = (uint32_t)entries;
	cache.sets = entries / cache.ways;
	cache.mask = cache.sets & (cache.sets - 1) ? 0 : cache.sets - 1;
	cache.entries = allocate(cache.sets * cache.ways, sizeof(*cache.entries));
	if (cache.ways > WIDE) {
		uint64_t count = cache.sets * cache.ways, chains = FEWEST_CHAINS;

		while (chains < count)
			chains *= 2;
		cache.chain_mask = chains - 1;
		cache.chains = allocate(chains, sizeof(*cache.chains));
		cache.links = allocate(count, sizeof(*cache.links));
	}
	return cache;
}

struct entry *cache_front(struct entry *set, uint32_t way)
{
	struct entry entry = set[way];

	for (; way; way--)
		set[way] = set[way - 1];
	*set = entry;
	return set;
}

static uint32_t *chain_of(struct cache *cache, uint64_t key)
{
	return &cache->chains[(key ^ key >> 8) & cache->chain_mask];
}

struct entry *cache_find_wide(struct cache *cache, uint64_t key)
{
	for (uint32_t n = *chain_of(cache, key); n; n = cache->links[n - 1]) {
		struct entry *entry = &cache->entries[n - 1];

		if (entry->key != key + 1)
			continue;
		entry->used = ++cache->clock;
		return entry;
	}
	return 0;
}

static void chain(struct cache *cache, const struct entry *entry)
{
	uint32_t n = (uint32_t)(entry - cache->entries), *first = chain_of(cache, entry->key - 1);

	cache->links[n] = *first;
	*first = n + 1;
}

static void unchain(struct cache *cache, const struct entry *entry)
{
	uint32_t n = (uint32_t)(entry - cache->entries), *link = chain_of(cache, entry->key - 1);

	while (*link != n + 1)
		link = &cache->links[*link - 1];
	*link = cache->links[n];
}

static void empty(struct cache *cache, struct entry *entry)
{
	if (cache->chains && entry->key)
		unchain(cache, entry);
	entry->key = 0;
}

/* The entry whose place is taken next. */
static struct entry *leaving_of(const struct cache *cache, struct entry *set, uint64_t key)
{
	struct entry *oldest = set;

	for (struct entry *e = set; e < set + cache->ways; e++) {
		if (!e->key || e->key == key)
			return e;
		if (e->used < oldest->used)
			oldest = e;
	}
	return oldest;
}

bool cache_has(const struct cache *cache, uint64_t key)
{
	const struct entry *set = cache_set(cache, key);

	for (uint32_t way = 0; way < cache->ways; way++)
		if (set[way].key == key + 1)
			return true;
	return false;
}

struct entry cache_put(struct cache *cache, struct entry entry)
{
	struct entry *set = cache_set(cache, entry.key - 1), leaving;
	uint32_t way = 0;

	if (cache->chains) {
		struct entry *old = leaving_of(cache, set, entry.key);

		leaving = *old;
		empty(cache, old);
		*old = entry;
		old->used = ++cache->clock;
		chain(cache, old);
		if (leaving.key == entry.key)
			leaving.key = 0;
		return leaving;
	}
	while (way + 1 < cache->ways && set[way].key != entry.key && set[way].key)
		way++;
	leaving = set[way];
	for (; way; way--)
		set[way] = set[way - 1];
	*set = entry;
	if (leaving.key == entry.key)
		leaving.key = 0;
	return leaving;
}

bool cache_note(struct cache *cache, uint64_t key)
{
	if (cache_find(cache, key))
		return true;
	cache_put(cache, cache_entry(key, 0, 0));
	return false;
}

void cache_drop(struct cache *cache, uint64_t key)
{
	struct entry *set = cache_set(cache, key);

	for (uint32_t way = 0; way < cache->ways; way++)
		if (set[way].key == key + 1)
			empty(cache, &set[way]);
}

void cache_drop_if(struct cache *cache, bool (*leaves)(uint64_t key))
{
	for (uint64_t n = 0; n < cache->sets * cache->ways; n++)
		if (cache->entries[n].key && leaves(cache->entries[n].key - 1))
			empty(cache, &cache->entries[n]);
}
