/* SPDX-License-Identifier: GPL-2.0-only */
/* Loops whose time on named CPUs was published by others: loops.toml has the figures. */
#ifndef LOOPS_H
#define LOOPS_H

struct loop {
	const char *name;
	/* Executes n iterations. */
	void (*run)(long n);
};

/* Of a list of loops with their bodies in C: the function of each, and its entry. */
#define RUN(name, ...)				\
static void run_##name(long n)			\
{						\
	while (n--) {				\
		__VA_ARGS__;			\
	}					\
}
#define ENTRY(side, ...) { .name = #side, .run = run_##side },

/* Counters and locks of one thread, in C. */
extern const struct loop counter_loops[];

/* Single atomic instructions and chains through them, in assembly. Empty for another architecture than x86_64. */
extern const struct loop instruction_loops[];

/* All loops of a program, and NULL. */
extern const struct loop *const loop_groups[];

#endif
