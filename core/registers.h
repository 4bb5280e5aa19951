/* SPDX-License-Identifier: GPL-2.0-only */
/* When the value of each register is there, and who made it. */
#ifndef KASSAY_CORE_REGISTERS_H
#define KASSAY_CORE_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "params.h"
#include "program.h"

struct value {
	uint64_t ready;  /* when it is there */
	uint64_t writer; /* twice the number of the instruction that made it, and one if that only loads */
};

extern struct value registers[REGISTERS];

/* When the values of @count registers of @list are there, from @from on. */
static INLINE uint64_t registers_ready(const uint8_t *list, unsigned int count, uint64_t from)
{
	for (const uint8_t *end = list + count; list < end; list++)
		from = later(from, registers[*list].ready);
	return from;
}

/* The same of all that @insn reads. */
static INLINE uint64_t registers_all_ready(const struct insn *insn, uint64_t from)
{
	return registers_ready(insn->registers, insn->reads, from);
}

static INLINE bool registers_is_loaded(unsigned int number)
{
	return registers[number].writer & 1;
}

/* Instruction @number writes its registers in @done. */
static INLINE void registers_write(const struct insn *insn, uint64_t number, uint64_t done)
{
	bool loaded = insn->kind == MOVE ? registers_is_loaded(insn->registers[0]) : insn->only_loads;
	const uint8_t *list = insn->registers + insn->reads;

	for (const uint8_t *end = list + insn->writes; list < end; list++)
		registers[*list] = (struct value){ done, number << 1 | loaded };
}

/* The same for two addresses that are made of the same registers with the same values. */
static INLINE uint64_t registers_name(const struct insn *insn)
{
	uint64_t name = 1;

	for (unsigned int n = 0; n < insn->address_reads; n++)
		name = (name ^ registers[insn->registers[n]].writer ^ (uint64_t)insn->registers[n] << 56) * 0x9e3779b97f4a7c15u;
	return name;
}

#endif
