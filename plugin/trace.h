/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The dynamic stream of chosen rounds: every block and every memory access, in
 * the order of execution, for models of a CPU. docs/reference/formats.md, "kassay-trace/1".
 *
 * All of it stays in memory until the end, at most as much as the budget: where
 * a fault came in is known only when the guest has come back from it.
 */
#ifndef KASSAY_TRACE_H
#define KASSAY_TRACE_H

#include "block.h"

/* One instruction of a block, and where it went last: to the same distance again, as a rule. */
struct access {
	struct block *block;
	uint32_t index;
	uint64_t last;
	uint64_t stride;
};

/* @rounds: "5:6:11". @budget: bytes. Returns 0, or -1 when @rounds are not understood. */
int trace_ask(const char *path, const char *rounds, uint64_t budget);

/* The region begins. */
void trace_start(const char *target, unsigned int intervals);

/* For the memory callbacks of @block's instructions; @arch: of its code. */
struct access *trace_accesses(const struct arch *arch, struct block *block);

/* From the next block on it is this round and interval; round 0: none. */
void trace_turn(uint32_t round, unsigned int interval);

/* A block begins. */
void trace_block(unsigned int cpu, struct block *block, enum context context);

/* An access of the block that began last on this CPU. @info: of QEMU's callback. */
void trace_access(unsigned int cpu, struct access *access, uint32_t info, uint64_t address);

/*
 * The block that began last on this CPU was left in its middle; the next one enters an exception, or
 * goes on in it. Not @certain: an interrupt came, and only when it is over is it known whether the block had
 * been executed to its end. Returns where to write how far it was executed, 0 when it is not recorded.
 */
size_t trace_leave(unsigned int cpu, bool certain);
void trace_executed(size_t place, uint32_t instructions);

/* Another task runs on this CPU. */
void trace_switch(unsigned int cpu);

/* Writes the file. Returns 0, or -1 (errno). */
int trace_close(void);

#endif
