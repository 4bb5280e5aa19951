/* SPDX-License-Identifier: GPL-2.0-only */
/* Mappings whose shape does not depend on what else is mapped, and the steps that make, write and unmap them. */
#ifndef KASSAY_MEMORY_H
#define KASSAY_MEMORY_H

#include "script.h"

/* Bytes of a base page, and of the page that one entry of the next level maps (PMD), of the kernel this runs on. */
size_t page_bytes(void);
size_t huge_page_bytes(void);

/*
 * Address space for @length bytes, aligned to a huge page, with inaccessible pages on both sides, so that no
 * neighbour merges with what is mapped there. The address as a number, which steps take; 0 on error.
 */
uint64_t memory_reserve(struct run *run, size_t length);

/* A step that maps @length bytes at *@start (from memory_reserve), readable and writable. fd: -1 for anonymous. */
void memory_map(struct script *script, uint64_t *start, size_t length, bool shared, int fd);

/*
 * A file on the kernel's own tmpfs of @length bytes, all of whose pages exist and hold @stamp; a descriptor, or -1 after
 * fail().
 */
int memory_file(struct run *run, size_t length, uint64_t stamp);

/* A step that takes the mapping away again and keeps the address space. */
void memory_unmap(struct script *script, uint64_t *start, size_t length);

/* A step that asks for base pages (satisfied as well by a kernel that has no others), or for huge pages. */
void memory_want_base(struct script *script, uint64_t *start, size_t length);
void memory_want_huge(struct script *script, uint64_t *start, size_t length);

/* Switches huge pages off for the whole process, for memory that no advice reaches. Returns 0 or what fail() returns. */
int memory_only_base(struct run *run);

/* Whether @length can be all huge pages. Returns 0 or what fail() returns. */
int memory_check_huge(struct run *run, size_t length);

/* A step that makes a written shared range consist of huge pages, whatever the policy of the system. */
void memory_collapse(struct script *script, uint64_t *start, size_t length);

/* A step that writes @stamp to the first word of each base page. args[1] is the stamp. */
struct step *memory_fill(struct script *script, uint64_t *start, size_t length, uint64_t stamp);

/* A step that writes one byte to each base page. */
void memory_write_byte(struct script *script, uint64_t *start, size_t length);

/* Base pages of the range that hold @stamp; not for a round. */
uint64_t memory_stamped(uint64_t start, size_t length, uint64_t stamp);

/* A counter of /proc/vmstat; returns false when the kernel has none of this name. */
bool vmstat_read(const char *name, uint64_t *ret);

#endif
