// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a CPU would make of a trace: core PARAMS PROGRAM TRACE [WATCH]. Formats and model
 * are in docs/explained/core.md. Only whole numbers enter a result, so that every host
 * prints the same digits.
 */
#include <stdio.h>

#include "account.h"
#include "params.h"
#include "pipeline.h"
#include "program.h"
#include "trace.h"
#include "watch.h"

int main(int count, char **arguments)
{
	if (count != 4 && count != 5) {
		fprintf(stderr, "usage: core PARAMS PROGRAM TRACE [WATCH]\n");
		return 2;
	}
	params_read(arguments[1]);
	program_read(arguments[2]);
	if (count == 5)
		watch_read(arguments[4]);
	account_start(program.functions);
	pipeline_start();
	trace_replay(arguments[3]);
	account_end();
	watch_end();
	return fflush(stdout) || ferror(stdout) ? 3 : 0;
}
