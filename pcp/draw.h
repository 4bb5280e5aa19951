/* SPDX-License-Identifier: GPL-2.0-only */
/* Random numbers: splitmix64, so that a seed gives the same run on every host. */
#ifndef KASSAY_PCP_DRAW_H
#define KASSAY_PCP_DRAW_H

#include <stdint.h>

static inline uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* From 0 to @end - 1, evenly; @end is below 2^32 times 2^32. */
static inline uint64_t draw_below(uint64_t *state, uint64_t end)
{
	return (uint64_t)(((unsigned __int128)draw(state) * end) >> 64);
}

#endif
