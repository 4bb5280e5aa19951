/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages of files in memory (tmpfs, memfd): a call finds those that were written before it, and holes. */
#ifndef KASSAY_CACHED_H
#define KASSAY_CACHED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct part {
	uint64_t file, offset, length; /* a length of 0: to the end of the file */
};

/* The part of a file that a call works on. Returns false for other calls. */
bool part_given(pid_t pid, uint64_t number, const uint64_t *args, struct part *ret);

/*
 * Bytes of a part that are in memory, or in swap. Returns false before Linux 6.5. Returns false for files that are not on
 * tmpfs or ramfs, since kernels differ in what they read ahead.
 */
bool bytes_cached(pid_t pid, struct part part, uint64_t *ret);

#endif
