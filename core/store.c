// SPDX-License-Identifier: GPL-2.0-only
#include "store.h"

#include "account.h"
#include "memory.h"
#include "params.h"

#define SLOTS 1024 /* many times what is on its way to the cache */
#define GRANULE 8

/* A store, to 8 bytes of memory. */
struct stored {
	uint64_t name;    /* of what its address was made of; 0: an atomic operation stored it */
	uint64_t value, drained;
	uint64_t reload;  /* when a later load has what an atomic operation stored: nothing forwards that */
	uint8_t bytes; /* a mask of what it wrote, and no later one */
};

struct slot {
	uint64_t granule; /* and one */
	struct stored newest, older; /* the older one wrote other bytes, such as the field beside */
};

static struct slot slots[SLOTS];
static uint64_t last, part; /* the last drain, and its 1/100 cycles */
static uint64_t line, entered; /* of the last plain store: one more than its line, and when it was in the cache */

/* Of the @n-th granule of an access; @from, @to: offsets in its first one. */
static uint8_t mask_of(unsigned int n, unsigned int from, unsigned int to)
{
	unsigned int begin = n * GRANULE, end = begin + GRANULE;
	unsigned int low = from > begin ? from - begin : 0;
	unsigned int high = to < end ? to - begin : GRANULE;

	return (uint8_t)((0xffu << low) & (0xffu >> (GRANULE - high)));
}

static void enter(uint64_t physical, unsigned int bytes, struct stored made)
{
	unsigned int from = physical % GRANULE, to = from + bytes;

	for (unsigned int n = 0; n * GRANULE < to; n++) {
		uint64_t g = physical / GRANULE + n;
		struct slot *slot = &slots[g % SLOTS];

		made.bytes = mask_of(n, from, to);
		if (slot->granule != g + 1)
			*slot = (struct slot){ .granule = g + 1 };
		if (slot->newest.bytes & ~made.bytes)
			slot->older = slot->newest;
		slot->older.bytes &= (uint8_t)~made.bytes;
		slot->newest = made;
	}
}

uint64_t store_drain(uint64_t physical, unsigned int bytes, uint64_t name, uint64_t value, uint64_t retired)
{
	uint64_t arrived = memory_access(physical >> LINE_SHIFT, retired, true).ready - cycles(params.l1d_latency);
	bool together = line == (physical >> LINE_SHIFT) + 1;
	uint64_t next = last * 100 + part + (together ? params.store_together : params.store_interval);

	if (arrived * 100 > next)
		next = arrived * 100;
	last = next / 100;
	part = next % 100;
	line = (physical >> LINE_SHIFT) + 1;
	entered = last;
	enter(physical, bytes, (struct stored){ .name = name, .value = value, .drained = last });
	return last;
}

void store_atomic(uint64_t physical, unsigned int bytes, uint64_t done, uint64_t reload)
{
	if (done > last) {
		last = done;
		part = 0;
	}
	enter(physical, bytes, (struct stored){ .value = done, .drained = done, .reload = reload });
}

uint64_t store_drained(void)
{
	return last;
}

uint64_t store_fenced(void)
{
	uint64_t behind = entered + cycles(params.fence_behind);

	return behind > last ? behind : last;
}

bool store_forwards(uint64_t physical, unsigned int bytes, uint64_t name, uint64_t cycle, uint64_t *ready)
{
	unsigned int from = physical % GRANULE, to = from + bytes, forwarded = 0;
	const struct stored *other = 0;
	bool found = false, parted = false;
	uint64_t drained = 0;

	*ready = cycle;
	for (unsigned int n = 0; n * GRANULE < to; n++) {
		uint64_t g = physical / GRANULE + n;
		const struct slot *slot = &slots[g % SLOTS];
		uint8_t mask = mask_of(n, from, to);
		const struct stored *by = slot->newest.bytes & mask ? &slot->newest : &slot->older;
		uint64_t when;

		if (slot->granule != g + 1 || !(by->bytes & mask))
			continue;
		if (name && !by->name) {
			when = by->reload;
			if (when <= cycle + cycles(params.l1d_latency))
				continue;
		} else if (by->drained <= cycle) {
			continue;
		} else if (mask & ~by->bytes) {
			when = by->drained + cycles(params.store_forward_fail);
			statistics.forward_failures++;
		} else {
			when = (by->value > cycle ? by->value : cycle) +
			       cycles(by->name == name || name == NAME_OF_ANY ? params.store_forward_same : params.store_forward);
			parted |= other && (other->value != by->value || other->drained != by->drained);
			other = by;
			forwarded++;
			if (by->drained > drained)
				drained = by->drained;
		}
		if (when > *ready)
			*ready = when;
		found = true;
	}
	if (forwarded && (parted || forwarded * GRANULE < to)) { /* of two stores, or of one and the cache */
		drained += cycles(params.store_forward_fail);
		*ready = *ready > drained ? *ready : drained;
		statistics.forward_failures++;
	}
	if (found)
		statistics.forwards++;
	return found;
}
