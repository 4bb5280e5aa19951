// SPDX-License-Identifier: GPL-2.0-only
/*
 *	pairs-alone alone SAMPLES STEP SIDE...   nanoseconds of an operation while nobody else uses the core; for the host
 *	pairs-alone time|mark|list ...           as pairs, from the same code
 *
 * For a host whose cores are shared by hardware threads. The other thread waits for memory now and then, for less than a
 * microsecond. A sample is therefore short, and the fastest ones count: one in a thousand. What the clock and the loop's
 * begin and end cost is in samples of n and of 2 n operations alike, so the difference is n operations.
 *
 * STEP: ticks of the time-stamp counter between two of its values, 1 where it counts them all. Where it does not, equal
 * samples have one of two neighbouring values, and the mean of both kinds is their time.
 */
#define main pairs_main
#include "../main.c"
#undef main
#include <stdint.h>
#include <x86intrin.h>

/* Of a sample, in ticks of the time-stamp counter: shorter than what the other thread waits for. */
#define SHORT_TICKS 500
#define ONE_IN 1000
#define MOST_OPERATIONS 64

static uint64_t ticks_of(struct work *w, long n)
{
	unsigned int cpu;
	uint64_t start = __rdtscp(&cpu);

	_mm_lfence();
	w->side->run(w, n);
	return __rdtscp(&cpu) - start;
}

static uint64_t least_ticks(struct work *w, long n)
{
	uint64_t least = UINT64_MAX, took;
	int turn;

	for (turn = 0; turn < 50; turn++) {
		took = ticks_of(w, n);
		least = took < least ? took : least;
	}
	return least;
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Ticks in a nanosecond. */
static double ticks_per_ns(void)
{
	double start = now_ns();
	uint64_t begin = __rdtsc();

	while (now_ns() - start < 50e6)
		;
	return (__rdtsc() - begin) / (now_ns() - start);
}

/* Mean of the samples from `least` to `most` ticks. */
static double mean_between(const uint64_t *took, long samples, uint64_t least, uint64_t most)
{
	double sum = 0;
	long i, n = 0;

	for (i = 0; i < samples; i++) {
		if (took[i] < least || took[i] > most)
			continue;
		sum += took[i];
		n++;
	}
	return sum / n;
}

static void time_alone(long samples, uint64_t step, const char *text, double ticks)
{
	const uint64_t near = step > 1 ? step + 1 : 0;	/* a step is no whole number of ticks everywhere */
	struct work w = work_of(text);
	uint64_t *took[2] = { calloc(samples, sizeof(uint64_t)), calloc(samples, sizeof(uint64_t)) };
	double alone[2], usual[2];
	long n = 1, i, all = operations(&w);
	int twice;

	if (!took[0] || !took[1])
		fail("no memory for samples of", text);
	w.side->run(&w, all);
	while (n < MOST_OPERATIONS && least_ticks(&w, 2 * n) < SHORT_TICKS)
		n *= 2;
	for (i = 0; i < samples; i++)
		for (twice = 0; twice < 2; twice++)
			took[twice][i] = ticks_of(&w, n << twice);
	for (twice = 0; twice < 2; twice++)
		qsort(took[twice], samples, sizeof(uint64_t), by_size);
	for (twice = 0; twice < 2; twice++) {
		const uint64_t least = took[twice][samples / ONE_IN], middle = took[twice][samples / 2];

		alone[twice] = mean_between(took[twice], samples, least, least + near);
		usual[twice] = mean_between(took[twice], samples, middle - near, middle + near);
	}
	printf("%s %.5g %.5g %ld\n", text, (alone[1] - alone[0]) / n / ticks, (usual[1] - usual[0]) / n / ticks, n);
	free(took[0]);
	free(took[1]);
}

int main(int argc, char **argv)
{
	double ticks = ticks_per_ns();
	int i;

	if (argc < 5 || strcmp(argv[1], "alone"))
		return pairs_main(argc, argv);
	for (i = 4; i < argc; i++) {
		time_alone(atol(argv[2]), atol(argv[3]), argv[i], ticks);
		printf("ghz %.4f\n", gigahertz());
	}
	return 0;
}
