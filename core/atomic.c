// SPDX-License-Identifier: GPL-2.0-only
#include "atomic.h"

#include <stdbool.h>

#include "address.h"
#include "meter.h"
#include "params.h"

#define AT_ONCE 1 /* instructions between two on two lines that follow each other at once, at most */
#define SOON 10   /* instructions between one and a store to its bytes that delays the next one */

static struct {
	struct meter begins;
	uint64_t address;    /* of the last one, */
	uint64_t number;     /* of its instruction, */
	unsigned int stores; /* since then, */
	bool overwritten;    /* and soon by one of them */
} last;

static uint32_t interval(uint64_t address, uint64_t number)
{
	uint64_t between = number - last.number - 1;

	if (address / params.lock_near != last.address / params.lock_near)
		return between > AT_ONCE ? params.lock_apart : params.lock_interval;
	if (last.overwritten)
		return params.lock_overwritten;
	return between > params.lock_soon || last.stores > params.lock_stores ? params.lock_again : params.lock_same;
}

uint64_t atomic_begin(uint64_t address, uint64_t number, uint64_t cycle)
{
	uint32_t time = interval(address, number);

	last.address = address;
	last.number = number;
	last.stores = 0;
	last.overwritten = false;
	return meter_book(&last.begins, cycle, time);
}

void atomic_store(uint64_t address, uint64_t number)
{
	last.stores++;
	if (address == last.address && number - last.number - 1 <= SOON)
		last.overwritten = true;
}
