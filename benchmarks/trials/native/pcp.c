// SPDX-License-Identifier: GPL-2.0-only
/* The simulator of per-CPU page lists: its configuration, or the file of page events, is the input. */
#define _GNU_SOURCE
#include <stdio.h>

#include "harness.h"

#include "generate.h"
#include "output.h"
#include "pcp.h"
#include "policy.h"
#include "replay.h"
#include "samples.h"

#define MOST_EVENTS 2000 /* of a generated run: how long one takes is the user's choice */

void trial(const uint8_t *data, size_t size)
{
	static const uint8_t *fixed;
	static size_t fixed_size;

	if (INPUT && !fixed)
		fixed = trial_fixed("config", &fixed_size);
	stdin = INPUT ? fmemopen((void *)(uintptr_t)fixed, fixed_size, "r") : fmemopen(trial_text(data, size), size + 1, "r");
	config_read();
	policy_choose(config.policy);
	if (!config.run.events || config.run.events > MOST_EVENTS)
		config.run.events = MOST_EVENTS;
	zones_start();
	cpus_start();
	samples_start();
	if (INPUT)
		replay(trial_file(0, data, size));
	else
		generate();
	output();
}
