// SPDX-License-Identifier: GPL-2.0-only
/* The code of window and call probes, arm64. */
#if defined(__aarch64__)
#include <string.h>

#include "arch.h"

void hypervisor_name(char name[16])
{
	memset(name, 0, 16);
}

static uint8_t *put(uint8_t *at, uint32_t word)
{
	memcpy(at, &word, 4);
	return at + 4;
}

static uint32_t branch(const uint8_t *from, const uint8_t *to)
{
	return (uint32_t)((to - from) / 4);
}

static uint32_t filler_word(enum filler filler, int of_b, unsigned int number)
{
	uint32_t other = 9 + number % 4;

	switch (filler) {
	case FILL_MIXED:
		if (number % 3 == 0)
			return 0x91000400 | other << 5 | other; /* add xN, xN, #1 */
		return number % 3 == 1 ? 0x4ea08400u | (number % 4) << 5 | (number % 4) /* add vN.4s, vN.4s, v0.4s */
				       : 0xeb0d01bfu; /* cmp x13, x13 */
	case FILL_DEPENDENT:
		return 0xeb00001fu | (of_b ? 1u << 16 : 0) | other << 5; /* cmp xN, x0 or x1 */
	case FILL_LOAD:
		return 0xf9400049; /* ldr x9, [x2] */
	case FILL_STORE:
		return 0xf9000049; /* str x9, [x2] */
	case FILL_ADD:
		break;
	}
	return 0x91000400 | other << 5 | other;
}

size_t write_window(uint8_t *code, enum filler filler, unsigned int count)
{
	uint8_t *at = put(code, 0xf9400000); /* ldr x0, [x0] */

	for (unsigned int i = 0; i < count; i++)
		at = put(at, filler_word(filler, 0, i));
	at = put(at, 0xf9400021); /* ldr x1, [x1] */
	for (unsigned int i = 0; i < count; i++)
		at = put(at, filler_word(filler, 1, i));
	at = put(at, 0xf1000463); /* subs x3, x3, #1 */
	at = put(at, 0x54000001 | (branch(at, code) & 0x7ffff) << 5); /* b.ne */
	at = put(at, 0xd65f03c0);
	__builtin___clear_cache((char *)code, (char *)at);
	return (size_t)(at - code);
}

void window_run(const void *code, uint64_t loops, void **a, void **b, void *scratch)
{
	register void *first asm("x0") = *a;
	register void *second asm("x1") = *b;
	register void *third asm("x2") = scratch;
	register uint64_t left asm("x3") = loops;

	asm volatile("blr %4"
		     : "+r"(first), "+r"(second), "+r"(left)
		     : "r"(third), "r"(code)
		     : "x9", "x10", "x11", "x12", "x30", "v0", "v1", "v2", "v3", "cc", "memory");
	*a = first;
	*b = second;
}

size_t write_calls(uint8_t *code, unsigned int depth)
{
	const size_t each = 32;

	for (unsigned int i = 0; i < depth; i++) {
		uint8_t *at = code + i * each, *next = at + each;

		at = put(at, 0xf81f0ffe); /* str x30, [sp, #-16]! */
		at = put(at, 0x37000068 | (i % 32) << 19); /* tbnz w8, #i, +12 */
		at = put(at, 0x94000000 | (branch(at, next) & 0x3ffffff)); /* bl */
		at = put(at, 0x14000002); /* b +8 */
		at = put(at, 0x94000000 | (branch(at, next) & 0x3ffffff));
		at = put(at, 0xf84107fe); /* ldr x30, [sp], #16 */
		put(at, 0xd65f03c0);
	}
	put(code + depth * each, 0xd65f03c0);
	__builtin___clear_cache((char *)code, (char *)code + depth * each + 4);
	return depth * each + 4;
}

void calls_run(const void *code, uint64_t bits)
{
	register uint64_t given asm("x8") = bits;

	asm volatile("blr %1" : "+r"(given) : "r"(code) : "x30", "cc", "memory");
}
#endif
