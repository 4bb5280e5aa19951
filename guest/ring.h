/* SPDX-License-Identifier: GPL-2.0-only */
/* The rings through which a program gives io_uring its operations: their lengths are in no argument of a call. */
#ifndef KASSAY_RING_H
#define KASSAY_RING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A call that succeeded may have made a ring, or mapped a part of one. */
void ring_note(pid_t pid, uint64_t number, const uint64_t *args, uint64_t returned);

/*
 * Counts the operations that io_uring_enter() with @args is about to submit. Returns false if its ring is not known. A
 * thread of the kernel (IORING_SETUP_SQPOLL) submits operations without a call, so they are not counted.
 */
bool ring_submits(pid_t pid, const uint64_t *args, uint32_t *ret_count);

/* The address of the submission @index from the ring's head on, a struct io_uring_sqe. */
uint64_t ring_entry(pid_t pid, const uint64_t *args, uint32_t index);

/* Operation and length of the submission @index from the ring's head on. */
void ring_submission(pid_t pid, const uint64_t *args, uint32_t index, unsigned int *ret_operation, uint32_t *ret_length);

#endif
