/* SPDX-License-Identifier: GPL-2.0-only */
/* A sum over values, texts and arrays that a traced process has given to calls: arguments.h. */
#ifndef KASSAY_SUMS_H
#define KASSAY_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PART_WORDS 512 /* of an array, which are read at once */

/* True if something was longer than is read; for the caller to clear. */
extern bool sum_unread;

uint64_t mix(uint64_t hash, uint64_t value);
uint64_t mix_text(uint64_t hash, const char *text);

/* A number as it is; an address by where it points to, as kernels lay out memory in their own ways. */
uint64_t mix_value(uint64_t hash, uint64_t value);

/* A name of a file by its length, its depth, its file system and its place among all names: the name may be chance. */
uint64_t mix_name(uint64_t hash, pid_t pid, uint64_t address);

/* A text in the memory of the process, up to 256 bytes. */
uint64_t mix_text_at(uint64_t hash, pid_t pid, uint64_t address);

/* Reads a part of the @size bytes that a call is given at @address, from byte @at on. Returns its bytes, or 0. */
size_t part_at(pid_t pid, uint64_t address, uint64_t at, uint64_t size, uint64_t ret[PART_WORDS]);

/*
 * Words of an array that are compared: word @from of each @stride; of numbers the bits of @mask, which is 0 for words
 * that may be addresses. PART_WORDS is a multiple of @stride.
 */
struct items {
	size_t from, stride;
	uint64_t mask;
};

uint64_t mix_array(uint64_t hash, pid_t pid, uint64_t address, uint64_t count, const struct items *items);
uint64_t mix_words(uint64_t hash, pid_t pid, uint64_t address, uint64_t count);
uint64_t mix_bytes(uint64_t hash, pid_t pid, uint64_t address, uint64_t count);

/* A call of the first process has succeeded: later values may point into a mapping that it made, or below a new break. */
void sum_succeeded(uint64_t number, const uint64_t *args, uint64_t returned);

#endif
