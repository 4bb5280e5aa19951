// SPDX-License-Identifier: GPL-2.0-only
/* Calls: direct, through pointers, through thunks, and deeper than a return stack. */
#include "pair.h"

#define TARGETS 8

__asm__(".text\n.p2align 6\n"
	"pair_target:\n"
	".rept 8\n"
	"add $3, %rax; xor $5, %rax; ret\n"
	".p2align 6\n"
	".endr\n"
	".p2align 6\n"
	"pair_retpoline:\n"
	"call 2f; 1: pause; lfence; jmp 1b; .p2align 4; 2: mov %r11, (%rsp); ret\n"
	".p2align 6\n"
	"pair_depth:\n"
	"dec %rcx; jz 1f; call pair_depth; add $1, %rax; 1: ret\n");

#define CALL(name, ...)								\
static void run_##name(struct work *w, long n)					\
{										\
	__asm__ volatile("mov %[a], %%r12\n"					\
			 "lea -256(%%rsp), %%rsp\n"				\
			 ".p2align 6\n 1:\n" __VA_ARGS__ "dec %[n]\n jnz 1b\n"	\
			 "lea 256(%%rsp), %%rsp\n"				\
			 : [n] "+b"(n), [x] "+D"(w->random), [offset] "+S"(w->offset)	\
			 : [a] "d"(w->a)					\
			 : "rax", "rcx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "cc", "memory");	\
}

#define ADD12 "add $1, %%r8; add $1, %%r9; add $1, %%r10; add $1, %%r13; add $1, %%r14; add $1, %%rcx\n" \
	      "add $1, %%r8; add $1, %%r9; add $1, %%r10; add $1, %%r13; add $1, %%r14; add $1, %%rcx\n"
#define RANDOM "mov %%rdi, %%r8; shl $13, %%r8; xor %%r8, %%rdi; mov %%rdi, %%r8; shr $7, %%r8; xor %%r8, %%rdi\n" \
	       "mov %%rdi, %%r8; shl $17, %%r8; xor %%r8, %%rdi\n"
/* The target is one of the first a (a power of two). */
#define CHOSEN(by) "lea -1(%%r12), %%r11; and " by ", %%r11; shl $6, %%r11; add $pair_target, %%r11\n"

#define SIDES(X)							\
	X(inlined, ADD12 "add $3, %%rax; xor $5, %%rax\n")		\
	X(direct, ADD12 "call pair_target\n")				\
	X(direct4, ADD12 "call pair_target; call pair_target; call pair_target; call pair_target\n")	\
	X(pointer, ADD12 "add $1, %%rsi\n" CHOSEN("%%rsi") "call *%%r11\n")	\
	X(thunk, ADD12 "add $1, %%rsi\n" CHOSEN("%%rsi") "call pair_retpoline\n")	\
	X(pointer_random, ADD12 RANDOM CHOSEN("%%rdi") "call *%%r11\n")	\
	X(depth, "mov %%r12, %%rcx; call pair_depth\n")

SIDES(CALL)

#define CALLED(side, ...) { .name = #side, .run = run_##side, .lap = 4000 },

const struct side call_sides[] = {
	SIDES(CALLED)
	{ 0 },
};
