/* SPDX-License-Identifier: GPL-2.0-only */
/* Which lines are fetched ahead: streams within a page, and strides of one instruction. */
#ifndef KASSAY_CORE_PREFETCH_H
#define KASSAY_CORE_PREFETCH_H

#include <stdbool.h>
#include <stdint.h>

struct habit;

/* The first level asked for @line; @fetch gets each line that is to be fetched ahead. */
void prefetch_stream(uint64_t line, uint64_t cycle, void (*fetch)(uint64_t line, uint64_t cycle));

/* An instruction accesses @address. Whether a line is to be fetched into the first level, and which. */
bool prefetch_stride(struct habit *habit, uint64_t address, uint64_t *line);

#endif
