/* SPDX-License-Identifier: GPL-2.0-only */
/* Caches, memory, and what is fetched ahead. Addresses are physical. */
#ifndef KASSAY_CORE_MEMORY_H
#define KASSAY_CORE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "account.h"
#include "address.h"

struct habit;

/* When a line is there, and where it came from. */
struct arrival {
	uint64_t ready;
	enum cause level;
};

/* @placement: each number lets the pages lie in physical memory in another way. */
void memory_start(uint32_t placement);

/* A load or a store of @line whose address is known in @cycle. */
struct arrival memory_access(uint64_t line, uint64_t cycle, bool store);

/* A read of a page walk. */
struct arrival memory_walk(uint64_t line, uint64_t cycle);

/* A line of code that is not in the first level; .ready is that of its first byte. */
struct arrival memory_code(uint64_t line, uint64_t cycle);

/* Where a line of a string is; it is in the first level from now on. Takes no time by itself. */
enum cause memory_string(uint64_t line, bool store, uint64_t cycle);

/* What an instruction accesses at @address, for the stride prefetcher. */
void memory_stride(struct habit *habit, uint64_t address, uint64_t cycle);

#endif
