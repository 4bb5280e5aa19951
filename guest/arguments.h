/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All arguments of the first process's calls, as one sum for each name of a call: two executions that make the same calls
 * with the same arguments, in any order, have the same sums. Another sum says that a call was made otherwise, and not how.
 */
#ifndef KASSAY_ARGUMENTS_H
#define KASSAY_ARGUMENTS_H

#include <stdint.h>
#include <sys/types.h>

#include "run.h"

/* @pid enters a call. */
void arguments_note(pid_t pid, uint64_t number, const uint64_t *args);

/* It has succeeded: a mapping that it made, or a move of the break, is where later arguments may point to. */
void arguments_succeeded(uint64_t number, const uint64_t *args, uint64_t returned);

/* The sum of a call; 0 for a call that was not made, or whose arguments are not compared. */
uint64_t arguments_sum(uint64_t number);

#endif
