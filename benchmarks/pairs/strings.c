// SPDX-License-Identifier: GPL-2.0-only
/* Clearing and copying: a bytes in an operation, one after another within b bytes. */
#include "pair.h"

static void prepare(struct work *w)
{
	w->b = w->b ? w->b : w->a;
	w->size = 2 * ((w->b + 4095) & ~4095l);
	w->memory = pages_of(w->size);
	w->lap = w->b / w->a > 200 ? w->b / w->a : 200;
	w->measured = w->lap;
}

/* Each body has its length in rcx, its destination in rdi and its source in rsi, and may use rax, rdx and xmm0 to 3. */
#define STRING(name, unit, body)						\
static void run_##name(struct work *w, long n)					\
{										\
	size_t offset = w->offset, half = w->size / 2;				\
										\
	while (n-- > 0) {							\
		char *to = w->memory + offset, *from = to + half;		\
		long length = w->a / (unit);					\
										\
		__asm__ volatile(body						\
				 : "+c"(length), "+D"(to), "+S"(from)		\
				 :: "rax", "rdx", "xmm0", "xmm1", "xmm2", "xmm3", "cc", "memory");	\
		offset += w->a;							\
		if (offset + w->a > (size_t)w->b)				\
			offset = 0;						\
	}									\
	w->offset = offset;							\
}

STRING(stosb, 1, "xor %%eax, %%eax; rep stosb")
STRING(stosq, 8, "xor %%eax, %%eax; rep stosq")
STRING(movsb, 1, "rep movsb")
STRING(movsq, 8, "rep movsq")
STRING(words_clear, 8, "1: movq $0, (%%rdi); add $8, %%rdi; dec %%rcx; jnz 1b")
STRING(words_copy, 8, "1: mov (%%rsi), %%rax; mov %%rax, (%%rdi); add $8, %%rdi; add $8, %%rsi; dec %%rcx; jnz 1b")
STRING(lines_clear, 64, "pxor %%xmm0, %%xmm0\n"
			"1: movdqa %%xmm0, (%%rdi); movdqa %%xmm0, 16(%%rdi); movdqa %%xmm0, 32(%%rdi)\n"
			"movdqa %%xmm0, 48(%%rdi); add $64, %%rdi; dec %%rcx; jnz 1b")
STRING(lines_copy, 64, "1: movdqa (%%rsi), %%xmm0; movdqa 16(%%rsi), %%xmm1; movdqa 32(%%rsi), %%xmm2\n"
		       "movdqa 48(%%rsi), %%xmm3; movdqa %%xmm0, (%%rdi); movdqa %%xmm1, 16(%%rdi)\n"
		       "movdqa %%xmm2, 32(%%rdi); movdqa %%xmm3, 48(%%rdi); add $64, %%rsi; add $64, %%rdi\n"
		       "dec %%rcx; jnz 1b")

#define SIDE(string) { .name = #string, .run = run_##string, .prepare = prepare }

const struct side string_sides[] = {
	SIDE(stosb), SIDE(stosq), SIDE(movsb), SIDE(movsq), SIDE(words_clear), SIDE(words_copy), SIDE(lines_clear),
	SIDE(lines_copy),
	{ 0 },
};
