// SPDX-License-Identifier: GPL-2.0-only
#include "program.h"

#include <stdlib.h>
#include <string.h>

#include "params.h"
#include "text.h"

#define MAX_BLOCKS (1u << 24)
#define MAX_REGISTERS 64
#define LISTS 4096 /* chains of them */
#define ALIGNMENT _Alignof(struct port_group)
#define DECODED 4 /* micro-ops of an instruction at most, without the microcode sequencer */

static const char *const kinds[KINDS] = {
	[PLAIN] = "plain", [BRANCH] = "branch", [JUMP] = "jump", [CALL] = "call", [RETURN] = "return",
	[JUMP_INDIRECT] = "jump_indirect", [CALL_INDIRECT] = "call_indirect", [SYSCALL] = "syscall",
	[SYSRETURN] = "sysreturn", [SERIALIZE] = "serialize", [FENCE_LOAD] = "fence_load",
	[FENCE_FULL] = "fence_full", [FENCE_STORE] = "fence_store", [REPEAT] = "repeat", [NOP] = "nop",
	[MOVE] = "move", [ZERO] = "zero", [PREFETCH] = "prefetch", [FLUSH_ALL] = "flush_all",
	[FLUSH_PAGE] = "flush_page", [UNKNOWN] = "unknown", [REMOVED] = "removed",
};

struct program program;

/*
 * A copy of @bytes that equal ones share: the instructions of a kernel have few lists of registers and ports. Those
 * lie side by side, so that the host's first level cache has most of them.
 */
static const void *shared(const void *bytes, size_t size)
{
	struct list {
		struct list *next;
		size_t size;
		uint8_t *bytes;
	} **list;
	static struct list *lists[LISTS];
	static uint8_t *free;
	static size_t left;
	size_t room = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	uint32_t hash = 0;

	for (size_t n = 0; n < size; n++)
		hash = (hash ^ ((const uint8_t *)bytes)[n]) * 0x9e3779b1u;
	for (list = &lists[hash >> 20]; *list; list = &(*list)->next)
		if ((*list)->size == size && !memcmp((*list)->bytes, bytes, size))
			return (*list)->bytes;
	if (left < room) {
		left = 1 << 14;
		free = allocate(left, 1);
	}
	*list = allocate(1, sizeof(**list));
	**list = (struct list){ .size = size, .bytes = memcpy(free, bytes, size) };
	free += room;
	left -= room;
	return (*list)->bytes;
}

static uint8_t kind_of(struct text *text)
{
	const char *word = text_word(text);

	for (unsigned int kind = 0; kind < KINDS; kind++)
		if (!strcmp(kinds[kind], word))
			return (uint8_t)kind;
	text_wrong(text, "unknown kind of instruction: %s", word);
}

/* "1,2,3" or "-" into @into; how many. */
static uint8_t register_list(struct text *text, uint8_t *into, unsigned int room)
{
	const char *word = text_word(text);
	unsigned int count = 0;

	if (!strcmp(word, "-"))
		return 0;
	for (;;) {
		char *end;
		unsigned long number = strtoul(word, &end, 10);

		if (end == word || number >= REGISTERS || (*end && *end != ','))
			text_wrong(text, "%s is not a list of registers from 0 to %d", word, REGISTERS - 1);
		if (count == room)
			text_wrong(text, "more than %d registers", MAX_REGISTERS);
		into[count++] = (uint8_t)number;
		if (!*end)
			return (uint8_t)count;
		word = end + 1;
	}
}

/* "MASKxCOUNT/MASKxCOUNT" (hexadecimal masks) or "-". */
static void ports(struct text *text, struct insn *insn)
{
	struct port_group groups[PORT_GROUPS], of_loads[PORT_GROUPS];
	unsigned int loads = 0;
	const char *word = text_word(text), *next = word;
	uint32_t all = (uint32_t)((UINT64_C(1) << params.ports) - 1);

	if (!strcmp(word, "-"))
		return;
	for (;;) {
		char *end;
		unsigned long mask = strtoul(next, &end, 16), count = 0;

		if (*end == 'x')
			count = strtoul(end + 1, &end, 10);
		if (!mask || mask & ~(unsigned long)all || !count || count > 1000 || (*end && *end != '/'))
			text_wrong(text, "%s: not MASKxCOUNT of %u ports", word, params.ports);
		if (insn->others + loads == PORT_GROUPS)
			text_wrong(text, "%s: more than %d groups of ports", word, PORT_GROUPS);
		if (mask & ~(unsigned long)params.load_ports)
			groups[insn->others++] = (struct port_group){ (uint32_t)mask, (uint32_t)count };
		else
			of_loads[loads++] = (struct port_group){ (uint32_t)mask, (uint32_t)count };
		if (!*end)
			break;
		next = end + 1;
	}
	insn->groups = (uint8_t)(insn->others + loads);
	memcpy(groups + insn->others, of_loads, loads * sizeof(*groups));
	insn->ports = shared(groups, insn->groups * sizeof(*groups));
}

/*
 * A latency counts from the issue of an instruction's first micro-op, and issue() says when
 * the last one does: what a port that is busy for several cycles takes is not added to it.
 */
static uint32_t after_last(const struct insn *insn, uint32_t latency)
{
	uint32_t between = 0;

	for (unsigned int n = 0; n < insn->others; n++) {
		const struct port_group *group = &insn->ports[n];
		uint32_t cycles = (group->count - 1u) / (unsigned int)__builtin_popcount(group->mask);

		if (cycles > between)
			between = cycles;
	}
	if (!between || !latency)
		return latency;
	return latency > between + 1 ? latency - between : 1;
}

static uint8_t computed(const struct insn *insn)
{
	unsigned int count = 0, most = insn->uops + !!insn->store_bytes; /* the data of a store is joined with its address */

	for (unsigned int n = 0; n < insn->groups; n++)
		if (!(insn->ports[n].mask & params.load_ports))
			count += insn->ports[n].count;
	if (count > most) /* a divider is taken for several cycles */
		count = most;
	return count < UINT8_MAX ? (uint8_t)count : UINT8_MAX;
}

static uint8_t simple(const struct insn *insn)
{
	if (insn->lock || insn->fixed)
		return 0;
	switch (insn->kind) {
	case NOP:
	case ZERO:
	case FENCE_STORE:
		return insn->reads ? 0 : PASSES;
	case MOVE:
		return PASSES;
	case PREFETCH:
		return COMPUTES;
	default:
		return insn->kind == PLAIN || jumps(insn) ? COMPUTES : 0;
	}
}

static void instruction(struct text *text, struct insn *insn, uint64_t address)
{
	uint8_t names[MAX_REGISTERS] = { 0 };
	unsigned int count;

	if (strcmp(text_word(text), "i"))
		text_wrong(text, "an instruction was expected");
	insn->address = address;
	insn->length = (uint8_t)text_number(text, 1, 15);
	insn->kind = kind_of(text);
	insn->uops = (uint16_t)text_number(text, 0, 1000);
	insn->latency = (uint32_t)((text_decimal(text, 100) + 50) / 100);
	insn->lock = (uint8_t)text_number(text, 0, LOCK_EXCHANGES);
	count = insn->address_reads = register_list(text, names, MAX_REGISTERS);
	insn->reads = (uint8_t)(count += register_list(text, names + count, MAX_REGISTERS - count));
	count += insn->writes = register_list(text, names + count, MAX_REGISTERS - count);
	insn->registers = shared(names, count ? count : 1);
	insn->load_bytes = (uint16_t)text_number(text, 0, 4096);
	insn->store_bytes = (uint16_t)text_number(text, 0, 4096);
	ports(text, insn);
	insn->computed = computed(insn);
	insn->latency = after_last(insn, insn->latency);
	insn->fixed = (uint32_t)((text_decimal(text, 100) + 50) / 100);
	insn->traits = (uint8_t)text_number(text, 0, TRAITS);
	insn->opcode = (uint8_t)text_number(text, 0, insn->length - 1u);
	insn->slots = (uint16_t)(insn->uops + !!(insn->traits & SPLIT));
	insn->simple = simple(insn);
	insn->microcode = params.microcode_switch && insn->uops > DECODED && insn->kind == PLAIN && !insn->fixed;
	insn->special = insn->microcode || insn->traits & (MOVES_STACK | USES_STACK);
	insn->only_loads = insn->kind == PLAIN && insn->load_bytes && !insn->latency;
	insn->habit = allocate(1, sizeof(*insn->habit));
}

static struct block *block_at(struct text *text, uint64_t id)
{
	if (id >= program.count) {
		uint32_t count = program.count ? program.count : 1024;

		while (count <= id)
			count *= 2;
		program.blocks = realloc(program.blocks, count * sizeof(*program.blocks));
		if (!program.blocks)
			text_wrong(text, "no memory for %u blocks", count);
		memset(program.blocks + program.count, 0, (count - program.count) * sizeof(*program.blocks));
		program.count = count;
	}
	if (program.blocks[id].known)
		text_wrong(text, "block %u is given twice", (unsigned int)id);
	return &program.blocks[id];
}

void program_read(const char *path)
{
	struct text text = text_open(path);

	while (text_line(&text)) {
		struct block *block;
		uint64_t address;

		if (strcmp(text_word(&text), "b"))
			text_wrong(&text, "a block was expected");
		block = block_at(&text, text_number(&text, 0, MAX_BLOCKS - 1));
		block->start = address = text_number(&text, 0, UINT64_MAX);
		block->count = (uint32_t)text_number(&text, 1, 4096);
		block->function = (uint32_t)text_number(&text, 0, MAX_BLOCKS - 1);
		block->successor = UINT32_MAX;
		block->known = true;
		block->insns = allocate(block->count, sizeof(*block->insns));
		for (uint32_t i = 0; i < block->count; i++) {
			if (!text_line(&text))
				text_wrong(&text, "the block is not complete");
			instruction(&text, &block->insns[i], address);
			address += block->insns[i].length;
		}
		block->end = address;
		if (block->function >= program.functions)
			program.functions = block->function + 1;
	}
	text_close(&text);
}
