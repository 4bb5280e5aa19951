// SPDX-License-Identifier: GPL-2.0-only
/* Chains (latency) and independent copies (throughput) of single instructions, arm64. */
#if defined(__aarch64__)
#include <sys/auxv.h>

#include "probe.h"

#ifndef HWCAP_ATOMICS
#define HWCAP_ATOMICS (1 << 8)
#endif

static char scratch[PAGE] __attribute__((aligned(PAGE)));

/* As in instructions-x86_64.c. x15: scratch memory, whose first pointer points to itself. */
#define PROBE(name, setup, text, count, each)                                              \
	static uint64_t name(uint64_t operations)                                          \
	{                                                                                  \
		uint64_t loops = operations / ((count) * (each)) + 1;                      \
		register void *memory asm("x15") = scratch;                                \
		register uint64_t left asm("x14") = loops;                                 \
                                                                                           \
		*(void **)scratch = scratch;                                               \
		asm volatile(".arch_extension lse\n\t" setup "\n\t.p2align 6\n"            \
			     "7:\n\t.rept " #count "\n\t" text "\n\t.endr\n\t"             \
			     "subs %0, %0, #1\n\tb.ne 7b"                                  \
			     : "+r"(left)                                                  \
			     : "r"(memory)                                                 \
			     : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x30",      \
			       "v0", "v1", "cc", "memory");                                \
		return loops * (count) * (each);                                           \
	}

#define ONES "mov x0, #1\n\tmov x1, #1\n\tmov x2, #1\n\tmov x3, #1"

PROBE(add_chain, ONES, "add x0, x0, x1", 64, 1)
PROBE(add_many, ONES, "add x0, x0, x1\n\tadd x2, x2, x1\n\tadd x3, x3, x1\n\tadd x4, x4, x1\n\t"
      "add x5, x5, x1\n\tadd x6, x6, x1\n\tadd x7, x7, x1\n\tadd x30, x30, x1", 8, 8)
PROBE(nop_many, "", "nop", 128, 1)
PROBE(mixed_many, ONES, "add x0, x0, x1\n\tadd v0.4s, v0.4s, v0.4s\n\tldr x2, [x15]\n\tadd x3, x3, x1\n\t"
      "movi v1.2d, #0\n\tldr x4, [x15, #8]\n\tadd x5, x5, x1\n\tmov x6, x1", 8, 8)
PROBE(imul_chain, ONES, "mul x0, x0, x1", 64, 1)
PROBE(imul_many, ONES, "mul x0, x0, x1\n\tmul x2, x2, x1\n\tmul x3, x3, x1\n\tmul x4, x4, x1", 16, 4)
PROBE(shl_chain, ONES, "lsl x0, x0, x1", 64, 1)
PROBE(div32_chain, ONES, "udiv w0, w0, w1", 16, 1)
PROBE(div64_chain, ONES, "udiv x0, x0, x1", 16, 1)
PROBE(cmov_chain, ONES, "csel x0, x1, x0, eq", 64, 1)
PROBE(mov_chain, ONES, "mov x1, x0\n\tmov x0, x1", 32, 2)
PROBE(load_chain, "mov x0, x15", "ldr x0, [x0]", 64, 1)
PROBE(load_many, "", "ldr x0, [x15]\n\tldr x1, [x15, #64]\n\tldr x2, [x15, #128]\n\tldr x3, [x15, #192]", 16, 4)
PROBE(store_many, "", "str x0, [x15, #64]\n\tstr x0, [x15, #72]\n\tstr x0, [x15, #80]\n\tstr x0, [x15, #88]", 16, 4)
PROBE(forward_chain, ONES, "str x0, [x15, #64]\n\tldr x0, [x15, #64]\n\tadd x0, x0, x1", 32, 1)
PROBE(vector_add_chain, "", "add v0.4s, v0.4s, v1.4s", 64, 1)
PROBE(lock_add_chain, ONES "\n\tadd x6, x15, #64", "ldadd x1, x0, [x6]", 32, 1)
PROBE(lock_add_release, ONES "\n\tadd x6, x15, #64", "ldaddal x1, x0, [x6]", 32, 1)
PROBE(xchg_memory_chain, ONES "\n\tadd x6, x15, #64", "swpal x0, x0, [x6]", 32, 1)
PROBE(cmpxchg_chain, "mov x0, #0\n\tmov x1, #0\n\tadd x6, x15, #64\n\tstr x0, [x6]", "casal x0, x1, [x6]", 32, 1)
PROBE(exclusive_add_chain, ONES "\n\tadd x6, x15, #64", "3:\n\tldxr x0, [x6]\n\tadd x0, x0, x1\n\tstxr w2, x0, [x6]\n\tcbnz w2, 3b", 16, 1)
PROBE(acquire_many, "", "ldar x0, [x15]", 32, 1)
PROBE(dmb_many, "", "dmb ish", 32, 1)
PROBE(dsb_many, "", "dsb ish", 32, 1)
PROBE(isb_many, "", "isb", 16, 1)
PROBE(counter_many, "", "mrs x0, cntvct_el0", 16, 1)
PROBE(pause_many, "", "yield", 32, 1)
PROBE(call_many, "", "bl 3f\n\tb 4f\n\t.p2align 5\n3:\n\tret\n\t.p2align 5\n4:", 16, 1)
PROBE(jump_many, "", "b 3f\n\t.p2align 5\n3:", 32, 1)

static const char *atomics(uint64_t argument)
{
	(void)argument;
	return getauxval(AT_HWCAP) & HWCAP_ATOMICS ? NULL : "this CPU has no LSE atomics";
}

#define MANY 100000
#define SOME 20000
#define FEW 3000
#define ENTRY(probe, number) { #probe, NULL, NULL, probe, number, NULL }
#define ATOMIC(probe, number) { #probe, atomics, NULL, probe, number, NULL }

const struct probe instruction_probes[] = {
	ENTRY(add_chain, MANY),		ENTRY(add_many, MANY),
	ENTRY(nop_many, MANY),		ENTRY(mixed_many, MANY),
	ENTRY(imul_chain, MANY),	ENTRY(imul_many, MANY),
	ENTRY(shl_chain, MANY),		ENTRY(div32_chain, SOME),
	ENTRY(div64_chain, SOME),	ENTRY(cmov_chain, MANY),
	ENTRY(mov_chain, MANY),		ENTRY(load_chain, MANY),
	ENTRY(load_many, MANY),		ENTRY(store_many, MANY),
	ENTRY(forward_chain, SOME),	ENTRY(vector_add_chain, MANY),
	ATOMIC(lock_add_chain, SOME),	ATOMIC(lock_add_release, SOME),
	ATOMIC(xchg_memory_chain, SOME), ATOMIC(cmpxchg_chain, SOME),
	ENTRY(exclusive_add_chain, SOME), ENTRY(acquire_many, SOME),
	ENTRY(dmb_many, SOME),		ENTRY(dsb_many, FEW),
	ENTRY(isb_many, FEW),		ENTRY(counter_many, FEW),
	ENTRY(pause_many, FEW),		ENTRY(call_many, SOME),
	ENTRY(jump_many, SOME),		{ 0 },
};
#endif
