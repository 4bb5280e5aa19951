/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of /sys and the like that set how the kernel works: written for a run, and put back after it. */
#ifndef KASSAY_TUNABLE_H
#define KASSAY_TUNABLE_H

#include "workload.h"

/*
 * Writes @text to @path, whose content must be one short line; of words to choose from the one in brackets is put
 * back. Returns 0 or what fail() returns; @feature is what a
 * kernel without this file lacks, as its configuration calls it.
 */
int tunable_set(struct run *run, const char *path, const char *text, const char *feature);

/* For teardown(): gives every file its former content, the last one first. */
void tunable_restore(void);

/* Writes all of @text to @path with one call. Returns 0 or -1 (errno). */
int write_text_file(const char *path, const char *text);

#endif
