// SPDX-License-Identifier: GPL-2.0-only
/*
 *	loops-time LOOP...      cycles of an iteration of each loop on this host, which a tenth of its samples do not exceed
 *
 * A cycle is what one of a chain of additions of a register takes: Golden Cove folds additions of a constant. A sample
 * is the difference between two numbers of iterations.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <x86intrin.h>
#define main loops_main
#include "../main.c"
#undef main

#define SAMPLES 20001
#define FEWEST 501
#define TICKS 2000000000UL	/* about what the samples of a loop take */
#define FEW 20
#define MANY 60
#define CHAIN 50

static void run_chain(long n)
{
	while (n--)
		__asm__ volatile(".rept 50; add %%rdx, %%rax; .endr" ::: "rax", "cc");
}

static uint64_t ticks(void (*run)(long n), long n)
{
	unsigned int cpu;
	uint64_t start = __rdtscp(&cpu);

	run(n);
	return __rdtscp(&cpu) - start;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double difference(void (*run)(long n))
{
	return (double)(int64_t)(ticks(run, MANY) - ticks(run, FEW));
}

/* Cycles of an iteration. The clock changes with the neighbours' load, so every sample has its own chain. */
static double least(void (*run)(long n))
{
	static double samples[SAMPLES];
	uint64_t n, i, taken = 0;

	run(10 * MANY);
	n = TICKS / ticks(run, MANY);
	n = n < FEWEST ? FEWEST : n > SAMPLES ? SAMPLES : n;
	for (i = 0; i < n; i++) {
		double chain = difference(run_chain);

		if (chain > 0)	/* else a shorter run was interrupted */
			samples[taken++] = CHAIN * difference(run) / chain;
	}
	qsort(samples, taken, sizeof(*samples), compare);
	return samples[taken / 10];
}

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		const struct loop *l = loop_of(argv[i]);

		if (!l) {
			fprintf(stderr, "loops-time: there is no loop %s\n", argv[i]);
			return 2;
		}
		printf("%s %.1f\n", argv[i], least(l->run));
	}
	return 0;
}
