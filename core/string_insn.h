/* SPDX-License-Identifier: GPL-2.0-only */
/* Repeated string instructions: a start, and a time for each line by where it is. */
#ifndef KASSAY_CORE_STRING_INSN_H
#define KASSAY_CORE_STRING_INSN_H

#include <stdbool.h>
#include <stdint.h>

#include "access.h"
#include "program.h"

/* Its first time, from @cycle on; @again: it goes on, after a fault for example. When that is done. */
uint64_t string_begin(const struct insn *insn, const struct access *accesses, uint32_t count, bool again,
		      uint64_t cycle);

/* @times further, each access @strides from the one before. */
uint64_t string_go_on(const struct insn *insn, const struct access *accesses, const int64_t *strides, uint32_t count,
		      uint64_t times, uint64_t cycle);

#endif
