/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who is charged for the cycles. Instructions retire in order; the cycles between
 * the retirement of one and of the next are charged to that next one, by what it
 * waited for. So the rows of an interval add up to its cycles exactly.
 */
#ifndef KASSAY_CORE_ACCOUNT_H
#define KASSAY_CORE_ACCOUNT_H

#include <stdint.h>

#define CAUSES(C)                                                                                      \
	C(WIDTH, "width") C(DEPENDENCY, "dependency") C(PORTS, "ports") C(ATOMICS, "atomics")          \
	C(SERIALISING, "serialising") C(MISPREDICTION, "misprediction") C(L1, "l1") C(L2, "l2")        \
	C(L3, "l3") C(MEMORY, "memory") C(TLB, "tlb") C(STORES, "stores") C(STRINGS, "strings")        \
	C(RINGS, "rings") C(ICACHE, "icache") C(UNKNOWN_COST, "unknown")

enum cause {
#define CAUSE(name, word) CAUSE_##name,
	CAUSES(CAUSE)
#undef CAUSE
	CAUSE_COUNT
};

/* Things that are counted and cost nothing by being counted. */
#define STATISTICS(S)                                                                                    \
	S(l1_misses) S(l2_misses) S(l3_misses) S(l1i_misses) S(prefetches) S(stlb_hits) S(walks)         \
	S(walk_reads) S(excluded_jumps) S(branches) S(mispredictions) S(return_mispredictions) S(indirect_mispredictions)  \
	S(btb_misses) S(atomics) S(fences) S(serialised) S(flushes_all) S(flushes_page) S(forwards)      \
	S(forward_failures) S(faults) S(interrupts) S(switches) S(string_bytes) S(unknown_instructions)  \
	S(cpus)

extern struct statistics {
#define STATISTIC(name) uint64_t name;
	STATISTICS(STATISTIC)
#undef STATISTIC
} statistics;

void account_start(uint32_t functions);

/* What is retired from now on is of this round and interval; the interval before it is printed. */
void account_turn(uint32_t round, uint32_t interval);

/* What is retired from now on is of this context: 0 the measured task. */
void account_context(uint32_t context);

void account_charge(uint32_t function, enum cause cause, uint64_t cycles);

/* Instructions of @function that were done while @cause had the core wait, or that waited for it themselves. */
void account_instructions(uint32_t function, enum cause cause, uint64_t count);

/* Loads and stores that were executed; one of 16 bytes is one. */
void account_accesses(uint64_t count);

/* Prints the last interval and the statistics. */
void account_end(void);

#endif
