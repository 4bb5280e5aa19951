// SPDX-License-Identifier: GPL-2.0-only
#include "quiet.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "tasks.h"

#define WINDOW_NS 200000000L
#ifndef MAX_TASKS
#define MAX_TASKS 2048
#endif
#define BUSIEST 5

struct usage {
	pid_t tid;
	uint64_t ns;
	char comm[20];
};

/* One look at all tasks but our own. */
struct look {
	struct usage tasks[MAX_TASKS];
	size_t count;
	size_t left_out; /* tasks that there was no room for */
	bool has_times; /* any task has a run time: the kernel keeps them */
};

static struct look looks[2];

static void remember(const struct task *task, void *data)
{
	struct look *look = data;
	uint64_t ns = strtoull(task->schedstat, NULL, 10);
	struct usage *usage;

	look->has_times |= ns != 0;
	if (task->pid == getpid())
		return;
	if (look->count == MAX_TASKS) {
		look->left_out++;
		return;
	}
	usage = &look->tasks[look->count++];
	*usage = (struct usage){ .tid = task->tid, .ns = ns };
	memcpy(usage->comm, task->comm, sizeof(usage->comm));
}

static void look_now(struct look *look)
{
	look->count = 0;
	look->left_out = 0;
	look->has_times = false;
	tasks_walk(remember, look);
}

/* Turns the totals of @now into what was gained since @then; returns the sum. */
static uint64_t gained(const struct look *then, struct usage *gain, const struct look *now)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < now->count; i++) {
		gain[i] = now->tasks[i];
		for (size_t j = 0; j < then->count; j++) {
			if (then->tasks[j].tid == gain[i].tid && then->tasks[j].ns <= gain[i].ns) {
				gain[i].ns -= then->tasks[j].ns;
				break;
			}
		}
		sum += gain[i].ns;
	}
	return sum;
}

static int by_gain(const void *a, const void *b)
{
	const struct usage *left = a, *right = b;

	return left->ns < right->ns ? 1 : left->ns > right->ns ? -1 : 0;
}

struct report {
	char *text;
	size_t size;
	size_t used;
};

__attribute__((format(printf, 2, 3))) static void say(struct report *report, const char *format, ...)
{
	va_list args;
	int used;

	va_start(args, format);
	used = vsnprintf(report->text + report->used, report->size - report->used, format, args);
	va_end(args);
	if (used > 0 && (size_t)used < report->size - report->used)
		report->used += (size_t)used;
}

/* Of the last window: what is left when it is quiet, what is in the way when it is not. */
static void say_busiest(struct report *report, struct usage *gain, size_t count)
{
	qsort(gain, count, sizeof(*gain), by_gain);
	for (size_t i = 0; i < count && i < BUSIEST && gain[i].ns; i++)
		say(report, "busy %s %" PRIu64 "\n", gain[i].comm, gain[i].ns);
}

/*
 * x86 boots with "tsc-early" and, a second later, a kworker reads the HPET for
 * some milliseconds to learn the TSC's rate; again every second as long as a
 * busy host comes between its reads. The kernel then sets its tick by the new
 * clock. If the early one was a tenth too slow, the first such tick comes a
 * tenth of a second later, and until then no task loses its CPU.
 */
static bool calibrating(void)
{
	char name[16] = "";
	int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, name, sizeof(name) - 1);

	if (fd >= 0)
		close(fd);
	return got > 0 && !strcmp(name, "tsc-early\n");
}

bool quiet_wait(const struct quiet_rule *rule, char *report, size_t size)
{
	static struct usage gain[MAX_TASKS];
	const struct timespec window = { .tv_nsec = WINDOW_NS };
	uint64_t start = raw_ns(CLOCK_MONOTONIC), in_a_row = 0;
	bool calibrated = false; /* before the last window began */
	struct report lines = { report, size, 0 };
	struct look *then = &looks[0], *now = &looks[1];
	bool quiet;

	look_now(then);
	if (!then->has_times) {
		say(&lines, "state unknown: this kernel keeps no schedstat\n");
		return false;
	}
	while ((in_a_row < rule->windows || !calibrated) && raw_ns(CLOCK_MONOTONIC) - start < rule->timeout_ms * 1000000) {
		struct look *old = then;
		uint64_t sum;

		calibrated = !calibrating();
		nanosleep(&window, NULL);
		look_now(now);
		sum = gained(then, gain, now);
		say(&lines, "window %" PRIu64 "\n", sum);
		in_a_row = sum <= rule->limit_ns ? in_a_row + 1 : 0;
		then = now;
		now = old;
	}
	say(&lines, "clock %s\n", calibrated ? "calibrated" : "calibrating");
	quiet = in_a_row >= rule->windows;
	if (quiet && then->left_out)
		say(&lines, "state unknown: %zu tasks more than %d were not looked at\n", then->left_out, MAX_TASKS);
	else
		say(&lines, "state %s\n", quiet ? "quiet" : "busy");
	say_busiest(&lines, gain, then->count);
	return quiet && !then->left_out;
}
