// SPDX-License-Identifier: GPL-2.0-only
/* Branches that can be predicted, and such that cannot. */
#include "pair.h"

#define NEXT "mov %[x], %%r8; shl $13, %%r8; xor %%r8, %[x]; mov %[x], %%r8; shr $7, %%r8; xor %%r8, %[x]\n" \
	     "mov %[x], %%r8; shl $17, %%r8; xor %%r8, %[x]\n"

/* A random number each time, which never repeats; a masks what of it decides: 0 always the same way. */
#define RANDOM(name, ...)							\
static void run_##name(struct work *w, long n)					\
{										\
	__asm__ volatile(".p2align 6\n 1:\n" NEXT __VA_ARGS__ "dec %[n]\n jnz 1b\n"	\
			 : [n] "+r"(n), [x] "+r"(w->random), [sum] "+r"(w->sum)	\
			 : [mask] "r"(w->a), [least] "r"(w->b)			\
			 : "r8", "r9", "r10", "cc");				\
}

RANDOM(branch, "test %[mask], %[x]; jz 2f; add $3, %[sum]; xor $5, %[sum]; 2:\n")
RANDOM(branch2, "test %[mask], %[x]; jz 2f; add $3, %[sum]; 2: mov %[x], %%r9; shr $32, %%r9\n"
		"test %[mask], %%r9; jz 3f; xor $5, %[sum]; 3:\n")
RANDOM(select, "test %[mask], %[x]; mov %[sum], %%r9; lea 3(%[sum]), %%r10; xor $5, %%r10; cmovnz %%r10, %%r9\n"
	       "mov %%r9, %[sum]\n")
/* An inner loop of least + (random & mask) turns. */
RANDOM(turns, "mov %[x], %%r9; shr $32, %%r9; and %[mask], %%r9; add %[least], %%r9\n"
	      "2: add $3, %[sum]; xor $5, %[sum]; dec %%r9; jnz 2b\n")

/* Taken once in a turns (a power of two). */
static void run_period(struct work *w, long n)
{
	uint64_t count = w->offset, sum = w->sum;

	__asm__ volatile(".p2align 6\n 1:\n"
			 "add $1, %[count]; imul $3, %[sum], %[sum]\n"
			 "test %[mask], %[count]; jnz 2f; add $3, %[sum]; xor $5, %[sum]; 2:\n"
			 "dec %[n]\n jnz 1b\n"
			 : [n] "+r"(n), [count] "+r"(count), [sum] "+r"(sum)
			 : [mask] "r"(w->a - 1)
			 : "cc");
	w->offset = count;
	w->sum = sum;
}

const struct side branch_sides[] = {
	{ .name = "branch", .run = run_branch, .lap = 20000 },
	{ .name = "branch2", .run = run_branch2, .lap = 20000 },
	{ .name = "select", .run = run_select },
	{ .name = "turns", .run = run_turns, .lap = 20000 },
	{ .name = "period", .run = run_period, .lap = 20000 },
	{ 0 },
};
