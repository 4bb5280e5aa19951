/* SPDX-License-Identifier: GPL-2.0-only */
/* Text files of lines of words, and the end of the program where one is wrong. */
#ifndef KASSAY_CORE_TEXT_H
#define KASSAY_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
	const char *path;
	char *bytes;
	size_t size;
	char *next;  /* the next line */
	char *word;  /* the next word of this one */
	unsigned long line;
};

/* The whole file; an error ends the program. */
struct text text_open(const char *path);
void text_close(struct text *text);

/* Goes to the next line that is not empty; false at the end. */
bool text_line(struct text *text);

/* The next word of the line; "" is an error. */
char *text_word(struct text *text);

/* The next word as a number. */
uint64_t text_number(struct text *text, uint64_t low, uint64_t high);

/* The next word, a number with at most two decimals, times @unit (1 or 100). */
uint64_t text_decimal(struct text *text, unsigned int unit);

/* "PATH:LINE: MESSAGE" to stderr, and exit status 2. */
void text_wrong(const struct text *text, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* Zeroed memory; there is always some. */
void *allocate(size_t count, size_t size);

#endif
