// SPDX-License-Identifier: GPL-2.0-only
#include "cache.h"

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
	if (cache.ways > WIDE)
		cache.hints = allocate(HINTS, sizeof(*cache.hints));
	return cache;
}

static struct entry *set_of(const struct cache *cache, uint64_t key)
{
	return cache->entries + (cache->mask || cache->sets == 1 ? key & cache->mask : key % cache->sets) * cache->ways;
}

struct entry *cache_front(struct entry *set, uint32_t way)
{
	struct entry entry = set[way];

	for (; way; way--)
		set[way] = set[way - 1];
	*set = entry;
	return set;
}

struct entry *cache_find_wide(struct cache *cache, struct entry *set, uint64_t key)
{
	uint32_t *hint = &cache->hints[(key ^ key >> 8) % HINTS], way = *hint;

	if (set[way].key != key + 1) {
		for (way = 0; way < cache->ways && set[way].key != key + 1; way++)
			;
		if (way == cache->ways)
			return 0;
		*hint = way;
	}
	set[way].used = ++cache->clock;
	return &set[way];
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

	if (cache->hints) {
		struct entry *old = leaving_of(cache, set, entry.key);

		leaving = *old;
		*old = entry;
		old->used = ++cache->clock;
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
