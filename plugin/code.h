/* SPDX-License-Identifier: GPL-2.0-only */
/* The little that must be known of machine code while it runs; all other decoding is the host's. */
#ifndef KASSAY_CODE_H
#define KASSAY_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum target { TARGET_X86_64, TARGET_AARCH64 };

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

/* What the instruction @code of @size bytes at @address does as the last one of a block. */
struct last_insn code_ending(enum target target, const uint8_t *code, size_t size, uint64_t address);

/* The letter of a region mark (guest/clock.h), or 0. */
int code_mark(enum target target, const uint8_t *code, size_t size);

/* Whether the instruction saves the stack pointer of one task, or loads that of the next: the heart of a task switch. */
bool code_moves_stack(enum target target, const uint8_t *code, size_t size);

/* Whether an address is in the user's half. */
static inline bool code_is_user(uint64_t address)
{
	return !(address >> 63);
}

#endif
