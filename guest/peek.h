/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory of a traced process. */
#ifndef KASSAY_PEEK_H
#define KASSAY_PEEK_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/types.h>

/* Reads the 8 bytes at @address. Returns false if they cannot be read. */
static inline bool peek(pid_t pid, uint64_t address, uint64_t *ret)
{
	errno = 0;
	*ret = (uint64_t)ptrace(PTRACE_PEEKDATA, pid, (void *)(uintptr_t)address, NULL);
	return !errno;
}

/* The same, 0 for what cannot be read. */
static inline uint64_t word_at(pid_t pid, uint64_t address)
{
	uint64_t word;

	return peek(pid, address, &word) ? word : 0;
}

static inline uint32_t half_at(pid_t pid, uint64_t address)
{
	return (uint32_t)word_at(pid, address);
}

#endif
