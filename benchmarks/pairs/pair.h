/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loops whose time on a CPU is measured and predicted. A side of a pair is one of them with up to two numbers, written
 * NAME:A:B. Everything that an operation does is in the instructions between two marks or two readings of the clock.
 */
#ifndef PAIR_H
#define PAIR_H

#include <stddef.h>
#include <stdint.h>

struct work;

struct side {
	const char *name;
	/* Executes n operations, and leaves the work where the next call goes on. */
	void (*run)(struct work *w, long n);
	/* Makes the memory that run() needs, once; NULL: it needs none but the first 64 KiB. */
	void (*prepare)(struct work *w);
	/* Operations after which everything that stays in caches is there; 0 takes LAP. */
	long lap;
};

/* One side with its numbers, and what it works on. */
struct work {
	const struct side *side;
	long a, b;
	char *memory;		/* base pages of its own, zero */
	size_t size;
	long lap;		/* as in struct side; prepare() may change it */
	long measured;		/* operations of a traced round; 0 takes lap, between LAP and MOST */
	uint64_t random;	/* of next_random() */
	uint64_t sum;		/* what results go to, so that they are needed */
	size_t offset;
	void *cursor[4];
	int file;
};

#define LAP 2000L
#define MOST 40000L

extern const struct side alu_sides[], forwarding_sides[], atomic_sides[], memory_sides[], branch_sides[], call_sides[],
	string_sides[], system_sides[], mixed_sides[];

/* Base pages of zeros, all present. Ends the program when there are none. */
void *pages_of(size_t size);

/* xorshift: the same numbers everywhere. */
static inline uint64_t next_random(uint64_t x)
{
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

/*
 * A loop of assembly: n times the body. Registers rax, rcx, rdx, rsi, rdi and r8 to r14 are the body's: 0, 7, 1 and zeros
 * when it begins. %[p] is 64 KiB of memory.
 */
#define LOOP(name, ...)								\
static void run_##name(struct work *w, long n)					\
{										\
	__asm__ volatile("xor %%eax, %%eax; mov $7, %%ecx; mov $1, %%edx\n"	\
			 "xor %%esi, %%esi; xor %%edi, %%edi; xor %%r8d, %%r8d\n"	\
			 "xor %%r9d, %%r9d; xor %%r10d, %%r10d; xor %%r11d, %%r11d\n"	\
			 "xor %%r12d, %%r12d; xor %%r13d, %%r13d; xor %%r14d, %%r14d\n"	\
			 ".p2align 6\n"						\
			 "1:\n" __VA_ARGS__					\
			 "dec %[n]\n"						\
			 "jnz 1b\n"						\
			 : [n] "+r"(n)						\
			 : [p] "r"(w->memory)					\
			 : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14",	\
			   "cc", "memory");					\
}
#define ENTRY(side, ...) { .name = #side, .run = run_##side },

#endif
