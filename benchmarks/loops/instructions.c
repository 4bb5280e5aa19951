// SPDX-License-Identifier: GPL-2.0-only
/*
 * Single atomic instructions. Back to back on one line and on four, as InstLatx64 times them, and in chains from an
 * operand to a result, as uops.info does: by address to the value, by the stored value to a later load, by address to
 * it, and through memory alone. Then with other instructions between, as a kernel has them: twelve, a load and what
 * needs it, stores; and on lines that only the second level holds, in four sets of the first.
 */
#include "loops.h"

#ifdef __x86_64__
#define P "(%[p])"
#define FOUR(text) text text text text
#define TWELVE ".rept 12; nop; .endr\n"
#define ANOTHER "lea 1024(%%rsi, %%rsi, 4), %%esi; and $0x1ffff, %%esi\n"
#define LOOP4(name, body)								\
static void run_##name(long n)								\
{											\
	static __attribute__((aligned(4096))) void *memory[16384];			\
	void *at = memory;								\
											\
	memory[0] = memory;								\
	n /= 4;										\
	__asm__ volatile("xor %%eax, %%eax; mov %[p], %%rdx; mov $1, %%ecx; xor %%esi, %%esi\n"	\
			 ".p2align 6\n1:\n" body "dec %[n]; jnz 1b"		\
			 : [n] "+r"(n), [p] "+r"(at) :: "rax", "rcx", "rdx", "rsi", "cc", "memory");	\
}

#define LOOPS(X)									\
	X(lock_add, FOUR("lock addq $1, 64" P "\n"))					\
	X(lock_add_lines, "lock addq $1, 64" P "; lock addq $1, 128" P "\n"		\
	  "lock addq $1, 192" P "; lock addq $1, 256" P "\n")				\
	X(xchg, FOUR("xchg %%rcx, 64" P "\n"))						\
	X(cmpxchg_memory, FOUR("lock cmpxchg %%rdx, " P "\n"))				\
	X(cmpxchg_address, FOUR("mov %%rdx, %%rax; lock cmpxchg %%rdx, " P "; mov %%rax, %[p]\n"))	\
	X(cmpxchg_data, FOUR("lock cmpxchg %%rdx, " P "; mov " P ", %%rdx\n"))		\
	X(cmpxchg_load, FOUR("mov %[p], %%rax; lock cmpxchg %%rdx, " P "; mov " P ", %[p]\n"))	\
	X(lock_spaced, FOUR("lock addq $1, 64" P "\n" TWELVE))				\
	X(lock_lines_spaced, "lock addq $1, 64" P "\n" TWELVE "lock addq $1, 128" P "\n" TWELVE	\
	  "lock addq $1, 192" P "\n" TWELVE "lock addq $1, 256" P "\n" TWELVE)		\
	X(lock_then_load, FOUR("lock addq $1, 64" P "; mov 128" P ", %%rdx; .rept 24; add $1, %%rdx; .endr\n"))	\
	X(lock_then_store, FOUR("xchg %%rcx, 64" P "; nop; nop; nop; nop; movq $0, 64" P "\n"))	\
	X(lock_stores, FOUR("lock addq $1, 64" P "; .rept 12; movq $1, 128" P "; .endr\n"))	\
	X(lock_second_level, FOUR("lock addq $1, (%[p], %%rsi)\n" ANOTHER))

LOOPS(LOOP4)

const struct loop instruction_loops[] = { LOOPS(ENTRY) { 0 } };
#else
const struct loop instruction_loops[] = { { 0 } };
#endif
