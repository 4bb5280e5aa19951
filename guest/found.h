/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls find pages of the ranges that they name, cached pages of files, all memory of a process that they copy or end,
 * and a number of earlier calls. A call costs more where it finds more, and the work before it decides that.
 */
#ifndef KASSAY_FOUND_H
#define KASSAY_FOUND_H

#include <stdint.h>
#include <sys/types.h>

#include "arguments.h"

/* Memory that one call finds: of the ranges or the part of a file that it names, or of a process that it copies. */
struct memory {
	uint64_t bytes; /* of present pages; of a process those of anonymous ones */
	uint64_t swapped_bytes, cached_bytes; /* in swap; of a file, in memory */
	uint64_t huge_bytes, mappings, table_bytes; /* of a process */
};

/* Sums over the calls of one name; those of memory over the calls that were looked at. */
struct found {
	uint64_t calls, before; /* calls of all names before them */
	uint64_t looked, faults;
	uint64_t files; /* calls whose file was looked at; they are no part of those looked at */
	struct memory memory;
};

/* @pid enters a call on @target, a word of targets.h or "". A file of /proc/PID shows all memory of a process. */
void found_note(pid_t pid, enum caller caller, uint64_t number, const uint64_t *args, const char *target);

/* The sums of a call; no calls for one that was not made. */
struct found found_by(enum caller caller, uint64_t number);

/*
 * Writes the memory that each call of the first process found, in their order: "TIMES:NUMBERS,...", once for calls
 * that find the same. The numbers are those of struct memory, in kB where they are bytes, with a slash between them,
 * and without zeros at the end. Writes "-" if it does not fit. Returns its length.
 */
size_t found_each(uint64_t number, char *text, size_t size);

#endif
