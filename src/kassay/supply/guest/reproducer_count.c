// SPDX-License-Identifier: GPL-2.0-only
/* The boundaries of rounds: time, and instructions where the kernel and the CPU count them. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What came before ends at @end, what follows begins at @start: the counter is read between them. */
static struct boundary {
	uint64_t end, instructions, start;
} *boundaries, *boundary_next;

static int instructions_fd = -1;
static uint64_t instructions_overhead; /* counted between two boundaries with nothing between them */

static uint64_t boundary(void)
{
	struct boundary *now = boundary_next++;

	now->end = raw_now();
	if (instructions_fd >= 0 && read(instructions_fd, &now->instructions, sizeof(now->instructions)) < 0)
		now->instructions = 0;
	now->start = raw_now();
	return now->end;
}

/* Of this task and all it starts, in user and kernel mode. */
static void instructions_open(void)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attributes),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.inherit = 1,
		.exclude_hv = 1,
	};

	instructions_fd = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0UL);
	if (instructions_fd < 0)
		printf("instructions are not counted here: perf_event_open: %s\n", strerror(errno));
}

static void measure_instructions_overhead(void)
{
	struct boundary pair[2];

	instructions_overhead = UINT64_MAX;
	for (int i = 0; i < 64; i++) {
		boundary_next = pair;
		boundary();
		boundary();
		if (pair[1].instructions - pair[0].instructions < instructions_overhead)
			instructions_overhead = pair[1].instructions - pair[0].instructions;
	}
}

/* Room for @count boundaries, present before the first round. Returns 0 or -1 (errno). */
static int boundaries_prepare(uint64_t count)
{
	void *room = mmap(NULL, count * sizeof(*boundaries), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (room == MAP_FAILED)
		return -1;
	if (instructions_fd >= 0)
		measure_instructions_overhead();
	boundaries = boundary_next = room;
	return 0;
}

/* From boundary @first of a round to its boundary @last; row: the round's first boundary. */
static double nanoseconds_between(const struct boundary *row, size_t first, size_t last)
{
	uint64_t sum = 0;

	for (size_t i = first; i < last; i++)
		sum += row[i + 1].end - row[i].start;
	return (double)sum * 1e9 / (double)clock_rate(CLOCK_RAW);
}

static double instructions_between(const struct boundary *row, size_t first, size_t last)
{
	return (double)(row[last].instructions - row[first].instructions) - (double)((last - first) * instructions_overhead);
}
