/* SPDX-License-Identifier: GPL-2.0-only */
/* One memory access of an instruction. */
#ifndef KASSAY_CORE_ACCESS_H
#define KASSAY_CORE_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

struct access {
	uint64_t address, physical;
	uint32_t index; /* of the instruction in its block */
	bool store;
};

#endif
