/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A list of steps (arch.h) that the architecture's assembly executes: a round of a workload, the work of one task,
 * or what setup() does in the same way as a round.
 */
#ifndef KASSAY_SCRIPT_H
#define KASSAY_SCRIPT_H

#include "arch.h"
#include "workload.h"

#define MAX_STEPS 48

struct script {
	struct step steps[MAX_STEPS + 1]; /* the last one is for step_end */
	size_t count;
	bool full;
	int (*explain)(struct run *run); /* ends the run with a better sentence than errno's, or returns 0; may be NULL */
};

/*
 * Adds @step: .run says what it does and arch.h what that needs; .what is for the sentence of an error, "mmap" or
 * the like. Returns where it now stands, so that another step can change it.
 */
struct step *script_step(struct script *script, struct step step);

/*
 * Adds a call of the kernel: SYS_@name, whose first argument stands at @first, and the arguments behind it. Returns
 * its step. Needs sys/syscall.h.
 */
#define script_call(script, name, first, ...) \
	script_step(script, (struct step){ .run = step_call, .number = SYS_##name, .start = first, .what = #name, \
					   .args = { __VA_ARGS__ } })

/* The last @steps steps are executed @times times (at least once). They hold no mark. */
void script_repeat(struct script *script, size_t steps, uint64_t times);

/* Puts the end behind the last step. Returns 0, or what fail() returns when there were too many steps. */
int script_close(struct run *run, struct script *script);

/* Closes the script, executes it once and empties it. Returns 0 or what fail() returns. */
int script_do(struct run *run, struct script *script);

/* Ends the run with the error of the step that failed; returns what fail() returns. */
int script_failed(struct run *run, const struct script *script, const struct step *step);

#endif
