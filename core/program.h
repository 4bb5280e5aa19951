/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The PROGRAM file: the instructions of the trace's blocks. docs/explained/core.md has the
 * format; this is what remains of it, with what the model remembers of each
 * instruction while it runs.
 */
#ifndef KASSAY_CORE_PROGRAM_H
#define KASSAY_CORE_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define REGISTERS 96
#define PORT_GROUPS 4

enum kind {
	PLAIN, BRANCH, JUMP, CALL, RETURN, JUMP_INDIRECT, CALL_INDIRECT, SYSCALL, SYSRETURN, SERIALIZE,
	FENCE_LOAD, FENCE_FULL, FENCE_STORE, REPEAT, NOP, MOVE, ZERO, PREFETCH, FLUSH_ALL, FLUSH_PAGE, UNKNOWN,
	REMOVED, /* of a what-if: as if it were not in the trace */
	KINDS
};

/* Without padding: equal ones are found by their bytes. */
struct port_group {
	uint32_t mask, count;
};

/* What an instruction that accesses memory did last. */
struct habit {
	uint64_t guess, stride; /* the trace's guess of the next address */
	/* Of the stride prefetcher. */
	uint64_t last, line;
	int64_t step;
	unsigned int steady;
};

/* An atomic operation computes what it stores from what it loads; an exchange does not. */
enum lock { LOCK_COMPUTES = 1, LOCK_EXCHANGES };

enum trait {
	PREFIXED = 1,      /* a prefix changes the length of its immediate */
	FIRST_DECODER = 2, /* no other decoder takes it */
	NEAR_BASE = 4,     /* the address is one register and less than 2048 bytes more */
	MOVES_STACK = 8,   /* the front end moves the stack pointer on */
	USES_STACK = 16,   /* it uses the stack pointer itself */
	SPLIT = 32,        /* dispatch makes one micro-op more of it than the decoders */
	BASED = 64,        /* its load's address is a constant and at most one register; it joins no register with memory */
	TRAITS = 127,
};

#define STACK_POINTER 4 /* its register */

/* How an instruction goes through the core if it accesses no memory. 0: in a way of its own. */
enum simple {
	PASSES = 1, /* when what it reads is there, it is done */
	COMPUTES,   /* it takes ports for some time */
};

/* In the order of use, and as small as it can be: the model's speed depends on it. */
struct insn {
	uint64_t address;
	uint8_t length, kind;
	uint16_t uops;
	uint8_t address_reads, reads, writes, groups; /* reads: those of the address, then those of data */
	const uint8_t *registers; /* reads, writes */
	const struct port_group *ports; /* those of @others, then those of loads alone, which need no more than the address */
	uint32_t latency, fixed; /* cycles */
	struct habit *habit;
	uint16_t load_bytes, store_bytes;
	uint8_t lock; /* 0 or one of enum lock */
	uint8_t traits; /* of enum trait */
	uint8_t opcode; /* bytes before its opcode */
	uint8_t computed; /* micro-ops that are neither loads nor addresses of stores */
	uint16_t slots;   /* micro-ops that are dispatched and retired */
	uint8_t simple;   /* 0 or one of enum simple */
	uint8_t others;   /* groups of ports that are not of loads alone */
	bool microcode;   /* it comes from the microcode sequencer, which takes time to be switched to */
	bool special;     /* dispatch has more to do: it is of the microcode, or has a trait of the stack pointer */
	bool only_loads;  /* what it writes was loaded and nothing more */
};

static inline bool jumps(const struct insn *insn)
{
	return insn->kind >= BRANCH && insn->kind <= CALL_INDIRECT;
}

struct block {
	uint64_t start, end; /* end: the address after it */
	uint32_t count, function;
	struct insn *insns;
	uint32_t successor; /* the block that followed it last time, UINT32_MAX: none yet */
	bool known;
};

extern struct program {
	struct block *blocks;
	uint32_t count;
	uint32_t functions; /* the highest index and one */
} program;

/* Reads the file; ends the program with its line where it is wrong. */
void program_read(const char *path);

#endif
