// SPDX-License-Identifier: GPL-2.0-only
/*
 *	loops-time LOOP...      cycles of an iteration of each loop on this host, the middle one of many short samples
 *
 * A cycle is what one of a chain of additions takes. A sample is the difference between two numbers of iterations.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <x86intrin.h>
#define main loops_main
#include "../main.c"
#undef main

#define SAMPLES 20001
#define FEW 20
#define MANY 60

static void run_chain(long n)
{
	while (n--)
		__asm__ volatile(".rept 50; add $1, %%rax; .endr" ::: "rax", "cc");
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
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Ticks of an iteration. */
static double middle(void (*run)(long n))
{
	static int64_t samples[SAMPLES];
	int i;

	run(10 * MANY);
	for (i = 0; i < SAMPLES; i++)
		samples[i] = (int64_t)(ticks(run, MANY) - ticks(run, FEW));
	qsort(samples, SAMPLES, sizeof(*samples), compare);
	return (double)samples[SAMPLES / 2] / (MANY - FEW);
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
		printf("%s %.1f\n", argv[i], 50 * middle(l->run) / middle(run_chain));
	}
	return 0;
}
