/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory of a traced process. */
#ifndef KASSAY_PEEK_H
#define KASSAY_PEEK_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>

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

/* Reads the text at @address, as far as it can be read and fits. Returns its length. @size is a multiple of 8 plus 1. */
static inline size_t text_at(pid_t pid, uint64_t address, char *ret, size_t size)
{
	uint64_t word;
	size_t at = 0;

	for (; at + sizeof(word) < size && peek(pid, address + at, &word); at += sizeof(word)) {
		memcpy(ret + at, &word, sizeof(word));
		if (memchr(&word, '\0', sizeof(word)))
			return at + strlen(ret + at);
	}
	ret[at] = '\0';
	return at;
}

/* Reads @size bytes at @address, or those in front of the first that cannot be read. Returns how many it has read. */
static inline size_t bytes_at(pid_t pid, uint64_t address, void *ret, size_t size)
{
	struct iovec to = { ret, size }, from = { (void *)(uintptr_t)address, size };
	ssize_t got = process_vm_readv(pid, &to, 1, &from, 1, 0);
	uint64_t word;
	size_t at = 0;

	if (got >= 0 || errno != ENOSYS)
		return got > 0 ? (size_t)got : 0;
	while (at < size && peek(pid, address + at, &word)) {
		size_t part = size - at < sizeof(word) ? size - at : sizeof(word);

		memcpy((char *)ret + at, &word, part);
		at += part;
	}
	return at;
}

static inline uint32_t half_at(pid_t pid, uint64_t address)
{
	return (uint32_t)word_at(pid, address);
}

#endif
