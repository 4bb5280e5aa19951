// SPDX-License-Identifier: GPL-2.0-only
#include "block.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "points.h"

#define TABLE_SIZE (1u << 16)
#define MAX_BYTES 8192
#define MAX_INSNS 1024

static struct block *table[TABLE_SIZE];

/* Those of this round, to be refreshed at its end. */
static struct block **fresh;
static size_t fresh_count, fresh_room;

struct translated {
	uint64_t start;
	uint32_t count;
	uint32_t bytes;
	uint64_t last;
	uint8_t lengths[MAX_INSNS];
	uint8_t code[MAX_BYTES];
};

static void read_block(const struct qemu_plugin_tb *tb, struct translated *ret)
{
	ret->start = qemu_plugin_tb_vaddr(tb);
	ret->count = (uint32_t)qemu_plugin_tb_n_insns(tb);
	ret->bytes = 0;
	if (ret->count > MAX_INSNS)
		abort(); /* QEMU translates at most 512 instructions at a time */
	for (uint32_t i = 0; i < ret->count; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		size_t size = qemu_plugin_insn_size(insn);

		ret->lengths[i] = (uint8_t)size;
		ret->last = qemu_plugin_insn_vaddr(insn);
		insn_code(insn, ret->code + ret->bytes, size);
		ret->bytes += (uint32_t)size;
	}
}

static uint32_t hash(const struct translated *seen)
{
	uint64_t value = seen->start * 0x9e3779b97f4a7c15u + seen->count;

	return (uint32_t)(value >> 40) % TABLE_SIZE;
}

static bool is_same(const struct block *block, const struct translated *seen)
{
	return block->start == seen->start && block->count == seen->count && block->end - block->start == seen->bytes &&
	       !memcmp(block->code, seen->code, seen->bytes);
}

static uint32_t attention_of(const struct block *block, unsigned int points, bool stacks)
{
	uint32_t attention = ATTEND_FRESH;

	if (points & ~points_at(block->start - 1) & POINT_SWITCH)
		attention |= ATTEND_SWITCH; /* the first address of its function */
	attention |= block->roles ? ATTEND_DEFER : 0;

	attention |= points & POINT_FAULT ? ATTEND_FAULT : 0;
	attention |= points & POINT_INTERRUPT ? ATTEND_INTERRUPT : 0;
	switch (block->ending) {
	case END_JUMP_INDIRECT:
	case END_CALL_INDIRECT:
		attention |= block->nameless ? 0 : ATTEND_SUCCESSOR;
		break;
	case END_EXCEPTION_RETURN:
		attention |= ATTEND_SUCCESSOR;
		break;
	case END_CALL:
	case END_JUMP:
		if (block->nameless)
			break;
		if (!block->thunk && points_at(block->target) & POINT_THUNK)
			attention |= ATTEND_THUNK_CALL;
		attention |= stacks && block->ending == END_CALL ? ATTEND_SUCCESSOR : 0;
		break;
	case END_RETURN:
		attention |= (stacks && !block->nameless) || block->thunk ? ATTEND_SUCCESSOR : 0;
		break;
	case END_HALT:
		attention |= ATTEND_HALT;
		break;
	case END_REPEAT:
		break;
	case END_SYSCALL:
	case END_SYSCALL_RETURN:
		attention |= stacks ? ATTEND_SUCCESSOR : 0;
		break;
	case END_PLAIN:
		break;
	}
	return attention;
}

static void define(struct block *block)
{
	static const char digits[] = "0123456789abcdef";
	FILE *out = counter_define(&block->counter, 'b');

	fprintf(out, " %" PRIx64 " ", block->start);
	for (uint32_t i = 0; i < block->count; i++)
		fputc(digits[block->lengths[i]], out);
	fputc(' ', out);
	for (uint64_t i = 0; i < block->end - block->start; i++) {
		fputc(digits[block->code[i] >> 4], out);
		fputc(digits[block->code[i] & 15], out);
	}
	fputc('\n', out);
}

static struct event *make_event(struct block *block, char kind, uint32_t place, struct block *target)
{
	struct event *event = allocate(sizeof(*event));

	event->kind = kind;
	event->place = place;
	event->target = target;
	event->counter.id = NO_ID;
	event->next = block->events;
	block->events = event;
	return event;
}

static struct block *make(const struct arch *arch, const struct translated *seen, bool stacks)
{
	struct block *block = allocate(sizeof(*block));
	uint8_t *bytes = allocate(seen->count + seen->bytes);
	unsigned int points = points_at(seen->start);
	struct last_insn last;

	memcpy(bytes, seen->lengths, seen->count);
	memcpy(bytes + seen->count, seen->code, seen->bytes);
	block->lengths = bytes;
	block->code = bytes + seen->count;
	block->count = seen->count;
	block->start = seen->start;
	block->end = seen->start + seen->bytes;
	block->inner = seen->bytes - 1;
	block->last = seen->last;
	block->thunk = points & POINT_THUNK;
	block->function = stacks ? points_function(seen->start) : 0;
	block->nameless = points & POINT_NAMELESS && !block->function;
	block->entry = stacks && (points & (POINT_FAULT | POINT_INTERRUPT) || points_entry(seen->start));
	block->roles = arch->store ? points >> POINT_DEFER_SHIFT & ((1u << ROLE_BITS * DEFERRED_KINDS) - 1) : 0;
	last = arch->ending(block->code + (seen->last - seen->start), block->lengths[seen->count - 1], seen->last);
	block->ending = last.ending;
	block->target = last.target;
	block->attention = attention_of(block, points, stacks);
	block->counter.id = NO_ID;
	block->traced = NO_ID;
	if (block->ending == END_REPEAT && block->count == 1)
		block->iterations = make_event(block, 'i', 0, NULL);
	return block;
}

struct block *block_of(const struct arch *arch, const struct qemu_plugin_tb *tb, bool stacks)
{
	static struct translated seen;
	struct block *block, **place;

	read_block(tb, &seen);
	place = &table[hash(&seen)];
	for (block = *place; block; block = block->chain) {
		if (is_same(block, &seen))
			return block;
	}
	block = make(arch, &seen, stacks);
	block->chain = *place;
	*place = block;
	return block;
}

/* A block need not have been counted: one that only makes a device access again is not. */
static void define_event(struct event *event, struct block *block)
{
	FILE *out;

	if (block->counter.id == NO_ID)
		define(block);
	if (event->target && event->target->counter.id == NO_ID)
		define(event->target);
	out = counter_define(&event->counter, event->kind);
	fprintf(out, " %" PRIu32, block->counter.id);
	if (event->kind == 's')
		fprintf(out, " %" PRIu32, event->place);
	else if (event->kind == 'e')
		fprintf(out, " %" PRIu32, event->target->counter.id);
	fputc('\n', out);
}

struct event *block_event(struct block *block, char kind, uint32_t place, struct block *target)
{
	struct event *event;

	for (event = block->events; event; event = event->next) {
		if (event->kind == kind && event->place == place && event->target == target)
			return event;
	}
	event = make_event(block, kind, place, target);
	define_event(event, block);
	return event;
}

uint32_t block_index(const struct block *block, uint64_t address)
{
	uint64_t at = block->start;

	for (uint32_t i = 0; i < block->count; i++) {
		if (at == address)
			return i;
		at += block->lengths[i];
	}
	return 0;
}

bool block_leads_to(const struct block *block, uint64_t address)
{
	switch (block->ending) {
	case END_PLAIN:
	case END_HALT:
		return address == block->end;
	case END_JUMP:
		return address == block->end || address == block->target;
	case END_CALL:
		return address == block->target;
	case END_REPEAT:
		return address == block->end || address == block->last;
	default:
		return true;
	}
}

void block_touch(struct block *block)
{
	if (fresh_count == fresh_room) {
		size_t room = fresh_room ? 2 * fresh_room : 4096;
		struct block **grown = realloc(fresh, room * sizeof(*grown));

		if (!grown)
			abort();
		fresh = grown;
		fresh_room = room;
	}
	fresh[fresh_count++] = block;
	block->attention &= ~(uint32_t)ATTEND_FRESH;
	if (block->counter.id == NO_ID)
		define(block);
	counter_touch(&block->counter);
	if (!block_repeats(block))
		return;
	if (block->iterations->counter.id == NO_ID)
		define_event(block->iterations, block);
	if (!block->iterations->counter.touched)
		counter_touch(&block->iterations->counter);
}

void blocks_refresh(void)
{
	for (size_t i = 0; i < fresh_count; i++)
		fresh[i]->attention |= ATTEND_FRESH;
	fresh_count = 0;
}
