/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The little that must be known of machine code while it runs; all other
 * decoding is the host's. Each architecture is one file, arch-NAME.c, which
 * ends with ARCH(): nothing else names it.
 */
#ifndef KASSAY_CODE_H
#define KASSAY_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifndef KASSAY_QEMU_MAJOR /* of the QEMU that the plugin is built for */
#define KASSAY_QEMU_MAJOR 7
#endif

/* How a block ends: where control goes after its last instruction. */
enum ending {
	END_PLAIN,         /* to what follows */
	END_JUMP,          /* to a fixed place, always or on a condition */
	END_CALL,          /* to a fixed place, and back */
	END_JUMP_INDIRECT, /* to an address from a register or memory */
	END_CALL_INDIRECT,
	END_RETURN,
	END_SYSCALL,       /* into the kernel */
	END_EXCEPTION_RETURN,
	END_SYSCALL_RETURN,
	END_HALT,
	END_REPEAT,        /* to itself, until a count is used up */
};

struct last_insn {
	enum ending ending;
	uint64_t target; /* END_JUMP and END_CALL */
};

/* Where an instruction that stores to memory stores to, and how. */
enum store {
	STORE_STACK,  /* relative to the stack or frame pointer */
	STORE_PLAIN,
	STORE_ATOMIC, /* an atomic read-modify-write, not on the stack */
};

#define CPU_REGISTERS 2

struct arch {
	struct arch *next;
	const char *target; /* QEMU's name of it */
	/* What the instruction @code of @size bytes at @address does as the last one of a block. */
	struct last_insn (*ending)(const uint8_t *code, size_t size, uint64_t address);
	/* The letter of a region mark (guest/clock.h), or 0. */
	int (*mark)(const uint8_t *code, size_t size);
	/* Whether the instruction saves the stack pointer of one task, or loads that of the next: the heart of a task switch. */
	bool (*moves_stack)(const uint8_t *code, size_t size);
	/*
	 * Whether a page may be elsewhere after the instruction: it drops translations, or writes a register of
	 * theirs. For traces; NULL: not known, which makes them slower.
	 */
	bool (*moves_pages)(const uint8_t *code, size_t size);
	/* How an instruction stores, if it stores at all. To follow deferred work; NULL: not known, and it is not followed. */
	enum store (*store)(const uint8_t *code, size_t size);
	/*
	 * Registers, as QEMU names them, of which the first one with an address in the kernel's half has that of the
	 * CPU's own data. For machines of several CPUs with QEMU 9.1 or later, which have no profile without them.
	 */
	const char *cpu_registers[CPU_REGISTERS];
};

void arch_add(struct arch *arch);

/* The architecture that QEMU calls @target, or NULL. */
const struct arch *arch_find(const char *target);

/* Writes the names of all that are known. */
void arch_list(FILE *out);

/* Makes the architecture @arch known before anything else runs. */
#define ARCH(arch)                                                  \
	static __attribute__((constructor)) void add_this_arch(void) \
	{                                                            \
		arch_add(&(arch));                                   \
	}

/* Whether an address is in the user's half. */
static inline bool code_is_user(uint64_t address)
{
	return !(address >> 63);
}

#endif
