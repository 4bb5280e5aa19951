// SPDX-License-Identifier: GPL-2.0-only
/* The core model: PARAMS, PROGRAM or TRACE is the input, the others are valid. */
#include "harness.h"

#include "account.h"
#include "params.h"
#include "pipeline.h"
#include "program.h"
#include "trace.h"

static const char *given(unsigned int slot, const char *name, const uint8_t *data, size_t size)
{
	static struct {
		const uint8_t *data;
		size_t size;
	} fixed[3];

	if (slot == INPUT)
		return trial_file(slot, data, size);
	if (!fixed[slot].data)
		fixed[slot].data = trial_fixed(name, &fixed[slot].size);
	return trial_file(slot, fixed[slot].data, fixed[slot].size);
}

void trial(const uint8_t *data, size_t size)
{
	params_read(given(0, "params", data, size));
	program_read(given(1, "program", data, size));
	account_start(program.functions);
	pipeline_start(0);
	trace_replay(given(2, "trace", data, size));
	account_end();
}
