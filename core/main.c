// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replays a trace on the model of a CPU: core PARAMS PROGRAM TRACE [PLACEMENT [WATCH]].
 * docs/explained/core.md describes the model and the formats. Only whole numbers enter a
 * result, so that every host prints the same digits.
 */
#include <stdio.h>
#include <stdlib.h>

#include "account.h"
#include "params.h"
#include "pipeline.h"
#include "program.h"
#include "trace.h"
#include "watch.h"

int main(int count, char **arguments)
{
	char *end = "";
	unsigned long placement = count > 4 ? strtoul(arguments[4], &end, 10) : 0;

	if (count < 4 || count > 6 || *end || placement > UINT32_MAX) {
		fprintf(stderr, "usage: core PARAMS PROGRAM TRACE [PLACEMENT [WATCH]]\n");
		return 2;
	}
	params_read(arguments[1]);
	program_read(arguments[2]);
	if (count == 6)
		watch_read(arguments[5]);
	account_start(program.functions);
	pipeline_start((uint32_t)placement);
	trace_replay(arguments[3]);
	account_end();
	watch_end();
	return fflush(stdout) || ferror(stdout) ? 3 : 0;
}
