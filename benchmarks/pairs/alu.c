// SPDX-License-Identifier: GPL-2.0-only
/* Arithmetic: work that others can hide, work that nothing can hide, units that are few, divisions, code that is long. */
#include "pair.h"

#define ADD4 "add $1, %%r8; add $1, %%r9; add $1, %%r10; add $1, %%r11\n"
#define ADD8 "add $1, %%r8; add $1, %%r9; add $1, %%r10; add $1, %%r11; add $1, %%r12; add $1, %%r13; add $1, %%r14\n" \
	     "add $1, %%rsi\n"
#define SHIFT4 "shl $1, %%r8; shr $2, %%r9; rol $3, %%r10; sar $1, %%r11\n"
#define IMUL4 "imul $3, %%rax, %%rax; imul $5, %%rax, %%rax; imul $7, %%rax, %%rax; imul $9, %%rax, %%rax\n"
#define LOAD4 "mov (%[p]), %%r8; mov 8(%[p]), %%r9; mov 16(%[p]), %%r10; mov 24(%[p]), %%r11\n"
#define STORE2 "mov %%r8, (%[p]); mov %%r9, 64(%[p])\n"
#define CHAIN4 "add $1, %%rax; add $1, %%rax; add $1, %%rax; add $1, %%rax\n"
#define MOVE8 "mov %%r8, %%rcx; mov %%r9, %%rdx; mov %%r10, %%rdi; mov %%r11, %%rcx; mov %%r12, %%rdx\n" \
	      "mov %%r13, %%rdi; mov %%r14, %%rcx; mov %%rsi, %%rdx\n"
#define NOP8 "nop; nop; nop; nop; nopw 0(%%rax); nopl 0(%%rax); nopl 128(%%rax); nop\n"
#define NEVER4 "cmp $-1, %%rdi; je 9f; cmp $-2, %%rdi; je 9f; cmp $-3, %%rdi; je 9f; cmp $-4, %%rdi; je 9f\n 9:\n"
#define DIVIDEND "mov $1000, %%eax; xor %%edx, %%edx\n"
#define LARGE "movabs $0x123456789abcdef0, %%rax; xor %%edx, %%edx\n"

#define SIDES(X)							\
	X(imul4, IMUL4)							\
	X(imul4_add4, IMUL4 ADD4)					\
	X(imul4_add12, IMUL4 ADD4 ADD8)					\
	X(imul4_add40, IMUL4 ADD8 ADD8 ADD8 ADD8 ADD8)			\
	X(imul4_load4, IMUL4 LOAD4)					\
	X(add8, ADD8)							\
	X(add16, ADD8 ADD8)						\
	X(add8_shift4, ADD8 SHIFT4)					\
	X(add8_load8, ADD8 LOAD4 LOAD4)					\
	X(add8_store2, ADD8 STORE2)					\
	X(add8_move8, ADD8 MOVE8)					\
	X(add8_nop8, ADD8 NOP8)						\
	X(add8_never4, ADD8 NEVER4)					\
	X(chain4, CHAIN4)						\
	X(chain8, CHAIN4 CHAIN4)					\
	X(chain4_imul, CHAIN4 "imul $3, %%rax, %%rax\n")		\
	X(chain4_popcnt_bsf, CHAIN4 "popcnt %%rax, %%rax; bsf %%rax, %%rax\n")	\
	X(chain4_load, CHAIN4 "and $8, %%eax; mov (%[p], %%rax), %%rax\n")	\
	X(chain4_and, CHAIN4 "and $8, %%eax\n")				\
	X(chain4_cmov, CHAIN4 "cmp $100, %%rax; cmova %%rdx, %%rax; adc $0, %%rax\n")	\
	X(reciprocal, DIVIDEND "imul $0x24924925, %%rax, %%rax; shr $32, %%rax; add %%rax, %%r8\n")	\
	X(div32, DIVIDEND "div %%ecx; add %%rax, %%r8\n")		\
	X(div32_twice, DIVIDEND "div %%ecx; add %%rax, %%r8\n" DIVIDEND "div %%ecx; add %%rax, %%r9\n")	\
	X(div64_large, LARGE "div %%rcx; add %%rax, %%r8\n")		\
	X(div64_chain, "add $1000, %%rax; xor %%edx, %%edx; div %%rcx\n")	\
	X(shift_chain, "add $1000, %%rax; xor %%edx, %%edx; shr $3, %%rax\n")	\
	X(rolled16, "mov $16, %%ecx; 2: add $1, %%r8; dec %%ecx; jnz 2b\n")	\
	X(unrolled16, ".rept 16; add $1, %%r8; .endr\n")		\
	X(unrolled16_wide, ".rept 4\n" ADD4 ".endr\n")			\
	X(lfence, ADD8 "lfence\n")					\
	X(pause, ADD8 "pause\n")

SIDES(LOOP)

/* The first a KiB of 256 KiB of code in turn; an operation is a KiB: 145 additions of 7 bytes and a way out. */
static void run_code(struct work *w, long n)
{
	while (n > 0) {
		long kib = w->a < n ? w->a : n;

		n -= kib;
		__asm__ volatile(".p2align 6\n"
				 ".rept 256\n"
				 ".rept 36\n"
				 "add $0x11223344, %%r8; add $0x11223344, %%r9\n"
				 "add $0x11223344, %%r10; add $0x11223344, %%r11\n"
				 ".endr\n"
				 "dec %[kib]\n"
				 "jz 1f\n"
				 ".p2align 4\n"
				 ".endr\n"
				 "1:\n"
				 : [kib] "+r"(kib) :: "r8", "r9", "r10", "r11", "cc");
	}
}

const struct side alu_sides[] = {
	SIDES(ENTRY)
	{ .name = "code", .run = run_code, .lap = 512 },
	{ 0 },
};
