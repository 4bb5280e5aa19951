/* SPDX-License-Identifier: GPL-2.0-only */
/* What the harness does in place of calls of a program; replaced.h gives the program these names. */
#ifndef TRIALS_CALLS_H
#define TRIALS_CALLS_H

#include <stddef.h>
#include <sys/types.h>

__attribute__((noreturn)) void trial_exit(int status);
void *trial_malloc(size_t size);
void *trial_calloc(size_t count, size_t size);
void *trial_realloc(void *memory, size_t size);
void trial_free(void *memory);
void *trial_mmap(void *where, size_t size, int protection, int flags, int fd, off_t offset);
int trial_open(const char *path, int flags, ...);
int trial_fchmod(int fd, mode_t mode);

#endif
