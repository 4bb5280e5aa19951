// SPDX-License-Identifier: GPL-2.0-only
/*
 * probes SAMPLES NAME[:ARGUMENT] ...
 *
 * Prints "hz N" (ticks a second), "reference N" (cycles of a reference chain), "hypervisor NAME"
 * where the CPU says that there is one, then for each probe "s NAME[:ARGUMENT] OPERATIONS TICKS
 * REFERENCE" a sample, or "u NAME[:ARGUMENT] WHY".
 * Without arguments: the names, one a line.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arch.h"
#include "probe.h"
#include "vm.h"

#define REFERENCE 20000
#define TRIES 10 /* reference chains, of which the shortest one counts */

static const struct probe *const groups[] = {
	instruction_probes, branch_probes, memory_probes, window_probes,
	string_probes, kernel_probes, cross_probes, form_probes, straight_probes,
	system_probes, privileged_probes,
};

uint64_t sink;
uint64_t counted;

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

static const struct probe *find(const char *name, size_t length, bool *privileged)
{
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		for (const struct probe *probe = groups[i]; probe->name; probe++)
			if (strlen(probe->name) == length && !strncmp(probe->name, name, length)) {
				*privileged = groups[i] == privileged_probes;
				return probe;
			}
	return NULL;
}

static void list(void)
{
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		for (const struct probe *probe = groups[i]; probe->name; probe++)
			puts(probe->name);
}

/* One sample, of ticks; in static memory, as a virtual machine writes to it. */
static struct {
	const struct probe *probe;
	bool privileged;
	uint64_t operations, done, spent, reference;
} taken;

static void warm_up(void *unused)
{
	(void)unused;
	taken.probe->run(taken.operations);
}

static void take(void *unused)
{
	uint64_t before = reference(), after, start;

	(void)unused;
	counted = 0;
	start = ticks();
	taken.done = taken.probe->run(taken.operations);
	taken.spent = ticks() - start - nothing;
	after = reference();
	taken.spent = counted ? counted : taken.spent;
	taken.reference = before < after ? before : after;
}

static void shortest_reference(void *result)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t one = reference();

		least = one < least ? one : least;
	}
	*(uint64_t *)result = least;
}

/* NULL, or why times of the virtual machine are not those of the CPU. */
static const char *emulated(void)
{
	static bool known;
	static uint64_t inside, outside;
	static const char *no;
	static char why[120];

	if (known)
		return no;
	known = true;
	no = vm_call(shortest_reference, &inside);
	if (no)
		return no;
	shortest_reference(&outside);
	if (2 * inside > 3 * outside) {
		snprintf(why, sizeof(why),
			 "this KVM does not run ring 0 on the CPU: %d additions take %" PRIu64 " times as long there",
			 REFERENCE, (inside + outside / 2) / outside);
		no = why;
	}
	return no;
}

/* NULL, or why a virtual machine did not come back. */
static const char *call(void (*function)(void *))
{
	if (taken.probe->before)
		taken.probe->before();
	if (taken.privileged)
		return vm_call(function, NULL);
	function(NULL);
	return NULL;
}

static int run(const char *word, unsigned long samples)
{
	const char *colon = strchr(word, ':');
	const struct probe *probe = find(word, colon ? (size_t)(colon - word) : strlen(word), &taken.privileged);
	uint64_t argument = colon ? strtoull(colon + 1, NULL, 10) : 0;
	const char *why;

	if (!probe) {
		fprintf(stderr, "probes: no probe %s\n", word);
		return 2;
	}
	why = probe->prepare ? probe->prepare(argument) : NULL;
	if (!why && taken.privileged)
		why = emulated();
	if (why) {
		printf("u %s %s\n", word, why);
		return 0;
	}
	taken.probe = probe;
	taken.operations = probe->operations_for ? probe->operations_for(argument) : probe->operations;
	why = call(warm_up); /* caches, predictors and the core's clock */
	for (unsigned long i = 0; i < samples && !why; i++) {
		why = call(take);
		if (!why)
			printf("s %s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", word, taken.done, taken.spent,
			       taken.reference);
	}
	if (why)
		printf("u %s %s\n", word, why);
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
