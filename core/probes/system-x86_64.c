// SPDX-License-Identifier: GPL-2.0-only
/* System instructions that user mode may execute, one after the other. */
#if defined(__x86_64__)
#include "copies-x86_64.h"

#define STATE "mov $0xe7, %%eax\n\txor %%edx, %%edx" /* all but that of AMX */

#define SYSTEM(probe, setup, text, count, each)                 \
	PROBE(probe, setup, text, count, each)                  \
	static const char *try_##probe(uint64_t argument)       \
	{                                                       \
		(void)argument;                                 \
		return trial(probe);                            \
	}

SYSTEM(pushf_many, "", "pushf\n\tlea 8(%%rsp), %%rsp", 32, 1)
SYSTEM(popf_many, "pushf\n\tpop %%rbx", "push %%rbx\n\tpopf", 32, 1)
SYSTEM(mov_segment_many, "mov %%es, %%eax", "mov %%eax, %%es", 16, 1)
SYSTEM(rdpid_many, "", "rdpid %%rax", 32, 1)
SYSTEM(rdrand_many, "", "rdrand %%rax", 4, 1)
SYSTEM(serialize_many, "", ".byte 0x0f, 0x01, 0xe8", 8, 1)
SYSTEM(rdfsbase_many, "", "rdfsbase %%rax", 32, 1)
SYSTEM(wrfsbase_many, "rdfsbase %%rax", "wrfsbase %%rax", 16, 1)
SYSTEM(rdpkru_many, "xor %%ecx, %%ecx", "rdpkru", 32, 1)
SYSTEM(wrpkru_many, "xor %%ecx, %%ecx\n\trdpkru", "wrpkru", 16, 1)
SYSTEM(xsave_many, STATE, "xsavec64 64(%%r15)", 4, 1)
SYSTEM(xrstor_many, STATE "\n\txsavec64 64(%%r15)", "xrstor64 64(%%r15)", 4, 1)

#define ENTRY(probe, number) { #probe, try_##probe, NULL, probe, number, NULL }
#define SOME 20000
#define FEW 3000

const struct probe system_probes[] = {
	ENTRY(pushf_many, SOME),    ENTRY(popf_many, FEW),	ENTRY(mov_segment_many, FEW),
	ENTRY(rdpid_many, FEW),	    ENTRY(rdrand_many, 100),	ENTRY(serialize_many, FEW),
	ENTRY(rdfsbase_many, FEW),  ENTRY(wrfsbase_many, FEW),	ENTRY(rdpkru_many, SOME),
	ENTRY(wrpkru_many, FEW),    ENTRY(xsave_many, FEW),	ENTRY(xrstor_many, FEW),
	{ 0 },
};
#else
#include "probe.h"

const struct probe system_probes[] = { { 0 } };
#endif
