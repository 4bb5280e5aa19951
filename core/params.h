/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KASSAY_CORE_PARAMS_H
#define KASSAY_CORE_PARAMS_H

#include <stdint.h>
#include <stdio.h>

/* A CPU. Times are in 1/100 cycle here; cycles() rounds one to whole cycles. */
struct params {
#define PARAM(kind, name, low, high, meaning) uint32_t name;
#include "params.def"
#undef PARAM
};

extern struct params params;

/* Reads the PARAMS file; ends the program with its line where it is wrong. */
void params_read(const char *path);

/* Seldom needed: a caller that does without it is to be a fast one. */
#define NOINLINE __attribute__((noinline))
#define INLINE inline __attribute__((always_inline))

static inline uint64_t cycles(uint32_t time)
{
	return (time + 50) / 100;
}

static inline uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

#endif
