/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KASSAY_PCP_RING_H
#define KASSAY_PCP_RING_H

#include <string.h>

#include "pcp.h"

static inline void ring_grow(struct ring *ring)
{
	uint32_t capacity = ring->capacity ? ring->capacity * 2 : 64;

	ring->slots = reallocate(ring->slots, capacity, sizeof(block_t));
	/* What stood before the head goes behind the rest. */
	memcpy(ring->slots + ring->capacity, ring->slots, ring->head * sizeof(block_t));
	ring->capacity = capacity;
}

static inline void ring_push_head(struct ring *ring, block_t block)
{
	if (ring->count == ring->capacity)
		ring_grow(ring);
	ring->head = (ring->head - 1) & (ring->capacity - 1);
	ring->slots[ring->head] = block;
	ring->count++;
}

static inline void ring_push_tail(struct ring *ring, block_t block)
{
	if (ring->count == ring->capacity)
		ring_grow(ring);
	ring->slots[(ring->head + ring->count++) & (ring->capacity - 1)] = block;
}

static inline block_t ring_pop_head(struct ring *ring)
{
	block_t block = ring->slots[ring->head];

	ring->head = (ring->head + 1) & (ring->capacity - 1);
	ring->count--;
	return block;
}

static inline block_t ring_pop_tail(struct ring *ring)
{
	return ring->slots[(ring->head + --ring->count) & (ring->capacity - 1)];
}

static inline block_t ring_at(const struct ring *ring, uint32_t index)
{
	return ring->slots[(ring->head + index) & (ring->capacity - 1)];
}

#endif
