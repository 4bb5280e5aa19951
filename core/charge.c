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

static bool is_plain(enum cause cause)
{
	return cause == CAUSE_DEPENDENCY || cause == CAUSE_L1;
}

/*
 * The steps of @charge that take time; how many. A wait for a port is put behind the execution that it delays: where
 * ports are short, the core waits for them and not for that execution.
 */
static uint32_t settle(const struct charge *charge, struct step *steps)
{
	uint32_t last = 0;

	steps[0] = charge->steps[0];
	for (uint32_t n = 1; n < charge->count; n++) {
		struct step step = charge->steps[n];

		if (step.cycle <= steps[last].cycle)
			continue;
		if (is_plain(step.cause) && steps[last].cause == CAUSE_PORTS) {
			steps[last].cycle = steps[last - 1].cycle + step.cycle - steps[last].cycle;
			steps[last].cause = step.cause;
			step.cause = CAUSE_PORTS;
		}
		steps[++last] = step;
	}
	return last + 1;
}

/* Nothing but its own short execution lies between dispatch and the end. */
static bool passed_through(const struct step *steps, uint32_t count, uint64_t waited)
{
	if (count > 3 || waited > cycles(params.l1d_latency) + SHORT)
		return false;
	for (uint32_t n = 1; n < count; n++)
		if (!is_plain(steps[n].cause))
			return false;
	return true;
}

static enum cause split(const struct step *steps, uint32_t count, uint32_t function, uint64_t before, uint64_t end)
{
	enum cause most = window.cause;
	uint64_t best = 0;

	for (uint32_t n = count - 1; n > 0 && end > before; n--) {
		uint64_t from = steps[n - 1].cycle, cycles;

		if (from < before)
			from = before;
		if (from >= end)
			continue;
		cycles = end - from;
		account_charge(function, steps[n].cause, cycles);
		if (cycles > best) {
			best = cycles;
			most = steps[n].cause;
		}
		end = from;
	}
	if (end > before) {
		account_charge(window.cause == CAUSE_WIDTH ? function : window.function, window.cause, end - before);
		if (end - before >= best)
			most = window.cause;
	}
	return most;
}

/* The cause for which the core waited from @before to @done; charges it. */
static enum cause waited(const struct charge *charge, uint64_t before, uint64_t done)
{
	struct step steps[MOST_STEPS];
	uint32_t count = settle(charge, steps);

	if (!passed_through(steps, count, done - charge->dispatched))
		return split(steps, count, charge->function, before, done);
	account_charge(window.cause == CAUSE_WIDTH ? charge->function : window.function, window.cause, done - before);
	return window.cause;
}

void charge_retire(const struct charge *charge, uint64_t before, uint64_t now, uint64_t done)
{
	if (done <= before) {
		charge_passed(charge->function, before, now, done);
		return;
	}
	stall.cause = waited(charge, before, done);
	stall.until = done;
	if (now > done)
		account_charge(charge->function, CAUSE_WIDTH, now - done);
	account_instructions(charge->function, stall.cause, 1);
	window.cause = CAUSE_WIDTH;
}

INLINE void charge_passed(uint32_t function, uint64_t before, uint64_t now, uint64_t done)
{
	if (now > before)
		account_charge(function, CAUSE_WIDTH, now - before);
	account_instructions(function, done <= stall.until ? stall.cause : CAUSE_WIDTH, 1);
	window.cause = CAUSE_WIDTH;
}

void charge_string(uint32_t function, uint64_t before, uint64_t done, uint64_t times)
{
	if (done > before)
		account_charge(function, CAUSE_STRINGS, done - before);
	account_instructions(function, CAUSE_STRINGS, times);
}
