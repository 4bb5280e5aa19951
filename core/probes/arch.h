/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the probes need of an architecture: its counter of ticks, a chain of dependent
 * additions, and a writer of small pieces of code.
 */
#ifndef KASSAY_PROBE_ARCH_H
#define KASSAY_PROBE_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#define WINDOW_MISSES false /* whether the long waits of a window probe are cache misses */

static inline uint64_t ticks(void)
{
	uint32_t low, high;

	asm volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

/* 100 additions in a row, each of the result before: from a register, as some CPUs fold constants. */
static inline void add_100(uint64_t *value, uint64_t step)
{
	asm volatile(".rept 100\n\tadd %1, %0\n\t.endr" : "+r"(*value) : "r"(step) : "cc");
}
#elif defined(__aarch64__)
#define WINDOW_MISSES true

static inline uint64_t ticks(void)
{
	uint64_t now;

	asm volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(now) : : "memory");
	return now;
}

static inline void add_100(uint64_t *value, uint64_t step)
{
	asm volatile(".rept 100\n\tadd %0, %0, %1\n\t.endr" : "+r"(*value) : "r"(step));
}
#else
#error "no probes for this architecture"
#endif

/* How the hypervisor calls itself to programs; "" where there is none, or it cannot be known. */
void hypervisor_name(char name[16]);

/* What stands between the two waits of a window probe. */
enum filler {
	FILL_MIXED,     /* occupies nothing but the reorder buffer */
	FILL_DEPENDENT, /* waits in a scheduler for the wait before */
	FILL_LOAD,      /* hits the first level */
	FILL_STORE,
	FILL_ADD,       /* takes an integer register */
};

/*
 * Code of a loop: a wait A, fillers, a wait B, fillers. Returns the bytes written. A miss loads
 * A from A, or B from B. window_run() executes it with the two pointers, and gives back where
 * they are.
 */
size_t write_window(uint8_t *code, enum filler filler, unsigned int count);
void window_run(const void *code, uint64_t loops, void **a, void **b, void *scratch);

/*
 * Code of `depth` functions, each of which calls the next one from the one or the other of
 * two places, as a bit of a register says. Returns the bytes written.
 */
size_t write_calls(uint8_t *code, unsigned int depth);
void calls_run(const void *code, uint64_t bits);

#endif
