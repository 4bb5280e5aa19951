// SPDX-License-Identifier: GPL-2.0-only
/* The files behind the end of a workload's program. */
#include "harness.h"

#include "payload.h"
#include "run.h"

int fail(struct run *run, const char *format, ...)
{
	run->failed = true;
	return *format ? -1 : 0;
}

void trial(const uint8_t *data, size_t size)
{
	static struct run run;

	trial_file(0, data, size);
	payload_unpack(&run, "/nowhere/program", "/nowhere/files");
}
