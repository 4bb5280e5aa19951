// SPDX-License-Identifier: GPL-2.0-only
/* The code of window and call probes, and the hypervisor's name, x86_64. */
#if defined(__x86_64__)
#include <cpuid.h>
#include <string.h>

#include "arch.h"

void hypervisor_name(char name[16])
{
	unsigned int a, b, c, d;

	memset(name, 0, 16);
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 31))
		return;
	__cpuid(0x40000000, a, b, c, d);
	memcpy(name, &b, 4);
	memcpy(name + 4, &c, 4);
	memcpy(name + 8, &d, 4);
}

static uint8_t *put(uint8_t *at, const char *bytes, size_t count)
{
	memcpy(at, bytes, count);
	return at + count;
}

static uint8_t *put_relative(uint8_t *at, const uint8_t *target)
{
	int32_t distance = (int32_t)(target - (at + 4));

	memcpy(at, &distance, 4);
	return at + 4;
}

static uint8_t *put_filler(uint8_t *at, enum filler filler, int of_b, unsigned int number)
{
	/* lea 1(%r8..%r11) | paddd %xmm0..3 | cmp %rdi, %rbx: each takes a register of another kind */
	static const char *const mixed[] = {
		"\x4d\x8d\x40\x01", "\x66\x0f\xfe\xc0", "\x48\x39\xfb",
		"\x4d\x8d\x49\x01", "\x66\x0f\xfe\xc9", "\x48\x39\xfb",
		"\x4d\x8d\x52\x01", "\x66\x0f\xfe\xd2", "\x48\x39\xfb",
		"\x4d\x8d\x5b\x01", "\x66\x0f\xfe\xdb", "\x48\x39\xfb",
	};
	/* cmp %rax or %rcx, %r8..%r11: no register but that of flags */
	static const char *const dependent[] = { "\x49\x39\xc0", "\x49\x39\xc1", "\x49\x39\xc2", "\x49\x39\xc3" };
	static const char *const of_rcx[] = { "\x49\x39\xc8", "\x49\x39\xc9", "\x49\x39\xca", "\x49\x39\xcb" };
	/* lea 1(%r8..%r11) */
	static const char *const adds[] = {
		"\x4d\x8d\x40\x01", "\x4d\x8d\x49\x01", "\x4d\x8d\x52\x01", "\x4d\x8d\x5b\x01",
	};

	switch (filler) {
	case FILL_MIXED:
		return put(at, mixed[number % 12], strlen(mixed[number % 12]));
	case FILL_DEPENDENT:
		return put(at, (of_b ? of_rcx : dependent)[number % 4], 3);
	case FILL_LOAD:
		return put(at, "\x4c\x8b\x02", 3); /* mov (%rdx), %r8 */
	case FILL_STORE:
		return put(at, "\x4c\x89\x02", 3); /* mov %r8, (%rdx) */
	case FILL_ADD:
		break;
	}
	return put(at, adds[number % 4], 4);
}

/*
 * A chain of divisions takes some 200 cycles whatever else uses the caches, and a second one overlaps with it where
 * the divider is pipelined. Its own instructions are among those that stand between.
 */
#define DIVISIONS 16

static uint8_t *put_chain(uint8_t *at, int of_b)
{
	for (unsigned int i = 0; i < DIVISIONS; i++)
		at = put(at, of_b ? "\xf2\x45\x0f\x5e\xfd" : "\xf2\x45\x0f\x5e\xf5", 5); /* divsd %xmm13, %xmm15 | 14 */
	return put(at, of_b ? "\xf2\x49\x0f\x2c\xcf" : "\xf2\x49\x0f\x2c\xc6", 5); /* cvttsd2si to %rcx | %rax */
}

size_t write_window(uint8_t *code, enum filler filler, unsigned int count)
{
	unsigned int own = filler == FILL_LOAD || filler == FILL_STORE ? 0 : DIVISIONS;
	unsigned int fillers = count > own ? count - own : 0;
	uint8_t *at = put_chain(code, 0);

	for (unsigned int i = 0; i < fillers; i++)
		at = put_filler(at, filler, 0, i);
	at = put_chain(at, 1);
	/* Between B and the next A as many, of B's result, so that no two iterations overlap. */
	for (unsigned int i = 0; i < fillers; i++)
		at = put_filler(at, filler, 1, i);
	at = put(at, "\x48\xff\xce\x0f\x85", 5); /* dec %rsi; jnz */
	at = put_relative(at, code);
	at = put(at, "\xc3", 1);
	return (size_t)(at - code);
}

void window_run(const void *code, uint64_t loops, void **a, void **b, void *scratch)
{
	register uint64_t left asm("rsi") = loops;
	double divisor = 1.0000000000001, value = 1.2345678901234;

	asm volatile("movsd %[divisor], %%xmm13\n\tmovsd %[value], %%xmm14\n\tmovapd %%xmm14, %%xmm15\n\t"
		     "lea -256(%%rsp), %%rsp\n\tcall *%[code]\n\tlea 256(%%rsp), %%rsp"
		     : "+a"(*a), "+c"(*b), "+r"(left)
		     : "d"(scratch), [code] "b"(code), [divisor] "x"(divisor), [value] "x"(value)
		     : "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm13", "xmm14", "xmm15", "cc", "memory");
}

size_t write_calls(uint8_t *code, unsigned int depth)
{
	const size_t each = 32;

	for (unsigned int i = 0; i < depth; i++) {
		uint8_t *at = code + i * each, *next = at + each;

		at = put(at, "\x49\x0f\xba\xe0", 4); /* bt i, %r8 */
		*at++ = (uint8_t)(i % 64);
		at = put(at, "\x72\x06\xe8", 3); /* jc 1f; call */
		at = put_relative(at, next);
		at = put(at, "\xc3\xe8", 2); /* ret; 1: call */
		at = put_relative(at, next);
		put(at, "\xc3", 1);
	}
	code[depth * each] = 0xc3;
	return depth * each + 1;
}

void calls_run(const void *code, uint64_t bits)
{
	register uint64_t given asm("r8") = bits;

	asm volatile("lea -256(%%rsp), %%rsp\n\tcall *%1\n\tlea 256(%%rsp), %%rsp"
		     : "+r"(given) : "r"(code) : "cc", "memory");
}
#endif
