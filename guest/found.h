/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory that calls find: pages of the range that a call names, or all of the process that it copies or ends. The
 * same call costs more where it finds more, and what was done before decides that.
 */
#ifndef KASSAY_FOUND_H
#define KASSAY_FOUND_H

#include <stdint.h>
#include <sys/types.h>

#include "arguments.h"

/* Sums over the calls of one name that were looked at. */
struct found {
	uint64_t calls, bytes, huge_bytes, mappings, table_bytes;
};

/* @pid enters a call. */
void found_note(pid_t pid, enum caller caller, uint64_t number, const uint64_t *args);

/* The sums of a call; no calls for one that was not made, or that finds no memory. */
struct found found_by(enum caller caller, uint64_t number);

#endif
