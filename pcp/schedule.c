// SPDX-License-Identifier: GPL-2.0-only
/* A heap of CPUs by time, then by number. */
#include "schedule.h"

/* How far a CPU runs ahead of the others by itself, so that all come to an end together. */
#define AHEAD_PS 1000000000ULL

static uint64_t *times;     /* by CPU */
static unsigned int *heap;  /* CPUs */
static unsigned int *where; /* by CPU: its index in the heap */

static bool before(unsigned int a, unsigned int b)
{
	return times[a] < times[b] || (times[a] == times[b] && a < b);
}

static void put(unsigned int index, unsigned int cpu)
{
	heap[index] = cpu;
	where[cpu] = index;
}

static void sift(unsigned int index, unsigned int cpu)
{
	unsigned int count = (unsigned int)config.run.cpus;

	while (index && before(cpu, heap[(index - 1) / 2])) {
		put(index, heap[(index - 1) / 2]);
		index = (index - 1) / 2;
	}
	while (2 * index + 1 < count) {
		unsigned int child = 2 * index + 1;

		if (child + 1 < count && before(heap[child + 1], heap[child]))
			child++;
		if (!before(heap[child], cpu))
			break;
		put(index, heap[child]);
		index = child;
	}
	put(index, cpu);
}

void schedule_start(void)
{
	times = allocate(config.run.cpus, sizeof(*times));
	heap = allocate(config.run.cpus, sizeof(*heap));
	where = allocate(config.run.cpus, sizeof(*where));
	for (unsigned int i = 0; i < config.run.cpus; i++)
		put(i, i);
}

void schedule_moved(const struct cpu *cpu, uint64_t time)
{
	times[cpu->number] = time;
	sift(where[cpu->number], cpu->number);
}

/* The latest time at which a CPU is still before another one. */
static uint64_t latest_before(unsigned int cpu, unsigned int other)
{
	return times[other] - (other < cpu);
}

struct cpu *schedule_first(void)
{
	struct cpu *cpu = &cpus[heap[0]];
	uint64_t soon = times[cpu->number] + AHEAD_PS;

	cpu->horizon = UINT64_MAX;
	for (unsigned int i = 1; i < 3 && i < config.run.cpus; i++)
		schedule_behind(cpu, &cpus[heap[i]]);
	/* A CPU alone, or one with all others asleep, looks up now and then. */
	cpu->limit = (cpu->horizon < soon ? cpu->horizon : soon) + AHEAD_PS;
	return cpu;
}

void schedule_behind(struct cpu *cpu, const struct cpu *other)
{
	uint64_t latest = latest_before(cpu->number, other->number);

	if (latest < cpu->horizon)
		cpu->horizon = latest;
}

uint64_t schedule_time(const struct cpu *cpu)
{
	return times[cpu->number];
}
