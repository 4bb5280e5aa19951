// SPDX-License-Identifier: GPL-2.0-only
#include "direction.h"

#include "params.h"

#define TABLES 8
#define MOST_HISTORY 256
#define TAG_BITS 11

struct tagged {
	uint16_t tag;
	int8_t counter; /* -4 to 3: taken from 0 on */
	uint8_t useful;
};

/* The last @length outcomes, folded into @bits. */
struct fold {
	uint32_t value;
	unsigned int length, bits, leaves; /* leaves: the bit at which an outcome is dropped */
};

static struct {
	int8_t plain[1 << 20]; /* -2 to 1 */
	struct tagged tables[TABLES][1 << 16];
	struct fold index[TABLES], tag[TABLES];
	uint8_t history[MOST_HISTORY];
	unsigned int at;
} d;

static void lengths(unsigned int *into)
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

void direction_start(void)
{
	unsigned int length[TABLES];

	lengths(length);
	for (unsigned int n = 0; n < params.tagged_tables; n++) {
		d.index[n] = (struct fold){ 0, length[n], params.tagged_bits, length[n] % params.tagged_bits };
		d.tag[n] = (struct fold){ 0, length[n], TAG_BITS - 1, length[n] % (TAG_BITS - 1) };
	}
}

static void fold(struct fold *f, unsigned int in, unsigned int out)
{
	f->value = f->value << 1 | in;
	f->value ^= out << f->leaves;
	f->value ^= f->value >> f->bits;
	f->value &= (1u << f->bits) - 1;
}

static void remember(bool taken)
{
	for (unsigned int n = 0; n < params.tagged_tables; n++) {
		unsigned int out = d.history[(d.at - d.index[n].length) % MOST_HISTORY];

		fold(&d.index[n], taken, out);
		fold(&d.tag[n], taken, out);
	}
	d.history[d.at++ % MOST_HISTORY] = taken;
}

static int8_t step(int8_t counter, bool up, int8_t low, int8_t high)
{
	if (up)
		return counter < high ? (int8_t)(counter + 1) : high;
	return counter > low ? (int8_t)(counter - 1) : low;
}

/* A longer history takes the branch over where its entry was of no use. */
static void replace(struct tagged **entries, const uint16_t *tags, unsigned int from, bool taken)
{
	for (unsigned int n = from; n < params.tagged_tables; n++) {
		if (entries[n]->useful)
			continue;
		*entries[n] = (struct tagged){ tags[n], taken ? 0 : -1, 0 };
		return;
	}
	for (unsigned int n = from; n < params.tagged_tables; n++)
		entries[n]->useful--;
}

bool direction_guess(uint64_t address, bool taken)
{
	uint64_t hash = (address >> 1) * UINT64_C(0x9e3779b97f4a7c15) >> 20;
	int8_t *plain = &d.plain[hash & ((1u << params.bimodal_bits) - 1)];
	struct tagged *entries[TABLES], *used = 0;
	bool guess = *plain >= 0, other = guess;
	unsigned int from = 0;
	uint16_t tags[TABLES];

	for (unsigned int n = 0; n < params.tagged_tables; n++) {
		uint32_t bits = (1u << params.tagged_bits) - 1;

		entries[n] = &d.tables[n][((uint32_t)hash ^ (uint32_t)(hash >> (params.tagged_bits + n)) ^
					   d.index[n].value) & bits];
		tags[n] = (uint16_t)(((hash >> 22) ^ d.tag[n].value << 1 ^ d.index[n].value) & ((1u << TAG_BITS) - 1)) + 1;
		if (entries[n]->tag != tags[n])
			continue;
		used = entries[n];
		other = guess;
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
		replace(entries, tags, from, taken);
	remember(taken);
	return guess;
}
