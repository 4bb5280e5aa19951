/* SPDX-License-Identifier: GPL-2.0-only */
/* How much a system call was asked to do: two calls of one name may be of other lengths, or of other numbers of items. */
#ifndef KASSAY_AMOUNTS_H
#define KASSAY_AMOUNTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Whether the call returns the bytes or the items that it handled. */
bool amount_returned(uint64_t number);

/* The length or the number of items that @pid gives to the call that it enters; 0 where there is none. */
uint64_t amount_given(pid_t pid, uint64_t number, const uint64_t *args);

/* What the call is told to do, such as an advice or flags, where it does several things. Returns false for others. */
bool kind_given(uint64_t number, const uint64_t *args, uint64_t *ret);

#endif
