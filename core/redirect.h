/* SPDX-License-Identifier: GPL-2.0-only */
/* Taken branches, mispredictions and exceptions, which send the front end elsewhere. */
#ifndef KASSAY_CORE_REDIRECT_H
#define KASSAY_CORE_REDIRECT_H

#include <stdint.h>

#include "program.h"

/* @next is executed after @block, whose last instruction is a jump that is done in @done. */
void redirect_branch(const struct block *block, const struct block *next, uint64_t done);

/* The kernel is entered behind @block, which takes @cost, in 1/100 cycles. */
void redirect_enter(const struct block *block, uint32_t cost);

#endif
