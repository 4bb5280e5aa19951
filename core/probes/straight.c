// SPDX-License-Identifier: GPL-2.0-only
/*
 * 128 KiB of straight code that does nothing. Most first levels have less, so it comes from the second one. An operation
 * is a line. It takes the time that fetching ahead does not hide.
 */
#include "probe.h"

#define LINES 2048

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

static uint64_t run(uint64_t operations)
{
	uint64_t done;

	for (done = 0; done < operations; done += LINES)
		CALL_CODE(straight_code);
	return done;
}

const struct probe straight_probes[] = {
	{ "straight_code", NULL, NULL, run, 4 * LINES, NULL },
	{ 0 },
};
