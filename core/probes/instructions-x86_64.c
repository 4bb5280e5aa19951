// SPDX-License-Identifier: GPL-2.0-only
/* Chains (latency) and independent copies (throughput) of single instructions, x86_64. */
#if defined(__x86_64__)
#include "copies-x86_64.h"
#include "probe.h"

#define NONE ""
#define ONES "mov $1, %%eax\n\tmov $1, %%ecx\n\txor %%edx, %%edx"

PROBE(add_chain, ONES, "add %%rcx, %%rax", 64, 1)
PROBE(add_many, ONES, "add %%rcx, %%rax\n\tadd %%rcx, %%rbx\n\tadd %%rcx, %%rdx\n\tadd %%rcx, %%rsi\n\t"
      "add %%rcx, %%rdi\n\tadd %%rcx, %%r8\n\tadd %%rcx, %%r9\n\tadd %%rcx, %%r10", 8, 8)
PROBE(nop_many, NONE, "nop", 128, 1)
PROBE(mixed_many, ONES, "lea 1(%%r8), %%r8\n\tpaddd %%xmm0, %%xmm0\n\tmov (%%r15), %%rax\n\t"
      "lea 1(%%r9), %%r9\n\tpxor %%xmm1, %%xmm1\n\tmov 8(%%r15), %%rbx\n\tlea 1(%%r10), %%r10\n\t"
      "mov %%rcx, %%rdx", 8, 8)
PROBE(imul_chain, ONES, "imul %%rcx, %%rax", 64, 1)
PROBE(imul_many, ONES, "imul %%rcx, %%rax\n\timul %%rcx, %%rbx\n\timul %%rcx, %%rdx\n\timul %%rcx, %%rsi", 16, 4)
PROBE(mul_chain, ONES, "mul %%rcx", 64, 1)
PROBE(lea3_chain, ONES, "lea 1(%%rax, %%rcx, 4), %%rax", 64, 1)
PROBE(shl_chain, ONES, "shl %%cl, %%rax", 64, 1)
PROBE(shr_chain, ONES, "shr $1, %%rax", 64, 1)
PROBE(bsf_chain, "mov $1, %%eax", "bsf %%rax, %%rax\n\tor $1, %%rax", 32, 1)
PROBE(popcnt_chain, ONES, "popcnt %%rax, %%rax", 64, 1)
PROBE(bt_many, ONES, "bt $3, %%rax", 64, 1)
PROBE(bts_chain, ONES, "bts $3, %%rax", 64, 1)
PROBE(adc_chain, ONES, "adc %%rcx, %%rax", 64, 1)
PROBE(cmov_chain, ONES, "cmovc %%rcx, %%rax\n\tcmovc %%rax, %%rcx", 32, 2)
PROBE(mov_chain, ONES, "mov %%rax, %%rcx\n\tmov %%rcx, %%rax", 32, 2)
PROBE(xchg_chain, ONES, "xchg %%rax, %%rcx", 64, 1)
PROBE(div32_chain, ONES, "xor %%edx, %%edx\n\tdiv %%ecx", 16, 1)
PROBE(div64_chain, ONES, "xor %%edx, %%edx\n\tdiv %%rcx", 16, 1)
PROBE(div64_long_chain, "movabs $0x7000000000000001, %%rax\n\tmov $1, %%ecx", "xor %%edx, %%edx\n\tdiv %%rcx", 16, 1)
PROBE(load_chain, "mov %%r15, %%rax", "mov (%%rax), %%rax", 64, 1)
PROBE(load_index_chain, "mov %%r15, %%rax\n\txor %%ecx, %%ecx", "mov (%%rax, %%rcx, 8), %%rax", 64, 1)
PROBE(load_computed_chain, "mov %%r15, %%rax\n\tmov $0, %%ecx", "mov (%%rax), %%rax\n\tadd %%rcx, %%rax", 32, 1)
PROBE(load_many, NONE, "mov (%%r15), %%rax\n\tmov 64(%%r15), %%rbx\n\tmov 128(%%r15), %%rcx\n\tmov 192(%%r15), %%rdx", 16, 4)
PROBE(store_many, NONE, "mov %%rax, 64(%%r15)\n\tmov %%rax, 72(%%r15)\n\tmov %%rax, 80(%%r15)\n\tmov %%rax, 88(%%r15)", 16, 4)
/* By the stack pointer, as most of a kernel's: some cores know by name alone that these are one value. */
PROBE(forward_chain, ONES, "mov %%rax, -512(%%rsp)\n\tmov -512(%%rsp), %%rax\n\tadd %%rcx, %%rax", 32, 1)
PROBE(forward_other_chain, ONES "\n\tlea 64(%%r15), %%rbx", "mov %%rax, 64(%%r15)\n\tmov (%%rbx), %%rax\n\tadd %%rcx, %%rax", 32, 1)
PROBE(load_split_chain, "lea 60(%%r15), %%rax\n\tmov %%rax, 60(%%r15)", "mov (%%rax), %%rax", 64, 1)
PROBE(store_lines, ONES, "mov %%rax, 64(%%r15)\n\tmov %%rax, 128(%%r15)\n\tmov %%rax, 192(%%r15)\n\tmov %%rax, 256(%%r15)", 16, 4)
PROBE(forward_memory_chain, ONES, "addq $1, 64(%%r15)", 32, 1)
PROBE(forward_short_chain, ONES, "mov %%rax, 64(%%r15)\n\tmov 64(%%r15), %%eax\n\tadd %%rcx, %%rax", 32, 1)
PROBE(forward_refused_chain, ONES, "mov %%eax, 64(%%r15)\n\tmov %%eax, 68(%%r15)\n\tmov 64(%%r15), %%rax\n\tadd %%rcx, %%rax", 16, 1)
PROBE(push_pop_chain, ONES, "push %%rax\n\tpop %%rax", 32, 1)
PROBE(vector_add_chain, NONE, "paddd %%xmm1, %%xmm0", 64, 1)
PROBE(vector_load_many, NONE, "movdqu 64(%%r15), %%xmm0\n\tmovdqu 128(%%r15), %%xmm1", 16, 2)
PROBE(vector_store_many, NONE, "movdqu %%xmm0, 64(%%r15)\n\tmovdqu %%xmm0, 80(%%r15)", 16, 2)
PROBE(vector_move_chain, ONES, "movq %%rax, %%xmm0\n\tmovq %%xmm0, %%rax", 32, 1)
PROBE(zero_many, NONE, "xor %%eax, %%eax\n\txor %%ebx, %%ebx\n\txor %%ecx, %%ecx\n\txor %%edx, %%edx", 16, 4)
PROBE(lock_add_chain, ONES, "lock addq $1, 64(%%r15)", 32, 1)
PROBE(lock_add_lines, ONES, "lock addq $1, 64(%%r15)\n\tlock addq $1, 128(%%r15)\n\tlock addq $1, 192(%%r15)\n\tlock addq $1, 256(%%r15)", 8, 4)
PROBE(lock_xadd_chain, ONES, "lock xadd %%rax, 64(%%r15)", 32, 1)
PROBE(xchg_memory_chain, ONES, "xchg %%rax, 64(%%r15)", 32, 1)
PROBE(xchg_memory_lines, ONES, "xchg %%rax, 64(%%r15)\n\txchg %%rbx, 128(%%r15)\n\txchg %%rcx, 192(%%r15)\n\txchg %%rdx, 256(%%r15)", 8, 4)
PROBE(cmpxchg_chain, "xor %%eax, %%eax\n\txor %%ecx, %%ecx\n\tmovq $0, 64(%%r15)", "lock cmpxchg %%rcx, 64(%%r15)", 32, 1)
PROBE(cmpxchg_plain_chain, "xor %%eax, %%eax\n\txor %%ecx, %%ecx\n\tmovq $0, 64(%%r15)", "cmpxchg %%rcx, 64(%%r15)", 32, 1)
PROBE(lock_bts_chain, ONES, "lock btsq $3, 64(%%r15)", 32, 1)
/* How much independent work fits into the shadow of one atomic operation. */
PROBE(lock_shadow_40, ONES, "lock addq $1, 64(%%r15)\n\t.rept 10\n\tadd %%rcx, %%rax\n\tadd %%rcx, %%rbx\n\tadd %%rcx, %%rdx\n\tadd %%rcx, %%rsi\n\t.endr", 4, 1)
PROBE(lock_shadow_80, ONES, "lock addq $1, 64(%%r15)\n\t.rept 20\n\tadd %%rcx, %%rax\n\tadd %%rcx, %%rbx\n\tadd %%rcx, %%rdx\n\tadd %%rcx, %%rsi\n\t.endr", 4, 1)
PROBE(lock_shadow_160, ONES, "lock addq $1, 64(%%r15)\n\t.rept 40\n\tadd %%rcx, %%rax\n\tadd %%rcx, %%rbx\n\tadd %%rcx, %%rdx\n\tadd %%rcx, %%rsi\n\t.endr", 4, 1)
PROBE(add_160, ONES, ".rept 40\n\tadd %%rcx, %%rax\n\tadd %%rcx, %%rbx\n\tadd %%rcx, %%rdx\n\tadd %%rcx, %%rsi\n\t.endr", 4, 1)
PROBE(lock_after_store, ONES, "mov %%rcx, 128(%%r15)\n\tlock addq $1, 64(%%r15)", 16, 1)
PROBE(lock_then_load, "mov %%r15, %%rax", "lock addq $0, 64(%%r15)\n\t.rept 8\n\tmov (%%rax), %%rax\n\t.endr", 8, 1)
PROBE(lock_lines_apart, ONES, "lock addq $1, 64(%%r15)\n\tnop\n\tnop\n\tlock addq $1, 128(%%r15)\n\tnop\n\tnop", 8, 2)
PROBE(lfence_many, NONE, "lfence", 32, 1)
PROBE(lfence_apart, ONES, "lfence\n\t.rept 8\n\tadd %%rcx, %%rax\n\t.endr", 8, 1)
PROBE(mfence_many, NONE, "mfence", 32, 1)
PROBE(mfence_store, ONES, "mov %%rcx, 64(%%r15)\n\tmfence", 16, 1)
PROBE(sfence_many, NONE, "sfence", 32, 1)
PROBE(rdtsc_many, NONE, "rdtsc", 32, 1)
PROBE(rdtscp_many, NONE, "rdtscp", 32, 1)
PROBE(pause_many, NONE, "pause", 16, 1)
PROBE(cpuid_many, NONE, "xor %%eax, %%eax\n\tcpuid", 1, 1)
PROBE(verw_many, "mov %%ds, 64(%%r15)", "verw 64(%%r15)", 16, 1)
PROBE(xgetbv_many, "xor %%ecx, %%ecx", "xgetbv", 16, 1)
PROBE(pushf_popf, NONE, "pushf\n\tpopf", 16, 1)
PROBE(call_many, NONE, "call 3f\n\tjmp 4f\n\t.p2align 5\n3:\n\tret\n\t.p2align 5\n4:", 16, 1)
PROBE(jump_many, NONE, "jmp 3f\n\t.p2align 5\n3:", 32, 1)
PROBE(untaken_many, "xor %%eax, %%eax\n\ttest %%eax, %%eax", "jnz 8f\n\tjnz 8f\n8:", 32, 2)
PROBE(load_plain_add_many, ONES, "add 64(%%r15), %%rax\n\tadd 128(%%r15), %%rbx\n\tadd 192(%%r15), %%rdx\n\tadd 256(%%r15), %%rsi", 16, 4)
PROBE(prefetch_many, NONE, "prefetcht0 64(%%r15)", 32, 1)

#define MANY 100000
#define SOME 20000
#define FEW 3000
#define ENTRY(probe, number) { #probe, NULL, NULL, probe, number, NULL }

const struct probe instruction_probes[] = {
	ENTRY(add_chain, MANY),		ENTRY(add_many, MANY),
	ENTRY(nop_many, MANY),		ENTRY(mixed_many, MANY),
	ENTRY(imul_chain, MANY),	ENTRY(imul_many, MANY),
	ENTRY(mul_chain, MANY),		ENTRY(lea3_chain, MANY),
	ENTRY(shl_chain, MANY),		ENTRY(shr_chain, MANY),
	ENTRY(bsf_chain, MANY),		ENTRY(popcnt_chain, MANY),
	ENTRY(bt_many, MANY),		ENTRY(bts_chain, MANY),
	ENTRY(adc_chain, MANY),		ENTRY(cmov_chain, MANY),
	ENTRY(mov_chain, MANY),		ENTRY(xchg_chain, MANY),
	ENTRY(div32_chain, SOME),	ENTRY(div64_chain, SOME),
	ENTRY(div64_long_chain, SOME),	ENTRY(load_chain, MANY),
	ENTRY(load_index_chain, MANY),	ENTRY(load_many, MANY),
	ENTRY(load_computed_chain, MANY),
	ENTRY(store_many, MANY),	ENTRY(forward_chain, SOME),
	ENTRY(forward_other_chain, SOME), ENTRY(load_split_chain, SOME),
	ENTRY(store_lines, SOME),
	ENTRY(forward_memory_chain, SOME), ENTRY(forward_short_chain, SOME),
	ENTRY(forward_refused_chain, SOME), ENTRY(push_pop_chain, MANY),
	ENTRY(vector_add_chain, MANY),	ENTRY(vector_load_many, MANY),
	ENTRY(vector_store_many, MANY),	ENTRY(vector_move_chain, MANY),
	ENTRY(zero_many, MANY),		ENTRY(lock_add_chain, SOME),
	ENTRY(lock_add_lines, SOME),	ENTRY(lock_xadd_chain, SOME),
	ENTRY(xchg_memory_chain, SOME),	ENTRY(xchg_memory_lines, SOME),
	ENTRY(cmpxchg_chain, SOME),	ENTRY(cmpxchg_plain_chain, SOME),
	ENTRY(lock_bts_chain, SOME),	ENTRY(lock_shadow_40, FEW),
	ENTRY(lock_shadow_80, FEW),	ENTRY(lock_shadow_160, FEW),
	ENTRY(add_160, FEW),		ENTRY(lock_after_store, FEW),
	ENTRY(lock_then_load, FEW),	ENTRY(lock_lines_apart, FEW),
	ENTRY(lfence_many, SOME),	ENTRY(lfence_apart, FEW),
	ENTRY(mfence_many, FEW),	ENTRY(mfence_store, FEW),
	ENTRY(sfence_many, FEW),	ENTRY(rdtsc_many, FEW),
	ENTRY(rdtscp_many, FEW),	ENTRY(pause_many, FEW),
	ENTRY(cpuid_many, 30),		ENTRY(verw_many, FEW),
	ENTRY(xgetbv_many, FEW),	ENTRY(pushf_popf, FEW),
	ENTRY(call_many, SOME),		ENTRY(jump_many, SOME),
	ENTRY(untaken_many, MANY),	ENTRY(load_plain_add_many, MANY),
	ENTRY(prefetch_many, MANY),	{ 0 },
};
#endif
