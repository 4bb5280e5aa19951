/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When locks are taken and given back, and when shared lines are written: for `kassay predict --scale`. Nothing is
 * watched unless the program was given a fourth argument. The format is in docs/explained/core.md.
 */
#ifndef KASSAY_CORE_WATCH_H
#define KASSAY_CORE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "access.h"
#include "program.h"

extern bool watching;

/* Reads the file; ends the program with its line where it is wrong. */
void watch_read(const char *path);

/* Instruction @n of @block was executed, with these accesses. */
void watch_insn(const struct block *block, uint32_t n, const struct access *accesses, uint32_t count);

/* The last instruction of @block was repeated @times, each access @strides from the one before. */
void watch_repeat(const struct block *block, const struct access *accesses, const int64_t *strides, uint32_t count,
		  uint64_t times);

void watch_turn(uint32_t round, uint32_t interval);
void watch_context(uint32_t context);

/* Prints what was seen. */
void watch_end(void);

#endif
