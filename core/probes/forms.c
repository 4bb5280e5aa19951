// SPDX-License-Identifier: GPL-2.0-only
/*
 * Chains and independent copies of every form of instruction in forms-x86_64.inc: form_chain:N and form_many:N, where N
 * is the form's place in that file. A form that this CPU does not have is refused.
 */
#include <stddef.h>

#include "arch.h"
#include "probe.h"

#if defined(__x86_64__)
#define COPIES 32

typedef uint64_t (*body)(uint64_t operations);

struct form {
	body chain, many;
};

/* 1.0000002 as a double, 1.0000001 and 1.875 as floats: no operand that a divider is quick with. */
static const uint64_t values[8] __attribute__((aligned(64))) = {
	0x3ff000003f800001, 0x3ff000003f800001, 0x3ff000003f800001, 0x3ff000003f800001,
	0x3ff000003f800001, 0x3ff000003f800001, 0x3ff000003f800001, 0x3ff000003f800001,
};

#define VECTORS "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10"
#define FILLED(number) "movups xmm" #number ", [r15]\n\t"

/* `text`, of `each` operations, over and over; ecx, edx and esi are as the forms' file expects. */
#define BODY(name, text, each)                                                             \
	static uint64_t name(uint64_t operations)                                          \
	{                                                                                  \
		uint64_t loops = operations / (COPIES * (each)) + 1;                       \
		register const void *memory asm("r15") = values;                           \
		register uint64_t left asm("r14") = loops;                                 \
                                                                                           \
		asm volatile(".intel_syntax noprefix\n\t"                                  \
			     FILLED(0) FILLED(1) FILLED(2) FILLED(3) FILLED(4) FILLED(5)   \
			     FILLED(6) FILLED(7) FILLED(8) FILLED(9) FILLED(10)            \
			     "mov ecx, 0x1001\n\tmov edx, 5\n\tmov esi, 0x12345678\n\t"    \
			     "mov eax, 7\n\tmov ebx, 7\n\tmov edi, 7\n\tmov r8d, 7\n\t"    \
			     "mov r9d, 7\n\tmov r10d, 7\n\tmov r11d, 7\n\t.p2align 6\n"    \
			     "7:\n\t.rept 32\n\t" text "\n\t.endr\n\t"                     \
			     "dec r14\n\tjnz 7b\n\t.att_syntax"                            \
			     : "+r"(left)                                                  \
			     : "r"(memory)                                                 \
			     : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", \
			       VECTORS, "cc", "memory");                                   \
		return loops * COPIES * (each);                                            \
	}

#define JOINED(a, b) a##b
#define NAMED(a, b) JOINED(a, b)
/* One line each, so that a form's functions have names of their own. */
#define FORM(form, one, extra, several, copies) BODY(NAMED(chain_, __LINE__), one, 1) BODY(NAMED(many_, __LINE__), several, copies)
#include "forms-x86_64.inc"
#undef FORM

static const struct form forms[] = {
#define FORM(form, one, extra, several, copies) \
	{ sizeof(one) > 1 ? NAMED(chain_, __LINE__) : NULL, sizeof(several) > 1 ? NAMED(many_, __LINE__) : NULL },
#include "forms-x86_64.inc"
#undef FORM
};

static body chosen;
static uint64_t wanted;

/* Finds how many operations take some 30 microseconds; the first ones show whether the CPU has the form. */
static const char *choose(body code)
{
	const char *why = code ? trial(code) : "nothing to measure";
	uint64_t start, spent, done;

	if (why)
		return why;
	start = ticks();
	done = code(2000);
	spent = ticks() - start;
	chosen = code;
	wanted = 80000 * done / (spent + 1);
	return NULL;
}

static const char *choose_chain(uint64_t number)
{
	return number < sizeof(forms) / sizeof(forms[0]) ? choose(forms[number].chain) : "no such form";
}

static const char *choose_many(uint64_t number)
{
	return number < sizeof(forms) / sizeof(forms[0]) ? choose(forms[number].many) : "no such form";
}

static uint64_t run(uint64_t operations)
{
	return chosen(operations);
}

static uint64_t operations(uint64_t argument)
{
	(void)argument;
	return wanted;
}

const struct probe form_probes[] = {
	{ "form_chain", choose_chain, NULL, run, 0, operations },
	{ "form_many", choose_many, NULL, run, 0, operations },
	{ 0 },
};
#else
const struct probe form_probes[] = { { 0 } };
#endif
