/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All arguments of calls, as one number for each name of a call. Two executions have the same numbers if they make the
 * same calls with the same arguments: the first process in the same order for each name, its children and threads in any
 * order. Another number says that a call was made otherwise, and not how.
 */
#ifndef KASSAY_ARGUMENTS_H
#define KASSAY_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "run.h"

#define CALL_NUMBERS 512 /* calls with higher ones are not known */

/* Whose calls: those of the first process, or those of its children and threads. */
enum caller { FIRST, OTHERS };

/*
 * @pid enters a call on @target, a word of targets.h or "". Text written to a file of /proc or /sys is an argument. The
 * call is given more than is read if @hidden.
 */
void arguments_note(pid_t pid, enum caller caller, uint64_t number, const uint64_t *args, const char *target,
		    bool hidden);

/* The number of a call; 0 for a call that was not made, or whose arguments are not compared. */
uint64_t arguments_number(enum caller caller, uint64_t number);

/* How many calls were given more than is read. */
uint64_t arguments_unread(enum caller caller, uint64_t number);

/* Which argument of a call is the name of the file that it works on, from 0; the last one of two; -1 where none is. */
int arguments_name(uint64_t number);

#endif
