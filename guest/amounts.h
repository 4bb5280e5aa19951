/* SPDX-License-Identifier: GPL-2.0-only */
/* How much a system call was asked to do: two calls of one name may be of other lengths, or of other numbers of items. */
#ifndef KASSAY_AMOUNTS_H
#define KASSAY_AMOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Whether the call returns the bytes or the items that it handled. */
bool amount_returned(uint64_t number);

/* The length or the number of items that @pid gives to the call that it enters; 0 where there is none. */
uint64_t amount_given(pid_t pid, uint64_t number, const uint64_t *args);

/* Bytes of the arguments with which @pid has just executed a program. Variables are kassay's own in perturbed runs. */
uint64_t amount_executed(pid_t pid);

/* Page faults that @pid and the children it has waited for took, without those that read a disk. */
uint64_t faults_taken(pid_t pid);

/* Flags of clone() and clone3(); 0 for other calls. */
uint64_t clone_flags(pid_t pid, uint64_t number, const uint64_t *args);

#define KIND_BYTES 48
#define TARGET_OUTPUT "output" /* the kind of calls that write what the program prints */

/*
 * Writes a word for the task of a call: an advice, flags or a command in hex, or a family of sockets. Returns false for
 * a call that does one thing only.
 */
bool kind_given(uint64_t number, const uint64_t *args, char ret[KIND_BYTES]);

#endif
