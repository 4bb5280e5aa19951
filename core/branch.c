// SPDX-License-Identifier: GPL-2.0-only
#include "branch.h"

#include <string.h>

#include "account.h"
#include "cache.h"
#include "direction.h"
#include "params.h"
#include "program.h"

#define NEAR_WAYS 4
#define NEAR_SHIFT 5 /* Sets are of blocks of 32 bytes: measured on Cascade Lake. */

struct target {
	uint32_t tag;
	uint64_t target;
};

static struct {
	struct cache targets, near;
	struct target indirect[1 << 16];
	uint64_t path;
	uint64_t returns[128];
	uint32_t top;
} b;

void branch_start(void)
{
	b.targets = cache_make(params.btb_entries, params.btb_ways);
	b.near = cache_make(params.near_branches, NEAR_WAYS);
	direction_start();
}

/* A taken branch whose target the front end has to know. */
static enum guess direct(uint64_t address)
{
	if (cache_note(&b.targets, address))
		return GUESS_RIGHT;
	statistics.btb_misses++;
	return GUESS_LATE;
}

/* A branch whose target changes; @path: what led to it, 0 where that does not count. */
static bool is_known(uint64_t address, uint64_t path, uint64_t next)
{
	uint64_t hash = (address ^ path) * UINT64_C(0x9e3779b97f4a7c15);
	struct target *target = &b.indirect[hash >> (64 - params.indirect_bits)];
	uint32_t tag = (uint32_t)hash;
	bool known = target->tag == tag && target->target == next;

	*target = (struct target){ tag, next };
	return known;
}

static enum guess indirect(uint64_t address, uint64_t next)
{
	if (is_known(address, params.indirect_path ? b.path : 0, next))
		return GUESS_RIGHT;
	statistics.indirect_mispredictions++;
	return GUESS_WRONG;
}

static void push(uint64_t address)
{
	b.top = (b.top + 1) % params.return_stack;
	b.returns[b.top] = address;
}

static enum guess pop(uint64_t from, uint64_t next)
{
	uint64_t address = b.returns[b.top];

	b.returns[b.top] = 0;
	b.top = (b.top + params.return_stack - 1) % params.return_stack;
	if (address == next)
		return GUESS_RIGHT;
	if (!address && params.return_fallback && is_known(from, 0, next))
		return GUESS_RIGHT;
	statistics.return_mispredictions++;
	return address ? GUESS_ELSEWHERE : GUESS_WRONG;
}

static enum guess guess(const struct insn *insn, uint64_t after, uint64_t next)
{
	bool taken = next != after;

	switch (insn->kind) {
	case BRANCH:
		if (direction_guess(insn->address, taken) != taken)
			return GUESS_WRONG;
		return taken ? direct(insn->address) : GUESS_RIGHT;
	case CALL:
		push(after);
		return direct(insn->address);
	case JUMP:
		return direct(insn->address);
	case CALL_INDIRECT:
		push(after);
		return indirect(insn->address, next);
	case JUMP_INDIRECT:
		return indirect(insn->address, next);
	case RETURN:
		return pop(insn->address, next);
	default:
		return GUESS_RIGHT;
	}
}

enum guess branch_resolve(const struct insn *insn, uint64_t after, uint64_t next)
{
	enum guess found = guess(insn, after, next);

	statistics.branches++;
	if (found == GUESS_WRONG || found == GUESS_ELSEWHERE)
		statistics.mispredictions++;
	if (next != after)
		b.path = (b.path << 3 ^ next >> 1) & 0xffffffffff;
	return found;
}

uint32_t branch_taken(uint64_t address)
{
	uint64_t key = address >> NEAR_SHIFT | address << (64 - NEAR_SHIFT);

	if (!params.near_branches || cache_note(&b.near, key))
		return params.taken_branch;
	return params.taken_far;
}
