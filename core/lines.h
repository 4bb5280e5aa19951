/* SPDX-License-Identifier: GPL-2.0-only */
/* Cache lines by number: who touches each of them, and under which lock. */
#ifndef KASSAY_CORE_LINES_H
#define KASSAY_CORE_LINES_H

#include <stdbool.h>
#include <stdint.h>

struct line {
	uint64_t number; /* address of its first byte, by 64 */
	uint64_t lock;   /* that is held whenever it is touched; 0: none */
	uint32_t holds;  /* of that lock in which it was touched */
	uint32_t last;   /* number of the last one of these */
	uint32_t place;  /* of the line in its list */
	bool touched, stored;
};

/* The line, a new one if it was not asked for before. Valid until the next call. */
struct line *lines_find(uint64_t number);

/* A name that stays. */
uint32_t lines_number(const struct line *line);
struct line *lines_at(uint32_t number);

#endif
