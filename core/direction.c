// SPDX-License-Identifier: GPL-2.0-only
#include "direction.h"

#include "params.h"

#define TABLES 8
#define TAG_BITS 11

struct tagged {
	uint16_t tag;
	int8_t counter; /* -4 to 3: taken from 0 on */
	uint8_t useful;
};

typedef int32_t quad __attribute__((vector_size(16))); /* four numbers, calculated together */

/* A number of each table. */
union per_table {
	quad quads[TABLES / 4];
	int32_t each[TABLES];
};

/* The history of each table: outcomes of the last branches, folded into few bits. */
struct folds {
	union per_table values, masks, leaves; /* leaves: the bit at which an outcome is dropped */
};

static struct {
	int8_t plain[1 << 20]; /* -2 to 1 */
	struct tagged tables[TABLES][1 << 16];
	struct folds index, tag;
	uint32_t lengths[TABLES];
	uint8_t history[UINT8_MAX + 1]; /* a ring */
	uint8_t at;
} d;

static void lengths(uint32_t *into)
{
	/* Geometric, in whole numbers: each the same factor longer, found by trying it in 1/64. */
	unsigned int tables = params.tagged_tables, factor = 64;

	for (;; factor++) {
		uint64_t length = (uint64_t)params.history_min << 6;

		for (unsigned int n = 0; n < tables; n++) {
			into[n] = (unsigned int)(length >> 6);
			length = length * factor >> 6;
		}
		if (tables < 2 || into[tables - 1] >= params.history_max)
			break;
	}
	for (unsigned int n = 0; n < tables; n++)
		if (into[n] > params.history_max)
			into[n] = params.history_max;
}

static void set_fold(struct folds *folds, unsigned int n, unsigned int bits)
{
	folds->masks.each[n] = (1 << bits) - 1;
	folds->leaves.each[n] = 1 << d.lengths[n] % bits;
}

void direction_start(void)
{
	lengths(d.lengths);
	for (unsigned int n = 0; n < params.tagged_tables; n++) {
		set_fold(&d.index, n, params.tagged_bits);
		set_fold(&d.tag, n, TAG_BITS - 1);
	}
}

/* Adds outcome @in. @out: all bits are set where the outcome that leaves a table's history is a taken branch. */
static void fold(struct folds *folds, int32_t in, const union per_table *out)
{
	for (unsigned int n = 0; n < TABLES / 4; n++) {
		quad value = (folds->values.quads[n] << 1 | in) ^ (out->quads[n] & folds->leaves.quads[n]);

		value ^= (value > folds->masks.quads[n]) & 1;
		folds->values.quads[n] = value & folds->masks.quads[n];
	}
}

static void remember(bool taken)
{
	union per_table out;

	for (unsigned int n = 0; n < TABLES; n++)
		out.each[n] = -d.history[(uint8_t)(d.at - d.lengths[n])];
	fold(&d.index, taken, &out);
	fold(&d.tag, taken, &out);
	d.history[d.at++] = taken;
}

static int8_t step(int8_t counter, bool up, int8_t low, int8_t high)
{
	if (up)
		return counter < high ? (int8_t)(counter + 1) : high;
	return counter > low ? (int8_t)(counter - 1) : low;
}

static struct tagged *entry_of(uint64_t hash, unsigned int n)
{
	uint64_t index = hash ^ hash >> (params.tagged_bits + n) ^ (uint32_t)d.index.values.each[n];

	return &d.tables[n][index & (uint32_t)d.index.masks.each[n]];
}

/* The tags that a branch has in the tables. */
static union per_table tags_of(uint64_t hash)
{
	int32_t bits = (int32_t)(hash >> 22);
	union per_table tags;

	for (unsigned int n = 0; n < TABLES / 4; n++)
		tags.quads[n] = ((bits ^ d.tag.values.quads[n] << 1 ^ d.index.values.quads[n]) & ((1 << TAG_BITS) - 1)) + 1;
	return tags;
}

/* A longer history takes the branch over where its entry was of no use. */
static void replace(uint64_t hash, const union per_table *tags, unsigned int from, bool taken)
{
	for (unsigned int n = from; n < params.tagged_tables; n++) {
		struct tagged *entry = entry_of(hash, n);

		if (entry->useful)
			continue;
		*entry = (struct tagged){ (uint16_t)tags->each[n], taken ? 0 : -1, 0 };
		return;
	}
	for (unsigned int n = from; n < params.tagged_tables; n++)
		entry_of(hash, n)->useful--;
}

bool direction_guess(uint64_t address, bool taken)
{
	uint64_t hash = (address >> 1) * UINT64_C(0x9e3779b97f4a7c15) >> 20;
	int8_t *plain = &d.plain[hash & ((1u << params.bimodal_bits) - 1)];
	struct tagged *used = 0;
	bool guess = *plain >= 0, other = guess;
	union per_table tags = tags_of(hash);
	unsigned int from = 0;

	for (unsigned int n = params.tagged_tables; n-- > 0;) {
		struct tagged *entry = entry_of(hash, n);

		if (entry->tag != tags.each[n])
			continue;
		if (used) {
			other = entry->counter >= 0;
			break;
		}
		used = entry;
		guess = used->counter >= 0;
		from = n + 1;
	}
	if (used) {
		if (guess != other)
			used->useful = (uint8_t)step((int8_t)used->useful, guess == taken, 0, 3);
		used->counter = step(used->counter, taken, -4, 3);
	} else {
		*plain = step(*plain, taken, -2, 1);
	}
	if (guess != taken)
		replace(hash, &tags, from, taken);
	remember(taken);
	return guess;
}
