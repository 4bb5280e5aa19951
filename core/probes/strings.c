// SPDX-License-Identifier: GPL-2.0-only
/* Instructions that clear or copy many bytes. The argument is the bytes of one of them. */
#include <string.h>

#include "probe.h"

static char *from, *to;
static size_t bytes;

static const char *prepare(uint64_t argument)
{
	bytes = argument;
	to = memory_of(argument, PAGES_4K, 3);
	from = memory_of(argument, PAGES_4K, 4);
	return to && from ? NULL : "no memory";
}

/* Those of a string in the second level are so many that the first of them does not count. */
static uint64_t operations_for(uint64_t argument)
{
	uint64_t bytes = argument < 16384 ? 400000 : 4 << 20;

	return argument < bytes ? bytes / argument : 1;
}

#if defined(__x86_64__)
static uint64_t fill(uint64_t operations)
{
	for (uint64_t i = 0; i < operations; i++) {
		char *at = to;
		size_t left = bytes;

		asm volatile("rep stosb" : "+D"(at), "+c"(left) : "a"(0) : "memory");
	}
	return operations;
}

static uint64_t fill_words(uint64_t operations)
{
	for (uint64_t i = 0; i < operations; i++) {
		char *at = to;
		size_t left = bytes / 8;

		asm volatile("rep stosq" : "+D"(at), "+c"(left) : "a"(0) : "memory");
	}
	return operations;
}

static uint64_t copy(uint64_t operations)
{
	for (uint64_t i = 0; i < operations; i++) {
		char *source = from, *at = to;
		size_t left = bytes;

		asm volatile("rep movsb" : "+S"(source), "+D"(at), "+c"(left) : : "memory");
	}
	return operations;
}

static uint64_t copy_words(uint64_t operations)
{
	for (uint64_t i = 0; i < operations; i++) {
		char *source = from, *at = to;
		size_t left = bytes / 8;

		asm volatile("rep movsq" : "+S"(source), "+D"(at), "+c"(left) : : "memory");
	}
	return operations;
}

static uint64_t compare(uint64_t operations)
{
	for (uint64_t i = 0; i < operations; i++) {
		char *source = from, *at = to;
		size_t left = bytes;

		asm volatile("repe cmpsb" : "+S"(source), "+D"(at), "+c"(left) : : "cc", "memory");
	}
	return operations;
}

const struct probe string_probes[] = {
	{ "compare", prepare, NULL, compare, 0, operations_for },
	{ "fill", prepare, NULL, fill, 0, operations_for },
	{ "fill_words", prepare, NULL, fill_words, 0, operations_for },
	{ "copy", prepare, NULL, copy, 0, operations_for },
	{ "copy_words", prepare, NULL, copy_words, 0, operations_for },
	{ 0 },
};
#else
/* Blocks of dc zva, of the size that the CPU says. */
static uint64_t fill(uint64_t operations)
{
	uint64_t size;

	asm("mrs %0, dczid_el0" : "=r"(size));
	size = 4UL << (size & 15);
	for (uint64_t i = 0; i < operations; i++)
		for (size_t at = 0; at + size <= bytes; at += size)
			asm volatile("dc zva, %0" : : "r"(to + at) : "memory");
	return operations;
}

static uint64_t copy(uint64_t operations)
{
	for (uint64_t i = 0; i < operations; i++) {
		for (size_t at = 0; at + 32 <= bytes; at += 32)
			asm volatile("ldp q0, q1, [%0]\n\tstp q0, q1, [%1]"
				     : : "r"(from + at), "r"(to + at) : "v0", "v1", "memory");
	}
	return operations;
}

const struct probe string_probes[] = {
	{ "fill", prepare, NULL, fill, 0, operations_for },
	{ "copy", prepare, NULL, copy, 0, operations_for },
	{ 0 },
};
#endif
