// SPDX-License-Identifier: GPL-2.0-only
#include "counter.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "qemu_api.h"

static struct {
	FILE *out;
	unsigned int slots;
	uint32_t ids;
	uint64_t lines;
	uint32_t round;
	struct counter *touched;  /* in this round */
	struct counter *previous; /* those of the round before; linked through next as well */
} file;

int counters_open(const char *path, const char *mode, const char *target, unsigned int intervals)
{
	file.out = fopen(path, "we");
	if (!file.out)
		return -1;
	file.slots = intervals * CONTEXTS;
	counters_line("profile 2 %s %s %d %u", mode, target, KASSAY_QEMU_API, intervals);
	return 0;
}

void *allocate(size_t size)
{
	void *made = calloc(1, size);

	if (!made) {
		fprintf(stderr, "kassay-profile: no memory\n");
		abort();
	}
	return made;
}

FILE *counter_define(struct counter *counter, char kind)
{
	counter->id = file.ids++;
	file.lines++;
	fprintf(file.out, "%c %" PRIu32, kind, counter->id);
	return file.out;
}

uint32_t counters_round(void)
{
	return file.round;
}

void counter_add_late(struct counter *counter, uint32_t round, unsigned int slot, int64_t count)
{
	if (round == file.round)
		counter_add(counter, slot, (uint64_t)count);
	else
		counters_line("k %" PRIu32 " %" PRIu32 " %u %" PRId64, counter->id, round, slot, count);
}

void counter_touch(struct counter *counter)
{
	counter->touched = true;
	if (!counter->now) {
		counter->now = allocate(2 * file.slots * sizeof(*counter->now));
		counter->last = counter->now + file.slots;
	}
	if (counter->listed)
		return; /* already in the list of the round before, which is looked at as well */
	counter->next = file.touched;
	file.touched = counter;
}

void counters_line(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(file.out, format, args);
	va_end(args);
	fputc('\n', file.out);
	file.lines++;
}

/* Writes the counter when it changed. Returns whether it counted at all. */
static bool write_change(struct counter *counter)
{
	const uint64_t *now = counter->now;
	size_t size = file.slots * sizeof(*now);
	bool any = false;

	for (unsigned int i = 0; i < file.slots && !any; i++)
		any = now[i] != 0;
	if (memcmp(now, counter->last, size)) {
		fprintf(file.out, "%c %" PRIu32, any ? 'c' : 'z', counter->id);
		for (unsigned int i = 0; i < file.slots; i++) {
			if (now[i])
				fprintf(file.out, " %u %" PRIu64, i, now[i]);
		}
		fputc('\n', file.out);
		file.lines++;
		memcpy(counter->last, now, size);
	}
	memset(counter->now, 0, size);
	counter->touched = false;
	return any;
}

void counters_end_round(void)
{
	struct counter *lists[] = { file.touched, file.previous }, *kept = NULL, *next;

	counters_line("r %" PRIu32, file.round++);
	for (unsigned int i = 0; i < 2; i++) {
		for (struct counter *counter = lists[i]; counter; counter = next) {
			next = counter->next;
			counter->listed = write_change(counter);
			if (!counter->listed)
				continue;
			counter->next = kept;
			kept = counter;
		}
	}
	file.previous = kept;
	file.touched = NULL;
}

int counters_close(void)
{
	fprintf(file.out, "end %" PRIu64 "\n", file.lines);
	return ferror(file.out) | fclose(file.out) ? -1 : 0;
}
