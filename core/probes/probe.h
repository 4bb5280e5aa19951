/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Microbenchmarks. A probe does operations of one kind; main.c times samples of
 * them, each between two reference chains of dependent additions, which take one cycle each
 * on every CPU: so a sample is known in cycles whatever the clock's and the core's frequency.
 */
#ifndef KASSAY_PROBE_H
#define KASSAY_PROBE_H

#include <stddef.h>
#include <stdint.h>

struct probe {
	const char *name;
	/* Makes ready for samples with this argument; NULL, or why this machine cannot do it. */
	const char *(*prepare)(uint64_t argument);
	/* Before each sample, outside of its time; may be NULL. */
	void (*before)(void);
	/* Does so many operations; returns the number really done. */
	uint64_t (*run)(uint64_t operations);
	/* Operations of a sample: some 20 to 200 microseconds. */
	uint64_t operations;
	/* Their number for an argument, where it depends on it; may be NULL. */
	uint64_t (*operations_for)(uint64_t argument);
};

/* Each ends with an entry without a name. */
extern const struct probe instruction_probes[];
extern const struct probe branch_probes[];
extern const struct probe memory_probes[];
extern const struct probe window_probes[];
extern const struct probe string_probes[];
extern const struct probe kernel_probes[];
extern const struct probe cross_probes[];
extern const struct probe form_probes[];
extern const struct probe straight_probes[];
extern const struct probe system_probes[];
extern const struct probe privileged_probes[]; /* run() of these is called in a virtual machine (vm.h) */

#define LINE 64
#define PAGE 4096
#define HUGE (2UL << 20)

/* pages.c: anonymous memory that is touched; it stays for the life of the process. */
enum page_size { PAGES_4K, PAGES_HUGE };

/* At least so many bytes; the same address for the same question. NULL where it cannot be had. */
void *memory_of(size_t bytes, enum page_size pages, unsigned int which);

/*
 * Writes a cycle of pointers through `count` slots of `stride` bytes: blocks of so many slots
 * in random order, and in each block its slots in random order; one slot a block: in the order
 * of their addresses. The pointer of slot k stands at byte (k * skew) % stride of it.
 */
void make_cycle(char *memory, size_t count, size_t stride, size_t skew, size_t block);

#define ALL SIZE_MAX

/* Executes one operation. NULL, or why this CPU cannot (trial.c). */
const char *trial(uint64_t (*run)(uint64_t operations));

uint64_t random_next(uint64_t *state);

extern uint64_t sink;

/* Ticks that run() counted by itself; 0: its whole time counts. */
extern uint64_t counted;

#endif
