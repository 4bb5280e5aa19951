/* SPDX-License-Identifier: GPL-2.0-only */
/* Mappings whose shape does not depend on what else is mapped. */
#ifndef KASSAY_MEMORY_H
#define KASSAY_MEMORY_H

#include "workload.h"

/*
 * Address space for @length bytes, 2 MiB aligned, with inaccessible pages on
 * both sides, so that no neighbour merges with what is mapped there. NULL on error.
 */
char *memory_reserve(struct run *run, size_t length);

/* Maps @length bytes at @start (from memory_reserve), readable and writable. fd: -1 for anonymous. */
int memory_map(struct run *run, char *start, size_t length, bool shared, int fd);

/* Takes the mapping away again and keeps the address space. */
int memory_unmap(struct run *run, char *start, size_t length);

/* Asks for 4 KiB pages (satisfied as well by a kernel that has no others), or for 2 MiB pages. */
int memory_want_base(struct run *run, char *start, size_t length);
int memory_want_huge(struct run *run, char *start, size_t length);

/* Makes a written shared range consist of 2 MiB pages, whatever the policy of the system. */
int memory_collapse(struct run *run, char *start, size_t length);

/* Writes @stamp to the first word of each 4 KiB page; counts the pages where it stands. */
void memory_write(char *start, size_t length, uint64_t stamp);
uint64_t memory_count(const char *start, size_t length, uint64_t stamp);

/* A counter of /proc/vmstat; returns false when the kernel has none of this name. */
bool vmstat_read(const char *name, uint64_t *ret);

#endif
