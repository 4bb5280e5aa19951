/* SPDX-License-Identifier: GPL-2.0-only */
/* Loops whose time on named CPUs was published by others: loops.toml has the figures. */
#ifndef LOOPS_H
#define LOOPS_H

struct loop {
	const char *name;
	/* Executes n iterations. */
	void (*run)(long n);
};

/* Counters and locks of one thread, in C. */
extern const struct loop counter_loops[];

/* Single atomic instructions and chains through them, in assembly. Empty for another architecture than x86_64. */
extern const struct loop instruction_loops[];

/* All loops of a program, and NULL. */
extern const struct loop *const loop_groups[];

#endif
