/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lets libFuzzer execute a program of kassay in its own process, again and again. What the program's variables hold is
 * put back before each execution, exit() goes back to the harness, and memory that was not freed is.
 */
#ifndef TRIALS_HARNESS_H
#define TRIALS_HARNESS_H

#include <stddef.h>
#include <stdint.h>

/* One execution over an input. Each target defines it. */
void trial(const uint8_t *data, size_t size);

/* A path at which @data is, until the next call for the same @slot (0 to 2). */
const char *trial_file(unsigned int slot, const uint8_t *data, size_t size);

/* A file that the build made beside the harness, whole. */
const uint8_t *trial_fixed(const char *name, size_t *ret_size);

/* The input as a text. It ends with a zero byte, and is freed behind the execution. */
char *trial_text(const uint8_t *data, size_t size);

#endif
