/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All arguments of calls, as one sum for each name of a call: two executions that make the same calls with the same
 * arguments, in any order, have the same sums. Another sum says that a call was made otherwise, and not how.
 */
#ifndef KASSAY_ARGUMENTS_H
#define KASSAY_ARGUMENTS_H

#include <stdint.h>
#include <sys/types.h>

#include "run.h"

/* Whose calls: those of the first process, or those of its children and threads. */
enum caller { FIRST, OTHERS };

/* @pid enters a call. */
void arguments_note(pid_t pid, enum caller caller, uint64_t number, const uint64_t *args);

/* One of the first process has succeeded: later arguments may point into a mapping that it made, or below a new break. */
void arguments_succeeded(uint64_t number, const uint64_t *args, uint64_t returned);

/* The sum of a call; 0 for a call that was not made, or whose arguments are not compared. */
uint64_t arguments_sum(enum caller caller, uint64_t number);

#endif
