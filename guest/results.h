/* SPDX-License-Identifier: GPL-2.0-only */
/* What the system calls of a traced process return. */
#ifndef KASSAY_RESULTS_H
#define KASSAY_RESULTS_H

#include <stdbool.h>
#include <sys/types.h>

#include "run.h"

/* A new task: the process itself is the first. Returns whether it is to be followed: there may be too many. */
bool results_begin(pid_t pid);

/* Whether results_begin() was told of @pid. */
bool results_known(pid_t pid);

/* The task has ended; another one may get its number. */
void results_end(pid_t pid);

/* Whether more results of it are wanted: those of the first calls are enough to tell executions apart. */
bool results_wanted(pid_t pid);

/* Notes the call at whose entry or exit @pid has stopped. */
void results_note(pid_t pid);

/*
 * Ships a line "NAME ERROR TIMES AMOUNT KIND" for each name, error and kind, "-" for none. Other tasks than the process
 * itself have a file of their own; it is absent if not all of their calls were seen. A further file has a line
 * "NAME NUMBER" for the arguments of each name, in hex (arguments.h).
 */
void results_emit(struct run *run);

#endif
