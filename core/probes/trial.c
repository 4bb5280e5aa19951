// SPDX-License-Identifier: GPL-2.0-only
/* Does this CPU have the instructions of a probe? */
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

#include "probe.h"

static sigjmp_buf lacking;

static void refuse(int signal)
{
	siglongjmp(lacking, signal);
}

const char *trial(uint64_t (*run)(uint64_t operations))
{
	const char *why = NULL;

	if (sigsetjmp(lacking, 1)) {
		why = "this CPU lacks it";
	} else {
		signal(SIGILL, refuse);
		signal(SIGFPE, refuse);
		run(1);
	}
	signal(SIGILL, SIG_DFL);
	signal(SIGFPE, SIG_DFL);
	return why;
}
