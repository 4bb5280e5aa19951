// SPDX-License-Identifier: GPL-2.0-only
#include "cache.h"

#include <string.h>

#include "text.h"

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
	return cache;
}

static struct entry *set_of(const struct cache *cache, uint64_t key)
{
	return cache->entries + key % cache->sets * cache->ways;
}

struct entry *cache_front(struct entry *set, uint32_t way)
{
	struct entry entry = set[way];

	memmove(set + 1, set, way * sizeof(*set));
	*set = entry;
	return set;
}

bool cache_has(const struct cache *cache, uint64_t key)
{
	const struct entry *set = set_of(cache, key);

	for (uint32_t way = 0; way < cache->ways; way++)
		if (set[way].key == key + 1)
			return true;
	return false;
}

struct entry cache_put(struct cache *cache, struct entry entry)
{
	struct entry *set = set_of(cache, entry.key - 1), leaving;
	uint32_t way = 0;

	while (way + 1 < cache->ways && set[way].key != entry.key && set[way].key)
		way++;
	leaving = set[way];
	memmove(set + 1, set, way * sizeof(*set));
	*set = entry;
	if (leaving.key == entry.key)
		leaving.key = 0;
	return leaving;
}

void cache_drop(struct cache *cache, uint64_t key)
{
	struct entry *set = set_of(cache, key);

	for (uint32_t way = 0; way < cache->ways; way++)
		if (set[way].key == key + 1)
			set[way].key = 0;
}

void cache_drop_if(struct cache *cache, bool (*leaves)(uint64_t key))
{
	for (uint64_t n = 0; n < cache->sets * cache->ways; n++)
		if (cache->entries[n].key && leaves(cache->entries[n].key - 1))
			cache->entries[n].key = 0;
}
