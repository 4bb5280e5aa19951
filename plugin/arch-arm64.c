// SPDX-License-Identifier: GPL-2.0-only
/* Encodings: Arm ARM DDI 0487, chapter C4 (A64). */
#include <string.h>

#include "code.h"

/*
 * At wfe QEMU gives the other CPUs a turn and goes on (HELPER(wfe) in its target/arm/tcg/op_helper.c, read up to
 * version 10); later ones may wait for the event. Delay loops of the kernel are made of it.
 */
#define WFE_HALTS (KASSAY_QEMU_MAJOR > 10)

static uint32_t word_of(const uint8_t *code, size_t size)
{
	uint32_t word = 0;

	if (size == sizeof(word))
		memcpy(&word, code, sizeof(word));
	return word;
}

static uint64_t branch_target(uint64_t address, uint32_t word, unsigned int low, unsigned int bits)
{
	int64_t field = (int64_t)((uint64_t)word << (64 - low - bits)) >> (64 - bits);

	return address + (uint64_t)(field * 4);
}

static struct last_insn ending(const uint8_t *code, size_t size, uint64_t address)
{
	uint32_t word = word_of(code, size);

	if (word >> 26 == 0x25)
		return (struct last_insn){ END_CALL, branch_target(address, word, 0, 26) };
	if (word >> 26 == 0x05)
		return (struct last_insn){ END_JUMP, branch_target(address, word, 0, 26) };
	if (word >> 24 == 0x54 || (word & 0x7e000000) == 0x34000000) /* b.cond; cbz, cbnz */
		return (struct last_insn){ END_JUMP, branch_target(address, word, 5, 19) };
	if ((word & 0x7e000000) == 0x36000000) /* tbz, tbnz */
		return (struct last_insn){ END_JUMP, branch_target(address, word, 5, 14) };
	if (word == 0xd69f03e0)
		return (struct last_insn){ END_EXCEPTION_RETURN, 0 };
	switch (word & 0xfefff000) { /* with and without pointer authentication */
	case 0xd61f0000:
		return (struct last_insn){ END_JUMP_INDIRECT, 0 };
	case 0xd63f0000:
		return (struct last_insn){ END_CALL_INDIRECT, 0 };
	case 0xd65f0000:
		return (struct last_insn){ END_RETURN, 0 };
	}
	if ((word & 0xffe0001f) == 0xd4000001)
		return (struct last_insn){ END_SYSCALL, 0 };
	if (word == 0xd503207f || (WFE_HALTS && word == 0xd503205f)) /* wfi, wfe */
		return (struct last_insn){ END_HALT, 0 };
	return (struct last_insn){ END_PLAIN, 0 };
}

/* movz xzr, #0x4b<letter> */
static int mark(const uint8_t *code, size_t size)
{
	uint32_t word = word_of(code, size);

	return (word & 0xffe0001f) == 0xd280001f && (word >> 13 & 0xff) == 0x4b ? (int)(word >> 5 & 0xff) : 0;
}

/* stp and ldp of x19, x20 with [x8], #16, the first of cpu_switch_to. */
static bool moves_stack(const uint8_t *code, size_t size)
{
	uint32_t word = word_of(code, size);

	return word == 0xa8815113 || word == 0xa8c15113;
}

/* tlbi; msr of sctlr_el1, ttbr0_el1, ttbr1_el1, tcr_el1. */
static bool moves_pages(const uint8_t *code, size_t size)
{
	uint32_t word = word_of(code, size);

	return (word & 0xfff8e000) == 0xd5088000 || (word & 0xfffff000) == 0xd5181000 || (word & 0xfffff000) == 0xd5182000;
}

/* Base register sp or x29; store exclusive, compare and swap, and the atomics of LSE. */
static enum store store(const uint8_t *code, size_t size)
{
	uint32_t word = word_of(code, size), base = word >> 5 & 31;

	if (base == 31 || base == 29)
		return STORE_STACK;
	if ((word & 0x3f000000) == 0x08000000 || (word & 0x3b200c00) == 0x38200000)
		return STORE_ATOMIC;
	return STORE_PLAIN;
}

static struct arch arm64 = {
	.target = "aarch64", .ending = ending, .mark = mark, .moves_stack = moves_stack, .moves_pages = moves_pages,
	.store = store, .cpu_registers = { "TPIDR_EL1" },
};

ARCH(arm64)
