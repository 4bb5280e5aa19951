/* SPDX-License-Identifier: GPL-2.0-only */
/* Whole numbers as text: digits only, no sign, no blanks, and none that does not fit. */
#ifndef KASSAY_NUMBER_H
#define KASSAY_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* The number that @text begins with; returns the first character after it, or NULL when there is none. */
const char *parse_digits(const char *text, uint64_t *ret);

/* Whether all of @text is one number. */
bool parse_number(const char *text, uint64_t *ret);

/* The number that is all of a kernel's one-line file. Returns 0 or -1 (errno). */
int read_number_file(const char *path, uint64_t *ret);

#endif
