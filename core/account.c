// SPDX-License-Identifier: GPL-2.0-only
#include "account.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

#define CONTEXTS 4

struct row {
	uint64_t cycles[CAUSE_COUNT];
	uint64_t instructions[CAUSE_COUNT];
};

static const char *const cause_names[CAUSE_COUNT] = {
#define CAUSE(name, word) [CAUSE_##name] = word,
	CAUSES(CAUSE)
#undef CAUSE
};

struct statistics statistics;

static struct {
	struct row *rows;
	uint32_t functions, round, interval, context;
	uint64_t accesses; /* of the measured task */
	uint64_t l2_misses; /* before this interval */
	struct row others[CONTEXTS]; /* of other contexts than the measured task's, by context */
	struct row *now;    /* of function 0 in this context */
	uint32_t mask;      /* of the number of a function: other contexts have one row */
	bool open;
} a;

void account_start(uint32_t functions)
{
	a.functions = functions;
	a.rows = allocate(functions, sizeof(*a.rows));
	account_context(0);
}

static inline struct row *row_of(uint32_t function)
{
	return &a.now[function & a.mask];
}

inline void account_charge(uint32_t function, enum cause cause, uint64_t cycles)
{
	row_of(function)->cycles[cause] += cycles;
}

inline void account_instructions(uint32_t function, enum cause cause, uint64_t count)
{
	row_of(function)->instructions[cause] += count;
}

void account_context(uint32_t context)
{
	a.context = context < CONTEXTS ? context : CONTEXTS - 1;
	a.now = a.context ? &a.others[a.context] : a.rows;
	a.mask = a.context ? 0 : UINT32_MAX;
}

void account_accesses(uint64_t count)
{
	if (!a.context)
		a.accesses += count;
}

static void add(struct row *sum, const struct row *row)
{
	for (unsigned int cause = 0; cause < CAUSE_COUNT; cause++) {
		sum->cycles[0] += row->cycles[cause];
		sum->instructions[0] += row->instructions[cause];
	}
}

static void print_interval(void)
{
	struct row sum = { { 0 }, { 0 } };

	for (uint32_t f = 0; f < a.functions; f++)
		add(&sum, &a.rows[f]);
	printf("t %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", a.round, a.interval,
	       sum.instructions[0], sum.cycles[0] * 100, a.accesses, statistics.l2_misses - a.l2_misses);
	for (uint32_t f = 0; f < a.functions; f++) {
		for (unsigned int cause = 0; cause < CAUSE_COUNT; cause++) {
			const struct row *row = &a.rows[f];

			if (row->cycles[cause] || row->instructions[cause])
				printf("c %" PRIu32 " %" PRIu32 " %" PRIu32 " %s %" PRIu64 " %" PRIu64 "\n", a.round,
				       a.interval, f, cause_names[cause], row->cycles[cause] * 100, row->instructions[cause]);
		}
	}
	for (uint32_t context = 1; context < CONTEXTS; context++) {
		memset(&sum, 0, sizeof(sum));
		add(&sum, &a.others[context]);
		if (sum.instructions[0])
			printf("o %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu64 "\n", a.round, a.interval,
			       context, sum.instructions[0], sum.cycles[0] * 100);
	}
	memset(a.rows, 0, a.functions * sizeof(*a.rows));
	memset(a.others, 0, sizeof(a.others));
	a.accesses = 0;
	a.l2_misses = statistics.l2_misses;
}

void account_turn(uint32_t round, uint32_t interval)
{
	if (a.open)
		print_interval();
	a.open = true;
	a.round = round;
	a.interval = interval;
}

void account_end(void)
{
	if (a.open)
		print_interval();
#define STATISTIC(name) printf("s " #name " %" PRIu64 "\n", statistics.name);
	STATISTICS(STATISTIC)
#undef STATISTIC
}
