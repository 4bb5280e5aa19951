// SPDX-License-Identifier: GPL-2.0-only
/*
 * Straight code that does nothing, in order: a KiB count that the first level has, and one that comes from the second.
 * A line of it costs what fetching ahead does not hide. An operation is a line.
 */
#include "probe.h"

#define KIB 128 /* of all: most first levels have less */

#if defined(__x86_64__)
#define EMPTY_LINE ".rept 8; .byte 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0; .endr\n"
#define CALL_CODE(at) \
	asm volatile("lea -256(%%rsp), %%rsp\n\tcall *%0\n\tlea 256(%%rsp), %%rsp" :: "r"(at) : "cc", "memory")
#elif defined(__aarch64__)
#define EMPTY_LINE ".rept 16; nop; .endr\n"
#define CALL_CODE(at) asm volatile("blr %0" :: "r"(at) : "x30", "memory")
#endif

asm(".text\n.p2align 12\nstraight_code:\n.rept 2048\n" EMPTY_LINE ".endr\nret\n");
extern const char straight_code[];

static uint64_t kib;

static const char *prepare(uint64_t asked)
{
	if (!asked || asked > KIB)
		return "more code than there is";
	kib = asked;
	return NULL;
}

static uint64_t run(uint64_t operations)
{
	uint64_t lines = kib * 1024 / LINE, done;
	const char *at = straight_code + (KIB - kib) * 1024;

	for (done = 0; done < operations; done += lines)
		CALL_CODE(at);
	return done;
}

const struct probe straight_probes[] = {
	{ "straight", prepare, NULL, run, 8192, NULL },
	{ 0 },
};
