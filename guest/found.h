/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls find pages of the range that they name, all memory of the process that they copy or end, and a number of earlier
 * calls. A call costs more where it finds more, and the work before it decides that.
 */
#ifndef KASSAY_FOUND_H
#define KASSAY_FOUND_H

#include <stdint.h>
#include <sys/types.h>

#include "arguments.h"

/* Sums over the calls of one name; those of memory over the calls that were looked at. */
struct found {
	uint64_t calls, before; /* calls of all names before them */
	uint64_t looked, bytes, huge_bytes, mappings, table_bytes, faults;
};

/* @pid enters a call on @target, a word of targets.h or "". A file of /proc/PID shows all memory of a process. */
void found_note(pid_t pid, enum caller caller, uint64_t number, const uint64_t *args, const char *target);

/* The sums of a call; no calls for one that was not made. */
struct found found_by(enum caller caller, uint64_t number);

#endif
