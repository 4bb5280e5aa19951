// SPDX-License-Identifier: GPL-2.0-only
/*
 * probes SAMPLES NAME[:ARGUMENT] ...
 *
 * Prints "hz N" (ticks a second), "reference N" (cycles of a reference chain), "hypervisor NAME"
 * where the CPU says that there is one, then for each probe "s NAME[:ARGUMENT] OPERATIONS TICKS REFERENCE" a sample, or "u NAME[:ARGUMENT] WHY".
 * Without arguments: the names, one a line.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arch.h"
#include "probe.h"

#define REFERENCE 20000

static const struct probe *const groups[] = {
	instruction_probes, branch_probes, memory_probes, window_probes,
	string_probes, kernel_probes, cross_probes, form_probes, straight_probes,
	system_probes,
};

uint64_t sink;

/* Ticks between two readings of the clock with nothing between. */
static uint64_t nothing;

static void time_nothing(void)
{
	nothing = UINT64_MAX;
	for (int i = 0; i < 1000; i++) {
		uint64_t start = ticks(), spent = ticks() - start;

		if (spent < nothing)
			nothing = spent;
	}
}

static uint64_t reference(void)
{
	uint64_t value = 0, start = ticks();

	for (int i = 0; i < REFERENCE / 100; i++)
		add_100(&value, 1);
	start = ticks() - start - nothing;
	sink += value;
	return start;
}

static double nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static uint64_t ticks_per_second(void)
{
	uint64_t start_ticks = ticks(), spent;
	double start = nanoseconds(), now;

	do
		now = nanoseconds();
	while (now - start < 3e7);
	spent = ticks() - start_ticks;
	return (uint64_t)(1e9 * (double)spent / (now - start));
}

static const struct probe *find(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		for (const struct probe *probe = groups[i]; probe->name; probe++)
			if (strlen(probe->name) == length && !strncmp(probe->name, name, length))
				return probe;
	return NULL;
}

static void list(void)
{
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		for (const struct probe *probe = groups[i]; probe->name; probe++)
			puts(probe->name);
}

static void sample(const struct probe *probe, const char *word, uint64_t operations)
{
	uint64_t before, after, start, spent, done;

	if (probe->before)
		probe->before();
	before = reference();
	start = ticks();
	done = probe->run(operations);
	spent = ticks() - start - nothing;
	after = reference();
	printf("s %s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", word, done, spent,
	       before < after ? before : after);
}

static int run(const char *word, unsigned long samples)
{
	const char *colon = strchr(word, ':');
	const struct probe *probe = find(word, colon ? (size_t)(colon - word) : strlen(word));
	uint64_t argument = colon ? strtoull(colon + 1, NULL, 10) : 0;
	const char *why;
	uint64_t operations;

	if (!probe) {
		fprintf(stderr, "probes: no probe %s\n", word);
		return 2;
	}
	why = probe->prepare ? probe->prepare(argument) : NULL;
	if (why) {
		printf("u %s %s\n", word, why);
		return 0;
	}
	operations = probe->operations_for ? probe->operations_for(argument) : probe->operations;
	if (probe->before)
		probe->before();
	probe->run(operations); /* warms caches, predictors and the core's clock */
	for (unsigned long i = 0; i < samples; i++)
		sample(probe, word, operations);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long samples = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	char hypervisor[16];

	if (argc < 2) {
		list();
		return 0;
	}
	if (!samples) {
		fprintf(stderr, "usage: probes SAMPLES NAME[:ARGUMENT] ...\n");
		return 2;
	}
	time_nothing();
	printf("hz %" PRIu64 "\nreference %d\n", ticks_per_second(), REFERENCE);
	hypervisor_name(hypervisor);
	if (*hypervisor)
		printf("hypervisor %s\n", hypervisor);
	for (int i = 2; i < argc; i++) {
		int status = run(argv[i], samples);

		if (status)
			return status;
		fflush(stdout);
	}
	return 0;
}
