// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cycles between two retirements are split by the steps of the later
 * instruction, the last step first. What lies before its dispatch is the front
 * end's. An instruction that only passed through (dispatched, executed at once,
 * done) did not wait: its cycles are the front end's as well.
 */
#include "charge.h"

#include <stdbool.h>

#include "params.h"
#include "window.h"

#define SHORT 2 /* cycles more than a load: no wait */

/* What the core waited for last, and until when. */
static struct {
	enum cause cause;
	uint64_t until;
} stall;

/* Nothing but its own short execution lies between dispatch and the end. */
static bool passed_through(const struct charge *charge, uint64_t done)
{
	if (charge->count > 3 || done > charge->dispatched + cycles(params.l1d_latency) + SHORT)
		return false;
	for (uint32_t n = 1; n < charge->count; n++)
		if (!charge_is_plain(charge->steps[n].cause))
			return false;
	return true;
}

static enum cause split(const struct charge *charge, uint64_t before, uint64_t end)
{
	enum cause most = window.cause;
	uint64_t best = 0;

	for (uint32_t n = charge->count - 1; n > 0 && end > before; n--) {
		uint64_t from = charge->steps[n - 1].cycle, cycles;

		if (from < before)
			from = before;
		if (from >= end)
			continue;
		cycles = end - from;
		account_charge(charge->function, charge->steps[n].cause, cycles);
		if (cycles > best) {
			best = cycles;
			most = charge->steps[n].cause;
		}
		end = from;
	}
	if (end > before) {
		account_charge(window.cause == CAUSE_WIDTH ? charge->function : window.function, window.cause, end - before);
		if (end - before >= best)
			most = window.cause;
	}
	return most;
}

void charge_retire(const struct charge *charge, uint64_t before, uint64_t now, uint64_t done)
{
	enum cause cause = CAUSE_WIDTH;

	if (done > before) {
		if (passed_through(charge, done)) {
			cause = window.cause;
			account_charge(cause == CAUSE_WIDTH ? charge->function : window.function, cause, done - before);
		} else {
			cause = split(charge, before, done);
		}
		stall.cause = cause;
		stall.until = done;
		before = done;
	} else if (done <= stall.until) {
		cause = stall.cause;
	}
	if (now > before)
		account_charge(charge->function, CAUSE_WIDTH, now - before);
	account_instructions(charge->function, cause, 1);
	window.cause = CAUSE_WIDTH;
}

void charge_string(uint32_t function, uint64_t before, uint64_t done, uint64_t times)
{
	if (done > before)
		account_charge(function, CAUSE_STRINGS, done - before);
	account_instructions(function, CAUSE_STRINGS, times);
}
