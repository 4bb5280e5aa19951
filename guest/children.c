// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "children.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>

#include "workload.h"

void children_expect(struct run *run)
{
	const struct sched_param lowest = { .sched_priority = 1 };

	rounds_fork(run);
	if (sched_setscheduler(0, SCHED_FIFO, &lowest))
		note(run, "not SCHED_FIFO: %s", strerror(errno));
}

struct step *child_fork(struct script *script, uint64_t *pid, const struct script *child, uint64_t flags)
{
	return script_step(script, (struct step){ .run = step_fork, .number = SYS_clone, .start = pid, .what = "fork",
						  .args = { flags | SIGCHLD, child ? (uintptr_t)child->steps : 0 } });
}

void child_reap(struct script *script, uint64_t *pid)
{
	script_step(script, (struct step){ .run = step_reap, .number = SYS_wait4, .start = pid, .what = "a child failed" });
}
