/* SPDX-License-Identifier: GPL-2.0-only */
/* The core: what it makes of the trace, in the order of execution. */
#ifndef KASSAY_CORE_PIPELINE_H
#define KASSAY_CORE_PIPELINE_H

#include <stdint.h>

#include "access.h"
#include "program.h"

void pipeline_start(uint32_t placement);

/* The first @limit instructions of @block are executed, with these accesses in order. */
void pipeline_block(struct block *block, uint32_t limit, const struct access *accesses, uint32_t count);

/* @next is executed after the whole of @block: the branch at its end is known. */
void pipeline_follow(const struct block *block, const struct block *next);

/* The repeated string instruction of @block goes on @times further; @strides: of each access from time to time. */
void pipeline_repeat(struct block *block, const struct access *accesses, const int64_t *strides, uint32_t count,
		     uint64_t times);

/* An exception comes after the last instruction of @block that was executed. */
void pipeline_exception(const struct block *block);
void pipeline_interrupt(const struct block *block);

#endif
