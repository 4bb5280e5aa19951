/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Addresses the host knows by name. The file has lines "KIND START END", the
 * addresses in hex, END exclusive; functions, and entries among them, sorted by START. "nth_from N N" and
 * "nth_to N N": only the N-th time that such a point is reached counts.
 */
#ifndef KASSAY_POINTS_H
#define KASSAY_POINTS_H

#include <stdbool.h>
#include <stdint.h>

#include "roles.h"

#define POINT_DEFER_SHIFT 10
#define POINT_DEFER(kind, role) ((unsigned int)(role) << (POINT_DEFER_SHIFT + ROLE_BITS * (kind)))

enum point {
	POINT_FAULT = 1,     /* first instruction of an exception's entry */
	POINT_INTERRUPT = 2, /* of an interrupt's entry; a range for tables of entries */
	POINT_THUNK = 4,     /* code that stands for an indirect jump */
	POINT_SWITCH = 8,    /* the function that changes from one task's stack to another's */
	POINT_BIRTH = 16,    /* the function that writes a new task's first stack pointer */
	POINT_FROM = 32,     /* of a program: a round of it begins here */
	POINT_TO = 64,       /* and ends here */
	POINT_ZONE = 128,    /* a function that takes the lock of a zone of memory */
	POINT_LOCK = 256,    /* first instruction of what takes a lock */
	POINT_NAMELESS = 512, /* code of which no function is known, and whose calls are not followed */
	/* From bit POINT_DEFER_SHIFT on: what a function does for deferred work (defer.h). */
};

/* Reads the file. Returns 0, or -1 after a message on stderr. */
int points_read(const char *path);

/* Or of the points that @address lies in. */
unsigned int points_at(uint64_t address);

/* Whether there is any point of @kind. */
bool points_have(unsigned int kind);

/* Whether the @number-th time (from 1) that a point of @kind is reached counts. */
bool points_nth(unsigned int kind, uint64_t number);

/* Start of the function that @address lies in, or 0. */
uint64_t points_function(uint64_t address);

/* Whether a function begins at @address for whose sake the kernel runs: of a system call, a fault, a new task. */
bool points_entry(uint64_t address);

#endif
