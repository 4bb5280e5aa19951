/* SPDX-License-Identifier: GPL-2.0-only */
/* Chains and independent copies of single instructions. */
#ifndef KASSAY_PROBE_COPIES_H
#define KASSAY_PROBE_COPIES_H

#include "probe.h"

static char scratch[PAGE] __attribute__((aligned(PAGE)));

/*
 * `count` copies of `text`, which stands for `each` operations, over and over. r15: scratch
 * memory, whose first pointers point to themselves; r14: bytes of that; the rest is free.
 */
#define PROBE(name, setup, text, count, each)                                              \
	static uint64_t name(uint64_t operations)                                          \
	{                                                                                  \
		uint64_t loops = operations / ((count) * (each)) + 1;                      \
		register void *memory asm("r15") = scratch;                                \
		register uint64_t left asm("r14") = loops;                                 \
                                                                                           \
		*(void **)scratch = scratch;                                               \
		asm volatile("lea -256(%%rsp), %%rsp\n\t" setup "\n"                       \
			     ".p2align 6\n"                                                \
			     "7:\n\t.rept " #count "\n\t" text "\n\t.endr\n\t"             \
			     "dec %0\n\tjnz 7b\n\tlea 256(%%rsp), %%rsp"                   \
			     : "+r"(left)                                                  \
			     : "r"(memory)                                                 \
			     : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", \
			       "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",      \
			       "cc", "memory");                                            \
		return loops * (count) * (each);                                           \
	}

#endif
