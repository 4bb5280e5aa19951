/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two clocks of a run, and the marks that a counting emulator looks for.
 * Under QEMU's icount the TSC runs at 1 GHz of virtual time: 1 tick is 1
 * instruction.
 */
#ifndef KASSAY_CLOCK_H
#define KASSAY_CLOCK_H

#include <stdint.h>
#include <time.h>

enum clock { CLOCK_TSC, CLOCK_RAW };

/*
 * An instruction without effect that is found nowhere else, so that a TCG
 * plugin sees that a workload started ('S'), how many boundaries a round has ('N', once for each), where the
 * region begins ('B') and ends ('E'), where the boundaries are ('P'), and
 * which other tasks work for the measured one ('W'). x86: nopl 0x4b4153<letter>(%rax), bytes 0f 1f 80 <letter> 53 41 4b.
 * arm64: movz xzr, #0x4b<letter>.
 */
#if defined(__x86_64__)
#define region_mark(letter) __asm__ volatile("nopl %c0(%%rax)" ::"i"(0x4b415300 + (letter)) : "memory")
#elif defined(__aarch64__)
#define region_mark(letter) __asm__ volatile("movz xzr, %0" ::"i"(0x4b00 + (letter)) : "memory")
#else
#define region_mark(letter) __asm__ volatile("" ::"i"(letter) : "memory")
#endif

static inline uint64_t raw_ns(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline uint64_t clock_read(enum clock clock)
{
	if (clock == CLOCK_RAW)
		return raw_ns(CLOCK_MONOTONIC_RAW);
#if defined(__x86_64__)
	uint32_t low, high;

	/* The fences keep work from moving over the boundary on a real CPU. */
	__asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high)::"memory");
	return (uint64_t)high << 32 | low;
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks)::"memory");
	return ticks;
#else
#error "no tick counter known for this architecture"
#endif
}

/* Ticks in a second, or 0 when the CPU does not say. */
static inline uint64_t clock_rate(enum clock clock)
{
	if (clock == CLOCK_RAW)
		return 1000000000;
#if defined(__aarch64__)
	uint64_t rate;

	__asm__("mrs %0, cntfrq_el0" : "=r"(rate));
	return rate;
#else
	return 0;
#endif
}

#endif
