/* SPDX-License-Identifier: GPL-2.0-only */
/* Addresses that measured tasks write to as they make others: where these will be loaded from when they run first. */
#ifndef KASSAY_BIRTH_H
#define KASSAY_BIRTH_H

#include <stdbool.h>
#include <stdint.h>

/* Whether @written lies in what a task switch saves and loads from @address on: the stack pointer is not the first. */
bool birth_is_of(uint64_t address, uint64_t written);

/* A measured task has written to @address. */
void birth_note(uint64_t address);

/* Whether one has written to what is loaded from @address on; the notes of it are used up. */
bool birth_take(uint64_t address);

#endif
