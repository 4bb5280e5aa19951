// SPDX-License-Identifier: GPL-2.0-only
/* Branches that nobody can predict, against the same code with branches that all can. */
#include <sys/mman.h>

#include "arch.h"
#include "probe.h"

static uint64_t state = 88172645463325252ULL;
static uint64_t mask;

static const char *set_mask(uint64_t argument)
{
	mask = argument;
	return NULL;
}

/* One conditional branch an operation, over one instruction; taken by chance where mask is 1. */
static uint64_t conditional(uint64_t operations)
{
	uint64_t done = 0;

	for (uint64_t i = 0; i < operations; i++) {
		uint64_t bit = random_next(&state) >> 32 & mask;

#if defined(__x86_64__)
		asm volatile("test %1, %1\n\tjz 1f\n\tinc %0\n1:" : "+r"(done) : "r"(bit) : "cc");
#else
		asm volatile("cbz %1, 1f\n\tadd %0, %0, #1\n1:" : "+r"(done) : "r"(bit) : "cc");
#endif
	}
	sink += done;
	return operations;
}

/* One jump through a register an operation, to one of mask + 1 places. */
static uint64_t indirect(uint64_t operations)
{
	static const void *const targets[] = { &&first, &&second, &&third, &&fourth };
	uint64_t done = 0;

	for (uint64_t i = 0; i < operations; i++) {
		const void *target = targets[random_next(&state) >> 32 & mask];

		/* Opaque, or the compiler makes conditional branches of it. */
		asm volatile("" : "+r"(target));
		goto *target;
first:
		asm volatile("" : "+r"(done));
		done += 1;
		continue;
second:
		asm volatile("nop" : "+r"(done));
		done += 3;
		continue;
third:
		asm volatile("nop\n\tnop" : "+r"(done));
		done += 5;
		continue;
fourth:
		asm volatile("nop\n\tnop\n\tnop" : "+r"(done));
		done += 7;
	}
	sink += done;
	return operations;
}

static uint8_t *calls;

static const char *prepare_calls(uint64_t depth)
{
	if (depth > 100)
		return "more calls than there is room for";
	if (!calls) {
		calls = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (calls == MAP_FAILED) {
			calls = NULL;
			return "this system gives no memory that may be written and executed";
		}
	}
	write_calls(calls, (unsigned int)depth);
	return NULL;
}

static uint64_t call(uint64_t operations)
{
	for (uint64_t i = 0; i < operations; i++)
		calls_run(calls, random_next(&state));
	return operations;
}

const struct probe branch_probes[] = {
	{ "branch_conditional", set_mask, NULL, conditional, 10000, NULL },
	{ "branch_indirect", set_mask, NULL, indirect, 10000, NULL },
	{ "call_depth", prepare_calls, NULL, call, 500, NULL },
	{ 0 },
};
