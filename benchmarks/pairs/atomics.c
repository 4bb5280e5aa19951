// SPDX-License-Identifier: GPL-2.0-only
/* Atomic and serialising operations, alone, in each other's shadow, and with stores in front of them. */
#include "pair.h"

#define ADD8 "add $1, %%r8; add $1, %%r9; add $1, %%r10; add $1, %%r11; add $1, %%r12; add $1, %%r13; add $1, %%r14\n" \
	     "add $1, %%rsi\n"
#define ADD40 ADD8 ADD8 ADD8 ADD8 ADD8
#define NEXT_LINE "add $64, %%rdi; and $0x7fff, %%edi\n"
#define STORES4 "mov %%r8, 1024(%[p]); mov %%r9, 1088(%[p]); mov %%r10, 1152(%[p]); mov %%r11, 1216(%[p])\n"
#define CMPXCHG(lock) "xor %%eax, %%eax; xor %%edx, %%edx;" lock "cmpxchg %%rdx, (%[p]); add %%rax, %%r8\n"

#define SIDES(X)							\
	X(add8_plain, ADD8 "addq $1, (%[p])\n")				\
	X(add8_lock, ADD8 "lock addq $1, (%[p])\n")			\
	X(add8_lock2, ADD8 "lock addq $1, (%[p]); lock addq $1, (%[p])\n")	\
	X(add40, ADD40)							\
	X(add40_xchg, ADD40 "xchg %%rdx, (%[p])\n")			\
	X(xchg, "xchg %%rdx, (%[p])\n")					\
	X(xchg2_same, "xchg %%rdx, (%[p]); xchg %%rdx, (%[p])\n")	\
	X(xchg2_other, "xchg %%rdx, (%[p]); xchg %%rcx, 64(%[p])\n")	\
	X(xchg2_add40, "xchg %%rdx, (%[p]); xchg %%rcx, 64(%[p])\n" ADD40)	\
	X(xchg2_chain40, "xchg %%rdx, (%[p]); xchg %%rcx, 64(%[p])\n .rept 40; add $1, %%rdx; .endr\n")	\
	X(cmpxchg_local, CMPXCHG(""))					\
	X(cmpxchg_lock, CMPXCHG("lock;"))				\
	X(cmpxchg_lock_load8, CMPXCHG("lock;")				\
	  "mov 64(%[p]), %%r9; mov 72(%[p]), %%r10; mov 80(%[p]), %%r11; mov 88(%[p]), %%r12\n"	\
	  "mov 128(%[p]), %%r9; mov 136(%[p]), %%r10; mov 144(%[p]), %%r11; mov 192(%[p]), %%r12\n")	\
	X(lock_lines, NEXT_LINE "lock addq $1, (%[p], %%rdi)\n")	\
	X(plain_lines, NEXT_LINE "addq $1, (%[p], %%rdi)\n")		\
	X(add8_mfence, ADD8 "mov %%r8, (%[p]); mfence\n")		\
	X(add8_store, ADD8 "mov %%r8, (%[p])\n")			\
	X(add8_lock_stack, ADD8 "mov %%r8, (%[p]); lock orl $0, -8(%%rsp)\n")	\
	X(lock_stores4, STORES4 "lock addq $1, (%[p])\n")		\
	X(xadd_chain, "mov $1, %%eax; lock xadd %%rax, (%[p]); and $1, %%eax; add %%rax, %%r8\n")

SIDES(LOOP)

/*
 * An entry of a table of a pages is taken by an atomic exchange or a plain store and a load, changed, and put back;
 * b names the checks of it that stand between.
 */
static __attribute__((noinline)) int checked(uint64_t entry, const uint64_t *limits)
{
	if (!(entry & 1))
		return 0;
	if ((entry >> 12) > limits[0] || (entry & limits[1]))
		return 0;
	return (entry & 0x42) != limits[2];
}

static inline void entries(struct work *w, long n, int atomic)
{
	uint64_t *table = (uint64_t *)w->memory + 8, *limits = (uint64_t *)w->memory;
	long i, check;

	limits[0] = 1ul << 40;
	limits[1] = 1ul << 62;
	limits[2] = 0x77;
	for (i = 0; i < n; i++) {
		uint64_t *slot = &table[w->offset++ & 511], entry;

		if (atomic) {
			entry = 0;
			__asm__ volatile("xchg %0, %1" : "+r"(entry), "+m"(*slot) :: "memory");
		} else {
			entry = *(volatile uint64_t *)slot;
			*(volatile uint64_t *)slot = 0;
		}
		for (check = 0; check < w->b; check++)
			w->sum += checked(entry, limits);
		entry = (entry ^ 2) | 1;
		if (atomic)
			__asm__ volatile("xchg %0, %1" : "+r"(entry), "+m"(*slot) :: "memory");
		else
			*(volatile uint64_t *)slot = entry;
	}
}

static void run_entries_plain(struct work *w, long n)
{
	entries(w, n, 0);
}

static void run_entries_xchg(struct work *w, long n)
{
	entries(w, n, 1);
}

const struct side atomic_sides[] = {
	SIDES(ENTRY)
	{ .name = "entries_plain", .run = run_entries_plain, .lap = 1024 },
	{ .name = "entries_xchg", .run = run_entries_xchg, .lap = 1024 },
	{ 0 },
};
