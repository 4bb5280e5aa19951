// SPDX-License-Identifier: GPL-2.0-only
/*
 *	loops list              the names of all loops
 *	loops mark LOOP...      three marked rounds of each: one that warms, one that is answered for, and an empty one
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kassay.h"
#include "loops.h"

#define ITERATIONS 400L
#ifdef __x86_64__
#define FENCE "lfence"
#else
#define FENCE "isb"
#endif

/* What was begun before it is over, so that no loop runs into the next one. */
static void round_of(const struct loop *l, long n)
{
	KASSAY_ROUND_BEGIN();
	__asm__ volatile(FENCE ::: "memory");
	if (n)
		l->run(n);
	__asm__ volatile(FENCE ::: "memory");
	KASSAY_ROUND_END();
}

/* The loop of that name; without a name every loop is printed. */
static const struct loop *loop_of(const char *name)
{
	const struct loop *const *group;
	const struct loop *l;

	for (group = loop_groups; *group; group++) {
		for (l = *group; l->name; l++) {
			if (!name)
				puts(l->name);
			else if (!strcmp(l->name, name))
				return l;
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int i;

	if (argc == 2 && !strcmp(argv[1], "list")) {
		loop_of(NULL);
		return 0;
	}
	if (argc < 3 || strcmp(argv[1], "mark")) {
		fprintf(stderr, "usage: loops list | loops mark LOOP...\n");
		return 2;
	}
	for (i = 2; i < argc; i++) {
		const struct loop *l = loop_of(argv[i]);

		if (!l) {
			fprintf(stderr, "loops: there is no loop %s\n", argv[i]);
			return 2;
		}
		round_of(l, ITERATIONS);
		round_of(l, ITERATIONS);
		round_of(l, 0);
		printf("%s operations %ld\n", argv[i], ITERATIONS);
	}
	return 0;
}
