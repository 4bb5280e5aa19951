// SPDX-License-Identifier: GPL-2.0-only
/* The boundaries of rounds: time, and instructions where the kernel and the CPU count them. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As PERF_FORMAT_TOTAL_TIME_* asks for. It runs for less time than it is enabled where other events had the counter. */
struct counted {
	uint64_t instructions, enabled, running;
};

/* What came before ends at @end, what follows begins at @start: the counter is read between them. */
static struct boundary {
	uint64_t end;
	struct counted counted;
	uint64_t start;
} *boundaries, *boundary_next;

static int instructions_fd = -1;
static uint64_t instructions_overhead; /* counted between two boundaries with nothing between them */

static uint64_t boundary(void)
{
	struct boundary *now = boundary_next++;

	now->end = raw_now();
	if (instructions_fd >= 0 && read(instructions_fd, &now->counted, sizeof(now->counted)) < 0)
		now->counted = (struct counted){ .enabled = 1 };
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
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
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
		if (pair[1].counted.instructions - pair[0].counted.instructions < instructions_overhead)
			instructions_overhead = pair[1].counted.instructions - pair[0].counted.instructions;
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
	return (double)(row[last].counted.instructions - row[first].counted.instructions) -
	       (double)((last - first) * instructions_overhead);
}

/* True if all of them were counted. Prints the reason if not. */
static bool instructions_whole(void)
{
	const struct counted *last = &boundary_next[-1].counted;

	if (instructions_fd < 0)
		return false;
	if (last->running == last->enabled)
		return true;
	printf("instructions are not counted here: other events had the CPU's counter for a part of the time\n");
	return false;
}
