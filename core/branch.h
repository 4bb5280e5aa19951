/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The front end's guesses: directions by a table of counters and tables with
 * history and tag, targets by a table of branches, indirect ones by path,
 * returns by a stack.
 */
#ifndef KASSAY_CORE_BRANCH_H
#define KASSAY_CORE_BRANCH_H

#include <stdbool.h>
#include <stdint.h>

struct insn;

enum guess {
	GUESS_RIGHT,
	GUESS_LATE,  /* a direct branch whose target had to be decoded */
	GUESS_WRONG, /* known when the branch is executed */
	GUESS_ELSEWHERE, /* the same of a return to another place than behind its call */
};

void branch_start(void);

/* @insn, which ends its block, went on at @next; @after: the address behind it. */
enum guess branch_resolve(const struct insn *insn, uint64_t after, uint64_t next);

/* Cycles until the next taken branch is predicted, in 1/100, after the branch or jump at @address. */
uint32_t branch_taken(uint64_t address);

#endif
